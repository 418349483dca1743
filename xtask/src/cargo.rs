//! Running cargo.

mod complaints;
mod group;

use std::io::pipe;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::complaints::Complaints;
use self::group::Group;
pub(crate) use self::group::Limits;
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
    /// Those that cargo is called with, after what only this program says to it.
    arguments: Vec<String>,
    shown: String,
    limits: Limits,
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
        command.current_dir(workspace_root()).stdin(Stdio::null());
        let arguments = arguments.split_whitespace().map(str::to_owned).collect();
        Self { command, arguments, shown, limits: Limits::of_this_run() }
    }

    pub(crate) fn args(mut self, arguments: &[String]) -> Self {
        self.arguments.extend_from_slice(arguments);
        self.shown.extend(arguments.iter().flat_map(|argument| [" ", argument]));
        self
    }

    /// The same for what nobody who repeats the call has to know.
    pub(crate) fn env_quietly(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// A setting as in its configuration, which nobody who repeats the call has to know either.
    pub(crate) fn config_quietly(mut self, setting: &str) -> Self {
        self.command.args(["--config", setting]);
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
        self.command.args(&self.arguments);
        let (status, ended) = Group::start(self.command)?.wait(&self.limits)?;
        if let Some(why) = ended {
            bail!("`{}` was ended: {why}", self.shown);
        }
        if !status.success() {
            bail!("`{}` failed with {status}", self.shown);
        }
        Ok(())
    }

    /// Runs it and gives back what it writes to standard output.
    pub(crate) fn output(mut self) -> Result<Vec<u8>> {
        let command = self.command.args(&self.arguments).stderr(Stdio::inherit());
        let output = command.output().context("cannot run cargo")?;
        if !output.status.success() {
            bail!("`{}` failed with {}", self.shown, output.status);
        }
        Ok(output.stdout)
    }

    /// Runs it as [`run`](Self::run) does, adds up what the test harnesses say they ran, and takes out what was
    /// skipped. What ran is added to `ran`, also if it failed.
    pub(crate) fn run_tests(self, ran: &mut Ran) -> Result<TestCount> {
        self.run_tests_reading(ran, |_| {})
    }

    /// The same, and each line of what it says is handed over as well.
    pub(crate) fn run_tests_reading(self, ran: &mut Ran, mut said: impl FnMut(&str)) -> Result<TestCount> {
        eprintln!("$ {}", self.shown);
        let Self { mut command, arguments, shown, limits } = self;
        // One pipe for both streams, in order: cargo names programs on one of them, and the harness their
        // tests on the other.
        let (output, input) = pipe().context("a pipe")?;
        // Colours would be in the way of reading what it says.
        command.args(arguments).env("CARGO_TERM_COLOR", "never").stdout(input.try_clone()?).stderr(input);
        // It takes the command, which keeps our end of the pipe open; that would then never end.
        let mut group = Group::start(command)?;
        let (mut count, mut reader) = (TestCount::default(), Reader::default());
        let (mut complaints, mut still_running) = (Complaints::default(), StillRunning::default());
        let (status, ended) = group.read(output, &limits, |line| {
            println!("{line}");
            count.add(line);
            reader.line(line);
            complaints.line(line);
            still_running.line(line);
            said(line);
        })?;
        let (these, skipped) = reader.end();
        ran.add(these);
        count.skip(skipped);
        if let Some(why) = ended {
            bail!("`{shown}` was ended: {why}; {count}{}{}", still_running.text(), complaints.text());
        }
        if !status.success() {
            bail!("`{shown}` failed with {status}; {count}{}", complaints.text());
        }
        Ok(count)
    }
}

/// The tests that take long and have not ended: one of them hangs.
#[derive(Debug, Default)]
struct StillRunning(Vec<String>);

impl StillRunning {
    fn line(&mut self, line: &str) {
        if line.ends_with(" has been running for over 60 seconds") {
            self.0.push(line.to_owned());
        } else if let Some((test, _)) = line.split_once(" ... ") {
            self.0.retain(|long| long.strip_prefix(test).is_none_or(|rest| !rest.starts_with(" has been ")));
        }
    }

    /// With a line break before each line.
    fn text(&self) -> String {
        self.0.iter().flat_map(|line| ["\n", line]).collect()
    }
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
