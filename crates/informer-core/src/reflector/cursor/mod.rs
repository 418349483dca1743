//! Where a reflector is and what it does next. Pure: no clock, no lock, no network, no chance.
//!
//! The driver does what the last [`NextStep`] says and tells the cursor what happened; the cursor answers with the next
//! step. A *round* is one attempt to read the whole scope, streamed or with LIST; a round that succeeds ends in a
//! watch, which is resumed until something makes a new round necessary.
//!
//! What has to hold, whatever a server answers:
//!
//! - A watch is opened at `last`, and only after everything up to `last` is in the queue. So it can bring an event twice,
//!   which the store drops, but never skip one.
//! - Every request is charged to a budget, except the first list, pages that brought new keys, and lists that were paid for
//!   elsewhere. The budgets do not look at answers, so no answer can cause a hot loop.
//! - Every failure leads to a step. There is no state in which the reflector gives up: a cluster that is broken for a day
//!   is followed again when it is back.
//! - A round that fails leaves no trace in the store: only [`Cursor::complete`] ends one, and it checks the version first.

mod listing;
mod streaming;
mod watching;

use std::time::{Duration, Instant};

use informer_wire::ResourceVersion;
use informer_wire::version::is_concrete;

use self::listing::Listing;
use self::streaming::Streaming;
use self::watching::Watching;
pub use self::watching::{Finding, News};
use super::recovery::Trouble;
use crate::reflector::request::{ListParams, StreamingList};
use crate::status::{Phase, RelistReason};

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Read the scope as a stream and, once its end is marked, go on with the same stream as a watch.
    StreamingList {
        /// The version asked for, empty for the most recent state.
        version: String,
        /// Whether unchanged objects may be taken over from the store.
        reuse: bool,
    },
    /// Send a LIST. `fresh` starts a new snapshot, otherwise this is the next page of the one being read.
    List {
        /// The parameters of the request.
        params: ListParams,
        /// Whether a new snapshot begins.
        fresh: bool,
        /// Whether unchanged objects may be taken over from the store.
        reuse: bool,
    },
    /// Follow changes after this version.
    Watch {
        /// The version.
        version: String,
    },
}

/// How long to wait before it.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Not at all.
    No,
    /// A few milliseconds at random: a watch that lived has ended and is resumed.
    Resume,
    /// Up to half a second at random: many processes may have lost their watches for the same reason at the same time.
    Spread,
    /// The next delay of the backoff, and not less than the server asked for.
    Backoff {
        /// The time that the server asked for.
        at_least: Option<Duration>,
    },
    /// The kind is not served: a backoff of its own that begins soon, and ends at once to twice the configured time.
    Kind,
    /// We may list but not watch: between once and twice the configured time.
    Poll,
}

/// Which allowance a request is taken from. An empty one is one more wait, whatever the step says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charge {
    /// None: the first list of a scope, and the next page of a list that goes forward.
    Free,
    /// That of lists and watches.
    Request,
    /// The same, and that of relists: a watch led to this list.
    Relist,
    /// That of questions and refreshes.
    Probe,
}

/// The answer to something that happened: what to note, how long to wait, what to do then.
#[derive(Clone, Debug, PartialEq)]
pub struct NextStep {
    /// The scope has to be read as a whole, for this reason.
    pub relist: Option<RelistReason>,
    /// Streaming was given up for LIST.
    pub fallback: bool,
    /// A failure to report to the user.
    pub report: Option<Trouble>,
    /// How long to wait before the action.
    pub wait: Delay,
    /// Who pays for it.
    pub charge: Charge,
    /// The action.
    pub action: Action,
}

impl NextStep {
    fn new(wait: Delay, action: Action) -> Self {
        Self { relist: None, fallback: false, report: None, wait, charge: Charge::Request, action }
    }

    fn reporting(mut self, trouble: Trouble) -> Self {
        self.report = Some(trouble);
        self
    }

    /// The same, unless it is part of normal life: history does not last for ever. Only where there is another way to go
    /// on that was not tried before; history that is gone again and again is a failure like any other.
    fn reporting_unless_routine(mut self, trouble: Trouble) -> Self {
        self.report = Some(trouble).filter(|trouble| !trouble.is_routine());
        self
    }

    /// The same, taken from this allowance.
    pub fn charged(mut self, charge: Charge) -> Self {
        self.charge = charge;
        self
    }
}

/// The numbers by which a cursor decides.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How many objects a page has, if that is fixed.
    pub page_size: Option<u32>,
    /// Whether lists are streamed.
    pub streaming: StreamingList,
    /// For how long lists are not streamed after that failed.
    pub fallback_memory: Duration,
    /// A watch that lasted so long did what watches are for.
    pub short_watch: Duration,
    /// After so many errors of watches in a row everything is read.
    pub errors_to_relist: u32,
    /// After so many silent watches in a row everything is read.
    pub silences_to_relist: u32,
    /// After so many streamed lists in a row that ended early LIST is used.
    pub early_ends_to_list: u32,
}

