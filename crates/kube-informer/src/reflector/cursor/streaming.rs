//! Reading the scope as a stream of events that goes on as the watch.

use std::time::Duration;

use tokio::time::Instant;

use super::super::recovery::{Remedy, Trouble};
use super::{Action, Cursor, Place, Step, Wait, backoff};
use crate::status::RelistReason;
use crate::version::ResourceVersion;

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
        self.place = Place::Streaming(streaming);
        Action::StreamingList { version, reuse: self.reuse }
    }

    /// The mark that all there was has been sent, at this version. `Ok`: commit the snapshot at it and read on.
    /// `Err`: drop the stream and do that.
    pub(crate) fn marker(&mut self, now: Instant, version: &ResourceVersion) -> Result<(), Box<Step>> {
        if !version.is_concrete() {
            let trouble = Trouble::NotAList("the mark of its end has no resourceVersion".into());
            return Err(Box::new(self.failed(now, trouble, Some(Duration::ZERO))));
        }
        if self.is_rewound(version) {
            return Err(Box::new(self.read_rewound(now, Wait::No)));
        }
        self.complete(now, version);
        Ok(())
    }

    pub(super) fn streaming_failed(
        &mut self,
        now: Instant,
        mut streaming: Streaming,
        trouble: Trouble,
        answered: bool,
    ) -> Step {
        let wait = backoff(&trouble);
        match trouble.remedy() {
            // Not allowed to watch is not the same as not allowed to list. Whatever is not allowed is reported by what
            // follows: the LIST, or the watch after it.
            _ if trouble.http_status() == Some(403) => {
                self.no_streaming = true;
                self.fall_back(Wait::No)
            }
            // LIST would meet the same: the server is away, or does not want us.
            Remedy::Resume => Step::new(wait, self.stream(streaming)).reporting(trouble),
            Remedy::Reconnect if !answered => Step::new(wait, self.stream(streaming)).reporting(trouble),
            Remedy::AwaitKind => self.round(now, Wait::Kind).reporting(trouble),
            Remedy::Relist(RelistReason::Expired | RelistReason::TooLarge) => {
                self.latest = true;
                if streaming.version.is_empty() {
                    return self.fall_back(Wait::No).reporting(trouble);
                }
                streaming.version = String::new();
                Step::new(Wait::No, self.stream(streaming)).reporting_unless_routine(trouble)
            }
            // That is no failure.
            _ if trouble.rejects_streaming() => self.fall_back_for_long(now),
            // Objects may have come, the mark did not: the server knows nothing of it, or a proxy swallows it.
            _ if answered && matches!(trouble, Trouble::NoEnd { .. }) => {
                self.fall_back_for_long(now).reporting(trouble)
            }
            Remedy::Reconnect => self.ended_early(streaming, trouble),
            _ if trouble == Trouble::EndedEarly => self.ended_early(streaming, trouble),
            Remedy::Reopen | Remedy::Relist(_) | Remedy::ResumeFewTimes | Remedy::ListOnly => {
                self.fall_back(Wait::No).reporting(trouble)
            }
        }
    }

    fn ended_early(&mut self, mut streaming: Streaming, trouble: Trouble) -> Step {
        streaming.early_ends = streaming.early_ends.saturating_add(1);
        let wait = backoff(&trouble);
        if streaming.early_ends < self.counts.early_ends_to_list {
            Step::new(wait, self.stream(streaming)).reporting(trouble)
        } else {
            self.fall_back(wait).reporting(trouble)
        }
    }

    /// LIST for this round; the next one streams again.
    fn fall_back(&mut self, wait: Wait) -> Step {
        let mut step = Step::new(wait, self.list_anew());
        step.fallback = true;
        step
    }

    /// The server cannot stream lists, so it is not asked to again for a while.
    fn fall_back_for_long(&mut self, now: Instant) -> Step {
        self.no_streaming_until = now.checked_add(self.fallback_memory);
        self.fall_back(Wait::No)
    }
}
