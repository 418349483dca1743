//! The writes of a controller.

use http::{HeaderValue, Method, header};
use http_body_util::BodyExt as _;
use serde_json::Value;

use crate::front::Front;
use crate::kinds::Resource;
use crate::request::Request;

/// The program that the controllers belong to in a cluster.
const USER_AGENT: HeaderValue = HeaderValue::from_static("kube-controller-manager");

/// A controller as a client of the server.
#[derive(Clone, Copy)]
pub(super) struct Requests<'a> {
    pub(super) front: &'a Front,
    pub(super) user: &'static str,
}

/// A refused write.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) message: String,
}

/// A write that a controller has decided on.
#[derive(Debug)]
pub(super) struct Write {
    /// PATCH stands for a merge patch.
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Value,
}

impl Requests<'_> {
    pub(super) async fn send(self, Write { method, path, body }: Write) -> Result<(), Refusal> {
        let content_type = match method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let refusal = |message: String| Refusal { code: 400, message };
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, content_type)
            .header(header::USER_AGENT, USER_AGENT)
            .body(());
        let request = request.map_err(|error| refusal(error.to_string()))?;
        let mut request = Request::new(request.into_parts().0);
        request.user = self.user.to_owned();
        request.body = body.to_string().into();
        let answer = self.front.answer_controller(&request).await;
        // Other tasks get their turn between two writes.
        tokio::task::yield_now().await;
        let code = answer.status().as_u16();
        if answer.status().is_success() {
            return Ok(());
        }
        let body = answer.into_body().collect().await.map_err(|error| refusal(error.to_string()))?;
        let status: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
        let message = status["message"].as_str().unwrap_or_default().to_owned();
        Err(Refusal { code, message })
    }
}

/// The path of a collection. The namespace is empty for cluster-scoped kinds.
pub(super) fn collection_path(resource: &Resource, namespace: &str) -> String {
    let prefix = if resource.group.is_empty() { "api" } else { "apis" };
    let namespace = match namespace {
        "" => String::new(),
        namespace => format!("/namespaces/{}", encoded(namespace)),
    };
    format!("/{prefix}/{}{namespace}/{}", resource.api_version(), resource.plural)
}

/// The path of an object with that key.
pub(super) fn object_path(resource: &Resource, key: &str) -> String {
    let (namespace, name) = key.split_once('/').unwrap_or(("", key));
    format!("{}/{}", collection_path(resource, namespace), encoded(name))
}

/// A segment of a path. Names of some kinds may have any characters but `/` and `%`.
fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b':' => text.push(byte.into()),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
