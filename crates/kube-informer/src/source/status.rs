//! Error answers: a Status object in JSON, or whatever a proxy wrote.
//!
//! Read leniently, field by field: an error that cannot be read must still be an error with a useful text.

use std::time::Duration;

use serde_json::Value;

use super::error::HttpFailure;

/// How much of a body that is no Status is quoted.
const QUOTED: usize = 512;

/// How much is kept of each text of a Status: errors are logged, remembered and shown.
const MOST_TEXT: usize = 4096;

/// How many causes of a Status are kept.
const MOST_CAUSES: usize = 16;

/// The beginning of a text, and that it is not all.
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

    /// From an HTTP answer with an error status. The body is a Status, or text from the server or a proxy.
    pub(crate) fn from_answer(code: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let mut failure = match serde_json::from_slice::<Value>(body) {
            Ok(status) if status["kind"] == "Status" => Self::from_status(&status),
            _ => Self { message: quote(code, body), ..Self::default() },
        };
        failure.code = code;
        failure.retry_after = retry_after.or(failure.retry_after);
        failure
    }
}

/// The beginning of a text body, on one line; the name of the HTTP status if there is none.
fn quote(code: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..QUOTED).unwrap_or(body));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.is_empty() {
        return text;
    }
    http::StatusCode::from_u16(code)
        .ok()
        .and_then(|status| status.canonical_reason())
        .map_or_else(|| format!("HTTP status {code}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_read_whole() {
        let failure = HttpFailure::from_status(&json!({
            "kind": "Status", "code": 504, "reason": "Timeout",
            "message": "Timeout: Too large resource version: 999999, current: 250",
            "details": {
                "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }],
                "retryAfterSeconds": 1,
            },
        }));
        assert_eq!(failure.code, 504);
        assert_eq!(failure.retry_after, Some(Duration::from_secs(1)));
        assert_eq!(failure.causes, ["ResourceVersionTooLarge", "Too large resource version"]);
        assert!(failure.is_version_too_large() && !failure.is_expired());
    }

    #[test]
    fn b_021_version_too_large_in_all_three_forms() {
        let by_cause = json!({ "reason": "Timeout", "code": 504, "message": "m",
            "details": { "causes": [{ "reason": "ResourceVersionTooLarge" }] } });
        let by_cause_message = json!({ "reason": "Timeout", "code": 504, "message": "m",
            "details": { "causes": [{ "message": "Too large resource version" }] } });
        let by_message = json!({ "reason": "Timeout", "code": 504,
            "message": "Timeout: Too large resource version: 9, current: 2" });
        for status in [by_cause, by_cause_message, by_message] {
            assert!(HttpFailure::from_status(&status).is_version_too_large(), "{status}");
        }
        let other_timeout = json!({ "reason": "Timeout", "code": 504,
            "message": "Timeout: request did not complete within the allotted timeout" });
        let other_reason = json!({ "reason": "Invalid", "code": 422,
            "details": { "causes": [{ "message": "Too large resource version" }] } });
        for status in [other_timeout, other_reason] {
            assert!(!HttpFailure::from_status(&status).is_version_too_large(), "{status}");
        }
    }

    #[test]
    fn odd_statuses_are_still_errors() {
        for odd in [json!(null), json!({}), json!([1]), json!({ "code": "x", "details": 7 })] {
            let failure = HttpFailure::from_status(&odd);
            assert_eq!(failure.code, 500);
            assert!(!failure.to_string().is_empty());
        }
    }

    #[test]
    fn p_045_text_bodies_are_quoted() {
        let failure = HttpFailure::from_answer(404, None, b"404 page not found\n");
        assert_eq!((failure.code, failure.message.as_str()), (404, "404 page not found"));
        let failure = HttpFailure::from_answer(429, Some(Duration::from_secs(5)), b"");
        assert_eq!(failure.message, "Too Many Requests");
        assert_eq!(failure.retry_after, Some(Duration::from_secs(5)));
        let failure = HttpFailure::from_answer(502, None, b"<html>\n  <h1>Bad Gateway</h1>\n</html>");
        assert_eq!(failure.message, "<html> <h1>Bad Gateway</h1> </html>");
    }
}
