//! What each failure calls for: resume, read the list again, or wait for the kind to come back.

use std::fmt;
use std::time::Duration;

use informer_wire::framing::StreamError;
use informer_wire::{ObjectKey, Status};

use crate::status::RelistReason;

/// Something that went wrong with a request or the body of its answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// No HTTP answer, or the connection broke.
    Transport(String),
    /// An error answer, an ERROR event, or a Status where objects should be.
    Http(Status),
    /// The body ended in the middle of a document.
    CutFrame,
    /// The body is not JSON.
    NotJson(String),
    /// A document is larger than the limit.
    TooBig {
        /// The limit in bytes.
        limit: usize,
        /// The object, if its key was read.
        key: Option<ObjectKey>,
    },
    /// The answer to a LIST is JSON but not a list of the kind, or has no version.
    NotAList(String),
    /// The pages of a list belong to different versions.
    MixedPages,
    /// A watch ended at once and brought nothing.
    VeryShort,
    /// A streamed list ended before the mark of its end, after so many objects.
    EndedEarly {
        /// How many.
        objects: usize,
    },
    /// No byte for this long.
    Silent(Duration),
    /// A streamed list brought neither its end nor enough new objects in this time.
    NoEnd {
        /// How many new objects came.
        objects: u32,
        /// The time.
        within: Duration,
    },
    /// A LIST did not come to its end in this time.
    TooLong(Duration),
    /// The server's history is not the one that was seen before.
    Rewound,
}

/// What a failure calls for while a watch is being opened or followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// The connection was lost: resume at the same version after a wait, and make sure the server is still the same.
    Reconnect,
    /// The server does not want us now: resume at the same version after a wait.
    Resume,
    /// We may not watch, perhaps not for long: resume a few times, then list now and then instead.
    ListOnly,
    /// Resume at the same version after a wait; if it happens again and again, read the list.
    ResumeFewTimes,
    /// Nothing came for long: reopen at the same version; if nothing comes again, read the list.
    Reopen,
    /// The history is lost to us: read the list.
    Relist(RelistReason),
    /// The kind is not served: keep what is known and ask again now and then.
    AwaitKind,
}

impl Trouble {
    /// The remedy, one row of D15 each.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Transport(_) | Self::CutFrame => Remedy::Reconnect,
            Self::Http(failure) if failure.is_expired() => Remedy::Relist(RelistReason::Expired),
            Self::Http(failure) if failure.is_version_too_large() => Remedy::Relist(RelistReason::TooLarge),
            Self::Http(Status { code: 401 | 429, .. }) => Remedy::Resume,
            Self::Http(Status { code: 403 | 405, .. }) => Remedy::ListOnly,
            Self::Http(Status { code: 404, .. }) => Remedy::AwaitKind,
            Self::NotJson(_) => Remedy::Relist(RelistReason::NotJson),
            Self::Silent(_) => Remedy::Reopen,
            Self::Http(_)
            | Self::TooBig { .. }
            | Self::NotAList(_)
            | Self::MixedPages
            | Self::VeryShort
            | Self::NoEnd { .. }
            | Self::TooLong(_)
            | Self::Rewound
            | Self::EndedEarly { .. } => Remedy::ResumeFewTimes,
        }
    }

    /// A short fixed name for metrics.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Transport(_) => "transport",
            Self::Http(_) => "http",
            Self::CutFrame => "cut_short",
            Self::NotJson(_) => "not_json",
            Self::TooBig { .. } => "too_big",
            Self::NotAList(_) => "not_a_list",
            Self::MixedPages => "mixed_pages",
            Self::VeryShort => "very_short",
            Self::EndedEarly { .. } => "ended_early",
            Self::Silent(_) => "silent",
            Self::NoEnd { .. } => "no_end",
            Self::TooLong(_) => "too_long",
            Self::Rewound => "rewound",
        }
    }

    /// Whether the server says that it cannot stream lists, so that asking again soon is pointless.
    pub fn rejects_streaming(&self) -> bool {
        match self {
            Self::Http(failure) => {
                (400..500).contains(&failure.code)
                    && !matches!(failure.code, 401 | 403 | 404 | 408 | 410 | 429)
                    && !failure.is_expired()
            }
            _ => false,
        }
    }

    /// Whether the server cannot make sense of the request.
    pub fn is_bad_request(&self) -> bool {
        matches!(self, Self::Http(Status { code: 400, .. }))
    }

    /// Whether it is part of normal life and not worth an error report: history does not last for ever.
    pub fn is_routine(&self) -> bool {
        matches!(self, Self::Http(failure) if failure.is_expired())
    }

    /// The text for users. For a sensitive kind without the server's message, which may quote an object.
    pub fn told(&self, sensitive: bool) -> String {
        match self {
            Self::Http(failure) if sensitive => failure.clone().without_content().to_string(),
            _ => self.to_string(),
        }
    }

    /// How long the server asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Http(failure) => failure.retry_after,
            _ => None,
        }
    }

    /// The HTTP status, if the server answered with one.
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Http(failure) => Some(failure.code).filter(|&code| code != 0),
            _ => None,
        }
    }
}

impl From<StreamError> for Trouble {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::CutFrame => Self::CutFrame,
            StreamError::NotJson(message) => Self::NotJson(message),
            StreamError::TooBig { limit, key } => Self::TooBig { limit, key },
            StreamError::NotAList(what) => Self::NotAList(what),
            StreamError::NoVersion => Self::NotAList("it has no resourceVersion".into()),
            StreamError::Status(failure) => Self::Http(failure),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(message) => f.write_str(message),
            Self::Http(failure) => write!(f, "{failure}"),
            Self::CutFrame => f.write_str("the connection broke in the middle of a document"),
            Self::NotJson(message) => write!(f, "the answer is not JSON: {message}"),
            Self::TooBig { limit, key: Some(key) } => {
                write!(f, "the document of {key} is larger than the limit of {limit} bytes")
            }
            Self::TooBig { limit, key: None } => {
                write!(f, "a document is larger than the limit of {limit} bytes")
            }
            Self::NotAList(message) => write!(f, "the answer is not a usable list: {message}"),
            Self::MixedPages => f.write_str("the pages of the list belong to different versions"),
            Self::VeryShort => f.write_str("the watch ended at once and brought nothing"),
            Self::EndedEarly { objects: 0 } => {
                f.write_str("the streamed list ended before the mark of its end")
            }
            Self::EndedEarly { objects } => write!(
                f,
                "the streamed list ended before the mark of its end (objects so far: {objects}); LIST is used instead"
            ),
            Self::Silent(limit) => write!(f, "nothing came for {limit:?}"),
            Self::NoEnd { objects, within } => write!(
                f,
                "the streamed list brought too few new objects ({objects}) and no mark of its end within {within:?}; LIST is used instead"
            ),
            Self::TooLong(limit) => write!(f, "the list was not at its end after {limit:?}"),
            Self::Rewound => f.write_str(
                "the server has gone back in time, as after the restore of a backup; everything is read anew",
            ),
        }
    }
}

#[cfg(test)]
mod tests;
