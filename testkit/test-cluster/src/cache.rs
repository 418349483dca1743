//! The cache of built programs in the user's cache directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::go_build::{self, Module, Program};
use crate::pins::fingerprint;

/// The directory `name` in `kube-informer` in `$XDG_CACHE_HOME` or `~/.cache`, where programs that are built once are kept.
pub fn directory(name: &str) -> Result<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("kube-informer").join(name))
        .context(
            "neither XDG_CACHE_HOME nor HOME is set: set one of them to say where to keep the built programs",
        )
}

/// The path of `program` in `dir`, where it is built now if it has not been.
pub(crate) fn ensure(dir: &Path, program: &Program, module: &Module<'_>) -> Result<PathBuf> {
    let path = dir.join(program.name);
    if !path.is_file() {
        let _only_one_builds = lock(dir)?;
        if !path.is_file() {
            build(dir, program, module, &path)?;
        }
    }
    Ok(path)
}

/// The file that says what a program was made of.
const MADE_OF: &str = "made-of";

/// The path of a build of `program` in `dir`, one whose parts are all `pinned`; it is built now if there is none.
/// `settings` is what it is made with besides.
pub(crate) fn ensure_pinned(
    dir: &Path,
    program: &Program,
    module: &Module<'_>,
    settings: &str,
    pinned: &dyn Fn(&str) -> bool,
) -> Result<PathBuf> {
    if let Some(path) = find(dir, program, pinned) {
        return Ok(path);
    }
    let _only_one_builds = lock(dir)?;
    if let Some(path) = find(dir, program, pinned) {
        return Ok(path);
    }
    let partial = dir.join(format!("{}.partial", program.name));
    fs::create_dir_all(&partial).with_context(|| format!("cannot make {}", partial.display()))?;
    go_build::build(program, module, &partial.join(program.name))?;
    let made_of = format!("{settings}\n{}", go_build::made_of(&partial.join(program.name))?);
    fs::write(partial.join(MADE_OF), &made_of).context("cannot write what a program was made of")?;
    let done = dir.join(format!("{}-{}", program.name, fingerprint(&[&made_of])));
    // There may be a build without a program.
    let _ = fs::remove_dir_all(&done);
    fs::rename(&partial, &done)
        .with_context(|| format!("cannot move the new binary to {}", done.display()))?;
    find(dir, program, pinned)
        .with_context(|| format!("{} is made of something that go.mod does not pin", done.display()))
}

/// A build of `program` in `dir` whose parts are all `pinned`.
pub(crate) fn find(dir: &Path, program: &Program, pinned: &dyn Fn(&str) -> bool) -> Option<PathBuf> {
    let prefix = format!("{}-", program.name);
    let builds = fs::read_dir(dir).ok()?.flatten();
    let mut builds = builds.filter(|build| build.file_name().to_string_lossy().starts_with(&prefix));
    builds.find_map(|build| {
        let made_of = fs::read_to_string(build.path().join(MADE_OF)).ok()?;
        let path = build.path().join(program.name);
        (pinned(&made_of) && path.is_file()).then_some(path)
    })
}

/// Builds in a temporary place and renames the result, so that an interrupted build leaves nothing that looks finished.
fn build(dir: &Path, program: &Program, module: &Module<'_>, path: &Path) -> Result<()> {
    let partial = dir.join(format!("{}.partial", program.name));
    go_build::build(program, module, &partial)?;
    fs::rename(&partial, path).with_context(|| format!("cannot move the new binary to {}", path.display()))
}

/// Holds the build lock of `dir`, across threads and processes, until the file is dropped.
pub(crate) fn lock(dir: &Path) -> Result<File> {
    let create = || {
        fs::create_dir_all(dir)?;
        File::create(dir.join("build.lock"))
    };
    let file = create().with_context(|| format!("cannot use the cache directory {}", dir.display()))?;
    file.lock().context("cannot lock the build directory")?;
    Ok(file)
}

#[cfg(test)]
mod tests;
