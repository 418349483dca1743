//! A program of `examples/` that runs, and what it prints.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::{PATIENCE, Server};

/// What is sent to a program to end it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal {
    /// Ctrl-C.
    Interrupt = 2,
    /// What the kubelet sends before it kills.
    Terminate = 15,
}

/// A program that runs; it is ended when this is dropped.
pub(super) struct Program {
    name: &'static str,
    child: Child,
    /// Where its kubeconfig is.
    _directory: TempDir,
    lines: mpsc::UnboundedReceiver<String>,
    printed: Vec<String>,
}

impl Program {
    pub(super) fn start(name: &'static str, server: &impl Server, arguments: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let kubeconfig = directory.path().join("kubeconfig");
        std::fs::write(&kubeconfig, server.kubeconfig()).unwrap();
        let mut command = Command::new(binary(name));
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "KUBERNETES_SERVICE_HOST"]
        {
            command.env_remove(variable);
        }
        command.env("KUBECONFIG", kubeconfig).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { name, child, _directory: directory, lines, printed: Vec::new() }
    }

    /// Waits for a line that begins so.
    pub(super) async fn until(&mut self, beginning: &str) {
        self.until_all(&[beginning]).await;
    }

    /// Waits for lines that begin so, in whatever order.
    pub(super) async fn until_all(&mut self, beginnings: &[&str]) {
        let mut missing = beginnings.to_vec();
        while !missing.is_empty() {
            let Ok(Some(line)) = timeout(PATIENCE, self.lines.recv()).await else {
                self.child.kill().ok();
                let mut said = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut said).ok();
                panic!("{} does not print {missing:?} but {:?}; {said}", self.name, self.printed);
            };
            missing.retain(|beginning| !line.starts_with(beginning));
            self.printed.push(line);
        }
    }

    /// A signal ends it, and in good order.
    pub(super) async fn ended_by(self, signal: Signal) {
        let id = self.child.id().to_string();
        // What it printed came from another thread; the one that listens for signals may not have come so far.
        timeout(PATIENCE, async {
            while !listens_for(&id, signal) {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap_or_else(|_| panic!("{} listens for {signal:?}", self.name));
        test_cluster::send_signal(&(signal as u8).to_string(), &id).unwrap();
        self.ended().await;
    }

    /// It ends by itself, in good order.
    pub(super) async fn ended(mut self) {
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

/// Examples are beside the tests: `target/debug/deps/e2e-…` and `target/debug/examples/…`.
fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name);
    assert!(path.exists(), "{name} is not built: run `cargo build --package kube-informer --examples`");
    path
}

/// Whether the process catches a signal. Where there is no `/proc` it is taken to do so.
fn listens_for(id: &str, signal: Signal) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else { return true };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    // Bits count from 1.
    let bit = 1 << (signal as u8 - 1);
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & bit != 0)
}
