//! Builds a program of a Go module.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::available::print_line;
use crate::logs;

/// How often a running build reports that it is still running.
const REPORT_EVERY: Duration = Duration::from_secs(30);

/// A program that a Go module can build.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    /// How long the first build takes on two cores.
    pub(crate) takes: &'static str,
    /// Build tags, with commas between them.
    pub(crate) tags: &'static str,
}

/// The Go module that a program is built from.
#[derive(Debug)]
pub(crate) struct Module<'a> {
    pub(crate) dir: &'a Path,
    /// The Go version it asks for.
    pub(crate) go: &'a str,
    /// The version, for progress messages.
    pub(crate) version: &'a str,
    pub(crate) linker_flags: &'a str,
}

pub(crate) fn go_is_installed() -> bool {
    Command::new("go")
        .arg("version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Builds `program` into the file `output`.
pub(crate) fn build(program: &Program, module: &Module<'_>, output: &Path) -> Result<()> {
    ensure!(
        go_is_installed(),
        "Go is not on the PATH, and {} is built from source for the end-to-end tests. Install Go {} or newer \
         (https://go.dev/dl), or set KUBE_INFORMER_E2E=skip to go without them",
        program.name,
        module.go
    );
    let version = module.version;
    print_line(&format!(
        "building {} {version} from source, {} the first time …",
        program.name, program.takes
    ));

    // Go lists every module it downloads, hundreds of lines: kept aside, and shown only if the build fails.
    let log_path = output.with_extension("log");
    let log = File::create(&log_path).with_context(|| format!("cannot write {}", log_path.display()))?;
    let started = Instant::now();
    let status = run(&mut command(program, module, output), log, &|elapsed| {
        print_line(&format!("… still building {} ({} s)", program.name, elapsed.as_secs()));
    })?;
    ensure!(
        status.success(),
        "`go build {}` failed with {status} in {}:\n{}",
        program.package,
        module.dir.display(),
        logs::tail(&log_path, 30)
    );
    print_line(&format!("built {} {version} in {} s", program.name, started.elapsed().as_secs()));
    Ok(())
}

/// The modules that a binary was built from, one a line: path, version and checksum.
pub(crate) fn made_of(binary: &Path) -> Result<String> {
    let output =
        Command::new("go").args(["version", "-m"]).arg(binary).output().context("cannot run `go`")?;
    ensure!(output.status.success(), "`go version -m {}` failed with {}", binary.display(), output.status);
    Ok(modules(&String::from_utf8_lossy(&output.stdout)))
}

/// The modules in what `go version -m` prints. One that is replaced has no checksum, and its replacement has a line of its
/// own.
fn modules(printed: &str) -> String {
    let words = printed.lines().map(|line| line.split_whitespace().skip(1).collect::<Vec<_>>());
    let modules = words.filter(|words| words.len() == 3 && words[2].starts_with("h1:"));
    modules.map(|words| words.join(" ") + "\n").collect()
}

fn command(program: &Program, module: &Module<'_>, output: &Path) -> Command {
    let mut command = Command::new("go");
    command
        .current_dir(module.dir)
        .env("CGO_ENABLED", "0")
        // A go.work above the checkout must not change what is built.
        .env("GOWORK", "off")
        .args(["build", "-trimpath", "-tags", program.tags, "-ldflags", module.linker_flags, "-o"])
        .arg(output)
        .arg(program.package);
    command
}

fn run(command: &mut Command, log: File, still_running: &dyn Fn(Duration)) -> Result<ExitStatus> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .context("cannot run `go`")?;
    let started = Instant::now();
    let mut next_report = REPORT_EVERY;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() >= next_report {
            still_running(started.elapsed());
            next_report += REPORT_EVERY;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(test)]
mod tests;
