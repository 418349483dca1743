//! Both servers, as clients outside of the process reach them, and how what they say is compared.

#[path = "../../real/support/admission.rs"]
mod admission;
mod normal;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use embedded_apiserver::{BuiltinController, EmbeddedApiserver, TcpServer};
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_cluster::{Binaries, Cluster, Options};

pub(crate) use normal::{normal_object, normal_text};

/// A server, and a directory with a kubeconfig.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) client: Client,
    pub(crate) dir: TempDir,
    /// What keeps it running.
    _running: Running,
}

enum Running {
    Real { _cluster: Box<Cluster> },
    Embedded { _server: EmbeddedApiserver, _endpoint: TcpServer },
}

/// The real server and the embedded one. `None` if there is no real one to start; the reason is printed.
pub(crate) async fn both(test: &str) -> Result<Option<[Server; 2]>> {
    start(test, false).await
}

/// The same with a garbage collector each, the real one that of kube-controller-manager.
pub(crate) async fn both_with_garbage_collectors(test: &str) -> Result<Option<[Server; 2]>> {
    start(test, true).await
}

async fn start(test: &str, with_collectors: bool) -> Result<Option<[Server; 2]>> {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip(test, &why);
        return Ok(None);
    }
    let cluster = tokio::task::spawn_blocking(move || {
        let mut cluster = Cluster::start(Options::default())?;
        if with_collectors {
            cluster.start_controller_manager(&["garbage-collector-controller"])?;
        }
        anyhow::Ok(cluster)
    });
    let cluster = cluster.await??;
    let kubeconfig = cluster.kubeconfig_yaml();
    let real = Server::new("real", &kubeconfig, Running::Real { _cluster: Box::new(cluster) }).await?;
    let controllers: &[BuiltinController] =
        if with_collectors { &[BuiltinController::GarbageCollector] } else { &[] };
    let builder = EmbeddedApiserver::builder();
    let server = builder.controllers(controllers.iter().copied()).build();
    let endpoint = server.listen().await?;
    let file = tempfile::NamedTempFile::new()?;
    endpoint.write_kubeconfig(file.path())?;
    let kubeconfig = std::fs::read_to_string(file.path())?;
    let embedded = Running::Embedded { _server: server, _endpoint: endpoint };
    Ok(Some([real, Server::new("embedded", &kubeconfig, embedded).await?]))
}

impl Server {
    async fn new(name: &'static str, kubeconfig: &str, running: Running) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        std::fs::write(dir.path().join("kubeconfig"), kubeconfig)?;
        let kubeconfig = Kubeconfig::from_yaml(kubeconfig)?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.proxy_url = None;
        Ok(Self { name, client: Client::try_from(config)?, dir, _running: running })
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.dir.path().join("kubeconfig")
    }

    /// Sends a request and returns status and body. The body is sent as JSON unless it is null.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &Value) -> Result<(u16, Value)> {
        let text = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let answer = self.client.send(request.body(Body::from(text))?).await.context(path.to_owned())?;
        let status = answer.status().as_u16();
        let text = answer.into_body().collect().await?.to_bytes();
        let text_only = || Value::String(String::from_utf8_lossy(&text).into_owned());
        Ok((status, serde_json::from_slice(&text).unwrap_or_else(|_| text_only())))
    }

    /// Sends a request that has to succeed.
    pub(crate) async fn must(&self, method: &str, path: &str, body: &Value) -> Result<Value> {
        let (status, answer) = self.ask(method, path, body).await?;
        anyhow::ensure!((200..300).contains(&status), "{} {method} {path}: {answer}", self.name);
        Ok(answer)
    }

    /// Asks for an object until the status and the object are as they should be.
    pub(crate) async fn until(&self, path: &str, is: impl Fn(u16, &Value) -> bool) -> Result<Value> {
        let mut again = tokio::time::interval(Duration::from_millis(20));
        let wait = async {
            loop {
                again.tick().await;
                let (status, object) = self.ask("GET", path, &Value::Null).await?;
                if is(status, &object) {
                    return Ok(object);
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), wait).await.context("it never comes true")?
    }

    pub(crate) async fn make_namespace(&self, name: &str) -> Result<()> {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        self.must("POST", "/api/v1/namespaces", &namespace).await.map(drop)
    }
}

/// A command with the kubectl of the real server's version.
pub(crate) fn kubectl(dir: &Path) -> Result<Command> {
    let mut command = Command::new(Binaries::locate_or_build()?.kubectl()?);
    command.arg("--kubeconfig").arg(dir.join("kubeconfig")).arg("--cache-dir").arg(dir.join("cache"));
    command.env("NO_PROXY", "127.0.0.1").stdin(Stdio::null());
    Ok(command)
}
