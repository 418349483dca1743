//! Where a reflector is and what it does next. Pure: no clock, no lock, no network, no chance.
//!
//! The driver does what the last [`Step`] says and tells the cursor what happened; the cursor answers with the next
//! step. A *round* is one attempt to read the whole scope, streamed or with LIST; a round that succeeds ends in a
//! watch, which is resumed until something makes a new round necessary.

mod listing;
mod streaming;
mod watching;

use std::time::Duration;

use tokio::time::Instant;

use self::listing::Listing;
use self::streaming::Streaming;
pub(crate) use self::watching::ProbeOutcome;
use self::watching::Watching;
use super::recovery::Trouble;
use crate::settings::{Settings, StreamingList};
use crate::source::ListParams;
use crate::status::{Phase, RelistReason};
use crate::version::ResourceVersion;

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Read the scope as a stream and, once its end is marked, go on with the same stream as a watch.
    StreamingList { version: String, reuse: bool },
    /// Send a LIST. `fresh` starts a new snapshot, otherwise this is the next page of the one being read.
    List { params: ListParams, fresh: bool, reuse: bool },
    /// Follow changes after this version. `probe` asks to make sure that the server still knows it.
    Watch { version: String, probe: bool },
}

/// How long to wait before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wait {
    No,
    /// The next delay of the backoff, and not less than the server asked for.
    Backoff {
        at_least: Option<Duration>,
    },
    /// The kind is not served: between once and twice the configured time.
    Kind,
}

/// The answer to something that happened: what to write down, how long to wait, what to do then.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The snapshot is complete: it replaces the scope at this version.
    pub(crate) commit: Option<ResourceVersion>,
    /// The scope has to be read as a whole, for this reason.
    pub(crate) relist: Option<RelistReason>,
    /// Streaming was given up for LIST.
    pub(crate) fallback: bool,
    /// A failure the user should hear of.
    pub(crate) report: Option<Trouble>,
    pub(crate) wait: Wait,
    pub(crate) action: Action,
}

impl Step {
    fn new(wait: Wait, action: Action) -> Self {
        Self { commit: None, relist: None, fallback: false, report: None, wait, action }
    }

