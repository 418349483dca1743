//! Whether the server can be reached: one state for all informers of a cluster.
//!
//! While it cannot, one request at a time finds out for all of them. It is the request of the informer that waits longest, and
//! not a bare connection: balancers accept connections for servers that are gone. Any HTTP answer ends the state, also one
//! that says 429 or 503.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

/// When the server is back, those who waited follow within a time that grows with their number, up to this.
const SPREAD: Duration = Duration::from_secs(1);

/// What each of them adds to it.
const GAP: Duration = Duration::from_millis(20);

/// So few follow at once.
const FEW: u32 = 3;

/// Who has not found out by then is not waited for any longer: a balancer may take the request and never answer it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known of the way to a server.
#[derive(Default)]
pub(crate) struct Reachability {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// Since when there is no answer.
    lost: Option<Instant>,
    /// How often that happened.
    outages: u64,
    /// When a request was last answered.
    answered: Option<Instant>,
    /// Who is finding out at the moment, and since when.
    prober: Option<(u64, Instant)>,
    /// The number of the next prober.
    probers: u64,
    /// When the next one may begin.
    next: Option<Instant>,
    /// How many wait for the server.
    waiting: u32,
    /// How many waited when it came back last.
    follow: u32,
}

/// Counted among those who wait for the server, as long as it lives.
struct Waits<'a>(&'a Reachability);

impl<'a> Waits<'a> {
    fn new(reach: &'a Reachability) -> Self {
        reach.state.lock().waiting += 1;
        Self(reach)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.state.lock().waiting -= 1;
    }
}

/// The right to find out for all. Given up when dropped.
pub(crate) struct Probe {
    of: Arc<Reachability>,
    number: u64,
}

impl Reachability {
    /// The outage that the server is in: the number grows from one to the next.
    pub(crate) fn outage(&self) -> Option<u64> {
        let state = self.state.lock();
        state.lost.map(|_| state.outages)
    }

    /// A request that was sent at this moment was answered, no matter how.
    pub(super) fn answered(&self, sent: Instant) {
        let mut state = self.state.lock();
        state.answered = Some(Instant::now());
        // One that was under way when the server was lost proves nothing.
        if state.lost.take_if(|lost| sent >= *lost).is_some() {
            (state.prober, state.next) = (None, None);
            state.follow = state.waiting;
            drop(state);
            tracing::info!("the server can be reached again");
            self.changed.notify_waiters();
        }
    }

    /// A request that was sent at this moment got no answer. `chance` is between 0 and 1.
    pub(super) fn unanswered(&self, sent: Instant, chance: f64) {
        let now = Instant::now();
        let mut state = self.state.lock();
        // Another was answered since.
        if state.answered.is_some_and(|answered| answered > sent) {
            return;
        }
        if state.lost.is_none() {
            state.outages += 1;
        }
        let lost = *state.lost.get_or_insert(now);
        // Several that were under way may fail one after the other: the first says when it is tried again.
        if state.next.is_none_or(|next| next <= now) {
            state.next = Some(now + interval(now - lost).mul_f64(0.8 + chance * 0.4));
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Waits until the server is back, or until it is our turn to find out.
    pub(crate) async fn turn(self: &Arc<Self>, chance: f64) -> Option<Probe> {
        let mut waits = None;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let next = {
                let mut state = self.state.lock();
                if state.lost.is_none() {
                    break;
                }
                let now = Instant::now();
                let next = [state.next, state.prober.map(|(_, since)| since + PATIENCE)];
                match next.into_iter().flatten().max().filter(|next| *next > now) {
                    Some(next) => next,
                    None => {
                        let number = state.probers;
                        state.probers += 1;
                        state.prober = Some((number, now));
                        // However this attempt ends, the next one does not follow at once.
                        state.next = state.lost.map(|lost| now + interval(now - lost));
                        return Some(Probe { of: self.clone(), number });
                    }
                }
            };
            waits.get_or_insert_with(|| Waits::new(self));
            tokio::select! {
                () = changed => {}
                () = sleep_until(next) => {}
            }
        }
        if waits.take().is_some() {
            let follow = self.state.lock().follow;
            sleep(SPREAD.min(GAP * follow.saturating_sub(FEW)).mul_f64(chance)).await;
        }
        None
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let mut state = self.of.state.lock();
        if state.prober.is_some_and(|(number, _)| number == self.number) {
            state.prober = None;
            drop(state);
            self.of.changed.notify_waiters();
        }
    }
}

/// How long it is waited between two attempts, after the server has been away for a while.
fn interval(lost: Duration) -> Duration {
    match lost.as_secs() {
        // A second more than the five that it is meant for, so that the end of such an outage is not missed by a hair.
        0..6 => Duration::from_millis(250),
        // And here of a minute.
        6..65 => Duration::from_secs(1),
        _ => Duration::from_secs(3),
    }
}

#[cfg(test)]
mod tests;
