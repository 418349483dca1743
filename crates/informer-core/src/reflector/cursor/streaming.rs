//! Reading the scope as a stream of events that goes on as the watch.

use std::time::Instant;

use super::super::recovery::{Remedy, Trouble};
use super::{Action, Cursor, Delay, Mode, NextStep, backoff};
use crate::status::RelistReason;

/// A streamed list being read.
#[derive(Clone, Debug)]
pub(super) struct Streaming {
    /// The version asked for: `""` for the most recent state, or the last one seen.
    version: String,
    /// How many streams of this round ended before the mark.
    early_ends: u32,
}

impl Cursor {
    pub(super) fn stream_anew(&mut self) -> Action {
        let version = if self.latest { String::new() } else { self.last.to_string() };
        self.stream(Streaming { version, early_ends: 0 })
    }

    fn stream(&mut self, streaming: Streaming) -> Action {
        let version = streaming.version.clone();
        self.mode = Mode::Streaming(streaming);
        Action::StreamingList { version, reuse: self.reuse }
    }

    pub(super) fn streaming_failed(
        &mut self,
        now: Instant,
        mut streaming: Streaming,
        trouble: Trouble,
        answered: bool,
    ) -> NextStep {
        let wait = backoff(&trouble);
        match trouble.remedy() {
            // Not allowed to watch is not the same as not allowed to list. Whatever is not allowed is reported by what
            // follows: the LIST, or the watch after it.
            _ if trouble.http_status() == Some(403) => {
                self.no_streaming = true;
                self.fall_back(Delay::No)
            }
            // LIST would meet the same: the server is away, or does not want us.
            Remedy::Resume => NextStep::new(wait, self.stream(streaming)).reporting(trouble),
            Remedy::Reconnect if !answered => NextStep::new(wait, self.stream(streaming)).reporting(trouble),
            Remedy::AwaitKind => self.round(now, Delay::Kind).reporting(trouble),
            Remedy::Relist(RelistReason::Expired | RelistReason::TooLarge) => {
                self.latest = true;
                if streaming.version.is_empty() {
                    return self.fall_back(Delay::No).reporting(trouble);
                }
                streaming.version = String::new();
                NextStep::new(Delay::No, self.stream(streaming)).reporting_unless_routine(trouble)
            }
            // That is no failure.
            _ if trouble.rejects_streaming() => self.fall_back_for_long(now),
            // Objects may have come, the mark did not: the server knows nothing of it, or a proxy swallows it.
            _ if answered && matches!(trouble, Trouble::NoEnd { .. }) => {
                self.fall_back_for_long(now).reporting(trouble)
            }
            // The server gave up a stream that brought objects: they are many and written meanwhile (P-063). It would end
            // the next one as well.
            _ if matches!(trouble, Trouble::EndedEarly { objects: 1.. }) => {
                self.fall_back_for_long(now).reporting(trouble)
            }
            Remedy::Reconnect => self.ended_early(streaming, trouble),
            _ if matches!(trouble, Trouble::EndedEarly { .. }) => self.ended_early(streaming, trouble),
            Remedy::Reopen | Remedy::Relist(_) | Remedy::ResumeFewTimes | Remedy::ListOnly => {
                self.fall_back(Delay::No).reporting(trouble)
            }
        }
    }

    fn ended_early(&mut self, mut streaming: Streaming, trouble: Trouble) -> NextStep {
        streaming.early_ends = streaming.early_ends.saturating_add(1);
        let wait = backoff(&trouble);
        if streaming.early_ends < self.rules.early_ends_to_list {
            NextStep::new(wait, self.stream(streaming)).reporting(trouble)
        } else {
            self.fall_back(wait).reporting(trouble)
        }
    }

    /// LIST for this round; the next one streams again.
    fn fall_back(&mut self, wait: Delay) -> NextStep {
        let mut step = NextStep::new(wait, self.list_anew());
        step.fallback = true;
        step
    }

    /// The server cannot stream lists, or cannot keep up with this one, so it is not asked to again for a while.
    fn fall_back_for_long(&mut self, now: Instant) -> NextStep {
        self.no_streaming_until = now.checked_add(self.rules.fallback_memory);
        self.fall_back(Delay::No)
    }
}
