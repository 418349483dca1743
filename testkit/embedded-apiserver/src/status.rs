//! Errors, which are sent as a `Status` or as plain text.

use std::collections::HashSet;

use http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::body::{Body, full};
use crate::kinds::Resource;

/// The size limit of request bodies and objects, in bytes.
pub(crate) const BODY_LIMIT: usize = 3 << 20;

/// An error that a request is answered with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) code: u16,
    /// Empty for errors that have none in the real server: those that it does not expect.
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    /// Boxed to keep every `Result` with this error small.
    pub(crate) details: Option<Box<Details>>,
    /// `metadata.continue`: a new token in place of an expired one.
    pub(crate) continue_token: Option<String>,
    pub(crate) format: ErrorFormat,
}

/// The format of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// A Status on one line.
    Status,
    /// A Status with indentation, which the real server sends if it cannot satisfy `Accept`.
    Indented,
    /// `text/plain` instead of a Status, with this `Retry-After`; zero for none.
    Plain { retry_after: u32 },
}

/// The `details` of a Status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Details {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) group: String,
    /// The plural of the resource; the kind when an object is invalid.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) uid: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) causes: Vec<Cause>,
    /// Also sent as the header `Retry-After`.
    #[serde(rename = "retryAfterSeconds", skip_serializing_if = "is_zero")]
    pub(crate) retry_after: u32,
}

/// One of the `causes` of a Status: what is wrong with one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Cause {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) reason: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) field: String,
}

impl Cause {
    /// A field that must not be set, or not to this value.
    pub(crate) fn forbidden(field: &str, why: &str) -> Self {
        Self::of("FieldValueForbidden", field, format!("Forbidden: {why}"))
    }

    /// A field that is missing.
    pub(crate) fn required(field: &str, why: &str) -> Self {
        let colon = if why.is_empty() { "" } else { ": " };
        Self::of("FieldValueRequired", field, format!("Required value{colon}{why}"))
    }

    /// A field with an invalid value. `value` is shown as it is, so strings need quotes.
    pub(crate) fn invalid(field: &str, value: &str, why: &str) -> Self {
        Self::of("FieldValueInvalid", field, format!("Invalid value: {value}: {why}"))
    }

    /// An item that is in a list twice.
    pub(crate) fn duplicate(field: &str, value: &str) -> Self {
        Self::of("FieldValueDuplicate", field, format!("Duplicate value: {value}"))
    }

    /// A field with a value that is none of `supported`.
    pub(crate) fn unsupported(field: &str, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        let message = format!("Unsupported value: {value:?}: supported values: {}", supported.join(", "));
        Self::of("FieldValueNotSupported", field, message)
    }

    /// A field with more bytes than it may have.
    pub(crate) fn too_long(field: &str, limit: usize) -> Self {
        Self::of("FieldValueTooLong", field, format!("Too long: may not be more than {limit} bytes"))
    }

    fn of(reason: &'static str, field: &str, message: String) -> Self {
        Self { reason, message, field: field.to_owned() }
    }
}

