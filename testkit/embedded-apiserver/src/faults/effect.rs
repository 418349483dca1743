//! The effects of faults.

use std::time::Duration;

use crate::request::{Query, Verb};
use crate::status::ApiError;

/// What a fault does to a request or to its answer.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    // Happen before the API sees the request.
    Answer(Box<ApiError>),
    Forbid,
    ExpireContinue,
    Refuse,
    Stall,
    Delay(Duration),
    Rewind(u64),
    IgnoreSendInitialEvents,
    // Changes the bytes of any answer.
    CutAfterBytes(u64),
    // Change an object in a list or an event, or else the whole answer.
    Undecodable(u64),
    BadJson(u64),
    // Changes the lines of a watch.
    Lines(LineEffect),
}

/// What a fault does to the lines of a watch. The numbers count ADDED, MODIFIED and DELETED events, not bookmarks.
#[derive(Clone, Debug)]
pub(super) enum LineEffect {
    /// The stream ends with an ERROR event after this many events.
    ErrorAfter(u64, Box<ApiError>),
    /// The connection breaks in the middle of the event that follows this many.
    CutAfter(u64),
    /// The stream ends cleanly after this many events.
    CloseAfter(u64),
    /// Nothing is sent after this many events.
    StallAfter(u64),
    DropEndBookmark,
    Duplicate(u64),
    /// The event is sent after the line that follows it.
    Reorder(u64),
    Lose(u64),
}

impl Effect {
    /// Whether a request can have this effect; a fault does not match one that cannot.
    pub(super) fn suits(&self, verb: Option<Verb>, query: &Query) -> bool {
        let watch = verb == Some(Verb::Watch);
        match self {
            Self::Answer(_)
            | Self::Forbid
            | Self::Refuse
            | Self::Stall
            | Self::Delay(_)
            | Self::Rewind(_)
            | Self::CutAfterBytes(_) => true,
            Self::Lines(_) => watch,
            Self::IgnoreSendInitialEvents => watch && query.first("sendInitialEvents").is_some(),
            Self::Undecodable(_) | Self::BadJson(_) => watch || matches!(verb, Some(Verb::List | Verb::Get)),
            Self::ExpireContinue => verb == Some(Verb::List) && !query.text("continue").is_empty(),
        }
    }

    /// Whether it changes the answer of the API.
    pub(super) fn is_for_the_answer(&self) -> bool {
        matches!(self, Self::CutAfterBytes(_) | Self::Undecodable(_) | Self::BadJson(_) | Self::Lines(_))
    }

    /// Whether faults after this one can have no effect: the request does not reach the API, or, after a stall, not before
    /// the fault is removed.
    pub(super) fn has_the_last_word(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Forbid | Self::ExpireContinue | Self::Refuse | Self::Stall)
    }
}
