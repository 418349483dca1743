//! When the Lease is asked for, renewed and given up, and whether it is held: a function of what was seen and of the time.
//!
//! Nothing here waits, sends or asks a clock. Every step is given an event and the time, and says what is to be done.

use std::time::Duration;

use kube_informer::object::ResourceVersion;
use serde_json::Value;

use super::timing::Timing;

/// The time since some moment; only differences count.
pub(super) type Time = Duration;

/// A Lease as somebody saw it. The times in it are nobody's business: what counts is when it was seen to change, here.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) version: ResourceVersion,
    /// Empty if it has been released.
    pub(super) holder: String,
    /// How long its holder wants others to wait.
    pub(super) duration: Duration,
    pub(super) transitions: u64,
    /// Changes with every renewal, and not with what else is written to the object.
    pub(super) mark: String,
    /// The object, for the next write.
    pub(super) body: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    /// Time has passed.
    Tick,
    /// A read was answered; `None` if there is no Lease.
    Read(Option<Record>),
    /// A write was answered: this is the Lease now.
    Wrote(Record),
    /// A write was refused because the Lease is another one than was thought.
    Conflict,
    /// There is no namespace to create it in.
    NoNamespace,
    /// A request failed otherwise. Whether anything was written is not known.
    Failed,
    /// The watch shows this; `None` if the Lease was deleted.
    Watched(Option<Record>),
    /// A renewal is wanted that is sent from now on.
    Confirm,
    /// A candidate gives up.
    Stop,
    /// The leader's work has ended.
    Release,
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Ask for the Lease.
    Read,
    /// Write the Lease over the one that was seen, or create it.
    Write { over: Option<Record>, what: What, transitions: u64 },
    /// The answer to the request that is under way is not waited for any longer.
    Abandon,
    /// The Lease is won.
    Lead { term: u64, sent: Time, until: Time },
    /// It is held for longer, by a renewal sent then.
    Renewed { sent: Time, until: Time },
    /// It is not held any more.
    Lost,
    /// There is nothing left to do.
    Done { released: bool },
}

/// What a write is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Take,
    Renew,
    Release,
}

#[derive(Clone, Copy, Debug)]
enum Role {
    Candidate,
    Leader {
        term: u64,
        until: Time,
    },
    /// Gives back what it may have, until then.
    Leaving {
        by: Time,
    },
    Over,
}

/// A request that is under way.
#[derive(Clone, Copy, Debug)]
struct Request {
    sent: Time,
    /// `None` for a read.
    what: Option<What>,
    term: u64,
}

/// How long nothing is asked at most while there is no namespace. It may be created at any time.
const LONGEST: Duration = Duration::from_secs(30);

pub(super) struct Core {
    identity: String,
    timing: Timing,
    chance: fastrand::Rng,
    role: Role,
    /// The Lease as last seen.
    record: Option<Record>,
    /// Whether that may not be what the server has.
    must_read: bool,
    /// Whether a write of ours may have made us the holder.
    may_hold: bool,
    /// From when on the Lease may be taken.
    free_at: Time,
    /// The most that any Lease of this name was seen to have.
    transitions: Option<u64>,
    /// When something was last heard of the Lease.
    heard: Time,
    /// Before that nothing is sent.
    due: Time,
    confirm: bool,
    /// Conflicts in a row.
    conflicts: u32,
    /// How often in a row there was no namespace.
    homeless: u32,
    request: Option<Request>,
}

impl Core {
    pub(super) fn new(identity: String, timing: Timing, seed: u64, now: Time) -> Self {
        Self {
            identity,
            timing,
            chance: fastrand::Rng::with_seed(seed),
            role: Role::Candidate,
            record: None,
            must_read: true,
            may_hold: false,
            free_at: now,
            transitions: None,
            heard: now,
            due: now,
            confirm: false,
            conflicts: 0,
            homeless: 0,
            request: None,
        }
    }

