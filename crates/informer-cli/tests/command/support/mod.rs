//! A server for the command, and the output of the command.

pub(crate) mod canned;
pub(crate) mod controllers;
pub(crate) mod proxy;

use std::io::{BufRead, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, TcpServer};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tempfile::TempDir;
use tokio::time::timeout;

/// A server on a port, and a kubeconfig for it.
pub(crate) struct Server {
    pub(crate) api: EmbeddedApiserver,
    pub(crate) endpoint: TcpServer,
    pub(crate) directory: TempDir,
}

impl Server {
    /// With the namespace `shop`.
    pub(crate) async fn start() -> Self {
        let api = EmbeddedApiserver::new();
        let endpoint = api.listen().await.expect("a free port");
        let directory = tempfile::tempdir().expect("a directory");
        endpoint.write_kubeconfig(directory.path().join("kubeconfig")).expect("a kubeconfig");
        let shop = Namespace { metadata: named(None, "shop"), ..Namespace::default() };
        api.create(&shop).await.expect("a namespace");
        Self { api, endpoint, directory }
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.path().join("kubeconfig")
    }

    pub(crate) async fn config_map(&self, name: &str, value: &str) {
        let data = Some([("key".to_owned(), value.to_owned())].into());
        let map = ConfigMap { metadata: named(Some("shop"), name), data, ..ConfigMap::default() };
        self.api.create(&map).await.expect("a configmap");
    }

    pub(crate) async fn secret(&self, name: &str, value: &str) {
        let string_data = Some([("password".to_owned(), value.to_owned())].into());
        let data = Some([("token".to_owned(), k8s_openapi::ByteString(value.as_bytes().to_vec()))].into());
        let secret = Secret { metadata: named(Some("shop"), name), data, string_data, ..Secret::default() };
        self.api.create(&secret).await.expect("a secret");
    }

    /// The command with this server's kubeconfig.
    pub(crate) fn informer(&self, arguments: &[&str]) -> Command {
        let mut command = informer(arguments);
        command.arg("--kubeconfig").arg(self.kubeconfig());
        command
    }
}

pub(crate) fn named(namespace: Option<&str>, name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.into()), namespace: namespace.map(Into::into), ..ObjectMeta::default() }
}

/// The command without any kubeconfig.
pub(crate) fn informer(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_informer"));
    command.args(arguments).stdin(Stdio::null());
    for variable in
        ["KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
    {
        command.env_remove(variable);
    }
    command.env("HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// The output of the command and its exit code.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

/// Runs the command on another thread, because the server has to answer on the test's runtime meanwhile.
pub(crate) async fn run(mut command: Command) -> Said {
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it is awaited");
    said(&output.expect("it runs"))
}

pub(crate) fn said(output: &Output) -> Said {
    Said {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap_or(-1),
    }
}

/// The exit code of a command whose output nobody reads, and its remarks.
pub(crate) async fn unread(mut command: Command) -> (i32, String) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    command.stdout(writer).stderr(Stdio::piped());
    let run = move || command.spawn().expect("it starts").wait_with_output().expect("it ends");
    let said = said(&tokio::task::spawn_blocking(run).await.expect("it is awaited"));
    (said.code, said.err)
}

type Lines = Box<dyn BufRead + Send>;

/// A command in the background; it is killed when this is dropped.
pub(crate) struct Running {
    child: Child,
    out: Option<Lines>,
    err: Option<Lines>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let out = child.stdout.take().map(|out| Box::new(BufReader::new(out)) as Lines);
        let err = child.stderr.take().map(|err| Box::new(BufReader::new(err)) as Lines);
        Self { child, out, err }
    }

    /// Starts a command with stdout and stderr merged, as on a terminal.
    pub(crate) fn start_merged(mut command: Command) -> Self {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        command.stdout(writer.try_clone().expect("its end")).stderr(writer);
        let child = command.spawn().expect("it starts");
        Self { child, out: Some(Box::new(BufReader::new(reader))), err: None }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line on stdout. It is an error if none comes.
    pub(crate) async fn line(&mut self) -> String {
        let (line, out) = next_line(self.out.take().expect("its output")).await;
        self.out = Some(out);
        line
    }

    /// The next line on stderr that contains this text.
    pub(crate) async fn remark(&mut self, about: &str) -> String {
        loop {
            let (line, err) = next_line(self.err.take().expect("its remarks")).await;
            self.err = Some(err);
            assert!(!line.is_empty(), "it ended and did not say {about:?}");
            if line.contains(about) {
                return line;
            }
        }
    }

    /// Closes the pipe that the command writes to.
    pub(crate) fn stop_reading(&mut self) {
        self.out = None;
    }

    /// Waits for the end; the exit code and the rest of stderr.
    pub(crate) async fn ended(mut self) -> (Option<i32>, String) {
        let mut stderr = self.err.take().expect("its remarks");
        let wait = move || {
            let mut said = String::new();
            stderr.read_to_string(&mut said).expect("its remarks");
            (self.child.wait().expect("it ends").code(), said)
        };
        tokio::task::spawn_blocking(wait).await.expect("it is awaited")
    }
}

/// No line takes that long, unless it never comes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Reads a line; empty at the end.
async fn next_line(mut reader: Lines) -> (String, Lines) {
    let read = move || {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        (line, reader)
    };
    // Who waits is told, and kills the command, with which the reading ends.
    let line = timeout(PATIENCE, tokio::task::spawn_blocking(read)).await;
    line.expect("a line comes in time").expect("it is awaited")
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
