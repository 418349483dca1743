//! A server process that cannot outlive the test.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

const POLL: Duration = Duration::from_millis(20);

/// A child process with its output in a log file, killed when dropped.
///
/// `Drop` does not run when the test process itself is killed. For that case each server has a watchdog:
/// a shell that reads from a pipe nobody writes to. The read ends only when this process is gone, however it
/// went, because the kernel closes the pipe; then the shell kills the server.
#[derive(Debug)]
pub(crate) struct Process {
    name: &'static str,
    child: Child,
    watchdog: Child,
}

impl Process {
    /// Starts `command`; what it prints is appended to `log`.
    pub(crate) fn spawn(name: &'static str, command: &mut Command, log: &Path) -> Result<Self> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(log)
            .with_context(|| format!("cannot write {}", log.display()))?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            // Ctrl-C in a terminal goes to the whole process group. The servers should not get it: their watchdogs end them.
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot run {name}"))?;
        match spawn_watchdog(child.id()) {
            Ok(watchdog) => Ok(Self { name, child, watchdog }),
            Err(error) => {
                // Best effort: the error that is returned explains more than a failure to clean up would.
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The exit status, if the process has ended by itself.
    pub(crate) fn exited(&mut self) -> Result<Option<ExitStatus>> {
        let status = self.child.try_wait().with_context(|| format!("cannot wait for {}", self.name))?;
        if status.is_some() {
            // Another process may get its id now, and the watchdog must not kill that one.
            self.dismiss_watchdog();
        }
        Ok(status)
    }

    /// Asks the process to end (SIGTERM) and waits until it has; after `patience` it is killed and that is an error.
    pub(crate) fn terminate(mut self, patience: Duration) -> Result<()> {
        if self.exited()?.is_some() {
            return Ok(());
        }
        self.signal("TERM")?;
        let started = Instant::now();
        while self.exited()?.is_none() {
            if started.elapsed() > patience {
                bail!("{} did not end within {} s of SIGTERM and was killed", self.name, patience.as_secs());
            }
            thread::sleep(POLL);
        }
        Ok(())
    }

    pub(crate) fn signal(&self, signal: &str) -> Result<()> {
        send_signal(signal, &self.child.id().to_string()).context(self.name)
    }

    fn dismiss_watchdog(&mut self) {
        // An error means that it has ended already.
        let _ = self.watchdog.kill();
        let _ = self.watchdog.wait();
    }
}

impl Drop for Process {
    /// Kills the process (SIGKILL) and waits until it is gone. Does nothing if it has been waited for already.
    fn drop(&mut self) {
        self.dismiss_watchdog();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal, such as `STOP`, to a process by its id, or with a `-` before it to the whole group of that
/// process. The standard library can only send SIGKILL, and a system call would need unsafe code; a shell has
/// `kill` built in, and the program of that name is not on every machine.
pub fn send_signal(signal: &str, process: &str) -> Result<()> {
    let status = Command::new("sh")
        .args(["-c", "kill -s \"$1\" -- \"$2\"", "kill", signal, process])
        .status()
        .with_context(|| format!("cannot run `sh` to send SIG{signal}"))?;
    ensure!(status.success(), "cannot send SIG{signal} to process {process}");
    Ok(())
}

fn spawn_watchdog(process_id: u32) -> Result<Child> {
    Command::new("sh")
        .args(["-c", "read -r line || kill -s KILL \"$1\"", "watchdog", &process_id.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .context("cannot run `sh`, which ends the servers if the test process is killed")
}

#[cfg(test)]
mod tests;
