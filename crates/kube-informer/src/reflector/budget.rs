//! How many requests may be sent: a bucket that holds a few and refills slowly. Pure.

use std::time::Duration;

use tokio::time::Instant;

/// A bucket of requests: full at first, one more each interval. What is taken from an empty one is paid back later.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    burst: u32,
    interval: Duration,
    /// When the bucket will be full again; `None` or past: it is.
    full_at: Option<Instant>,
}

impl Budget {
    /// A full bucket.
    pub(crate) fn new(burst: u32, interval: Duration) -> Self {
        Self { burst: burst.max(1), interval, full_at: None }
    }

    /// Takes one request out, and tells how long to wait before it may be sent.
    pub(crate) fn take(&mut self, now: Instant) -> Duration {
        let debt = self.debt(now);
        self.full_at = Some(now + debt + self.interval);
        debt.saturating_sub(self.interval * (self.burst - 1))
    }

    /// How many may be sent at once.
    pub(crate) fn available(&self, now: Instant) -> u32 {
        let missing = self.debt(now).div_duration_f64(self.interval).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and not negative")]
        self.burst.saturating_sub(missing as u32)
    }

    /// How long it takes until the bucket is full.
    fn debt(&self, now: Instant) -> Duration {
        self.full_at.map_or(Duration::ZERO, |full_at| full_at.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn ten_at_once_then_one_a_second() {
        let start = Instant::now();
        let mut budget = Budget::new(10, SECOND);
        assert_eq!(budget.available(start), 10);
        let waits: Vec<_> = (0..13).map(|_| budget.take(start).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(budget.available(start), 0);
    }

    #[test]
    fn it_refills_by_one_a_second_and_never_beyond_full() {
        let start = Instant::now();
        let mut budget = Budget::new(10, SECOND);
        for _ in 0..10 {
            budget.take(start);
        }
        assert_eq!(budget.available(start + SECOND / 2), 0);
        assert_eq!(budget.available(start + SECOND), 1);
        assert_eq!(budget.take(start + SECOND), Duration::ZERO);
        assert_eq!(budget.take(start + SECOND), SECOND);
        assert_eq!(budget.available(start + 60 * SECOND), 10);
        assert_eq!(budget.take(start + 60 * SECOND), Duration::ZERO);
        assert_eq!(budget.available(start + 60 * SECOND), 9);
    }
}
