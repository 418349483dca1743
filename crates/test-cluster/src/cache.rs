//! The cache of built programs in the user's cache directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::go_build::{self, Module, Program};

/// The directory `name` in `kube-informer` in `$XDG_CACHE_HOME` or `~/.cache`.
pub(crate) fn directory(name: &str) -> Result<PathBuf> {
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
