//! The error of one request.

use std::fmt;
use std::time::Duration;

use informer_core::reflector::recovery::Trouble;
use informer_wire::Status;

/// Why a request, or reading the body of its response, failed.
///
/// If you implement [`ListWatch`](crate::source::ListWatch), use [`http`](Self::http) where a server answered with an
/// error, so that the informer can distinguish, for example, 410 Expired from 403 Forbidden, and
/// [`transport`](Self::transport) where no server answered.
///
/// ```
/// use std::time::Duration;
///
/// use kube_informer::error::SourceError;
///
/// let busy = SourceError::http(429, "TooManyRequests", "slow down").with_retry_after(Duration::from_secs(5));
/// assert_eq!((busy.http_status(), busy.reason()), (Some(429), Some("TooManyRequests")));
/// assert!(SourceError::http(410, "Expired", "too old resource version").is_expired());
/// assert!(SourceError::transport("connection refused").is_transport());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SourceError(SourceFailure);

/// The cases of a [`SourceError`].
#[derive(Clone, Debug, PartialEq)]
enum SourceFailure {
    /// There was no HTTP answer, or the connection broke: refused, reset, DNS, TLS, timeout.
    Transport(String),
    /// The server answered with an error.
    Http(Status),
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
        Self::answered(Status { code: status, reason, message, ..Status::default() })
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

    fn answer(&self) -> Option<&Status> {
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
        self.answer().is_some_and(Status::is_expired)
    }

    /// Whether the requested resource version is ahead of the server, in any of the three forms that servers have used
    /// for this error.
    pub fn is_version_too_large(&self) -> bool {
        self.answer().is_some_and(Status::is_version_too_large)
    }

    pub(crate) fn answered(status: Status) -> Self {
        Self(SourceFailure::Http(status))
    }

    pub(crate) fn into_trouble(self) -> Trouble {
        match self.0 {
            SourceFailure::Transport(message) => Trouble::Transport(message),
            SourceFailure::Http(status) => Trouble::Http(status),
        }
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