/// The errors of this server.
impl ApiError {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, reason, message, details: None, continue_token: None, format: ErrorFormat::Status }
    }

    /// An error that the real server does not expect: 500 without a reason.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// An error that the real server reports as its own.
    pub(crate) fn internal_error(message: &str) -> Self {
        let causes = vec![Cause { message: message.to_owned(), ..Cause::default() }];
        Self::new(500, "InternalError", format!("Internal error occurred: {message}"))
            .with_details(Details { causes, ..Details::default() })
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// A request without a valid token.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// A request that is not allowed for this object, or for the collection if `name` is empty.
    pub(crate) fn forbidden(resource: &Resource, name: &str, why: &str) -> Self {
        let about = match name {
            "" => resource.qualified(),
            name => format!("{} \"{name}\"", resource.qualified()),
        };
        Self::new(403, "Forbidden", format!("{about} is forbidden: {why}"))
            .with_details(resource.details(name))
    }

    /// A path that is not served, in plain text.
    pub(crate) fn page_not_found() -> Self {
        Self::new(404, "NotFound", "404 page not found").plain()
    }

    /// A version or resource that is not served, in a group that is.
    pub(crate) fn no_such_resource() -> Self {
        let error = Self::new(404, "NotFound", "the server could not find the requested resource");
        error.with_details(Details::default())
    }

    /// There is no object with that name.
    pub(crate) fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", resource.qualified());
        Self::new(404, "NotFound", message).with_details(resource.details(name))
    }

    /// The resource does not support the method.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with_details(Details::default())
    }

    /// The server cannot produce any form that `Accept` asks for.
    pub(crate) fn not_acceptable(message: impl Into<String>) -> Self {
        Self { format: ErrorFormat::Indented, ..Self::new(406, "NotAcceptable", message) }
    }

    pub(crate) fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", resource.qualified());
        Self::new(409, "AlreadyExists", message).with_details(resource.details(name))
    }

    /// A precondition of a write does not hold.
    pub(crate) fn conflict(resource: &Resource, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", resource.qualified());
        Self::new(409, "Conflict", message).with_details(resource.details(name))
    }

    /// A write with a resourceVersion that is not the current one.
    pub(crate) fn modified(resource: &Resource, name: &str) -> Self {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, name, why)
    }

    /// A resourceVersion whose history is forgotten.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// A body that is too large.
    pub(crate) fn entity_too_large() -> Self {
        let message = format!("Request entity too large: limit is {BODY_LIMIT}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// A body of a type that the server cannot read.
    pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// An object or options of that kind with invalid fields.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, causes: Vec<Cause>) -> Self {
        let dot = if group.is_empty() { "" } else { "." };
        let mut each: Vec<String> =
            causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
        let mut seen = HashSet::new();
        each.retain(|text| seen.insert(text.clone()));
        let why = match each.len() {
            1 => each.remove(0),
            _ => format!("[{}]", each.join(", ")),
        };
        let message = format!("{kind}{dot}{group} \"{name}\" is invalid: {why}");
        let name = name.to_owned();
        let group = group.to_owned();
        let kind = kind.to_owned();
        let details = Details { name, group, kind, causes, ..Details::default() };
        Self::new(422, "Invalid", message).with_details(details)
    }

    /// A JSON patch that cannot be applied.
    pub(crate) fn rejected() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message).with_details(Details::default())
    }

    /// The server is busy; as a Status.
    pub(crate) fn too_many_requests(message: impl Into<String>, retry_after: u32) -> Self {
        let details = Details { retry_after, ..Details::default() };
        Self::new(429, "TooManyRequests", message).with_details(details)
    }

    /// The server is overloaded; in plain text, because the real server answers this before it parses the request.
    pub(crate) fn overloaded(retry_after: u32) -> Self {
        let message = "Too many requests, please try again later.";
        Self { format: ErrorFormat::Plain { retry_after }, ..Self::new(429, "TooManyRequests", message) }
    }

    /// Something that only the real server supports. `what` is the message.
    pub(crate) fn not_implemented(what: impl Into<String>) -> Self {
        Self::new(501, "NotImplemented", what)
    }

    /// A resourceVersion that does not exist yet.
    pub(crate) fn too_large_version(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let causes = vec![Cause {
            reason: "ResourceVersionTooLarge",
            message: "Too large resource version".to_owned(),
            field: String::new(),
        }];
        let details = Details { causes, retry_after: 1, ..Details::default() };
        Self::new(504, "Timeout", message).with_details(details)
    }

    #[must_use]
    pub(crate) fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    #[must_use]
    pub(crate) fn with_retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after = seconds;
        self
    }

    #[must_use]
    pub(crate) fn with_continue(mut self, token: String) -> Self {
        self.continue_token = Some(token);
        self
    }

    /// Sends this error as plain text.
    #[must_use]
    pub(crate) fn plain(mut self) -> Self {
        self.format = ErrorFormat::Plain { retry_after: 0 };
        self
    }
}

/// The fields of a Status in the order of the real server.
#[derive(Serialize)]
struct Status<'a> {
    kind: &'static str,
    #[serde(rename = "apiVersion")]
    api_version: &'static str,
    metadata: StatusMetadata<'a>,
    status: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
    #[serde(skip_serializing_if = "is_zero_code")]
    code: u16,
}

#[derive(Serialize)]
struct StatusMetadata<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continue_token: Option<&'a str>,
}

/// How errors are sent.
impl ApiError {
    /// The Status as JSON: the body of an answer, or the object of an ERROR event.
    pub(crate) fn to_json(&self) -> String {
        text(serde_json::to_string(&self.status()))
    }

    /// The whole answer.
    pub(crate) fn into_response(self) -> Response<Body> {
        let (content_type, body) = match self.format {
            ErrorFormat::Status => ("application/json", self.to_json()),
            ErrorFormat::Indented => ("application/json", text(serde_json::to_string_pretty(&self.status()))),
            ErrorFormat::Plain { .. } => ("text/plain; charset=utf-8", self.message.clone()),
        };
        let mut response = Response::new(full(body + "\n"));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        if content_type.starts_with("text") {
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        }
        let retry_after = match self.format {
            ErrorFormat::Plain { retry_after } => retry_after,
            ErrorFormat::Status | ErrorFormat::Indented => {
                self.details.map_or(0, |details| details.retry_after)
            }
        };
        if retry_after > 0 {
            headers.insert(header::RETRY_AFTER, retry_after.into());
        }
        response
    }

    fn status(&self) -> Status<'_> {
        Status {
            kind: "Status",
            api_version: "v1",
            metadata: StatusMetadata { continue_token: self.continue_token.as_deref() },
            status: "Failure",
            message: &self.message,
            reason: self.reason,
            details: self.details.as_deref(),
            code: self.code,
        }
    }
}

/// The answer to a delete whose object is gone: a Status without a code.
pub(crate) fn success(details: &Details) -> String {
    let metadata = StatusMetadata { continue_token: None };
    let kind = "Status";
    let api_version = "v1";
    let status = "Success";
    let details = Some(details);
    let status = Status { kind, api_version, metadata, status, message: "", reason: "", details, code: 0 };
    text(serde_json::to_string(&status))
}

/// JSON of a Status. Serializing one cannot fail.
fn text(written: serde_json::Result<String>) -> String {
    written.unwrap_or_default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero_code(code: &u16) -> bool {
    *code == 0
}

#[cfg(test)]
mod tests;
