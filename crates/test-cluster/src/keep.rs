//! A cluster for a whole test process.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::cluster::Cluster;

impl Cluster {
    /// Keeps the cluster until this process ends, for tests that share one.
    ///
    /// What is never dropped cleans up nothing: the servers are ended by their watchdogs, and the data is removed
    /// by a shell that waits for the end of this process as they do.
    pub fn until_exit(self) -> Result<&'static Self> {
        remove_at_exit(self.directory())?;
        Ok(Box::leak(Box::new(self)))
    }
}

/// The servers may write for a moment while they are being ended, so one attempt might not be enough.
const REMOVE: &str =
    "read -r line; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- \"$1\" && exit; sleep 0.2; done";

fn remove_at_exit(dir: &Path) -> Result<()> {
    let sweeper = Command::new("sh")
        .args(["-c", REMOVE, "sweeper"])
        .arg(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot run `sh`, which removes the cluster's data at the end")?;
    // Its pipe must stay open as long as this process lives.
    std::mem::forget(sweeper);
    Ok(())
}
