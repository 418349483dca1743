//! One server and one client, each on a core of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::build::Programs;

const SERVER_CORE: &str = "0";
const CLIENT_CORE: &str = "1";

/// Whether processes can be pinned here.
pub(crate) fn pinned() -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1)
        && Command::new("taskset").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn on_core(core: &str, program: &Path) -> Command {
    if pinned() {
        let mut command = Command::new("taskset");
        command.args(["-c", core]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// A program on the client's core.
pub(crate) fn on_client_core(program: &Path) -> Command {
    on_core(CLIENT_CORE, program)
}

/// A replay server; ends when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    /// Where it takes commands, always over plain HTTP/1.1.
    commands: String,
    certificate: PathBuf,
}

impl Server {
    pub(crate) fn start(programs: &Programs, arguments: &[String]) -> Result<Self> {
        let mut command = on_core(SERVER_CORE, &programs.server());
        let certificate = programs.certificate();
        command.args(arguments).arg("--ca").arg(&certificate);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
        let stdout = child.stdout.take().context("the server has no output")?;
        let mut lines = BufReader::new(stdout).lines();
        let mut line = || lines.next().unwrap_or_else(|| Ok(String::new()));
        let server = Self { child, address: line()?, commands: line()?, certificate };
        ensure!(server.commands.starts_with("http://"), "the server did not start: {command:?}");
        Ok(server)
    }

    /// What the server says about its objects and requests.
    pub(crate) fn state(&self) -> Result<Value> {
        let mut stream =
            std::net::TcpStream::connect(self.commands.strip_prefix("http://").unwrap_or_default())?;
        std::io::Write::write_all(&mut stream, b"GET /bench/state HTTP/1.1\r\n\r\n")?;
        for line in BufReader::new(stream).lines() {
            let line = line?;
            if line.starts_with('{') {
                return Ok(serde_json::from_str(&line)?);
            }
        }
        bail!("the server did not tell its state")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Runs a client to its end and checks that it saw everything.
pub(crate) fn client(server: &Server, program: &Path, arguments: &[String]) -> Result<Value> {
    let mut command = on_client_core(program);
    command.args(arguments).arg(format!("--server={}", server.address));
    command.arg(format!("--commands={}", server.commands));
    if server.address.starts_with("https://") {
        command.arg(format!("--ca={}", server.certificate.display()));
    }
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?} failed with {}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let mut report: Value =
        serde_json::from_str(text.trim()).with_context(|| format!("{command:?}: {text}"))?;
    let state = server.state()?;
    check(&report, &state, arguments).with_context(|| format!("{command:?}: {report}"))?;
    report["http2"] = (state["http2"] != 0).into();
    // What the figures are about: how many events there were is not in the report.
    report["arguments"] = arguments.into();
    Ok(report)
}

/// Has client-go compare the two forms of a kind.
pub(crate) fn compare(server: &Server, client_go: &Path, kind: &str) -> Result<()> {
    let mut command = Command::new(client_go);
    command.args(["--compare", &format!("--kind={kind}"), &format!("--server={}", server.address)]);
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed with {status}");
    Ok(())
}

/// The cache must hold every object in its last version, read in the way that was asked for.
fn check(report: &Value, state: &Value, arguments: &[String]) -> Result<()> {
    ensure!(
        report["objects"] == state["objects"],
        "it holds {} of {} objects",
        report["objects"],
        state["objects"]
    );
    ensure!(report["version_sum"] == state["sum"], "some objects are not in their last version: {state}");
    let has = |argument: &str| arguments.iter().any(|given| given == argument);
    let count = |name: &str| state[name].as_u64().unwrap_or_default();
    let (listed, other) = if has("--list=list") { ("lists", "streamed") } else { ("streamed", "lists") };
    ensure!(count(listed) > 0 && count(other) == 0, "it did not list in the way it was told to: {state}");
    if has("--relist") {
        ensure!(count(listed) > 1, "it did not list again: {state}");
    }
    if arguments.iter().any(|argument| argument.starts_with("--events=")) {
        ensure!(report["calls"].as_u64() > Some(0), "no handler was called for an event");
    }
    Ok(())
}
