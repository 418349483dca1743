//! Following changes.

use tokio::time::Instant;

use super::super::recovery::{Remedy, Trouble};
use super::{Action, Cursor, Place, Step, Wait, backoff};
use crate::status::RelistReason;
use crate::version::ResourceVersion;

/// What has been seen since the last list or, where it says so, since something better happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watching {
    /// Failures since the last event or bookmark.
    strikes: u32,
    /// Connections that died since the last byte.
    silent: u32,
    /// The server may not know our version: it may have gone back in time before this watch was opened. No byte has
    /// come and no probe has succeeded since.
    unsure: bool,
    /// Whether an earlier watch since the last list ended, so that this one took up where it was.
    resumed: bool,
    /// Whether the server was heard of during the present connection: a byte, or the answer to a probe.
    pub(super) heard: bool,
    /// Probes since the last byte that said "too large".
    too_large: u32,
    /// Whether the present connection brought a newer version.
    pub(super) moved: bool,
}

impl Watching {
    /// The state of a stream that has just completed a list and goes on.
    pub(super) fn after_list() -> Self {
        Self { moved: true, heard: true, ..Self::default() }
    }

    /// The connection ended in good order. One that brought nothing at all may have asked for a version that lies ahead.
    pub(super) fn ended(self) -> Self {
        Self { unsure: self.unsure || !self.heard, resumed: true, ..self }
    }

    pub(super) fn in_doubt(&self) -> bool {
        self.silent > 0 || self.too_large > 0
    }
}

/// What the server says to a LIST that asks for at least our version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProbeOutcome {
    /// It knows the version.
    Known,
    /// It is not that far.
    TooLarge,
    /// It did not say.
    NoAnswer,
}

impl Cursor {
    /// Opens a watch where the last one ended.
    pub(super) fn watch(&mut self, watching: Watching) -> Action {
        let probe = watching.unsure;
        self.place = Place::Watching(Watching { moved: false, heard: false, ..watching });
        Action::Watch { version: self.last.to_string(), probe }
    }

    /// The watch brought a byte: the connection lives, and the server knows our version.
    pub(crate) fn saw_byte(&mut self) {
        if let Place::Watching(watching) = &mut self.place {
            watching.heard = true;
            watching.silent = 0;
            watching.unsure = false;
            watching.too_large = 0;
        }
    }

    /// The watch brought an event or bookmark of this version, empty if it has none. The version is taken as it is,
    /// not compared: going back only means that some events come twice.
    ///
    /// Until the list is complete this does nothing: the objects of a streamed list come in no order of versions.
    pub(crate) fn advance(&mut self, version: &ResourceVersion) {
        if let Place::Watching(watching) = &mut self.place {
            watching.strikes = 0;
            watching.heard = true;
            if !version.is_empty() && *version != self.last {
                watching.moved = true;
                self.last = version.clone();
            }
        }
    }

    /// Whether the server should be asked if it knows our version.
    pub(crate) fn wants_probe(&self) -> bool {
        matches!(&self.place, Place::Watching(watching) if watching.unsure)
    }

    /// The answer to that. `None`: go on with the watch.
    pub(crate) fn probed(&mut self, now: Instant, outcome: ProbeOutcome) -> Option<Step> {
        let Place::Watching(watching) = &mut self.place else {
            return None;
        };
        match outcome {
            ProbeOutcome::Known => {
                watching.heard = true;
                watching.unsure = false;
                watching.too_large = 0;
            }
            ProbeOutcome::NoAnswer => {}
            ProbeOutcome::TooLarge => {
                watching.too_large = watching.too_large.saturating_add(1);
                if watching.too_large >= self.counts.answers_to_rewound {
                    return Some(self.read_rewound(now));
                }
            }
        }
        None
    }

    pub(super) fn watch_failed(&mut self, now: Instant, mut watching: Watching, trouble: Trouble) -> Step {
        let wait = backoff(&trouble);
        let resumed = std::mem::replace(&mut watching.resumed, true);
        let step = match trouble.remedy() {
            Remedy::Reconnect => {
                watching.unsure = true;
                Step::new(wait, self.watch(watching))
            }
            Remedy::Resume => Step::new(wait, self.watch(watching)),
            Remedy::ResumeFewTimes => {
                watching.strikes = watching.strikes.saturating_add(1);
                if watching.strikes < self.counts.errors_to_relist {
                    Step::new(wait, self.watch(watching))
                } else {
                    self.relist(now, RelistReason::RepeatedErrors, wait)
                }
            }
            Remedy::Reopen => {
                watching.unsure = true;
                watching.silent = watching.silent.saturating_add(1);
                if watching.silent < self.counts.silences_to_relist {
                    // The silence was wait enough.
                    Step::new(Wait::No, self.watch(watching))
                } else {
                    self.relist(now, RelistReason::Dead, wait)
                }
            }
            // A watch that was away for too long learns so from a server that answers: there is nothing to wait for. Right
            // after a list it would go round and round.
            Remedy::Relist(RelistReason::Expired) if resumed => {
                self.relist(now, RelistReason::Expired, Wait::No)
            }
            Remedy::Relist(reason) => {
                self.latest |= reason == RelistReason::TooLarge;
                self.relist(now, reason, wait)
            }
            Remedy::AwaitKind => self.relist(now, RelistReason::Gone, Wait::Kind),
        };
        step.reporting(trouble)
    }
}
