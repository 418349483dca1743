//! How a request can fail.

use std::time::Duration;

use http::StatusCode;

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

/// The reasons that Kubernetes has.
const REASONS: [&str; 19] = [
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

impl HttpFailure {
    /// The same as far as it can be told of a kind whose contents are secret.
    ///
    /// A server that refuses a request (4xx) has not looked at any object, so the message of its Status is kept. All else
    /// may quote objects: a 5xx may come of one that the server cannot read, and a text that is no Status may be
    /// anything that a proxy holds. Of those the reason is told, or the name of the HTTP status.
    pub(crate) fn without_content(self) -> Self {
        let causes = match self.is_version_too_large() {
            true => vec!["ResourceVersionTooLarge".to_owned()],
            false => Vec::new(),
        };
        let reason = Some(self.reason).filter(|reason| REASONS.contains(&reason.as_str()));
        let message = match &reason {
            Some(_) if (400..500).contains(&self.code) => self.message,
            Some(reason) => reason.clone(),
            None => status_name(self.code),
        };
        Self { message, causes, reason: reason.unwrap_or_default(), ..self }
    }

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

/// What HTTP calls a status.
pub(super) fn status_name(code: u16) -> String {
    let name = StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason());
    name.map_or_else(|| format!("HTTP status {code}"), str::to_owned)
}
