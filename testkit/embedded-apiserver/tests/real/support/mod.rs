//! Both servers, and requests to them.

pub(crate) mod admission;
pub(crate) mod compare;
pub(crate) mod controllers;
pub(crate) mod scenario;

use std::time::Duration;

use anyhow::{Context, Result};
use embedded_apiserver::{BuiltinController, EmbeddedApiserver};
use http::Request;
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use serde_json::{Value, json};
use test_cluster::{Cluster, Options};
use tokio::time::MissedTickBehavior;

use compare::serve_widgets;

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Nothing takes that long, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(300);

/// Clients of the real server and of an embedded one.
pub(crate) struct Servers {
    pub(crate) real: Client,
    pub(crate) embedded: Client,
    cluster: Cluster,
}

impl Servers {
    /// Starts both; `None` if there is no real one to start, and then the reason is printed.
    pub(crate) async fn start(test: &str) -> Result<Option<Self>> {
        let cluster = || Cluster::start(Options::default());
        let embedded = || EmbeddedApiserver::builder().build();
        Self::start_these(test, cluster, embedded).await
    }

    /// The same with controllers: the real kube-controller-manager, and those of the embedded server. Widgets are served
    /// before they start, because the real ones take half a minute to notice a new kind.
    pub(crate) async fn start_with_controllers(test: &str) -> Result<Option<Self>> {
        let embedded = || {
            let controllers = [BuiltinController::GarbageCollector, BuiltinController::Namespace];
            let builder = EmbeddedApiserver::builder().controllers(controllers);
            builder.namespace_wait(Duration::from_millis(50)).build()
        };
        let Some(mut servers) =
            Self::start_these(test, || Cluster::start(Options::default()), embedded).await?
        else {
            return Ok(None);
        };
        serve_widgets(&servers).await?;
        let mut cluster = servers.cluster;
        let start = move || {
            cluster.start_controller_manager(&["garbage-collector-controller", "namespace-controller"])?;
            anyhow::Ok(cluster)
        };
        servers.cluster = tokio::task::spawn_blocking(start).await??;
        Ok(Some(servers))
    }

    async fn start_these(
        test: &str,
        cluster: impl FnOnce() -> Result<Cluster> + Send + 'static,
        embedded: impl FnOnce() -> EmbeddedApiserver,
    ) -> Result<Option<Self>> {
        if let Err(why) = test_cluster::available() {
            test_cluster::print_skip(test, &why);
            return Ok(None);
        }
        let cluster = tokio::task::spawn_blocking(cluster).await??;
        let kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml())?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.proxy_url = None;
        config.default_retry = false;
        Ok(Some(Self { real: Client::try_from(config)?, embedded: embedded().client(), cluster }))
    }

    pub(crate) async fn stop(self) -> Result<()> {
        tokio::task::spawn_blocking(move || drop(self.cluster)).await?;
        Ok(())
    }
}

/// The parts of an answer that are compared: status, type and body without versions.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: Value,
    /// The resourceVersion, which has been removed from the body.
    pub(crate) version: String,
}

impl PartialEq for Answer {
    fn eq(&self, other: &Self) -> bool {
        (self.status, &self.content_type, &self.body) == (other.status, &other.content_type, &other.body)
    }
}

/// Sends a request, given as method and path. Methods that need a body send an empty object.
pub(crate) async fn ask(client: &Client, request: &str) -> Result<Answer> {
    ask_with(client, request, &json!({})).await
}

pub(crate) async fn ask_with(client: &Client, request: &str, body: &Value) -> Result<Answer> {
    let (method, path) = request.split_once(' ').context("a method and a path")?;
    let builder = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let body =
        if matches!(method, "POST" | "PUT" | "PATCH") { body.to_string().into_bytes() } else { Vec::new() };
    let answer = client.send(builder.body(Body::from(body))?).await.with_context(|| request.to_owned())?;
    let content_type =
        answer.headers().get("content-type").map_or("", |value| value.to_str().unwrap_or_default());
    let (status, content_type) = (answer.status().as_u16(), content_type.to_owned());
    let text = answer.into_body().collect().await?.to_bytes();
    let mut body: Value = serde_json::from_slice(&text)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&text).into_owned()));
    let version = body.pointer_mut("/metadata/resourceVersion").map(Value::take).unwrap_or_default();
    let version = version.as_str().unwrap_or_default().to_owned();
    Ok(Answer { status, content_type, body, version })
}

/// An answer to a write: the status, the warnings, and the body without what differs from one server to another.
#[derive(Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) status: u16,
    pub(crate) warnings: Vec<String>,
    pub(crate) body: Value,
}

/// Sends a body of any type as it is.
pub(crate) async fn write(client: &Client, request: &str, media_type: &str, body: &str) -> Result<Written> {
    let (method, path) = request.split_once(' ').context("a method and a path")?;
    let builder = Request::builder().method(method).uri(path).header("content-type", media_type);
    let answer = client.send(builder.body(Body::from(body.as_bytes().to_vec()))?).await?;
    let status = answer.status().as_u16();
    let warnings = answer.headers().get_all("warning").iter();
    let warnings = warnings.map(|value| value.to_str().unwrap_or_default().to_owned()).collect();
    let text = answer.into_body().collect().await?.to_bytes();
    let mut body: Value = serde_json::from_slice(&text)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&text).into_owned()));
    if matches!(method, "PATCH" | "PUT") {
        cached(client, path, &body).await?;
    }
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        for own in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            metadata.remove(own);
        }
    }
    Ok(Written { status, warnings, body })
}

/// Waits until a server's cache of objects has what was written, given the path of the object and the answer. The real server
/// tries a patch on the object as its cache has it, and again on what is stored if that was another one. The result is
/// that of the second time, but the warnings are those of both.
pub(crate) async fn cached(client: &Client, path: &str, written: &Value) -> Result<()> {
    if let (Some(version), false) =
        (written["metadata"]["resourceVersion"].as_str(), written["kind"] == "Status")
    {
        let path = path.split('?').next().unwrap_or_default();
        ask(client, &format!("GET {path}?resourceVersion={version}")).await?;
    }
    Ok(())
}

/// Waits until something holds, such as that the real server follows a definition, a moment after it was written.
pub(crate) async fn eventually(mut holds: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let mut again = tokio::time::interval(Duration::from_millis(5));
    // A server that is late is not asked all the more often.
    again.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let wait = async {
        while !holds().await? {
            again.tick().await;
        }
        Ok(())
    };
    tokio::time::timeout(PATIENCE, wait).await.context("it does not come true in five minutes")?
}

/// An object with more fields.
pub(crate) fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}
