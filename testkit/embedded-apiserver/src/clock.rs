//! The clock that timestamps of objects are made with.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// The time of day. It advances with tokio's clock, so it stands still when that is paused.
#[derive(Debug)]
pub(crate) struct Clock {
    start: Instant,
    /// The time at the start, as the duration since 1970.
    at_start: Duration,
}

impl Clock {
    pub(crate) fn new(now: SystemTime) -> Self {
        Self { start: Instant::now(), at_start: now.duration_since(UNIX_EPOCH).unwrap_or_default() }
    }

    /// The time now, in whole seconds, as RFC 3339 in UTC.
    pub(crate) fn now(&self) -> String {
        self.after(0)
    }

    /// The time this many seconds from now.
    pub(crate) fn after(&self, seconds: u64) -> String {
        timestamp((self.at_start + self.start.elapsed()).as_secs().saturating_add(seconds))
    }
}

/// Seconds since 1970 as RFC 3339.
fn timestamp(seconds: u64) -> String {
    let days = seconds / 86_400;
    let rest = seconds % 86_400;
    let (year, month, day) = date(days);
    let hour = rest / 3600;
    let minute = rest / 60 % 60;
    let second = rest % 60;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Days since 1970 as year, month and day. Years are taken to begin on the first of
/// March, so that a leap day is the last day of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests;
