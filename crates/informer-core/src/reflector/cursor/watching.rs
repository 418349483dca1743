//! Following changes, and finding out when that no longer works.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use informer_wire::version::is_concrete;
use informer_wire::{ObjectKey, ResourceVersion};

use super::super::recovery::{Remedy, Trouble};
use super::{Action, Charge, Cursor, Delay, Mode, NextStep, backoff};
use crate::status::RelistReason;

/// A watch, and what was seen of it and of those before it since the last list.
#[derive(Clone, Debug)]
pub(super) struct Watching {
    /// Failures since a newer event or bookmark.
    strikes: u32,
    /// Connections that died since the last byte.
    silent: u32,
    /// The version that it was opened at; empty for a streamed list that goes on as a watch.
    at: ResourceVersion,
    /// Whether it took up where an earlier one ended. Only then is the server asked whether it went back in time: right
    /// after a list it has just proved where it is.
    resumed: bool,
    /// Whether it brought a newer version.
    moved: bool,
    /// For a streamed list that goes on as a watch: when the list was complete. The watch has lasted since then, not since
    /// the request.
    listed: Option<Instant>,
    /// An object that we hold and the server does not, and the version at which it did not: its delete has to come before
    /// the watch passes that version.
    missing: Option<(ObjectKey, ResourceVersion)>,
}

impl Default for Watching {
    fn default() -> Self {
        Self {
            strikes: 0,
            silent: 0,
            at: ResourceVersion::empty(),
            resumed: false,
            moved: false,
            listed: None,
            missing: None,
        }
    }
}

impl Watching {
    /// The state of a stream that has just completed a list and goes on.
    pub(super) fn after_list(now: Instant) -> Self {
        Self { listed: Some(now), ..Self::default() }
    }

    /// The next watch takes up where this one ended.
    pub(super) fn resumed(self) -> Self {
        Self { resumed: true, ..self }
    }

    pub(super) fn in_doubt(&self) -> bool {
        self.silent > 0
    }
}

/// An event or bookmark of a watch.
#[derive(Clone, Copy, Debug)]
pub struct News<'a> {
    /// The object; `None` for a bookmark.
    pub key: Option<&'a ObjectKey>,
    /// Whether it says that the object is gone.
    pub deleted: bool,
    /// Its version.
    pub version: &'a ResourceVersion,
}

/// What an answer says about the server's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing speaks against its being the same.
    Same,
    /// It is not the one that we have seen.
    Rewound,
    /// The object is not there at this version: either it was deleted, and then the watch brings that, or it never was.
    Missing {
        /// The object.
        key: ObjectKey,
        /// The version that the answer is of.
        version: ResourceVersion,
    },
    /// There was no usable answer.
    Unknown,
}

impl Cursor {
    /// Opens a watch where the last one ended.
    pub(super) fn watch(&mut self, before: &Watching) -> Action {
        self.mode = Mode::Watching(Watching {
            strikes: before.strikes,
            silent: before.silent,
            at: self.last.clone(),
            resumed: before.resumed,
            moved: false,
            listed: None,
            missing: None,
        });
        Action::Watch { version: self.last.to_string() }
    }

    /// Whether a watch did what watches are for, so that its end is no failure. One that brought a whole list did, but as a
    /// watch it may have been as short as any.
    pub(super) fn lived(&mut self, now: Instant, watching: &Watching, lasted: Option<Duration>) -> bool {
        let lasted = match watching.listed {
            Some(listed) => Some(now.saturating_duration_since(listed)),
            None => lasted,
        };
        let lived = watching.moved || lasted.is_some_and(|lasted| lasted >= self.rules.short_watch);
        if lived {
            self.fruitless = 0;
            self.succeeded = true;
        }
        lived || watching.listed.is_some()
    }

    /// An event of this object could not be taken in. If its delete was waited for as a sign that the server has not gone
    /// back in time, that sign may have been this event, so nothing can be concluded from its absence any more.
    pub fn left_out(&mut self, key: &ObjectKey) {
        if let Mode::Watching(watching) = &mut self.mode
            && watching.missing.as_ref().is_some_and(|(missing, _)| missing == key)
        {
            watching.missing = None;
        }
    }

    /// A watch that was opened where the present one is takes its place: that one was silent, and may be dead.
    pub fn replaced(&mut self) {
        if let Mode::Watching(watching) = &self.mode {
            let watching = Watching { silent: 0, ..watching.clone().resumed() };
            self.watch(&watching);
        }
    }

    /// The server accepted the watch.
    pub fn accepted(&mut self) {
        self.refused = 0;
        self.may_list = false;
    }

    /// The watch brought a byte: the connection lives.
    #[inline]
    pub fn saw_byte(&mut self) {
        if let Mode::Watching(watching) = &mut self.mode {
            watching.silent = 0;
        }
    }

