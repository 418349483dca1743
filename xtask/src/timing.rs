//! How long each test takes.
//!
//! The harness of Rust tells it only where unstable options are allowed. Allowed for all of cargo they would
//! have dependencies built again, since build scripts look at that; so cargo is given this very program to
//! start the test programs with, which allows it for these alone.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use serde_json::json;

use crate::cargo::{Cargo, host};

/// Set for the calls of this program that start a test program.
const STAND_IN: &str = "XTASK_STARTS_TESTS";

/// Has the tests of a call of cargo timed.
pub(crate) fn timed(cargo: Cargo) -> Result<Cargo> {
    let this = env::current_exe().context("cannot tell where this program is")?;
    Ok(cargo.config_quietly(&runner(&host()?, &this.to_string_lossy())).env_quietly(STAND_IN, "1"))
}

/// As a list: what is in a variable or a text, cargo splits at blanks. A text of JSON is one of TOML as well.
fn runner(host: &str, program: &str) -> String {
    format!("target.{host}.runner={}", json!([program]))
}

/// If cargo called this program to start another one, does that, and comes back only if it could not.
pub(crate) fn stand_in() -> Option<ExitCode> {
    env::var_os(STAND_IN)?;
    let mut command = command(env::args_os().skip(1))?;
    // In place of this program, so that it ends as it ends, by a signal as well.
    let error = command.env_remove(STAND_IN).exec();
    eprintln!("cannot start {}: {error}", command.get_program().display());
    Some(ExitCode::FAILURE)
}

/// Test programs are in the folder `deps`. Those of documentation are elsewhere, and need not have the
/// harness.
fn command(mut arguments: impl Iterator<Item = OsString>) -> Option<Command> {
    let program = PathBuf::from(arguments.next()?);
    let mut command = Command::new(&program);
    command.args(arguments);
    if program.parent().is_some_and(|folder| folder.ends_with("deps")) {
        command.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
    }
    Some(command)
}

#[cfg(test)]
mod tests;
