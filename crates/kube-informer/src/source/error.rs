//! How a request can fail.

use std::time::Duration;

/// Why a request, or the body of its answer, failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There was no HTTP answer, or the connection broke: refused, reset, DNS, TLS, timeout.
    #[error("{0}")]
    Transport(String),
    /// The server answered with an error.
    #[error("{0}")]
    Http(HttpFailure),
}

/// An error answer of the server: an HTTP error status, or an ERROR event within a watch.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{}", if message.is_empty() { reason } else { message })]
pub struct HttpFailure {
    /// The HTTP status, or the `code` of the Status object.
    pub code: u16,
    /// The machine-readable `reason`, such as `Expired`.
    pub reason: String,
    /// What the server said.
    pub message: String,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Reasons and messages of `details.causes`, such as `ResourceVersionTooLarge`.
    pub causes: Vec<String>,
}

impl HttpFailure {
    /// The history asked for is gone: HTTP 410, reason Expired or Gone.
    pub fn is_expired(&self) -> bool {
        self.code == 410 || self.reason == "Expired" || self.reason == "Gone"
    }

    /// The version asked for is ahead of the server, in any of the three forms servers have used.
    pub fn is_version_too_large(&self) -> bool {
        const TEXT: &str = "Too large resource version";
        let has_cause = |text| self.causes.iter().any(|cause| cause == text);
        let timeout = self.reason == "Timeout" || (self.reason.is_empty() && self.code == 504);
        has_cause("ResourceVersionTooLarge") || (timeout && (has_cause(TEXT) || self.message.contains(TEXT)))
    }
}
