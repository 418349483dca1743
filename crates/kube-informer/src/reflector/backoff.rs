//! How long to wait after a failure.

use std::time::Duration;

use tokio::time::Instant;

use crate::source::Tuning;

/// Waits between requests that fail one after the other, with jitter: short ones while the trouble is young, since most
/// trouble is soon over, then twice as long each time. One state for everything that fails, so that a server in trouble is
/// asked less and less, whatever it is asked; and one for a kind that is not served. Success ends it.
#[derive(Debug)]
pub(crate) struct Backoff {
    first: Duration,
    factor: f64,
    limit: Duration,
    jitter: f64,
    steady: Duration,
    reset: Duration,
    retry_after_limit: Duration,
    next: Duration,
    /// When the first of the failures came that followed one another.
    since: Option<Instant>,
    /// When the last wait was over. Idleness counts from here, not from the failure: under a lasting outage the
    /// waits themselves, and requests that hang, must not look like a time without failures.
    waited_until: Option<Instant>,
}

impl Backoff {
    pub(crate) fn new(settings: &Tuning) -> Self {
        Self {
            first: settings.backoff_first,
            factor: settings.backoff_factor,
            limit: settings.backoff_limit,
            jitter: settings.backoff_jitter,
            steady: settings.backoff_steady,
            reset: settings.backoff_reset,
            retry_after_limit: settings.retry_after_limit,
            next: settings.backoff_first,
            since: None,
            waited_until: None,
        }
    }

    /// The next failure is a first one.
    pub(crate) fn succeeded(&mut self) {
        self.next = self.first;
        self.since = None;
        self.waited_until = None;
    }

    /// How long to wait now that something failed; not less than the server asked for.
    pub(crate) fn after_failure(
        &mut self,
        now: Instant,
        retry_after: Option<Duration>,
        rng: &mut fastrand::Rng,
    ) -> Duration {
        if self.waited_until.is_some_and(|until| now.saturating_duration_since(until) >= self.reset) {
            self.succeeded();
        }
        let since = *self.since.get_or_insert(now);
        let base = self.next;
        if now.saturating_duration_since(since) >= self.steady {
            self.next = times(base, self.factor).min(self.limit);
        }
        let jittered = base.saturating_add(times(base, self.jitter * rng.f64()));
        let asked = retry_after.unwrap_or_default().min(self.retry_after_limit);
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
