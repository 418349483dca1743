//! How long to wait after a failure.

use std::time::{Duration, Instant};

/// How waits begin, grow and end.
#[derive(Clone, Debug)]
pub struct Waits {
    /// The first wait.
    pub first: Duration,
    /// The factor by which each further wait is longer.
    pub factor: f64,
    /// The longest wait, before jitter.
    pub limit: Duration,
    /// How much is added at random, as a fraction of the wait.
    pub jitter: f64,
    /// For how long after the first of several failures the waits do not grow.
    pub steady: Duration,
    /// After this time without a failure the waits begin anew.
    pub reset: Duration,
    /// The most that a server may ask for.
    pub retry_after_limit: Duration,
}

/// Waits between requests that fail one after the other, with jitter: short ones while the trouble is young, since most
/// trouble is soon over, then twice as long each time. One state for everything that fails, so that a server in trouble is
/// asked less and less, whatever it is asked; and one for a kind that is not served. Success ends it.
#[derive(Debug)]
pub struct Backoff {
    waits: Waits,
    next: Duration,
    /// When the first of the failures came that followed one another.
    since: Option<Instant>,
    /// When the last wait was over. Idleness counts from here, not from the failure: under a lasting outage the
    /// waits themselves, and requests that hang, must not look like a time without failures.
    waited_until: Option<Instant>,
}

impl Backoff {
    /// Before the first failure.
    pub fn new(waits: Waits) -> Self {
        Self { next: waits.first, waits, since: None, waited_until: None }
    }

    /// The next failure is a first one.
    pub fn succeeded(&mut self) {
        self.next = self.waits.first;
        self.since = None;
        self.waited_until = None;
    }

    /// How long to wait now that something failed; not less than the server asked for.
    pub fn after_failure(
        &mut self,
        now: impl Into<Instant>,
        retry_after: Option<Duration>,
        rng: &mut fastrand::Rng,
    ) -> Duration {
        let now = now.into();
        if self.waited_until.is_some_and(|until| now.saturating_duration_since(until) >= self.waits.reset) {
            self.succeeded();
        }
        let since = *self.since.get_or_insert(now);
        let base = self.next;
        if now.saturating_duration_since(since) >= self.waits.steady {
            self.next = times(base, self.waits.factor).min(self.waits.limit);
        }
        let jittered = base.saturating_add(times(base, self.waits.jitter * rng.f64()));
        let asked = retry_after.unwrap_or_default().min(self.waits.retry_after_limit);
        let wait = jittered.max(asked);
        self.waited_until = now.checked_add(wait);
        wait
    }
}

/// Multiplies without the panic of `Duration::mul_f64` on numbers that are out of range.
fn times(duration: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests;
