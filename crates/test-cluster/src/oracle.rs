//! client-go's informers, in a process beside ours: the program in `tools/oracle`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use crate::go_build::{Module, Program};
use crate::{cache, logs, pins};

const ORACLE: Program = Program { name: "oracle", package: ".", takes: "about 1 minute" };
const LINKER_FLAGS: &str = "-s -w";

/// What an [`Oracle`] looks at.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    /// Group, version and plural, such as `/v1/pods` or `apps/v1/deployments`.
    pub resource: String,
    /// One informer for each; none for all namespaces.
    pub namespaces: Vec<String>,
    /// A label selector in the server's syntax; empty for none.
    pub selector: String,
}

/// A process with a client-go shared informer that says what it hears; killed when dropped.
///
/// What it prints, and the commands it takes, are told in `tools/oracle/main.go`. It ends when its standard input
/// does, and so with this process, however that ends.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    lines: Receiver<String>,
    log: NamedTempFile,
}

impl Oracle {
    /// Finds the program in the cache, or builds it with Go (a minute, progress on stderr).
    pub fn locate_or_build() -> Result<PathBuf> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/oracle");
        let go_mod = fs::read_to_string(dir.join("go.mod")).context("cannot read the oracle's go.mod")?;
        let version = |module| {
            pins::version_of(&go_mod, module).with_context(|| format!("the oracle's go.mod has no {module}"))
        };
        let module = Module {
            dir: &dir,
            go: &version("go")?,
            version: &format!("on client-go {}", version("k8s.io/client-go")?),
            linker_flags: LINKER_FLAGS,
        };
        cache::ensure(&cache::directory(&format!("oracle-{}", fingerprint(&dir)?))?, &ORACLE, &module)
    }

    /// Starts it; it lists and watches at once.
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
            // Ends with the process, which closes the pipe.
            thread::spawn(move || {
                let lines = BufReader::new(stdout).lines().map_while(Result::ok);
                lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
            });
        }
        Ok(Self { child, lines, log })
    }

    /// Gives a command: `dump` or `stats`.
    pub fn command(&mut self, command: &str) -> Result<()> {
        let stdin = self.child.stdin.as_mut().context("the oracle has no standard input")?;
        writeln!(stdin, "{command}")
            .with_context(|| format!("the oracle takes no commands\n{}", self.log_tail()))
    }

    /// The next line that it prints, `None` if none came in time; an error if it has ended.
    pub fn line_within(&mut self, patience: Duration) -> Result<Option<String>> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the oracle has ended\n{}", self.log_tail()),
        }
    }

    /// The end of what client-go logged, for a failure message.
    pub fn log_tail(&self) -> String {
        format!("--- end of the oracle's log\n{}", logs::tail(self.log.path(), 30))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // Fails only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Stands for everything the program is made of.
fn fingerprint(dir: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))? {
        names.push(entry?.path());
    }
    names.sort();
    let mut parts = vec![LINKER_FLAGS.to_owned(), pins::platform()];
    for path in names {
        let is_source = path
            .extension()
            .is_some_and(|extension| ["go", "mod", "sum"].iter().any(|known| extension == *known));
        if is_source {
            parts.push(fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?);
        }
    }
    Ok(pins::fingerprint(&parts.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests;
