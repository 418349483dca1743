//! cargo-deny, with the rules of `deny.toml`: licences, unwanted and doubled crates, and where crates come from.
//!
//! Its fourth check, known vulnerabilities, needs a database from the network and has an answer that changes while nothing
//! here does: the forge asks that one, every week.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cargo::{Cargo, workspace_root};
use crate::report::{Outcome, Report};

/// The version that is installed where there is none.
const VERSION: &str = "0.20.2";

pub(crate) fn step(report: &mut Report) {
    report.step("deny", || {
        let Some(program) = installed()? else {
            let install = format!("cargo install cargo-deny --locked --version {VERSION}");
            return Ok(Outcome::Skipped(format!("no cargo-deny; to have it: {install}")));
        };
        let arguments = ["--workspace", "--locked", "check", "licenses", "bans", "sources"];
        eprintln!("$ cargo deny {}", arguments.join(" "));
        let mut command = Command::new(program);
        let status = command.args(arguments).current_dir(workspace_root()).stdin(Stdio::null()).status();
        ensure!(status.context("cannot run cargo-deny")?.success(), "cargo-deny has complaints, see above");
        Ok(Outcome::Passed("licences, bans, sources".to_owned()))
    });
}

/// The program: that of the user, or else the one in the cache. A build machine installs it there if it has neither,
/// which takes minutes once; a person is asked to.
fn installed() -> Result<Option<PathBuf>> {
    let on_path = PathBuf::from("cargo-deny");
    let works = Command::new(&on_path).arg("--version").stdin(Stdio::null()).output();
    if works.is_ok_and(|output| output.status.success()) {
        return Ok(Some(on_path));
    }
    let directory = test_cluster::cache_directory(&format!("cargo-deny-{VERSION}"))?;
    let cached = directory.join("bin").join("cargo-deny");
    if cached.is_file() {
        return Ok(Some(cached));
    }
    if env::var("CI").is_ok_and(|value| value == "true") {
        Cargo::new(&format!("install cargo-deny --quiet --locked --version {VERSION} --root"))
            .args(&[directory.to_string_lossy().into_owned()])
            .run()?;
        return Ok(Some(cached));
    }
    Ok(None)
}
