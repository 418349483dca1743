//! A program of `examples/` that runs, and what it prints.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{PATIENCE, Server};

/// A program that runs; it is ended when this is dropped.
pub(crate) struct Program {
    name: &'static str,
    child: Child,
    /// Where its kubeconfig is.
    _directory: TempDir,
    /// What it prints, and when.
    lines: mpsc::UnboundedReceiver<(Instant, String)>,
    printed: Vec<String>,
}

impl Program {
    pub(crate) fn start(name: &'static str, server: &Server) -> Self {
        Self::start_at(name, &server.kubeconfig(), &[])
    }

    pub(crate) fn start_at(name: &'static str, kubeconfig_yaml: &str, environment: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, kubeconfig_yaml).unwrap();
        let mut command = Command::new(binary(name));
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "KUBERNETES_SERVICE_HOST"]
        {
            command.env_remove(variable);
        }
        command.arg("--kubeconfig").arg(kubeconfig).env("RUST_BACKTRACE", "0");
        command.envs(environment.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).try_for_each(|line| sender.send((Instant::now(), line)))
        });
        Self { name, child, _directory: directory, lines, printed: Vec::new() }
    }

    /// Waits for a line that begins so, and says when it came.
    pub(crate) async fn until(&mut self, beginning: &str) -> Instant {
        loop {
            let Ok(Some((at, line))) = timeout(PATIENCE, self.lines.recv()).await else {
                self.child.kill().ok();
                let mut said = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut said).ok();
                panic!("{} does not print {beginning:?} but {:?}; {said}", self.name, self.printed);
            };
            let is_it = line.starts_with(beginning);
            self.printed.push(line);
            if is_it {
                return at;
            }
        }
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM, which the kubelet sends before it kills, ends it in good order.
    pub(crate) async fn ended_by_sigterm(self) {
        let id = self.child.id().to_string();
        // What it printed came from another thread; the one that listens for signals may not have come so far.
        timeout(PATIENCE, async {
            while !listens_for_sigterm(&id) {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap_or_else(|_| panic!("{} listens for SIGTERM", self.name));
        test_cluster::send_signal("TERM", &id).unwrap();
        self.ended().await;
    }

    pub(crate) fn signal(&self, signal: &str) {
        test_cluster::send_signal(signal, &self.child.id().to_string()).unwrap();
    }

    /// It ends by itself, and says this.
    pub(crate) async fn fails_with(mut self, part: &str) {
        while timeout(PATIENCE, self.lines.recv()).await.expect("it ends").is_some() {}
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).ok();
        let status = self.child.wait().unwrap();
        assert!(
            !status.success() && said.contains(part),
            "{} ends with {part:?}: {status}; {said}",
            self.name
        );
    }

    /// It ends by itself, in good order.
    pub(crate) async fn ended(mut self) {
        while timeout(PATIENCE, self.lines.recv()).await.expect("it ends").is_some() {}
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).ok();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{} ends in good order: {status}; {said}", self.name);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Examples are beside the tests: `target/debug/deps/programs-…` and `target/debug/examples/…`.
fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name);
    assert!(path.exists(), "{name} is not built: run `cargo build --package informer-controller --examples`");
    path
}

/// Whether the process catches a signal. Where there is no `/proc` it is taken to do so.
fn listens_for_sigterm(id: &str) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else { return true };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    // Bits count from 1.
    let bit = 1 << 14;
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & bit != 0)
}
