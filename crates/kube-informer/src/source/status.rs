//! Error answers: a Status object in JSON, or whatever a proxy wrote.
//!
//! Read leniently, field by field: an error that cannot be read must still be an error with a useful text.

use std::time::Duration;

use serde_json::Value;

use super::error::{HttpFailure, status_name};

/// A text that is no Status is quoted up to this length. A longer one is no message but an HTML page, or objects.
const QUOTED: usize = 512;

/// The body of an answer with an error status, as far as it was read.
#[derive(Debug, Default)]
pub(crate) struct ErrorBody {
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Vec<u8>,
    /// Whether there is more.
    pub(crate) cut: bool,
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

impl HttpFailure {
    /// From the `object` of an ERROR event, or a Status in the place of a list.
    pub(crate) fn from_status(status: &Value) -> Self {
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
    pub(crate) fn from_answer(code: u16, retry_after: Option<Duration>, body: &ErrorBody) -> Self {
        let mut failure = match serde_json::from_slice::<Value>(&body.bytes) {
            Ok(status) if status["kind"] == "Status" => Self::from_status(&status),
            _ => Self { message: body.describe(code), ..Self::default() },
        };
        failure.code = code;
        failure.retry_after = retry_after.or(failure.retry_after);
        failure
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

#[cfg(test)]
mod tests;
