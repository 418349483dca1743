//! The archive and its checksum. The same sources make the same archive.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cargo::workspace_root;

/// Packs the folder `name` of `dist` into `name.tar.gz` beside it, and writes `SHA256SUMS`.
pub(crate) fn pack(dist: &Path, name: &str) -> Result<PathBuf> {
    let file = format!("{name}.tar.gz");
    let time = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(workspace_root()))?;
    // Not the time of now, and not the user who packs.
    let mut tar = Command::new("tar");
    tar.current_dir(dist)
        .args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
        .arg(format!("--mtime=@{}", time.trim()))
        .args(["--use-compress-program=gzip -9n", "--create", "--file", &file, name]);
    output(&mut tar)?;
    let sums = output(Command::new("sha256sum").arg(&file).current_dir(dist))?;
    fs::write(dist.join("SHA256SUMS"), sums).context("cannot write SHA256SUMS")?;
    Ok(dist.join(file))
}

/// Runs a command, and returns what it prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {name}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed with {}: {said}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
