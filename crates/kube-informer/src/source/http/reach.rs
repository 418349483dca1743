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

/// When the server is back, the informers that waited follow within this time.
const SPREAD: Duration = Duration::from_secs(1);

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
    /// Who is finding out at the moment.
    prober: Option<u64>,
    /// The number of the next prober.
    probers: u64,
    /// When the next one may begin.
    next: Option<Instant>,
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

    /// A request was answered, no matter how.
    pub(super) fn answered(&self) {
        let mut state = self.state.lock();
        if state.lost.take().is_some() {
            (state.prober, state.next) = (None, None);
            drop(state);
            tracing::info!("the server can be reached again");
            self.changed.notify_waiters();
        }
    }

    /// A request got no answer. `chance` is between 0 and 1.
    pub(super) fn unanswered(&self, chance: f64) {
        let now = Instant::now();
        let mut state = self.state.lock();
        let lost = *state.lost.get_or_insert(now);
        if lost == now {
            state.outages += 1;
        }
        state.prober = None;
        // Several that were under way may fail one after the other: the first says when it is tried again.
        if state.next.is_none_or(|next| next <= now) {
            state.next = Some(now + interval(now - lost).mul_f64(0.8 + chance * 0.4));
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Waits until the server is back, or until it is our turn to find out.
    pub(crate) async fn turn(self: &Arc<Self>, chance: f64) -> Option<Probe> {
        let mut waited = false;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let next = {
                let mut state = self.state.lock();
                if state.lost.is_none() {
                    break;
                }
                let next = state.next.filter(|next| *next > Instant::now());
                if state.prober.is_none() && next.is_none() {
                    let number = state.probers;
                    state.probers += 1;
                    state.prober = Some(number);
                    return Some(Probe { of: self.clone(), number });
                }
                next.filter(|_| state.prober.is_none())
            };
            waited = true;
            match next {
                Some(next) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(next) => {}
                },
                None => changed.await,
            }
        }
        if waited {
            sleep(SPREAD.mul_f64(chance)).await;
        }
        None
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let mut state = self.of.state.lock();
        if state.prober == Some(self.number) {
            state.prober = None;
            drop(state);
            self.of.changed.notify_waiters();
        }
    }
}

/// How long it is waited between two attempts, after the server has been away for a while.
fn interval(lost: Duration) -> Duration {
    match lost.as_secs() {
        0..5 => Duration::from_millis(250),
        5..35 => Duration::from_secs(1),
        _ => Duration::from_secs(3),
    }
}

#[cfg(test)]
mod tests;