/// Where a reflector is. See the module.
#[derive(Clone, Debug)]
pub struct Cursor {
    rules: Rules,
    /// Nothing up to this version has been missed.
    last: ResourceVersion,
    /// The newest version that the server was seen at before the list was requested that is being read: `last`, or that of a
    /// lookup.
    seen: ResourceVersion,
    /// The next list asks for the most recent state, because `last` cannot be had or is in doubt. Otherwise a list asks for
    /// a state not older than `last`, which a server can answer from its watch cache.
    latest: bool,
    /// Whether unchanged objects may be taken over from the store while a list is read: an object of the same uid and
    /// version is the same object. Not after the server went back in time, because then versions are given a second time.
    reuse: bool,
    /// The server paged a list of version 0. A watch cache answers those in one piece, so it has none, and every list is
    /// read from its storage: pages spare it.
    pages_anything: bool,
    /// The server cannot stream lists, or not this one; not asked to again before this moment.
    no_streaming_until: Option<Instant>,
    /// Why the present round is necessary.
    reason: RelistReason,
    /// How many lists were completed since a watch last lived. From the second on a list does not end a backoff: a server
    /// that answers every list and breaks every watch would otherwise be listed again and again without growing waits.
    fruitless: u32,
    /// A streamed list was forbidden since the last list that succeeded. LIST is used until then, because a role may allow
    /// `list` and not `watch`.
    no_streaming: bool,
    /// How many watches in a row were refused.
    refused: u32,
    /// Whether a list was allowed while watches were refused.
    may_list: bool,
    /// Whether a request succeeded that resets the backoff, and the driver has not read this flag since.
    succeeded: bool,
    mode: Mode,
}

#[derive(Clone, Debug)]
enum Mode {
    Streaming(Streaming),
    Listing(Listing),
    Watching(Watching),
}

