//! An API server without transports, for unit tests.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::BodyExt as _;
use serde_json::Value;

use crate::api::Api;
use crate::body::{Body, full};
use crate::controllers;
use crate::front::Front;
use crate::options::ApiOptions;

pub(crate) const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";
pub(crate) const PODS: &str = "/api/v1/namespaces/default/pods";
pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(crate) const MERGE: &str = "application/merge-patch+json";

/// An API server and helpers to send requests to it.
pub(crate) struct Server {
    pub(crate) front: Arc<Front>,
}

/// An answer with its whole body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The body. Panics if the answer has another status.
    #[track_caller]
    pub(crate) fn of(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// The message of a Status. Panics if it has another code or reason.
    #[track_caller]
    pub(crate) fn refused(&self, code: u16, reason: &str) -> String {
        let status = self.of(code);
        assert_eq!(status["kind"], "Status");
        assert_eq!(status["reason"].as_str().unwrap_or_default(), reason, "{status}");
        status["message"].as_str().unwrap_or_default().to_owned()
    }
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::with(ApiOptions::default())
    }

    pub(crate) fn with(options: ApiOptions) -> Self {
        let front = Arc::new(Front::new(Api::new(ApiOptions { seed: Some(1), ..options }), Vec::new()));
        controllers::start(&front);
        Self { front }
    }

    pub(crate) fn api(&self) -> &Api {
        &self.front.api
    }

    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> http::Response<Body> {
        let mut request = http::Request::builder().method(method).uri(path.replace(' ', "%20"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.front.answer_aside(request.body(full(body.to_owned())).unwrap()).await.unwrap()
    }

    pub(crate) async fn send(&self, method: &str, path: &str, content_type: &str, body: &str) -> Answer {
        let headers = [(header::CONTENT_TYPE.as_str(), content_type)];
        let headers = if content_type.is_empty() { &[][..] } else { &headers };
        let (head, body) = self.open(method, path, headers, body).await.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        Answer { status: head.status.as_u16(), headers: head.headers, text }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", "").await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, "", "").await
    }

    pub(crate) async fn post(&self, path: &str, object: &Value) -> Answer {
        self.send("POST", path, "application/json", &object.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, object: &Value) -> Answer {
        self.send("PUT", path, "application/json", &object.to_string()).await
    }

    pub(crate) async fn merge(&self, path: &str, patch: &Value) -> Answer {
        self.send("PATCH", path, MERGE, &patch.to_string()).await
    }

    /// Creates a ConfigMap with that name in `default`.
    pub(crate) async fn configmap(&self, name: &str) -> Value {
        self.post(CONFIGMAPS, &serde_json::json!({ "metadata": { "name": name } })).await.of(201)
    }

    /// Changes the ConfigMap `name`.
    pub(crate) async fn step(&self, name: &str, step: u64) -> Value {
        let patch = serde_json::json!({ "data": { "step": step.to_string() } });
        self.merge(&format!("{CONFIGMAPS}/{name}"), &patch).await.of(200)
    }

    /// Opens a watch, which must be answered with 200.
    pub(crate) async fn watch(&self, path: &str) -> OpenWatch {
        let answer = self.open("GET", path, &[], "").await;
        assert_eq!(answer.status(), 200, "{path}");
        OpenWatch { body: answer.into_body(), rest: Vec::new() }
    }
}

/// An open watch.
pub(crate) struct OpenWatch {
    body: Body,
    rest: Vec<u8>,
}

impl OpenWatch {
    /// The next event, or `None` at the end. Waits as long as it takes.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let frame = Pin::new(&mut self.body).frame().await?.unwrap();
            self.rest.extend_from_slice(frame.data_ref().unwrap_or(&Bytes::new()));
        }
    }

    /// All events until the end, each as `ADDED name`.
    pub(crate) async fn told(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(event) = self.next().await {
            told.push(tell(&event));
        }
        told
    }

    /// The next `count` events.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<String> {
        let mut told = Vec::new();
        for _ in 0..count {
            told.push(tell(&self.next().await.unwrap_or_else(|| panic!("ended after {told:?}"))));
        }
        told
    }
}

/// An event as `ADDED name`. A bookmark has no name.
pub(crate) fn tell(event: &Value) -> String {
    let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default();
    format!("{} {name}", event["type"].as_str().unwrap()).trim().to_owned()
}

pub(crate) fn rv(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

#[track_caller]
pub(crate) fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap_or_else(|| panic!("{list}"));
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}
