//! Requests and answers as they are on the wire.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, Version};
use http_body::Body as _;
use kube_client::client::Body;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use serde_json::{Value, json};

use crate::support::server::Server;

/// Long enough for a loaded machine; nothing waits that long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const JSON: &str = "application/json";
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";

/// The group of the custom resource.
const GROUP: &str = "conformance.example.com";

/// One test's connection to the server, and the namespace where it alone writes.
pub(crate) struct Api {
    pub(crate) server: &'static Server,
    pub(crate) namespace: String,
    client: Client,
}

impl Api {
    /// Connects and makes a namespace whose name begins like the test's.
    pub(crate) async fn connect(server: &'static Server, test: &str) -> Result<Self> {
        let kubeconfig = Kubeconfig::from_yaml(&server.kubeconfig)?;
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        config.proxy_url = None;
        // The answers of the server are asked for, not those of a client that knows what to do.
        config.default_retry = false;
        config.disable_compression = true;
        let mut api = Self { server, namespace: String::new(), client: Client::try_from(config)? };
        let prefix: String = test.chars().take(5).map(|c| if c == '_' { '-' } else { c }).collect();
        let made =
            api.create("/api/v1/namespaces", json!({ "metadata": { "generateName": prefix + "-" } })).await?;
        api.namespace = name(&made).to_owned();
        api.got(&format!("/api/v1/namespaces/{}", api.namespace)).await?;
        Ok(api)
    }

    /// The path of the configmaps of this test; `rest` is a query or a name.
    pub(crate) fn configmaps(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/configmaps{rest}", self.namespace)
    }

    /// The path of its pods.
    pub(crate) fn pods(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/pods{rest}", self.namespace)
    }

    /// The path of its events, which no server keeps in memory.
    pub(crate) fn events(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/events{rest}", self.namespace)
    }

    /// The path of its custom resources; [`serve_widgets`](Self::serve_widgets) first.
    pub(crate) fn widgets(&self, rest: &str) -> String {
        format!("/apis/{GROUP}/v1/namespaces/{}/widgets{rest}", self.namespace)
    }

