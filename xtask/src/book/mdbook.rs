//! mdBook, which is installed once for each user: its dependencies do not belong into our lock file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cargo::Cargo;

/// The version that makes the book. Another one may make other anchors.
const VERSION: &str = "0.5.4";

/// Makes the book in `source` into HTML.
pub(crate) fn build(source: &Path, html: &Path) -> Result<()> {
    let program = locate_or_install()?;
    // Pages that are no longer there must not make a link look alive.
    if html.exists() {
        fs::remove_dir_all(html).with_context(|| format!("cannot remove {}", html.display()))?;
    }
    let output = Command::new(&program)
        .arg("build")
        .arg(source)
        .arg("--dest-dir")
        .arg(html)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "mdBook failed with {}:\n{said}", output.status);
    // It goes on after what it cannot include and what it finds unclosed.
    let warnings: Vec<&str> = said.lines().filter(|line| is_complaint(line)).collect();
    ensure!(warnings.is_empty(), "mdBook complains:\n{}", warnings.join("\n"));
    Ok(())
}

fn is_complaint(line: &str) -> bool {
    ["WARN", "ERROR"].iter().any(|level| line.split_whitespace().take(2).any(|word| word == *level))
}

fn locate_or_install() -> Result<PathBuf> {
    let root = test_cluster::cache_directory(&format!("mdbook-{VERSION}"))?;
    let program = root.join("bin").join("mdbook");
    if !program.is_file() {
        eprintln!("installing mdBook {VERSION}, once …");
        // Not its server, and not what watches files: two thirds of what it would be built from.
        let install = format!("install mdbook --version {VERSION} --locked --no-default-features --root");
        Cargo::new(&install).args(&[root.display().to_string()]).run()?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests;
