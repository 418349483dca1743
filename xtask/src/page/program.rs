//! The program whose page is looked at: an example of informer-endpoint.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cargo::{Cargo, target_directory};

const EXAMPLE: &str = "many_objects";

/// How many objects it has, and how many of them change in a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) objects: u32,
    pub(super) updates: u32,
}

/// Builds it and says where it is. Without optimisation it is the one that `cargo test` has built.
pub(super) fn build(is_release: bool) -> Result<PathBuf> {
    let how = if is_release { "--release --package informer-endpoint" } else { "--workspace --profile test" };
    Cargo::new(&format!("build {how} --example {EXAMPLE}")).run()?;
    Ok(target_directory()?.join(if is_release { "release" } else { "debug" }).join("examples").join(EXAMPLE))
}

/// The program while it runs.
pub(super) struct Program {
    process: Child,
    /// `127.0.0.1:12345`
    pub(super) address: String,
}

impl Program {
    pub(super) fn start(program: &Path, size: Size) -> Result<Self> {
        let mut process = Command::new(program)
            .args(["--objects", &size.objects.to_string(), "--updates", &size.updates.to_string()])
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut line = String::new();
        let output = process.stdout.take().context("no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix("listening at http://")
            .and_then(|rest| rest.strip_suffix("/debug/informers"));
        let address = address.map(str::to_owned);
        let program = Self { process, address: address.unwrap_or_default() };
        ensure!(!program.address.is_empty(), "the program said {line:?}");
        Ok(program)
    }

    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
