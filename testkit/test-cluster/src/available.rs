//! Whether the end-to-end tests run on this machine.

use std::io::Write;
use std::process::Command;

use crate::binaries::Binaries;
use crate::go_build;

/// `required`, `skip`, or unset: run the tests if that is possible.
const VARIABLE: &str = "KUBE_INFORMER_E2E";

/// Whether a test that needs a real cluster should run; the error is the reason for skipping it.
///
/// Decided by the environment variable `KUBE_INFORMER_E2E`:
///
/// * `skip`: no.
/// * `required`: yes. Without Go the test then fails in [`Cluster::start`](crate::Cluster::start) instead of
///   being skipped.
/// * unset: yes if the servers are built already or Go is there to build them.
///
/// # Panics
///
/// If the variable has any other value, because a misspelt `required` must not turn into a skip.
pub fn available() -> Result<(), String> {
    let setting = std::env::var(VARIABLE).unwrap_or_default();
    decide(&setting, || Binaries::are_cached() || go_build::go_is_installed())
}

/// Whether there is Go, which some things need even where the servers have been built; otherwise why that matters.
pub fn go_is_there() -> Result<(), String> {
    if go_build::go_is_installed() { Ok(()) } else { Err("Go is not on the PATH".to_owned()) }
}

/// Why tests of what is drawn on a terminal are skipped. Nothing else needs tmux, so that is no failure.
pub const WITHOUT_TMUX: &str = "tmux is not on the PATH";

/// Whether there is tmux, in which such tests run.
pub fn tmux_is_there() -> bool {
    Command::new("tmux").arg("-V").output().is_ok_and(|said| said.status.success())
}

fn decide(setting: &str, servers_can_be_had: impl FnOnce() -> bool) -> Result<(), String> {
    match setting {
        "skip" => Err(format!("{VARIABLE}=skip")),
        "required" => Ok(()),
        "" if servers_can_be_had() => Ok(()),
        "" => Err("Go is not on the PATH, and the real kube-apiserver is built with it".to_owned()),
        other => panic!("{VARIABLE}={other} is not known; use `required`, `skip`, or leave it unset"),
    }
}

/// Prints on stderr that `test` was skipped and why.
///
/// Written to the stream directly, since the test harness swallows `eprintln!` of a test that passes. The
/// harness counts such a test as passed; `cargo xtask ci` reads these lines ([`skipped_test`]) and counts it
/// as skipped.
pub fn print_skip(test: &str, why: &str) {
    print_line(&skip_line(test, why));
}

fn skip_line(test: &str, why: &str) -> String {
    format!("skipped {test}: {why}")
}

/// The name of the test in a line that [`print_skip`] wrote, and why it was skipped. A harness that runs one test at a time has
/// written its own `test NAME ... ` before it.
pub fn skipped_test(line: &str) -> Option<(&str, &str)> {
    let after_name = || line.strip_prefix("test ")?.split_once(" ... skipped ").map(|(_, skipped)| skipped);
    line.strip_prefix("skipped ").or_else(after_name)?.split_once(": ")
}

pub(crate) fn print_line(line: &str) {
    // In one write, so that output of other threads does not get in between. A closed stderr is no reason to fail.
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

#[cfg(test)]
mod tests;
