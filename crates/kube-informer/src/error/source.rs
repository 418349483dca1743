//! The error of one request.

use std::fmt;
use std::time::Duration;

use http::StatusCode;

/// Why a request, or reading the body of its response, failed.
///
/// If you implement [`ListWatch`](crate::source::ListWatch), use [`http`](Self::http) where a server answered with an
/// error, so that the informer can distinguish, for example, 410 Expired from 403 Forbidden, and
/// [`transport`](Self::transport) where no server answered.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::error::SourceError;
///
/// let busy = SourceError::http(429, "TooManyRequests", "slow down").with_retry_after(Duration::from_secs(5));
/// assert_eq!((busy.http_status(), busy.reason()), (Some(429), Some("TooManyRequests")));
/// assert!(SourceError::http(410, "Expired", "too old resource version").is_expired());
/// assert!(SourceError::transport("connection refused").is_transport());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SourceError(SourceFailure);

/// The cases of a [`SourceError`], between which the reflector distinguishes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SourceFailure {
    /// There was no HTTP answer, or the connection broke: refused, reset, DNS, TLS, timeout.
    Transport(String),
    /// The server answered with an error.
    Http(HttpFailure),
}

impl SourceError {
    /// There was no HTTP answer, or the connection broke: refused, reset, DNS, TLS, timeout.
    pub fn transport(message: impl Into<String>) -> Self {
        Self(SourceFailure::Transport(message.into()))
    }

    /// The server answered with an error: an HTTP status, and `reason` and `message` of its Status object. Pass an
    /// empty string for a missing reason or message.
    pub fn http(status: u16, reason: impl Into<String>, message: impl Into<String>) -> Self {
        let (reason, message) = (reason.into(), message.into());
        HttpFailure { code: status, reason, message, ..HttpFailure::default() }.into()
    }

    /// Adds the time that the server asked to wait. Has no effect on a [transport](Self::transport) error.
    #[must_use]
    pub fn with_retry_after(mut self, retry_after: Duration) -> Self {
        if let SourceFailure::Http(failure) = &mut self.0 {
            failure.retry_after = Some(retry_after);
        }
        self
    }

    /// A reason or message of the Status object's `details.causes`, such as `ResourceVersionTooLarge`. Has no effect on
    /// a [transport](Self::transport) error.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<String>) -> Self {
        if let SourceFailure::Http(failure) = &mut self.0 {
            failure.causes.push(cause.into());
        }
        self
    }

    pub(crate) fn into_failure(self) -> SourceFailure {
        self.0
    }

    fn answer(&self) -> Option<&HttpFailure> {
        match &self.0 {
            SourceFailure::Transport(_) => None,
            SourceFailure::Http(failure) => Some(failure),
        }
    }

    /// Whether no server answered, or the connection broke.
    pub fn is_transport(&self) -> bool {
        self.answer().is_none()
    }

    /// The HTTP status, or the `code` of the Status object, if the server answered.
    pub fn http_status(&self) -> Option<u16> {
        self.answer().map(|failure| failure.code)
    }

    /// The machine-readable `reason`, such as `Expired`, if the server gave one.
    pub fn reason(&self) -> Option<&str> {
        self.answer().map(|failure| failure.reason.as_str()).filter(|reason| !reason.is_empty())
    }

    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.answer()?.retry_after
    }

    /// Whether the requested resource version has been compacted: HTTP 410, reason Expired or Gone.
    pub fn is_expired(&self) -> bool {
        self.answer().is_some_and(HttpFailure::is_expired)
    }

    /// Whether the requested resource version is ahead of the server, in any of the three forms that servers have used
    /// for this error.
    pub fn is_version_too_large(&self) -> bool {
        self.answer().is_some_and(HttpFailure::is_version_too_large)
    }
}

impl From<HttpFailure> for SourceError {
    fn from(failure: HttpFailure) -> Self {
        Self(SourceFailure::Http(failure))
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SourceFailure::Transport(message) => f.write_str(message),
            SourceFailure::Http(failure) => write!(f, "{failure}"),
        }
    }
}

impl std::error::Error for SourceError {}

/// An error answer of the server: an HTTP error status, or an ERROR event within a watch.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{}", if message.is_empty() { reason } else { message })]
pub(crate) struct HttpFailure {
    /// The HTTP status, or the `code` of the Status object.
    pub(crate) code: u16,
    /// The machine-readable `reason`, such as `Expired`.
    pub(crate) reason: String,
    /// The server's message.
    pub(crate) message: String,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
    /// Reasons and messages of `details.causes`, such as `ResourceVersionTooLarge`.
    pub(crate) causes: Vec<String>,
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

impl HttpFailure {
    /// The same error without anything that may quote objects, for kinds whose contents are secret.
    ///
    /// A server that refuses a request (4xx) has not looked at any object, so the message of its Status is kept. All
    /// other errors may quote objects: a 5xx may be caused by an object that the server cannot read, and a text that is
    /// not a Status may be anything that a proxy sends. Of those errors only the reason is kept, or the name of the
    /// HTTP status.
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

    /// The requested resource version has been compacted: HTTP 410, reason Expired or Gone.
    pub(crate) fn is_expired(&self) -> bool {
        self.code == 410 || self.reason == "Expired" || self.reason == "Gone"
    }

    /// The requested resource version is ahead of the server, in any of the three forms that servers have used for this
    /// error.
    pub(crate) fn is_version_too_large(&self) -> bool {
        const TEXT: &str = "Too large resource version";
        let has_cause = |text| self.causes.iter().any(|cause| cause == text);
        let timeout = self.reason == "Timeout" || (self.reason.is_empty() && self.code == 504);
        has_cause("ResourceVersionTooLarge") || (timeout && (has_cause(TEXT) || self.message.contains(TEXT)))
    }
}

/// The standard name of an HTTP status.
pub(crate) fn status_name(code: u16) -> String {
    let name = StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason());
    name.map_or_else(|| format!("HTTP status {code}"), str::to_owned)
}
