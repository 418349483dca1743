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
mod tests {
    use super::*;

    #[test]
    fn the_copy_has_the_files_of_the_original_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("inner")).unwrap();
        fs::write(from.join("inner/file"), "one").unwrap();
        replace(&from, &to).unwrap();
        fs::write(to.join("another"), "two").unwrap();
        replace(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("inner/file")).unwrap(), "one");
        assert!(!to.join("another").exists());
    }

    #[test]
    fn a_missing_original_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = replace(&dir.path().join("none"), &dir.path().join("to")).unwrap_err();
        assert!(format!("{error:#}").contains("none"), "{error:#}");
    }
}
