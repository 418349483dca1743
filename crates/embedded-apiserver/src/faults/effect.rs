//! What a fault does.

use std::time::Duration;

use crate::journal::RecordedRequest;
use crate::request::Verb;
use crate::status::ApiError;

/// What a fault does to a request or to its answer.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    // Before the API sees the request.
    Answer(Box<ApiError>),
    Forbid,
    ExpireContinue,
    Refuse,
    Stall,
    Delay(Duration),
    Rewind(u64),
    IgnoreSendInitialEvents,
    // To the bytes of any answer.
    CutAfterBytes(u64),
    // To an object in a list or an event; to the answer as a whole if it is neither.
    Undecodable(u64),
    BadJson(u64),
    // To the lines of a watch.
    Lines(LineEffect),
}

/// What a fault does to the lines of a watch. Numbers count events of objects; bookmarks are none.
#[derive(Clone, Debug)]
pub(super) enum LineEffect {
    /// The stream ends with an ERROR event after this many.
    ErrorAfter(u64, Box<ApiError>),
    /// The connection breaks within the one after this many.
    CutAfter(u64),
    /// The stream ends cleanly after this many.
    CloseAfter(u64),
    /// Nothing comes after this many.
    StallAfter(u64),
    DropEndBookmark,
    Duplicate(u64),
    /// It comes after the line that follows it.
    Reorder(u64),
    Lose(u64),
}

impl Effect {
    /// Whether it can be done to this request at all; one that cannot is no match.
    pub(super) fn suits(&self, request: &RecordedRequest) -> bool {
        let watch = request.verb == Some(Verb::Watch);
        match self {
            Self::Answer(_)
            | Self::Forbid
            | Self::Refuse
            | Self::Stall
            | Self::Delay(_)
            | Self::Rewind(_)
            | Self::CutAfterBytes(_) => true,
            Self::Lines(_) => watch,
            Self::IgnoreSendInitialEvents => watch && request.parameter("sendInitialEvents").is_some(),
            Self::Undecodable(_) | Self::BadJson(_) => {
                watch || matches!(request.verb, Some(Verb::List | Verb::Get))
            }
            Self::ExpireContinue => {
                request.verb == Some(Verb::List)
                    && request.parameter("continue").is_some_and(|token| !token.is_empty())
            }
        }
    }

    /// Whether it is done only when the API has answered.
    pub(super) fn is_for_the_answer(&self) -> bool {
        matches!(self, Self::CutAfterBytes(_) | Self::Undecodable(_) | Self::BadJson(_) | Self::Lines(_))
    }

    /// Whether faults that were injected later do not see the request. After most of these the API is never asked; after a
    /// stall it is, once the fault is removed.
    pub(super) fn has_the_last_word(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Forbid | Self::ExpireContinue | Self::Refuse | Self::Stall)
    }
}