impl Cursor {
    /// Before the first list.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            last: ResourceVersion::empty(),
            seen: ResourceVersion::empty(),
            latest: false,
            reuse: true,
            pages_anything: false,
            no_streaming_until: None,
            reason: RelistReason::First,
            fruitless: 0,
            no_streaming: false,
            refused: 0,
            may_list: false,
            succeeded: false,
            mode: Mode::Watching(Watching::default()),
        }
    }

    /// The first step.
    pub fn begin(&mut self, now: impl Into<Instant>) -> NextStep {
        let now = now.into();
        self.relist(now, RelistReason::First, Delay::No).charged(Charge::Free)
    }

    /// The user wants everything read again: the most recent state, nothing taken over from the store.
    pub fn refresh(&mut self, now: impl Into<Instant>) -> NextStep {
        let now = now.into();
        self.latest = true;
        self.reuse = false;
        // If the list that follows a rewind has not been read to its end, this one takes its place, and still has to count
        // as the one after the rewind.
        let rewound = self.reason == RelistReason::Rewound && !matches!(self.mode, Mode::Watching(_));
        let step = self.relist(now, RelistReason::Refresh, Delay::No).charged(Charge::Probe);
        if rewound {
            self.reason = RelistReason::Rewound;
        }
        step
    }

    /// More objects are waited for than can be looked up one by one: a list of the most recent state settles them all. It is
    /// free here, because the lookups took it from their own budget.
    pub fn settle(&mut self, now: impl Into<Instant>) -> NextStep {
        let now = now.into();
        self.latest = true;
        self.relist(now, RelistReason::Waited, Delay::No).charged(Charge::Free)
    }

    /// A request or the body of its answer failed. `lasted`: for how long, if the server had accepted the request before.
    pub fn failed(
        &mut self,
        now: impl Into<Instant>,
        trouble: Trouble,
        lasted: Option<Duration>,
    ) -> NextStep {
        let now = now.into();
        match self.mode.clone() {
            Mode::Streaming(streaming) => self.streaming_failed(now, streaming, trouble, lasted.is_some()),
            Mode::Listing(listing) => self.list_failed(now, &listing, trouble),
            Mode::Watching(watching) => self.watch_failed(now, watching, trouble, lasted),
        }
    }

    /// The server ended the stream in good order, this long after it was asked for. `objects`: how many of a list it brought.
    pub fn ended(&mut self, now: impl Into<Instant>, lasted: Duration, objects: usize) -> NextStep {
        let now = now.into();
        match self.mode.clone() {
            Mode::Watching(watching) if self.lived(now, &watching, Some(lasted)) => {
                NextStep::new(Delay::Resume, self.watch(&watching.resumed()))
            }
            Mode::Watching(_) => self.failed(now, Trouble::VeryShort, Some(lasted)),
            Mode::Streaming(_) | Mode::Listing(_) => {
                self.failed(now, Trouble::EndedEarly { objects }, Some(lasted))
            }
        }
    }

    /// Whether something succeeded since this was last asked, so that the next failure is a first one.
    #[inline]
    pub fn take_success(&mut self) -> bool {
        std::mem::take(&mut self.succeeded)
    }

    /// What the reflector is doing, as users see it, while no wait is on.
    pub fn phase(&self) -> Phase {
        match &self.mode {
            _ if self.is_polling() => Phase::Polling,
            Mode::Watching(watching) if watching.in_doubt() => Phase::Stalled,
            Mode::Watching(_) => Phase::Watching,
            _ if self.reason == RelistReason::Rewound => Phase::Rewound,
            _ => Phase::Listing,
        }
    }

    /// The version up to which nothing has been missed, empty before the first list.
    #[inline]
    pub fn last(&self) -> &ResourceVersion {
        &self.last
    }

    /// Decides to read the scope as a whole.
    fn relist(&mut self, now: Instant, reason: RelistReason, wait: Delay) -> NextStep {
        self.reason = reason;
        let mut step = self.round(now, wait);
        step.relist = Some(reason);
        step
    }

    /// Starts a round, the first for its reason or one more after a failed one.
    fn round(&mut self, now: Instant, wait: Delay) -> NextStep {
        let may_stream = match self.rules.streaming {
            // A streamed list is a watch.
            _ if self.no_streaming || self.is_refused() => false,
            StreamingList::Always => true,
            StreamingList::Never => false,
            StreamingList::Auto => self.no_streaming_until.is_none_or(|until| now >= until),
        };
        let action = if may_stream { self.stream_anew() } else { self.list_anew() };
        NextStep::new(wait, action)
    }

    /// A list is about to be requested, and this is the newest version that the server has been seen at by then.
    pub fn requesting(&mut self, seen: ResourceVersion) {
        self.seen = seen;
    }

    /// Whether a list of this version shows that the server has gone back in time. The most recent state cannot be older than
    /// anything that was seen before it was requested. Any other list may come from a cache that has not seen what was
    /// looked up, and only promises not to be older than `last`.
    fn goes_back(&self, version: &ResourceVersion) -> bool {
        version.is_older_than(&self.last) || (self.latest && version.is_older_than(&self.seen))
    }

    /// What to do in place of using a list of this version.
    ///
    /// If the server has gone back in time, objects that were taken over from the store may have other contents there, so the
    /// list is read again without taking any over. (A list that took none over is believed, whatever its version.) A list that
    /// is older than what was looked up may be from such a server as well, or from a cache that lags behind: the most
    /// recent state tells.
    fn instead_of(&mut self, now: Instant, version: &ResourceVersion) -> Option<NextStep> {
        if self.reuse && self.goes_back(version) {
            return Some(self.read_rewound(now, Delay::No));
        }
        if !self.latest && version.is_older_than(&self.seen) {
            self.latest = true;
            return Some(self.round(now, Delay::No));
        }
        None
    }

    fn read_rewound(&mut self, now: Instant, wait: Delay) -> NextStep {
        self.latest = true;
        self.reuse = false;
        self.relist(now, RelistReason::Rewound, wait).reporting(Trouble::Rewound)
    }

    /// The whole scope has been read, by LIST or as a stream, and this is the version of what was read. `Ok`: it is to
    /// replace what the store holds, and a watch follows; true if the server has gone back in time, so that nothing counts
    /// that was known before. `Err`: it is not to be used; do that instead.
    ///
    /// The one end of every list: whatever has to be checked before a list is believed is checked here.
    pub fn complete(
        &mut self,
        now: impl Into<Instant>,
        version: &ResourceVersion,
    ) -> Result<bool, Box<NextStep>> {
        let now = now.into();
        if !is_concrete(version) {
            let what = if matches!(self.mode, Mode::Streaming(_)) { "the mark of its end" } else { "it" };
            let trouble = Trouble::NotAList(format!("{what} has no resourceVersion"));
            return Err(Box::new(self.failed(now, trouble, Some(Duration::ZERO))));
        }
        if let Some(step) = self.instead_of(now, version) {
            return Err(Box::new(step));
        }
        // A refresh is the only list without reuse that was not begun because the server went back: it shows only here.
        let rewound = self.is_after_rewind() || self.goes_back(version);
        self.last = version.clone();
        self.latest = false;
        self.reuse = true;
        self.no_streaming = false;
        self.may_list = self.is_refused();
        // A list ends a backoff, but not one list after the other with no watch in between that lived.
        self.succeeded |= self.fruitless == 0;
        self.fruitless = self.fruitless.saturating_add(1);
        self.mode = Mode::Watching(Watching::after_list(now));
        Ok(rewound)
    }

    /// Opens the watch that follows a LIST; a streamed list goes on as its own watch.
    pub fn watch_after_list(&mut self) -> NextStep {
        NextStep::new(Delay::No, self.watch(&Watching::default()))
    }

    /// Whether the list being read, or read last, is the one after the server went back in time.
    fn is_after_rewind(&self) -> bool {
        self.reason == RelistReason::Rewound
    }

    /// Whether watches are refused so often that it is tried whether lists are allowed.
    fn is_refused(&self) -> bool {
        self.refused >= self.rules.errors_to_relist
    }

    /// Whether lists are allowed and watches are not, so that the scope is listed now and then.
    fn is_polling(&self) -> bool {
        self.is_refused() && self.may_list
    }
}

fn backoff(trouble: &Trouble) -> Delay {
    Delay::Backoff { at_least: trouble.retry_after() }
}

#[cfg(test)]
mod tests;
