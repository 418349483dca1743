//! client-go's informers in a process of their own: the program in `tools/oracle`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use crate::go_build::Program;
use crate::{logs, tool};

const ORACLE: Program = Program { name: "oracle", package: ".", takes: "about 1 minute", tags: "" };

/// The objects that an [`Oracle`] watches.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    /// Group, version and plural, such as `/v1/pods` or `apps/v1/deployments`.
    pub resource: String,
    /// The namespaces, with one informer for each; empty for all namespaces.
    pub namespaces: Vec<String>,
    /// A label selector in the server's syntax; empty for none.
    pub selector: String,
}

/// A process with a client-go shared informer that prints its events; killed when dropped.
///
/// Its output and commands are described in `tools/oracle/main.go`. It ends when its standard input is closed, and so it
/// cannot outlive this process.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    lines: Receiver<String>,
    log: NamedTempFile,
}

impl Oracle {
    /// Finds the program in the cache, or builds it with Go (a minute, progress on stderr).
    pub fn locate_or_build() -> Result<PathBuf> {
        tool::locate_or_build(&ORACLE, "k8s.io/client-go")
    }

    /// Starts the process, which lists and watches at once.
    pub fn start(kubeconfig: &Path, watched: &Watched) -> Result<Self> {
        let log = NamedTempFile::new().context("cannot make a file for the oracle's log")?;
        let mut command = Command::new(Self::locate_or_build()?);
        command.arg("--kubeconfig").arg(kubeconfig).arg("--resource").arg(&watched.resource);
        command.args(watched.namespaces.iter().flat_map(|namespace| ["--namespace", namespace]));
        if !watched.selector.is_empty() {
            command.args(["--selector", &watched.selector]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.reopen()?)
            // The server is on loopback, whatever proxy the environment names.
            .env("NO_PROXY", "127.0.0.1")
            .spawn()
            .context("cannot run the oracle")?;
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            // The thread ends when the process closes the pipe.
            thread::spawn(move || {
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
            });
        }
        Ok(Self { child, lines, log })
    }

    /// The id of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a command: `dump` or `stats`.
    pub fn command(&mut self, command: &str) -> Result<()> {
        let stdin = self.child.stdin.as_mut().context("the oracle has no standard input")?;
        writeln!(stdin, "{command}")
            .with_context(|| format!("the oracle takes no commands\n{}", self.log_tail()))
    }

    /// The next line of output; `None` if there is none in time; an error if the process has ended.
    pub fn line_within(&mut self, patience: Duration) -> Result<Option<String>> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the oracle has ended\n{}", self.log_tail()),
        }
    }

    /// The end of client-go's log, for a failure message.
    pub fn log_tail(&self) -> String {
        format!("--- end of the oracle's log\n{}", logs::tail(self.log.path(), 30))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
