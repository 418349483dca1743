//! A server to run the command against, and what the command said.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use embedded_apiserver::{EmbeddedApiserver, Endpoint};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tempfile::TempDir;

/// A server on a port, and a kubeconfig for it.
pub(crate) struct Server {
    pub(crate) api: EmbeddedApiserver,
    pub(crate) endpoint: Endpoint,
    directory: TempDir,
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

/// The command where nothing says which cluster is meant.
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

/// What the command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

/// Runs it to its end, away from the test's own runtime: the server must go on answering.
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

/// A command that goes on by itself; it is ended when this is dropped.
pub(crate) struct Running {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let out = child.stdout.take().map(BufReader::new);
        Self { child, out }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line that it writes.
    pub(crate) async fn line(&mut self) -> String {
        let mut out = self.out.take().expect("its output");
        let read = move || {
            let mut line = String::new();
            out.read_line(&mut line).expect("a line");
            (line, out)
        };
        let (line, out) = tokio::task::spawn_blocking(read).await.expect("it is awaited");
        self.out = Some(out);
        line
    }

    /// Nobody reads what it writes from now on.
    pub(crate) fn stop_reading(&mut self) {
        self.out = None;
    }

    /// Its exit code, and what it said on stderr.
    pub(crate) async fn ended(mut self) -> (Option<i32>, String) {
        let mut stderr = self.child.stderr.take().expect("its remarks");
        let wait = move || {
            let mut said = String::new();
            stderr.read_to_string(&mut said).expect("its remarks");
            (self.child.wait().expect("it ends").code(), said)
        };
        tokio::task::spawn_blocking(wait).await.expect("it is awaited")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
