//! A cluster that lives as long as the test process.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::cluster::Cluster;

impl Cluster {
    /// Keeps the cluster until this process ends, for tests that share one.
    ///
    /// The cluster is never dropped, so `Drop` does not clean up: watchdogs end the servers when this process has ended,
    /// and a shell that waits for the same removes the data.
    pub fn until_exit(self) -> Result<&'static Self> {
        remove_at_exit(self.directory())?;
        Ok(Box::leak(Box::new(self)))
    }
}

/// Tries several times, because the servers may still write for a moment while they end.
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
    // The shell waits for the end of its pipe, so the pipe must stay open as long as this process lives.
    std::mem::forget(sweeper);
    Ok(())
}