    /// Until when the Lease is held, if it is.
    #[cfg(test)]
    pub(super) fn holds_until(&self) -> Option<Time> {
        match self.role {
            Role::Leader { until, .. } => Some(until),
            Role::Candidate | Role::Leaving { .. } | Role::Over => None,
        }
    }

    pub(super) fn step(&mut self, event: Event, now: Time) -> Vec<Action> {
        let mut actions = Vec::new();
        // The clock first: an answer that comes too late changes nothing.
        match self.role {
            Role::Leader { until, .. } if now >= until => self.lose(&mut actions),
            Role::Leaving { by } if now >= by => self.end(false, &mut actions),
            _ => {}
        }
        match event {
            Event::Tick => {}
            Event::Read(record) => {
                self.request = None;
                (self.must_read, self.may_hold, self.due) = (false, false, now);
                self.see(record, now, &mut actions);
            }
            Event::Wrote(record) => self.wrote(record, now, &mut actions),
            Event::Conflict => {
                self.request = None;
                self.must_read = true;
                self.conflicts += 1;
                // Once is bad luck. A server that always says so is not asked all the time.
                self.due = if self.conflicts > 1 { now + self.pause() } else { now };
            }
            Event::NoNamespace => {
                self.request = None;
                (self.must_read, self.may_hold, self.record, self.heard) = (false, false, None, now);
                let pause = self.pause() * (1 << self.homeless.min(8));
                self.due = now + pause.min(LONGEST.max(self.timing.retry_period));
                self.homeless += 1;
            }
            Event::Failed => self.failed(now),
            Event::Watched(record) => self.watched(record, now, &mut actions),
            Event::Confirm => self.confirm = true,
            Event::Stop => self.stop(now, &mut actions),
            Event::Release => {
                if let Role::Leader { .. } = self.role {
                    self.leave(now);
                }
            }
        }
        self.plan(now, &mut actions);
        actions
    }

    /// When the next step is due, if nothing happens before.
    pub(super) fn wake_at(&self) -> Option<Time> {
        let next = match &self.request {
            Some(request) => request.sent + self.timing.request_timeout(),
            None => match self.role {
                Role::Candidate if !self.must_read => self.due.max(self.free_at.min(self.poll_at())),
                _ => self.due,
            },
        };
        match self.role {
            Role::Candidate => Some(next),
            Role::Leader { until, .. } => Some(next.min(until)),
            Role::Leaving { by } => Some(next.min(by)),
            Role::Over => None,
        }
    }

    /// The holder renews once in a retry period. Who hears nothing for twice as long asks, in case the watch is broken.
    fn poll_at(&self) -> Time {
        self.heard + 2 * self.timing.retry_period
    }

    fn pause(&mut self) -> Duration {
        self.timing.retry_period.mul_f64(1.0 + 0.2 * self.chance.f64())
    }

    /// What the server has, as far as anybody knows.
    fn see(&mut self, record: Option<Record>, now: Time, actions: &mut Vec<Action>) {
        self.heard = now;
        if let Some(new) = &record {
            self.homeless = 0;
            self.transitions = self.transitions.max(Some(new.transitions));
            // Where the Lease is deleted, whoever held it still trusts in it.
            if self.record.as_ref().is_none_or(|old| old.mark != new.mark) {
                let is_free = new.holder.is_empty() || new.holder == self.identity;
                // Nobody means no time at all.
                let duration = Some(new.duration).filter(|duration| !duration.is_zero());
                let duration = duration.unwrap_or(self.timing.lease_duration);
                self.free_at = if is_free { now } else { now + duration };
            }
        }
        self.record = record;
        if matches!(self.role, Role::Leader { .. }) && !self.is_holder() {
            self.lose(actions);
        }
    }

