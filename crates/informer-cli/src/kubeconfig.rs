//! Kubeconfigs that commands write for others.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::failure::Failure;

/// How such a file begins, so that it is known again.
const OURS: &str = "# Written by `informer`, which replaces the whole file when it writes it again.\n";

/// Writes a kubeconfig into a new file that only its owner can read, or in the place of one that was written here before. Any other
/// file stays as it is: it may have somebody's clusters and tokens.
pub(crate) fn write(path: &Path, kubeconfig: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::local(format!("cannot write {}: {error}", path.display()));
    // What is no file, such as a pipe, loses nothing.
    let is_file = path.metadata().map_or(true, |found| found.is_file());
    let mut options = OpenOptions::new();
    options.read(is_file).create(is_file).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    if is_file {
        let mut begins = Vec::new();
        (&file).take(OURS.len() as u64).read_to_end(&mut begins).map_err(failed)?;
        if !begins.is_empty() && begins != OURS.as_bytes() {
            return Err(Failure::local(format!(
                "{} is there and was not written by this command, so it is left as it is; remove it, or name another file",
                path.display()
            )));
        }
        file.rewind().and_then(|()| file.set_len(0)).map_err(failed)?;
    }
    file.write_all([OURS, kubeconfig].concat().as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests;
