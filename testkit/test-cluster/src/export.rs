//! Test cases of Go packages that Kubernetes consists of. They are code, so a test in Go prints them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::cache;
use crate::pins::{Pins, fingerprint};

/// What the test `TestExport` of `fixture` writes to the file that the variable `KUBE_INFORMER_EXPORT` names.
///
/// `fixture` is a Go file that is added to the tests of `package`, in the version that the API server is built from, so that
/// it can use whatever the other tests of the package have. The result is kept in the cache.
pub fn exported(package: &str, fixture: &str) -> Result<String> {
    export(package, fixture, None)
}

/// What all tests of `package` write to the file that the variable `KUBE_INFORMER_EXPORT` names, after `fixture` has been
/// added to the folder `to` of the module, and files of the module have been edited, so that they call it.
pub fn exported_by_tests(package: &str, fixture: &str, to: &str, edits: &[Edit<'_>]) -> Result<String> {
    export(package, fixture, Some((to, edits)))
}

/// What is replaced in a file of a Go module.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// The path in the module.
    pub file: &'a str,
    /// Text that occurs once, and what takes its place.
    pub replaced: &'a [(&'a str, &'a str)],
}

/// Where a fixture is added, and what is edited there; `None` if it is a test of the package itself.
type Place<'a> = Option<(&'a str, &'a [Edit<'a>])>;

fn export(package: &str, fixture: &str, place: Place<'_>) -> Result<String> {
    let pins = Pins::read()?;
    let key = match place {
        None => fingerprint(&[&pins.fingerprint(), package, fixture]),
        Some(place) => fingerprint(&[&pins.fingerprint(), package, fixture, &format!("{place:?}")]),
    };
    let dir = cache::directory(&format!("exported-{key}"))?;
    let path = dir.join("cases");
    if !path.is_file() {
        let _only_one_exports = cache::lock(&dir)?;
        if !path.is_file() {
            let partial = dir.join("cases.partial");
            // Tests append to it.
            let _ = fs::remove_file(&partial);
            run(&pins, package, fixture, place, &dir, &partial)?;
            fs::rename(&partial, &path).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn run(pins: &Pins, package: &str, fixture: &str, place: Place<'_>, dir: &Path, output: &Path) -> Result<()> {
    let go = |arguments: &[&str]| -> Result<Output> {
        let mut command = Command::new("go");
        // A go.work above the checkout must not change what is run.
        command.current_dir(&pins.module_dir).env("GOWORK", "off").env("KUBE_INFORMER_EXPORT", output);
        let output = command.args(arguments).stdin(Stdio::null()).output().context("cannot run `go`")?;
        let said = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        ensure!(output.status.success(), "`go {}` failed:\n{}", arguments.join(" "), said.join(""));
        Ok(output)
    };
    let found = go(&["list", "-f", "{{.Module.Path}}\t{{.Module.Dir}}\t{{.Dir}}", package])?.stdout;
    let found = String::from_utf8(found)?;
    let [module, module_dir, package_dir] = found.trim().split('\t').collect::<Vec<_>>()[..] else {
        bail!("`go list` says {found:?} of {package}");
    };
    // Go adds no files to modules in its cache, but it does so at another path of the same module.
    let (link, module_file) = (dir.join("module"), dir.join("go.mod"));
    let _ = fs::remove_file(&link);
    symlink(module_dir, &link).with_context(|| format!("cannot make {}", link.display()))?;
    fs::copy(pins.module_dir.join("go.mod"), &module_file)?;
    fs::copy(pins.module_dir.join("go.sum"), dir.join("go.sum"))?;
    let replaced = format!("-replace={module}={}", link.display());
    go(&["mod", "edit", &replaced, &module_file.display().to_string()])?;
    let source = dir.join("export_test.go");
    fs::write(&source, fixture)?;
    let mut replaced = Vec::new();
    let (added, tests) = match place {
        None => {
            let package = link.join(Path::new(package_dir).strip_prefix(module_dir)?);
            (package.join("kube_informer_export_test.go"), "-run=^TestExport$")
        }
        Some((folder, edits)) => {
            for (number, edit) in edits.iter().enumerate() {
                let (original, edited) = (link.join(edit.file), dir.join(format!("edited-{number}.go")));
                fs::write(&edited, edit.read(&original)?)?;
                replaced.push((original, edited));
            }
            (link.join(folder).join("kube_informer_export.go"), "-run=.")
        }
    };
    replaced.push((added, source));
    let replaced: Vec<String> = replaced.iter().map(|(path, by)| format!("{path:?}:{by:?}")).collect();
    let overlay = dir.join("overlay.json");
    fs::write(&overlay, format!("{{\"Replace\":{{{}}}}}", replaced.join(",")))?;
    let (overlay, module_file) =
        (format!("-overlay={}", overlay.display()), format!("-modfile={}", module_file.display()));
    go(&["test", &module_file, &overlay, "-count=1", tests, package])?;
    Ok(())
}

impl Edit<'_> {
    /// The edited file.
    fn read(&self, path: &Path) -> Result<String> {
        let mut text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        for (old, new) in self.replaced {
            ensure!(text.matches(old).count() == 1, "{} has not once `{old}`", path.display());
            text = text.replace(old, new);
        }
        Ok(text)
    }
}