    /// Has the server know widgets: a custom resource with spec, and status as a subresource.
    pub(crate) async fn serve_widgets(&self) -> Result<()> {
        let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("widgets.{GROUP}") },
            "spec": {
                "group": GROUP,
                "scope": "Namespaced",
                "names": { "plural": "widgets", "singular": "widget", "kind": "Widget" },
                "versions": [{
                    "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                    "schema": { "openAPIV3Schema": {
                        "type": "object", "properties": { "spec": open, "status": open } } },
                }],
            },
        });
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let made = self.send(Method::POST, path, &[], JSON, &definition).await?;
        ensure!(matches!(made.status, 201 | 409), "cannot define widgets: {made:?}");
        // Served a moment after they are defined.
        let mut again = tokio::time::interval(Duration::from_millis(50));
        let served = async {
            while self.get(&self.widgets("")).await?.status != 200 {
                again.tick().await;
            }
            Ok(())
        };
        tokio::time::timeout(PATIENCE, served).await.context("widgets are never served")?
    }

    /// A widget to create.
    pub(crate) fn widget(name: &str, spec: &Value) -> Value {
        json!({ "apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": { "name": name }, "spec": spec })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer> {
        self.get_with(path, &[]).await
    }

    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Result<Answer> {
        self.send(Method::GET, path, headers, JSON, &Value::Null).await
    }

    /// The body of the answer to a GET, which must be 200.
    pub(crate) async fn got(&self, path: &str) -> Result<Value> {
        self.get(path).await?.body_of(200)
    }

    /// POST, which must succeed; the object as stored.
    pub(crate) async fn create(&self, path: &str, object: Value) -> Result<Value> {
        self.post(path, object).await?.body_of(201)
    }

    pub(crate) async fn post(&self, path: &str, object: Value) -> Result<Answer> {
        self.send(Method::POST, path, &[], JSON, &object).await
    }

    pub(crate) async fn put(&self, path: &str, object: &Value) -> Result<Answer> {
        self.send(Method::PUT, path, &[], JSON, object).await
    }

    pub(crate) async fn merge_patch(&self, path: &str, patch: Value) -> Result<Answer> {
        self.send(Method::PATCH, path, &[], MERGE_PATCH, &patch).await
    }

    /// A merge patch that must succeed; the object as stored.
    pub(crate) async fn patched(&self, path: &str, patch: Value) -> Result<Value> {
        self.merge_patch(path, patch).await?.body_of(200)
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<Answer> {
        self.send(Method::DELETE, path, &[], JSON, &Value::Null).await
    }

    /// A DELETE that must succeed.
    pub(crate) async fn deleted(&self, path: &str) -> Result<Value> {
        self.delete(path).await?.body_of(200)
    }

    /// Creates a configmap with these labels, such as `app=web,tier=front`.
    pub(crate) async fn configmap(&self, name: &str, labels: &str) -> Result<Value> {
        let labels: serde_json::Map<String, Value> = labels
            .split(',')
            .filter_map(|label| label.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.into()))
            .collect();
        let metadata = json!({ "name": name, "labels": labels });
        self.create(&self.configmaps(""), json!({ "metadata": metadata, "data": { "step": "0" } })).await
    }

    /// Changes a configmap, whose `data.step` must not be this yet.
    pub(crate) async fn step(&self, name: &str, step: &str) -> Result<Value> {
        self.patched(&self.configmaps(&format!("/{name}")), json!({ "data": { "step": step } })).await
    }

    /// Creates a pod, which will never be scheduled.
    pub(crate) async fn pod(&self, name: &str) -> Result<Value> {
        let spec = json!({ "containers": [{ "name": "main", "image": "example/app:1" }] });
        self.create(&self.pods(""), json!({ "metadata": { "name": name }, "spec": spec })).await
    }

    /// Creates an event, the kind of object.
    pub(crate) async fn event(&self, name: &str) -> Result<Value> {
        let object =
            json!({ "metadata": { "name": name }, "involvedObject": { "namespace": self.namespace } });
        self.create(&self.events(""), object).await
    }

    /// Opens a watch, which must be answered with 200.
    pub(crate) async fn watch(&self, path: &str) -> Result<Watch> {
        self.watch_with(path, &[]).await
    }

    pub(crate) async fn watch_with(&self, path: &str, headers: &[(&str, &str)]) -> Result<Watch> {
        let response = self.open(Method::GET, path, headers, JSON, &Value::Null).await?;
        let (head, body) = response.into_parts();
        ensure!(head.status == 200, "GET {path}: {} {:?}", head.status, body.collect_bytes().await?);
        Ok(Watch { version: head.version, headers: head.headers, body, buffer: Vec::new() })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        content_type: &str,
        body: &Value,
    ) -> Result<Answer> {
        let whole = async {
            let response = self.open(method, path, headers, content_type, body).await?;
            let (head, body) = response.into_parts();
            let body = body.collect_bytes().await?;
            Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
        };
        tokio::time::timeout(PATIENCE, whole).await.with_context(|| format!("no answer to {path}"))?
    }

    async fn open(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        content_type: &str,
        body: &Value,
    ) -> Result<Response<Body>> {
        // All else that the queries here contain may stand for itself.
        let mut request = Request::builder().method(method).uri(path.replace(' ', "%20"));
        for (header, value) in headers {
            request = request.header(*header, *value);
        }
        let request = if body.is_null() {
            request.body(Body::empty())?
        } else {
            request.header("content-type", content_type).body(Body::from(serde_json::to_vec(body)?))?
        };
        let answer = tokio::time::timeout(PATIENCE, self.client.send(request)).await;
        Ok(answer.with_context(|| format!("no answer to {path}"))??)
    }
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// The body, if the status is this one.
    pub(crate) fn body_of(&self, status: u16) -> Result<Value> {
        ensure!(self.status == status, "answered {} instead of {status}: {:?}", self.status, self.body);
        Ok(self.json())
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a header is text"))
    }

    /// Asserts a failure with a Status of this code and reason (`""`: none); its message.
    #[track_caller]
    pub(crate) fn failure(&self, code: u16, reason: &str) -> String {
        assert_eq!(self.status, code, "{:?}", self.body);
        let status = self.json();
        assert_failure(&status, code, reason);
        status["message"].as_str().unwrap_or_default().to_owned()
    }
}

