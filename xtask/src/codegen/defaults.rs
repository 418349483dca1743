//! The defaults of the built-in kinds for the embedded server, and what Go writes of their types: what the program in
//! `tools/cluster/defaults` finds out about the pinned version of Kubernetes.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::openapi::{packed, unpacked};
use crate::cargo::workspace_root;
use crate::report::{Outcome, Report};

const EMBEDDED: &str = "testkit/embedded-apiserver/src";
/// What the program is asked for, and where that is kept.
const TABLES: [(&str, &str); 2] = [("types", "schema/go_types.zst"), ("values", "defaults/values.zst")];

/// Writes the tables, or with `check` says whether they are what the program prints.
pub(super) fn step(report: &mut Report, check: bool) {
    report.step(if check { "codegen --check, defaults" } else { "codegen, defaults" }, || {
        if let Err(why) = test_cluster::available().and_then(|()| test_cluster::go_is_there()) {
            return Ok(Outcome::Skipped(format!("the defaults come from Kubernetes: {why}")));
        }
        let directory = workspace_root().join(EMBEDDED);
        let mut sizes = Vec::new();
        let schemas = unpacked(&directory.join("openapi/schemas.zst"))?;
        let kinds: Vec<&str> = schemas.lines().filter_map(|line| line.split('\t').nth(1)).collect();
        for (table, name) in TABLES {
            let text = print(table, &kinds.join("\n"))?;
            let path = directory.join(name);
            let is_same = unpacked(&path).is_ok_and(|there| there == text);
            if check && !is_same {
                bail!("{EMBEDDED}/{name} is not up to date, run `cargo xtask codegen`");
            }
            if !is_same {
                fs::write(&path, packed(&text)?).with_context(|| path.display().to_string())?;
            }
            sizes.push(format!("{} lines in {name}", text.lines().count()));
        }
        Ok(Outcome::Passed(sizes.join(", ")))
    });
}

/// What the program prints, given the kinds that are served.
fn print(table: &str, kinds: &str) -> Result<String> {
    let directory: PathBuf = workspace_root().join("tools/cluster");
    let mut command = Command::new("go");
    // Built as the servers are, so that most of it has been compiled already.
    command.current_dir(directory).env("CGO_ENABLED", "0").env("GOWORK", "off");
    command.args(["run", "-trimpath", "./defaults", table]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().context("cannot run `go`")?;
    child.stdin.take().context("no standard input")?.write_all(kinds.as_bytes())?;
    let output = child.wait_with_output()?;
    let problem = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`go run ./defaults {table}` failed:\n{problem}");
    Ok(String::from_utf8(output.stdout)?)
}
