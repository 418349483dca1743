//! From the server's write to the handler's call.

use serde::Serialize;

/// Latencies in microseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Latency {
    /// How many were measured.
    pub count: u64,
    /// Half of them took less.
    pub p50: f64,
    /// 99 of 100 took less.
    pub p99: f64,
    /// 999 of 1,000 took less.
    pub p999: f64,
}

impl Latency {
    /// Of calls that came at (version, nanoseconds); `sent` are those of the versions up to `last`, in order.
    pub fn of(stamps: impl IntoIterator<Item = (u64, u64)>, sent: &[u64], last: u64) -> Option<Self> {
        Self::of_times(times(stamps, sent, last).map(|(_, time)| time).collect())
    }

    /// The same, of the last call for each version: how long until all handlers have heard of it. A handler that heard only of a
    /// newer version, because updates were merged, is not waited for.
    pub fn of_last(stamps: impl IntoIterator<Item = (u64, u64)>, sent: &[u64], last: u64) -> Option<Self> {
        let mut longest = vec![None; sent.len()];
        for (index, time) in times(stamps, sent, last) {
            longest[index] = longest[index].max(Some(time));
        }
        Self::of_times(longest.into_iter().flatten().collect())
    }

    /// Of times in nanoseconds.
    pub fn of_times(mut times: Vec<u64>) -> Option<Self> {
        times.sort_unstable();
        #[allow(clippy::cast_precision_loss)] // Nanoseconds.
        let at = |share: usize| Some(*times.get(times.len() * share / 1_000)? as f64 / 1e3);
        Some(Self { count: times.len() as u64, p50: at(500)?, p99: at(990)?, p999: at(999)? })
    }
}

/// How long each call took, and the place of its version in `sent`.
fn times(
    stamps: impl IntoIterator<Item = (u64, u64)>,
    sent: &[u64],
    last: u64,
) -> impl Iterator<Item = (usize, u64)> {
    let first = last + 1 - sent.len() as u64;
    stamps.into_iter().filter_map(move |(version, at)| {
        let index = usize::try_from(version.checked_sub(first)?).ok()?;
        Some((index, at.saturating_sub(*sent.get(index)?)))
    })
}

#[cfg(test)]
mod tests;