    fn reporting(mut self, trouble: Trouble) -> Self {
        self.report = Some(trouble).filter(|trouble| !trouble.is_routine());
        self
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    page_size: Option<u32>,
    streaming: StreamingList,
    fallback_memory: Duration,
    short_watch: Duration,
    counts: Counts,
    /// Nothing up to this version has been missed.
    last: ResourceVersion,
    /// The next list asks for the most recent state, because `last` cannot be had or is in doubt.
    latest: bool,
    /// Whether unchanged objects may be taken over from the store while a list is read.
    reuse: bool,
    /// The server pages lists of version 0, so it has no watch cache.
    pages_anything: bool,
    /// The server cannot stream lists; not asked to again before this moment.
    no_streaming_until: Option<Instant>,
    /// Why the present round is necessary.
    reason: RelistReason,
    place: Place,
}

/// How many times something happens in a row before another way is tried. As in [`Settings`].
#[derive(Clone, Copy, Debug)]
struct Counts {
    errors_to_relist: u32,
    silences_to_relist: u32,
    answers_to_rewound: u32,
    early_ends_to_list: u32,
}

#[derive(Clone, Debug)]
enum Place {
    Streaming(Streaming),
    Listing(Listing),
    Watching(Watching),
}

impl Cursor {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            page_size: settings.page_size,
            streaming: settings.streaming_list,
            fallback_memory: settings.fallback_memory,
            short_watch: settings.short_watch,
            counts: Counts {
                errors_to_relist: settings.errors_to_relist,
                silences_to_relist: settings.silences_to_relist,
                answers_to_rewound: settings.answers_to_rewound,
                early_ends_to_list: settings.early_ends_to_list,
            },
            last: ResourceVersion::empty(),
            latest: false,
            reuse: true,
            pages_anything: false,
            no_streaming_until: None,
            reason: RelistReason::First,
            place: Place::Watching(Watching::default()),
        }
    }

    /// The first step.
    pub(crate) fn begin(&mut self, now: Instant) -> Step {
        self.relist(now, RelistReason::First, Wait::No)
    }

    /// The user wants everything read again: the most recent state, nothing taken over from the store.
    pub(crate) fn refresh(&mut self, now: Instant) -> Step {
        self.latest = true;
        self.reuse = false;
        self.relist(now, RelistReason::Refresh, Wait::No)
    }

    /// More objects are waited for than can be looked up one by one: the most recent state of all of them.
    pub(crate) fn settle(&mut self, now: Instant) -> Step {
        self.latest = true;
        self.relist(now, RelistReason::Waited, Wait::No)
    }

    /// A request or the body of its answer failed. `answered`: the server had accepted the request before.
    pub(crate) fn failed(&mut self, now: Instant, trouble: Trouble, answered: bool) -> Step {
        match self.place.clone() {
            Place::Streaming(streaming) => self.streaming_failed(now, streaming, trouble, answered),
            Place::Listing(listing) => self.list_failed(now, &listing, trouble),
            Place::Watching(watching) => self.watch_failed(now, watching, trouble),
        }
    }

    /// The server ended the stream in good order, this long after it was asked for.
    pub(crate) fn ended(&mut self, now: Instant, elapsed: Duration) -> Step {
        match self.place {
            Place::Watching(watching) if watching.moved || elapsed >= self.short_watch => {
                Step::new(Wait::No, self.watch(watching.ended()))
            }
            Place::Watching(_) => self.failed(now, Trouble::VeryShort, true),
            Place::Streaming(_) | Place::Listing(_) => self.failed(now, Trouble::EndedEarly, true),
        }
    }

    /// What the reflector is doing, as users see it, while no wait is on.
    pub(crate) fn phase(&self) -> Phase {
        match &self.place {
            Place::Watching(watching) if watching.in_doubt() => Phase::Stalled,
            Place::Watching(_) => Phase::Watching,
            _ if self.reason == RelistReason::Rewound => Phase::Rewound,
            _ => Phase::Listing,
        }
    }

    /// The version up to which nothing has been missed, empty before the first list.
    pub(crate) fn last(&self) -> &ResourceVersion {
        &self.last
    }

    /// Decides to read the scope as a whole.
    fn relist(&mut self, now: Instant, reason: RelistReason, wait: Wait) -> Step {
        self.reason = reason;
        let mut step = self.round(now, wait);
        step.relist = Some(reason);
        step
    }

    /// Starts a round, the first for its reason or one more after a failed one.
    fn round(&mut self, now: Instant, wait: Wait) -> Step {
        let may_stream = match self.streaming {
            StreamingList::Always => true,
            StreamingList::Never => false,
            StreamingList::Auto => self.no_streaming_until.is_none_or(|until| now >= until),
        };
        let action = if may_stream { self.stream_anew() } else { self.list_anew() };
        Step::new(wait, action)
    }

    /// The list just read belongs to an older version than one seen before: the server has gone back in time. What
    /// was taken over from the store may look the same and be different, so it is read again without that.
    fn is_rewound(&self, version: &ResourceVersion) -> bool {
        self.reuse && version.is_older_than(&self.last)
    }

    fn read_rewound(&mut self, now: Instant) -> Step {
        self.latest = true;
        self.reuse = false;
        self.relist(now, RelistReason::Rewound, Wait::No)
    }

    /// The whole scope has been read at this version.
    fn complete(&mut self, version: &ResourceVersion) {
        self.last = version.clone();
        self.latest = false;
        self.reuse = true;
        self.place = Place::Watching(Watching::after_list());
    }
}

fn backoff(trouble: &Trouble) -> Wait {
    Wait::Backoff { at_least: trouble.retry_after() }
}

#[cfg(test)]
mod tests;
