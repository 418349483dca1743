//! Running cargo.

mod complaints;

use std::io::{BufRead, BufReader, Read, pipe};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::complaints::Complaints;
use crate::ran::{Ran, Reader};

/// What the suites on real servers ask for. Everything is built for the whole workspace, so that features are
/// unified the same way as for `cargo test`, and no dependency is built twice.
pub(crate) const SERVERS: &str = "--features test-cluster/servers";

/// The directory of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

/// Where cargo puts what it builds.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let metadata = Cargo::new("metadata --no-deps --format-version 1 --locked").output()?;
    let metadata: Value = serde_json::from_slice(&metadata).context("cargo metadata")?;
    metadata["target_directory"].as_str().map(PathBuf::from).context("cargo metadata: no target_directory")
}

/// The platform that this is run on.
pub(crate) fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().context("cannot run rustc")?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = output.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV does not name its host")
}

/// One call of cargo in the workspace.
pub(crate) struct Cargo {
    command: Command,
    shown: String,
}

impl Cargo {
    /// `arguments` as one would type them, without quotes.
    pub(crate) fn new(arguments: &str) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self::of(Command::new(cargo), arguments, format!("cargo {arguments}"))
    }

    /// The cargo of another version of Rust, which rustup must have.
    pub(crate) fn with_toolchain(version: &str, arguments: &str) -> Self {
        let mut command = Command::new("rustup");
        command.args(["run", version, "cargo"]);
        Self::of(command, arguments, format!("cargo +{version} {arguments}"))
    }

    fn of(mut command: Command, arguments: &str, shown: String) -> Self {
        command.current_dir(workspace_root()).args(arguments.split_whitespace()).stdin(Stdio::null());
        Self { command, shown }
    }

    pub(crate) fn args(mut self, arguments: &[String]) -> Self {
        self.command.args(arguments);
        self.shown.extend(arguments.iter().flat_map(|argument| [" ", argument]));
        self
    }

    /// The same for what nobody who repeats the call has to know.
    pub(crate) fn env_quietly(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        if !value.is_empty() {
            self.shown = format!("{name}={value:?} {}", self.shown);
        }
        self
    }

    /// Runs it, its output going where ours goes.
    pub(crate) fn run(mut self) -> Result<()> {
        eprintln!("$ {}", self.shown);
        let status = self.command.status().context("cannot run cargo")?;
        if !status.success() {
            bail!("`{}` failed with {status}", self.shown);
        }
        Ok(())
    }

    /// Runs it and gives back what it writes to standard output.
    pub(crate) fn output(mut self) -> Result<Vec<u8>> {
        let output = self.command.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
        if !output.status.success() {
            bail!("`{}` failed with {}", self.shown, output.status);
        }
        Ok(output.stdout)
    }

    /// Runs it as [`run`](Self::run) does, adds up what the test harnesses say they ran, and takes out what was skipped.
    pub(crate) fn run_tests(self) -> Result<(TestCount, Ran)> {
        self.run_tests_reading(|_| {})
    }

    /// The same, and each line of what it says is handed over as well.
    pub(crate) fn run_tests_reading(self, mut said: impl FnMut(&str)) -> Result<(TestCount, Ran)> {
        eprintln!("$ {}", self.shown);
        let Self { mut command, shown } = self;
        // One pipe for both streams, in order: cargo names programs on one of them, and the harness their
        // tests on the other.
        let (output, input) = pipe().context("a pipe")?;
        // Colours would be in the way of reading what it says.
        command.env("CARGO_TERM_COLOR", "never").stdout(input.try_clone()?).stderr(input);
        let mut child = command.spawn().context("cannot run cargo")?;
        // It keeps our end of the pipe open, which would then never end.
        drop(command);
        let (mut count, mut reader) = (TestCount::default(), Reader::default());
        let mut complaints = Complaints::default();
        each_line(output, |line| {
            println!("{line}");
            count.add(line);
            reader.line(line);
            complaints.line(line);
            said(line);
        })?;
        let (ran, skipped) = reader.end();
        count.skip(skipped);
        let status = child.wait()?;
        if !status.success() {
            bail!("`{shown}` failed with {status}; {count}{}", complaints.text());
        }
        Ok((count, ran))
    }
}

/// By bytes: what a test prints need not be UTF-8.
fn each_line(stream: impl Read, mut line: impl FnMut(&str)) -> Result<()> {
    for bytes in BufReader::new(stream).split(b'\n') {
        line(&String::from_utf8_lossy(&bytes?));
    }
    Ok(())
}

/// How many tests ran.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
pub(crate) struct TestCount {
    passed: usize,
    failed: usize,
    ignored: usize,
    skipped: usize,
}

impl TestCount {
    /// Whether there were tests, and none of them was skipped, left out or failed.
    pub(crate) fn all_passed(self) -> bool {
        self.passed > 0 && self.failed + self.ignored + self.skipped == 0
    }

    /// So many of those that the harnesses count as passed have said that they did nothing.
    fn skip(&mut self, tests: usize) {
        self.passed = self.passed.saturating_sub(tests);
        self.skipped += tests;
    }

    /// Adds a line such as `test result: ok. 19 passed; 0 failed; 0 ignored; …`; any other line adds nothing.
    fn add(&mut self, line: &str) {
        // What a test printed last may stand before it on the line.
        let Some((_, result)) = line.split_once("test result: ") else { return };
        let words: Vec<&str> = result.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            let Ok(number) = pair[0].parse::<usize>() else { continue };
            match pair[1] {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl std::fmt::Display for TestCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} passed", self.passed, if self.passed == 1 { "test" } else { "tests" })?;
        if self.failed > 0 {
            write!(f, ", {} failed", self.failed)?;
        }
        if self.ignored > 0 {
            write!(f, ", {} ignored", self.ignored)?;
        }
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
