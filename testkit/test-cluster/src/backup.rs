//! Copies of a data directory.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result};

/// Replaces the directory `to` with a copy of `from`.
pub(crate) fn replace(from: &Path, to: &Path) -> Result<()> {
    let replaced = || {
        match fs::remove_dir_all(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        copy(from, to)
    };
    replaced().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    // etcd refuses a data directory that others may read.
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