/// Asserts that this is a Status that says failure with this code and reason.
#[track_caller]
pub(crate) fn assert_failure(status: &Value, code: u16, reason: &str) {
    assert_eq!(status["kind"], "Status", "{status}");
    assert_eq!(status["apiVersion"], "v1", "{status}");
    assert_eq!(status["status"], "Failure", "{status}");
    assert_eq!(status["code"], code, "{status}");
    assert_eq!(status["reason"].as_str().unwrap_or_default(), reason, "{status}");
    assert!(status["metadata"].is_object(), "{status}");
}

/// An open watch.
pub(crate) struct Watch {
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    body: Body,
    buffer: Vec<u8>,
}

impl Watch {
    /// The next line with its end, or `None` when the server has ended the watch after a whole line.
    pub(crate) async fn line(&mut self) -> Result<Option<String>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.drain(..=end).collect();
                return Ok(Some(String::from_utf8(line)?));
            }
            let frame = poll_fn(|context| Pin::new(&mut self.body).poll_frame(context));
            match tokio::time::timeout(PATIENCE, frame).await.context("neither an event nor the end came")? {
                Some(frame) => self.buffer.extend_from_slice(frame?.data_ref().unwrap_or(&Bytes::new())),
                None if self.buffer.is_empty() => return Ok(None),
                None => bail!("ended within an event: {:?}", String::from_utf8_lossy(&self.buffer)),
            }
        }
    }

    /// The next event, or `None` at the end.
    pub(crate) async fn next_or_end(&mut self) -> Result<Option<Event>> {
        let Some(line) = self.line().await? else { return Ok(None) };
        let mut event: Value = serde_json::from_str(&line)?;
        let kind = event["type"].as_str().context("an event has a type")?.to_owned();
        Ok(Some(Event { kind, object: event["object"].take() }))
    }

    pub(crate) async fn next(&mut self) -> Result<Event> {
        self.next_or_end().await?.context("the watch ended")
    }

    /// The next so many events.
    pub(crate) async fn take(&mut self, count: usize) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        for _ in 0..count {
            events.push(self.next().await?);
        }
        Ok(events)
    }

    /// All events until the server ends the watch.
    pub(crate) async fn rest(&mut self) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        while let Some(event) = self.next_or_end().await? {
            events.push(event);
        }
        Ok(events)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) object: Value,
}

impl Event {
    /// Whether it is the bookmark that ends the initial events.
    pub(crate) fn ends_initial_events(&self) -> bool {
        self.kind == "BOOKMARK"
            && self.object["metadata"]["annotations"]["k8s.io/initial-events-end"] == "true"
    }
}

/// `ADDED a`, one for each event.
pub(crate) fn told(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| format!("{} {}", event.kind, name(&event.object))).collect()
}

pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The resourceVersion of an object or list, which must be a decimal number greater than 0.
#[track_caller]
pub(crate) fn rv(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    assert!(!text.starts_with('0'), "resourceVersion {text:?}");
    text.parse().unwrap_or_else(|_| panic!("resourceVersion {text:?} of {object}"))
}

#[track_caller]
pub(crate) fn items(list: &Value) -> &Vec<Value> {
    list["items"].as_array().unwrap_or_else(|| panic!("no items: {list}"))
}

#[track_caller]
pub(crate) fn names(list: &Value) -> Vec<&str> {
    items(list).iter().map(name).collect()
}