    /// Looks at an event or bookmark before it is passed on. `Some`: it shows that the server went back in time.
    ///
    /// A watch brings what is newer than the version that it was opened at, so anything older proves it. (A bookmark may be
    /// of exactly that version: servers without a watch cache send such.)
    pub fn arrived(&mut self, now: impl Into<Instant>, news: News<'_>) -> Option<NextStep> {
        let now = now.into();
        let Mode::Watching(watching) = &mut self.mode else { return None };
        let went_back = match news.version.compare(&watching.at) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => news.key.is_some(),
            Some(Ordering::Greater) | None => false,
        };
        let is_missing = watching.missing.as_ref().is_some_and(|(missing, at)| {
            let is_its_delete = news.deleted && news.key == Some(missing);
            !is_its_delete && matches!(news.version.compare(at), Some(Ordering::Greater | Ordering::Equal))
        });
        if watching.missing.as_ref().is_some_and(|(missing, _)| news.key == Some(missing)) {
            watching.missing = None;
        }
        (went_back || is_missing).then(|| self.found_rewound(now))
    }

    /// The watch brought an event of this version, empty if it has none, and it was passed on. The version is taken as it is:
    /// going back a little only means that some events come twice. Progress is a newer one.
    ///
    /// Until the list is complete this does nothing: the objects of a streamed list come in no order of versions.
    #[inline]
    pub fn advance(&mut self, version: &ResourceVersion) {
        if let Mode::Watching(watching) = &mut self.mode {
            let newer = match version.compare(&self.last) {
                Some(order) => order == Ordering::Greater,
                None => is_concrete(version) && *version != self.last,
            };
            if newer {
                watching.strikes = 0;
                watching.moved = true;
            }
            if is_concrete(version) {
                self.last = version.clone();
            }
        }
    }

    /// A bookmark of this version was passed on. Nothing up to its version has been missed, so an older one says nothing: taken
    /// as it is, the next watch would tell of objects that have come and gone since.
    #[inline]
    pub fn bookmarked(&mut self, version: &ResourceVersion) {
        if !version.is_older_than(&self.last) {
            self.advance(version);
        }
    }

    /// Whether the server should be asked if its history is still the one that we have seen.
    #[inline]
    pub fn wants_check(&self) -> bool {
        matches!(&self.mode, Mode::Watching(watching) if watching.resumed)
    }

    /// The answer to that. `None`: go on with the watch.
    pub fn checked(&mut self, now: impl Into<Instant>, finding: Finding) -> Option<NextStep> {
        let now = now.into();
        let Mode::Watching(watching) = &mut self.mode else { return None };
        match finding {
            Finding::Same | Finding::Unknown => None,
            Finding::Rewound => Some(self.found_rewound(now)),
            // The watch has passed that version without the object's delete.
            Finding::Missing { version, .. }
                if matches!(self.last.compare(&version), Some(Ordering::Greater | Ordering::Equal)) =>
            {
                Some(self.found_rewound(now))
            }
            Finding::Missing { key, version } => {
                watching.missing = Some((key, version));
                None
            }
        }
    }

    fn found_rewound(&mut self, now: Instant) -> NextStep {
        self.read_rewound(now, Delay::Spread).charged(Charge::Relist)
    }

    pub(super) fn watch_failed(
        &mut self,
        now: Instant,
        watching: Watching,
        trouble: Trouble,
        lasted: Option<Duration>,
    ) -> NextStep {
        let lived = self.lived(now, &watching, lasted);
        let first = self.fruitless <= 1;
        // What follows a watch that lived is the first failure, if it is one at all.
        let wait = match backoff(&trouble) {
            Delay::Backoff { at_least: None } if lived => Delay::Resume,
            wait => wait,
        };
        let mut watching = watching.resumed();
        let step = match trouble.remedy() {
            Remedy::Reconnect | Remedy::Resume => NextStep::new(wait, self.watch(&watching)),
            Remedy::ListOnly => {
                self.refused = self.refused.saturating_add(1);
                if self.is_polling() {
                    self.relist(now, RelistReason::Polling, Delay::Poll)
                } else if self.is_refused() {
                    self.relist(now, RelistReason::Polling, wait)
                } else {
                    NextStep::new(wait, self.watch(&watching))
                }
            }
            Remedy::ResumeFewTimes => {
                watching.strikes = watching.strikes.saturating_add(1);
                if watching.strikes < self.rules.errors_to_relist {
                    NextStep::new(wait, self.watch(&watching))
                } else {
                    self.relist_after_watch(now, RelistReason::RepeatedErrors, &trouble)
                }
            }
            Remedy::Reopen => {
                watching.silent = watching.silent.saturating_add(1);
                if watching.silent < self.rules.silences_to_relist {
                    // The silence was wait enough.
                    NextStep::new(Delay::No, self.watch(&watching))
                } else {
                    self.relist_after_watch(now, RelistReason::Dead, &trouble)
                }
            }
            Remedy::Relist(reason) => {
                self.latest |= reason == RelistReason::TooLarge;
                self.relist_after_watch(now, reason, &trouble)
            }
            Remedy::AwaitKind => self.relist(now, RelistReason::Gone, Delay::Kind),
        };
        // History that is gone right after a list, for the second time: the list was no remedy.
        if first { step.reporting_unless_routine(trouble) } else { step.reporting(trouble) }
    }

    /// The watch cannot be resumed. Other processes may have found out the same at the same moment.
    fn relist_after_watch(&mut self, now: Instant, reason: RelistReason, trouble: &Trouble) -> NextStep {
        let wait = match trouble.retry_after() {
            None => Delay::Spread,
            Some(_) => backoff(trouble),
        };
        self.relist(now, reason, wait).charged(Charge::Relist)
    }
}
