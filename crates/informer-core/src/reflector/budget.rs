//! How many requests may be sent: a few at once, then one every so often.
//!
//! Waits that depend on what went wrong can be wrong themselves; this bound does not look at answers at all. Whatever a
//! server says, a scope sends it no more than `burst + window / interval` requests in any window of time.

use std::time::{Duration, Instant};

/// A bucket that holds `burst` requests and gets one more every `interval`.
#[derive(Debug)]
pub struct Budget {
    burst: u32,
    interval: Duration,
    /// When the bucket is full again. Each request moves it one interval further.
    full_at: Option<Instant>,
}

impl Budget {
    /// A full bucket.
    pub fn new(burst: u32, interval: Duration) -> Self {
        Self { burst: burst.max(1), interval, full_at: None }
    }

    /// Takes one request out, and says how long to wait before it may be sent.
    pub fn take(&mut self, now: impl Into<Instant>) -> Duration {
        let now = now.into();
        let wait = self.wait(now);
        let full_at = self.full_at.map_or(now, |full_at| full_at.max(now));
        self.full_at = full_at.checked_add(self.interval).or(self.full_at);
        wait
    }

    /// How long to wait before one more request may be sent.
    pub fn wait(&self, now: impl Into<Instant>) -> Duration {
        let now = now.into();
        let missing = self.full_at.map_or(Duration::ZERO, |full_at| full_at.saturating_duration_since(now));
        missing.saturating_sub(self.interval.saturating_mul(self.burst - 1))
    }

    /// How many requests could be sent now without a wait.
    pub fn available(&self, now: impl Into<Instant>) -> u32 {
        let now = now.into();
        let missing = self.full_at.map_or(Duration::ZERO, |full_at| full_at.saturating_duration_since(now));
        if self.interval.is_zero() {
            return self.burst;
        }
        let taken = missing.as_nanos().div_ceil(self.interval.as_nanos());
        self.burst.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests;
