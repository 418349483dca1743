//! What is published: complete packages, and documentation that docs.rs can build.

use anyhow::{Result, ensure};

use crate::cargo::Cargo;
use crate::face::rustdoc::as_docs_rs;
use crate::packages::{self, Package};
use crate::report::{Outcome, Report};

/// What every package has in it, besides its sources.
const FILES: [&str; 3] = ["Cargo.toml", "LICENSE", "README.md"];

/// A rehearsal of publishing everything. With `verify` each package is built from what would be uploaded.
pub(crate) fn step(report: &mut Report, verify: bool) {
    report.step("publish --dry-run", || {
        let packages = packages::published()?;
        let mut problems = Vec::new();
        for package in &packages {
            let list =
                Cargo::new(&format!("package --list --locked --allow-dirty --package {}", package.name));
            problems.extend(missing(package, &String::from_utf8_lossy(&list.output()?)));
        }
        ensure!(problems.is_empty(), "{}", problems.join("; "));
        let verify = if verify { "" } else { " --no-verify" };
        // A tree that is being worked on is rehearsed as well.
        Cargo::new(&format!("publish --dry-run --workspace --locked --allow-dirty{verify}")).run()?;
        Ok(Outcome::Passed(format!("{} packages", packages.len())))
    });
}

fn missing(package: &Package, list: &str) -> Vec<String> {
    let files = FILES.iter().filter(|file| !list.lines().any(|line| line == **file));
    let lacks = files.chain(&package.lacks);
    lacks.map(|what| format!("{} is published without {what}", package.name)).collect()
}

/// The documentation of every library as docs.rs makes it: each alone, with the features that its manifest names and
/// with `--cfg docsrs`; a warning is an error.
pub(crate) fn docs_rs_step(report: &mut Report, open: bool) {
    report.step("doc", || {
        let packages: Vec<Package> =
            packages::published()?.into_iter().filter(|package| package.has_library).collect();
        for package in &packages {
            let open = open && package.name == "kube-informer";
            build(package, if open { "doc --no-deps --open" } else { "doc --no-deps" })?;
        }
        Ok(Outcome::Passed(format!("{} libraries, as docs.rs does", packages.len())))
    });
}

fn build(package: &Package, command: &str) -> Result<()> {
    as_docs_rs(command, package)?.env("RUSTDOCFLAGS", "--cfg docsrs -D warnings").run()
}

#[cfg(test)]
mod tests;
