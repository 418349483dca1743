//! Error answers: a Status object in JSON, or whatever a proxy wrote.
//!
//! Read leniently, field by field: an error that cannot be read must still be an error with a useful text.

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

/// An error answer of the server: an HTTP error status, or an ERROR event within a watch.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{}", if message.is_empty() { reason } else { message })]
pub struct Status {
    /// The HTTP status, or the `code` of the Status object.
    pub code: u16,
    /// The machine-readable `reason`, such as `Expired`.
    pub reason: String,
    /// The server's message.
    pub message: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Reasons and messages of `details.causes`, such as `ResourceVersionTooLarge`.
    pub causes: Vec<String>,
}

/// The reasons that Kubernetes has.
const REASONS: &[&str] = &[
    "AlreadyExists",
    "BadRequest",
    "Conflict",
    "Expired",
    "Forbidden",
    "Gone",
    "InternalError",
    "Invalid",
    "MethodNotAllowed",
    "NotAcceptable",
    "NotFound",
    "RequestEntityTooLarge",
    "ServerTimeout",
    "ServiceUnavailable",
    "StoreReadError",
    "Timeout",
    "TooManyRequests",
    "Unauthorized",
    "UnsupportedMediaType",
];

/// A text that is no Status is quoted up to this length. A longer one is no message but an HTML page, or objects.
const QUOTED: usize = 512;

/// The body of an answer with an error status, as far as it was read.
#[derive(Debug, Default)]
pub struct ErrorBody {
    /// The media type that the answer names.
    pub content_type: Option<String>,
    /// The bytes that were read.
    pub bytes: Vec<u8>,
    /// Whether there is more.
    pub cut: bool,
}

/// How many bytes of each text of a Status are kept: errors are logged and kept in the status, so they must not be
/// large.
const MOST_TEXT: usize = 4096;

/// How many causes of a Status are kept.
const MOST_CAUSES: usize = 16;

/// The beginning of a text, with a mark if the rest was cut off.
fn shortened(text: &str) -> String {
    if text.len() <= MOST_TEXT {
        return text.to_owned();
    }
    let beginning = (0..=MOST_TEXT).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    format!("{beginning}… ({} bytes in all)", text.len())
}

impl Status {
    /// From the `object` of an ERROR event, or a Status in the place of a list.
    pub fn from_status(status: &Value) -> Self {
        let text = |value: &Value| shortened(value.as_str().unwrap_or_default());
        let details = &status["details"];
        let mut causes = Vec::new();
        for cause in details["causes"].as_array().into_iter().flatten().take(MOST_CAUSES) {
            for field in ["reason", "message"] {
                causes.extend(cause[field].as_str().filter(|text| !text.is_empty()).map(shortened));
            }
        }
        let mut failure = Self {
            code: status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(500),
            reason: text(&status["reason"]),
            message: text(&status["message"]),
            retry_after: details["retryAfterSeconds"].as_u64().filter(|s| *s > 0).map(Duration::from_secs),
            causes,
        };
        if failure.message.is_empty() && failure.reason.is_empty() {
            failure.message = "the server sent an error without a reason".to_owned();
        }
        failure
    }

    /// From an HTTP answer with an error status. The body is a Status, or something from the server or a proxy.
    pub fn from_answer(code: u16, retry_after: Option<Duration>, body: &ErrorBody) -> Self {
        let mut failure = match serde_json::from_slice::<Value>(&body.bytes) {
            Ok(status) if status["kind"] == "Status" => Self::from_status(&status),
            _ => Self { message: body.describe(code), ..Self::default() },
        };
        failure.code = code;
        failure.retry_after = retry_after.or(failure.retry_after);
        failure
    }

    /// The same error without anything that may quote objects, for kinds whose contents are secret.
    ///
    /// A server that refuses a request (4xx) has not looked at any object, so the message of its Status is kept. All
    /// other errors may quote objects: a 5xx may be caused by an object that the server cannot read, and a text that is
    /// not a Status may be anything that a proxy sends. Of those errors only the reason is kept, or the name of the
    /// HTTP status.
    pub fn without_content(self) -> Self {
        let causes =
            if self.is_version_too_large() { vec!["ResourceVersionTooLarge".to_owned()] } else { Vec::new() };
        let reason = Some(self.reason).filter(|reason| REASONS.contains(&reason.as_str()));
        let message = match &reason {
            Some(_) if (400..500).contains(&self.code) => self.message,
            Some(reason) => reason.clone(),
            None => status_name(self.code),
        };
        Self { message, causes, reason: reason.unwrap_or_default(), ..self }
    }

    /// The requested resource version has been compacted: HTTP 410, reason Expired or Gone.
    pub fn is_expired(&self) -> bool {
        self.code == 410 || self.reason == "Expired" || self.reason == "Gone"
    }

    /// The requested resource version is ahead of the server, in any of the three forms that servers have used for this
    /// error.
    pub fn is_version_too_large(&self) -> bool {
        const TEXT: &str = "Too large resource version";
        let has_cause = |text| self.causes.iter().any(|cause| cause == text);
        let timeout = self.reason == "Timeout" || (self.reason.is_empty() && self.code == 504);
        has_cause("ResourceVersionTooLarge") || (timeout && (has_cause(TEXT) || self.message.contains(TEXT)))
    }
}

impl ErrorBody {
    /// A short text is quoted. All else is only described, by its length and media type: it may hold objects, which are
    /// never quoted.
    fn describe(&self, code: u16) -> String {
        let name = status_name(code);
        match self.text() {
            Some(text) if text.is_empty() => name,
            Some(text) => text,
            None => {
                let (length, more) = (self.bytes.len(), if self.cut { " or more" } else { "" });
                format!("{name} ({length} bytes{more} of {}, not shown)", self.media_type())
            }
        }
    }

    /// The body on one line if it is a short text for people, without anything that may be an object.
    fn text(&self) -> Option<String> {
        let text = std::str::from_utf8(&self.bytes).ok().filter(|text| text.len() <= QUOTED && !self.cut)?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.starts_with('[') && !text.contains(|c: char| c == '{' || c.is_control())).then_some(text)
    }

    /// Without parameters, and only if it looks like one.
    fn media_type(&self) -> &str {
        let named =
            self.content_type.as_deref().and_then(|named| named.split(';').next()).unwrap_or_default();
        let named = named.trim();
        let plain = |c: char| c.is_ascii_alphanumeric() || "/.+-_".contains(c);
        if named.is_empty() || named.len() > 100 || !named.chars().all(plain) {
            "unknown type"
        } else {
            named
        }
    }
}

/// The standard name of an HTTP status.
pub fn status_name(code: u16) -> String {
    let name = StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason());
    name.map_or_else(|| format!("HTTP status {code}"), str::to_owned)
}

#[cfg(test)]
mod tests;
