//! Errors as the server words them: a `Status`, or plain text.

use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::body::{Body, full};
use crate::kinds::Resource;

/// A request that is refused, and how that looks on the wire.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) code: u16,
    /// Absent where the real server has none: errors that it did not foresee.
    pub(crate) reason: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) details: Option<Value>,
    /// Also the header `Retry-After`; zero for none.
    pub(crate) retry_after: u32,
    /// In `metadata.continue`, with an expired token.
    pub(crate) continue_token: Option<String>,
    /// `text/plain` in place of a Status.
    pub(crate) plain: bool,
}

impl ApiError {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: Some(reason),
            message: message.into(),
            details: None,
            retry_after: 0,
            continue_token: None,
            plain: false,
        }
    }

    /// What the real server did not foresee: 500 without a reason.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { reason: None, ..Self::new(500, "", message) }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// A path that leads nowhere.
    pub(crate) fn page_not_found() -> Self {
        Self { plain: true, ..Self::new(404, "NotFound", "404 page not found") }
    }

    /// A group and version that is known, with a resource that is not.
    pub(crate) fn no_such_resource() -> Self {
        let error = Self::new(404, "NotFound", "the server could not find the requested resource");
        error.with_details(json!({}))
    }

    /// No object of that name.
    pub(crate) fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", resource.qualified());
        Self::new(404, "NotFound", message).with_details(resource.details(name))
    }

    #[must_use]
    pub(crate) fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    #[must_use]
    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = seconds;
        self
    }

    /// The `Status` object: the body of an answer, or the object of an ERROR event.
    pub(crate) fn to_status(&self) -> Value {
        let mut metadata = Map::new();
        if let Some(token) = &self.continue_token {
            metadata.insert("continue".into(), token.as_str().into());
        }
        let mut status = Map::new();
        status.insert("kind".into(), "Status".into());
        status.insert("apiVersion".into(), "v1".into());
        status.insert("metadata".into(), metadata.into());
        status.insert("status".into(), "Failure".into());
        status.insert("message".into(), self.message.as_str().into());
        if let Some(reason) = self.reason {
            status.insert("reason".into(), reason.into());
        }
        let mut details = self.details.clone();
        if self.retry_after > 0 {
            details.get_or_insert_with(|| json!({}))["retryAfterSeconds"] = self.retry_after.into();
        }
        if let Some(details) = details {
            status.insert("details".into(), details);
        }
        status.insert("code".into(), self.code.into());
        status.into()
    }

    /// The whole answer.
    pub(crate) fn into_response(self) -> Response<Body> {
        let (content_type, body) = match self.plain {
            true => ("text/plain; charset=utf-8", format!("{}\n", self.message)),
            false => ("application/json", format!("{}\n", self.to_status())),
        };
        let mut response = Response::new(full(body));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        if self.plain {
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        }
        if self.retry_after > 0 {
            headers.insert(header::RETRY_AFTER, self.retry_after.into());
        }
        response
    }
}
