//! A program with all that it starts, which are ended together.

use std::io::{BufRead, BufReader, Read, Result as IoResult};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How long a program has that was asked to end.
const PATIENCE: Duration = Duration::from_secs(2);

const POLL: Duration = Duration::from_millis(20);

/// How long a program may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// And say nothing.
    pub(crate) silence: Duration,
    pub(crate) until: Option<Instant>,
}

static OF_THIS_RUN: OnceLock<Limits> = OnceLock::new();

impl Limits {
    /// For every call of cargo from now on. Without them a call takes as long as it takes.
    pub(crate) fn set(self) {
        // The first ones are kept; there are no others.
        let _ = OF_THIS_RUN.set(self);
    }

    pub(super) fn of_this_run() -> Self {
        OF_THIS_RUN.get().copied().unwrap_or(Self { silence: Duration::MAX, until: None })
    }

    /// How long nothing may happen from now on.
    fn left(&self) -> Duration {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(self.silence, |left| left.min(self.silence))
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
    }

    /// Why a program was ended.
    fn exceeded(&self) -> String {
        if self.is_over() {
            "the time of the whole run was up".to_owned()
        } else {
            format!("it had said nothing for {:.0?}", self.silence)
        }
    }
}

/// A group of processes, with a watchdog: a shell that reads from a pipe nobody writes to. Ctrl-C in a
/// terminal does not reach the group; the read ends when this process is gone, however it went, and then the
/// shell ends the group.
pub(super) struct Group {
    child: Child,
    watchdog: Child,
}

impl Group {
    pub(super) fn start(mut command: Command) -> Result<Self> {
        let mut child = command.process_group(0).spawn().context("cannot run cargo")?;
        match watchdog(child.id()) {
            Ok(watchdog) => Ok(Self { child, watchdog }),
            Err(error) => {
                // Best effort: the error that is returned explains more.
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Waits for its end. The string says why it was ended, if it was.
    pub(super) fn wait(&mut self, limits: &Limits) -> Result<(ExitStatus, Option<String>)> {
        if limits.until.is_none() {
            return Ok((self.child.wait()?, None));
        }
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok((status, None));
            }
            if limits.is_over() {
                self.signal("TERM")?;
                let asked = Instant::now();
                while self.child.try_wait()?.is_none() && asked.elapsed() < PATIENCE {
                    thread::sleep(POLL);
                }
                return Ok((self.killed()?, Some(limits.exceeded())));
            }
            thread::sleep(POLL);
        }
    }

    /// Hands over each line of what it says, and waits for its end. The string says why it was ended, if it
    /// was.
    pub(super) fn read(
        &mut self,
        said: impl Read + Send + 'static,
        limits: &Limits,
        mut line: impl FnMut(&str),
    ) -> Result<(ExitStatus, Option<String>)> {
        let lines = lines(said);
        loop {
            match lines.recv_timeout(limits.left()) {
                Ok(text) => line(&text?),
                Err(RecvTimeoutError::Disconnected) => return self.wait(limits),
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        let why = limits.exceeded();
        self.signal("TERM")?;
        let asked = Instant::now();
        while let Ok(text) = lines.recv_timeout(PATIENCE.saturating_sub(asked.elapsed())) {
            line(&text?);
        }
        Ok((self.killed()?, Some(why)))
    }

    /// The end of what did not end when it was asked to.
    fn killed(&mut self) -> Result<ExitStatus> {
        // Nobody may be left in the group.
        let _ = self.signal("KILL");
        Ok(self.child.wait()?)
    }

    fn signal(&self, signal: &str) -> Result<()> {
        test_cluster::send_signal(signal, &format!("-{}", self.child.id()))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.watchdog.kill();
        let _ = self.watchdog.wait();
    }
}

fn watchdog(group: u32) -> Result<Child> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "read -r line || kill -s TERM -- \"-$1\"", "watchdog", &group.to_string()]);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    shell.spawn().context("cannot run `sh`, which ends cargo if this program is killed")
}

/// By bytes: what a test prints need not be UTF-8.
fn lines(stream: impl Read + Send + 'static) -> Receiver<IoResult<String>> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for bytes in BufReader::new(stream).split(b'\n') {
            let line = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests;
