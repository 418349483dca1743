//! Do the published packages build with the oldest Rust that they say they do?

use std::collections::BTreeSet;
use std::env;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cargo::{Cargo, target_directory};
use crate::packages::{self, Package};
use crate::report::{Outcome, Report};

pub(crate) fn step(report: &mut Report) {
    report.step("oldest Rust", || {
        let packages = packages::published()?;
        let version = version(&packages)?;
        if let Err(why) = ensure_toolchain(&version) {
            return Ok(Outcome::Skipped(format!("no Rust {version}: {why}")));
        }
        let names: String = packages.iter().map(|package| format!(" --package {}", package.name)).collect();
        // `check` compiles no machine code, and so takes a third of the time. Its files are of another compiler and
        // have a directory of their own, or each would remove what the other has built.
        Cargo::with_toolchain(
            &version,
            &format!("check --locked --lib --bins --features embedded-apiserver/cel{names}"),
        )
        .env("CARGO_TARGET_DIR", &target_directory()?.join("oldest-rust").to_string_lossy())
        .run()?;
        Ok(Outcome::Passed(format!("{} packages with Rust {version}", packages.len())))
    });
}

/// The one version that all of them declare.
fn version(packages: &[Package]) -> Result<String> {
    let versions: BTreeSet<&str> = packages.iter().map(|package| package.rust_version.as_str()).collect();
    ensure!(versions.len() == 1, "the packages declare different versions of Rust: {versions:?}");
    versions.first().map(|&version| version.to_owned()).context("there are no packages")
}

/// Whether rustup has that version. On a build machine it is installed if it is missing; what a person has installed is
/// that person's choice.
fn ensure_toolchain(version: &str) -> Result<(), String> {
    let install = format!("rustup toolchain install {version} --profile minimal");
    if rustup(&["run", version, "rustc", "--version"])? {
        return Ok(());
    }
    if env::var("CI").is_ok_and(|value| value == "true") {
        let arguments: Vec<&str> = install.split(' ').skip(1).collect();
        return if rustup(&arguments)? { Ok(()) } else { Err(format!("`{install}` failed")) };
    }
    Err(format!("to have it: {install}"))
}

/// Whether it succeeded.
fn rustup(arguments: &[&str]) -> Result<bool, String> {
    let mut command = Command::new("rustup");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map(|status| status.success()).map_err(|_| "rustup is not on the PATH".to_owned())
}

#[cfg(test)]
mod tests;
