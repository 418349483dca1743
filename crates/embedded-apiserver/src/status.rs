//! Errors as the server words them: a `Status`, or plain text.

use http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use crate::body::{Body, full};
use crate::kinds::Resource;

/// The largest body of a request, in bytes.
pub(crate) const BODY_LIMIT: usize = 3 << 20;

/// A request that is refused, and how that looks on the wire.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) code: u16,
    /// Empty where the real server has none: errors that it did not foresee.
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    /// Boxed, because most results are no errors, and all have room for one.
    pub(crate) details: Option<Box<Details>>,
    /// In `metadata.continue`, with an expired token.
    pub(crate) continue_token: Option<String>,
    pub(crate) form: Form,
}

/// How an error is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A Status on one line.
    Status,
    /// A Status that is indented: the answer to a request whose `Accept` is of no use.
    Indented,
    /// `text/plain` in place of a Status; then with this `Retry-After`, zero for none.
    Plain { retry_after: u32 },
}

/// What a Status says about the object in question.
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
    /// Also the header `Retry-After`.
    #[serde(rename = "retryAfterSeconds", skip_serializing_if = "is_zero")]
    pub(crate) retry_after: u32,
}

/// One of the reasons why something is refused.
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
    /// A field that must not be there, or not with this value.
    pub(crate) fn forbidden(field: &str, why: &str) -> Self {
        Self::of("FieldValueForbidden", field, format!("Forbidden: {why}"))
    }

    /// A field that is missing.
    pub(crate) fn required(field: &str, why: &str) -> Self {
        let colon = if why.is_empty() { "" } else { ": " };
        Self::of("FieldValueRequired", field, format!("Required value{colon}{why}"))
    }

    /// A field with a value that is wrong; `value` as the message shows it, texts in quotes.
    pub(crate) fn invalid(field: &str, value: &str, why: &str) -> Self {
        Self::of("FieldValueInvalid", field, format!("Invalid value: {value}: {why}"))
    }

    /// A field with a value that is none of `supported`.
    pub(crate) fn unsupported(field: &str, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        let message = format!("Unsupported value: {value:?}: supported values: {}", supported.join(", "));
        Self::of("FieldValueNotSupported", field, message)
    }

    fn of(reason: &'static str, field: &str, message: String) -> Self {
        Self { reason, message, field: field.to_owned() }
    }
}

/// The errors that the parts of the server answer with.
impl ApiError {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, reason, message, details: None, continue_token: None, form: Form::Status }
    }

    /// What the real server did not foresee: 500 without a reason.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// A request without the right token.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// Something may not be done to an object, or to a collection if `name` is empty.
    pub(crate) fn forbidden(resource: &Resource, name: &str, why: &str) -> Self {
        let about = match name {
            "" => resource.qualified(),
            name => format!("{} \"{name}\"", resource.qualified()),
        };
        Self::new(403, "Forbidden", format!("{about} is forbidden: {why}"))
            .with_details(resource.details(name))
    }

    /// A path that leads nowhere.
    pub(crate) fn page_not_found() -> Self {
        Self::new(404, "NotFound", "404 page not found").plain()
    }

    /// A group that is known, with a version or resource that is not.
    pub(crate) fn no_such_resource() -> Self {
        let error = Self::new(404, "NotFound", "the server could not find the requested resource");
        error.with_details(Details::default())
    }

    /// No object of that name.
    pub(crate) fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", resource.qualified());
        Self::new(404, "NotFound", message).with_details(resource.details(name))
    }

    /// The resource is there, but cannot be asked for this.
    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with_details(Details::default())
    }

    /// Nothing that the client accepts can be had. The last word on `Accept`.
    pub(crate) fn not_acceptable(message: impl Into<String>) -> Self {
        Self { form: Form::Indented, ..Self::new(406, "NotAcceptable", message) }
    }

    pub(crate) fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", resource.qualified());
        Self::new(409, "AlreadyExists", message).with_details(resource.details(name))
    }

    /// An object was changed by somebody else, or is not the one that was meant.
    pub(crate) fn conflict(resource: &Resource, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", resource.qualified());
        Self::new(409, "Conflict", message).with_details(resource.details(name))
    }

    /// A write that was meant for another version of the object.
    pub(crate) fn modified(resource: &Resource, name: &str) -> Self {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, name, why)
    }

    /// A version that is no longer known.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// A body that is too large.
    pub(crate) fn entity_too_large() -> Self {
        let message = format!("Request entity too large: limit is {BODY_LIMIT}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// A body of a type that cannot be read.
    pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// An object of that kind, or options, with fields that are wrong.
    pub(crate) fn invalid(group: &str, kind: &str, name: &str, causes: Vec<Cause>) -> Self {
        let dot = if group.is_empty() { "" } else { "." };
        let mut each: Vec<String> =
            causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
        let why = match each.len() {
            1 => each.remove(0),
            _ => format!("[{}]", each.join(", ")),
        };
        let message = format!("{kind}{dot}{group} \"{name}\" is invalid: {why}");
        let (name, group, kind) = (name.to_owned(), group.to_owned(), kind.to_owned());
        let details = Details { name, group, kind, causes, ..Details::default() };
        Self::new(422, "Invalid", message).with_details(details)
    }

    /// A JSON patch that cannot be applied.
    pub(crate) fn rejected() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message).with_details(Details::default())
    }

    /// The server is busy, in the words of a Status.
    pub(crate) fn too_many_requests(message: impl Into<String>, retry_after: u32) -> Self {
        let details = Details { retry_after, ..Details::default() };
        Self::new(429, "TooManyRequests", message).with_details(details)
    }

    /// The server is busy, in plain text, as it says so before it knows what is asked for.
    pub(crate) fn overloaded(retry_after: u32) -> Self {
        let message = "Too many requests, please try again later.";
        Self { form: Form::Plain { retry_after }, ..Self::new(429, "TooManyRequests", message) }
    }

    /// What the real server can do and this one cannot; `what` is a whole sentence.
    pub(crate) fn not_implemented(what: impl Into<String>) -> Self {
        Self::new(501, "NotImplemented", what)
    }

    /// A version of the future.
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

    /// As plain text.
    #[must_use]
    pub(crate) fn plain(mut self) -> Self {
        self.form = Form::Plain { retry_after: 0 };
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

/// How it looks on the wire.
impl ApiError {
    /// The `Status` as text: the body of an answer, or the object of an ERROR event.
    pub(crate) fn to_json(&self) -> String {
        text(serde_json::to_string(&self.status()))
    }

    /// The whole answer.
    pub(crate) fn into_response(self) -> Response<Body> {
        let (content_type, body) = match self.form {
            Form::Status => ("application/json", self.to_json()),
            Form::Indented => ("application/json", text(serde_json::to_string_pretty(&self.status()))),
            Form::Plain { .. } => ("text/plain; charset=utf-8", self.message.clone()),
        };
        let mut response = Response::new(full(body + "\n"));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        if content_type.starts_with("text") {
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        }
        let retry_after = match self.form {
            Form::Plain { retry_after } => retry_after,
            Form::Status | Form::Indented => self.details.map_or(0, |details| details.retry_after),
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

/// The answer to the deletion of an object that is gone: a Status without a code.
pub(crate) fn success(details: &Details) -> String {
    let metadata = StatusMetadata { continue_token: None };
    let (kind, api_version, status) = ("Status", "v1", "Success");
    let details = Some(details);
    let status = Status { kind, api_version, metadata, status, message: "", reason: "", details, code: 0 };
    text(serde_json::to_string(&status))
}

/// Nothing in a Status can fail to be written as JSON.
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