    fn is_holder(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.holder == self.identity)
    }

    fn wrote(&mut self, record: Record, now: Time, actions: &mut Vec<Action>) {
        let Some(Request { sent, what, term }) = self.request.take() else { return };
        (self.may_hold, self.conflicts) = (false, 0);
        self.due = sent + self.timing.retry_period;
        self.see(Some(record), now, actions);
        let until = sent + self.timing.renew_deadline;
        match (&mut self.role, what) {
            (Role::Candidate, Some(What::Take)) if now < until => {
                self.role = Role::Leader { term, until };
                actions.push(Action::Lead { term, sent, until });
            }
            (Role::Leader { until: held, .. }, Some(What::Renew)) => {
                *held = until;
                actions.push(Action::Renewed { sent, until });
            }
            (Role::Leaving { .. }, Some(What::Release)) => self.end(true, actions),
            (Role::Leaving { .. }, _) => self.due = now,
            _ => {}
        }
    }

    fn failed(&mut self, now: Time) {
        let Some(request) = self.request.take() else { return };
        self.must_read = true;
        self.due = now.max(request.sent + self.pause());
    }

    fn watched(&mut self, record: Option<Record>, now: Time, actions: &mut Vec<Action>) {
        let Some(new) = record else {
            // It may have been created again since.
            if self.record.is_some() && !self.must_read {
                (self.must_read, self.due) = (true, now);
            }
            return;
        };
        self.heard = now;
        // Own writes come again, and late.
        if self.record.as_ref().is_some_and(|old| !old.version.is_older_than(&new.version)) {
            return;
        }
        let was_homeless = self.homeless > 0;
        self.see(Some(new), now, actions);
        if self.request.is_none() {
            self.must_read = false;
            if std::mem::take(&mut self.conflicts) > 0 || was_homeless {
                self.due = now;
            }
        }
    }

    fn stop(&mut self, now: Time, actions: &mut Vec<Action>) {
        let Role::Candidate = self.role else { return };
        if self.may_hold || self.is_holder() {
            self.leave(now);
        } else {
            self.end(false, actions);
        }
    }

    fn leave(&mut self, now: Time) {
        self.role = Role::Leaving { by: now + self.timing.renew_deadline };
        self.due = now;
    }

    fn lose(&mut self, actions: &mut Vec<Action>) {
        self.role = Role::Over;
        actions.push(Action::Lost);
        actions.push(Action::Done { released: false });
    }

    fn end(&mut self, released: bool, actions: &mut Vec<Action>) {
        self.role = Role::Over;
        actions.push(Action::Done { released });
    }

    /// What is to be sent now.
    fn plan(&mut self, now: Time, actions: &mut Vec<Action>) {
        if let Role::Over = self.role {
            return;
        }
        if let Some(request) = &self.request {
            if now < request.sent + self.timing.request_timeout() {
                return;
            }
            actions.push(Action::Abandon);
            self.failed(now);
        }
        if let (Role::Leaving { .. }, false, false) = (self.role, self.must_read, self.is_holder()) {
            return self.end(false, actions);
        }
        let is_wanted = self.confirm && !self.must_read;
        if now < self.due && !is_wanted {
            return;
        }
        match self.role {
            _ if self.must_read => self.read(now, actions),
            Role::Candidate if now >= self.free_at => {
                let term = self.transitions.map_or(0, |transitions| transitions + 1);
                self.write(What::Take, term, now, actions);
            }
            Role::Candidate if now >= self.poll_at() => self.read(now, actions),
            Role::Leader { term, .. } => self.write(What::Renew, term, now, actions),
            Role::Leaving { .. } => {
                let transitions = self.record.as_ref().map_or(0, |record| record.transitions);
                self.write(What::Release, transitions, now, actions);
            }
            Role::Candidate | Role::Over => {}
        }
    }

    fn read(&mut self, now: Time, actions: &mut Vec<Action>) {
        self.request = Some(Request { sent: now, what: None, term: 0 });
        actions.push(Action::Read);
    }

    fn write(&mut self, what: What, transitions: u64, now: Time, actions: &mut Vec<Action>) {
        self.request = Some(Request { sent: now, what: Some(what), term: transitions });
        self.may_hold |= what == What::Take;
        self.confirm = false;
        actions.push(Action::Write { over: self.record.clone(), what, transitions });
    }
}

#[cfg(test)]
mod tests;
