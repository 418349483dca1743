//! How often objects of an informer are decoded.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Repeated decodes are counted for this long.
const WINDOW: Duration = Duration::from_secs(60);

/// What is counted of the decoded objects of one informer. On cache lines of its own: readers write to it at every call, and
/// beside it is what the informer writes at every event.
#[derive(Default)]
#[repr(align(128))]
pub struct Meter {
    /// How often a decoded form was there already.
    pub(super) hits: AtomicU64,
    /// How often an object had to be decoded.
    pub(super) misses: AtomicU64,
    /// How many bytes the cache takes the forms to need that it keeps of this informer.
    pub(super) kept: AtomicUsize,
    repeats: Mutex<Repeats>,
    hinted: AtomicBool,
}

/// Decodes of records that had been decoded before.
#[derive(Default)]
struct Repeats {
    since: Option<Instant>,
    count: usize,
}

impl Meter {
    /// How often a decoded form was there already.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// How often an object had to be decoded.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    /// How many bytes the cache takes the forms to need that it keeps of this informer.
    pub fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// Whether it is time to say that these objects should stay decoded: within a minute, four times as many as there are, and
    /// at least a thousand, were decoded although they had been before. Said once.
    pub(super) fn repeated(&self, now: Instant, alive: usize) -> bool {
        let mut repeats = self.repeats.lock();
        if repeats.since.is_none_or(|since| now.duration_since(since) > WINDOW) {
            *repeats = Repeats { since: Some(now), count: 0 };
        }
        repeats.count += 1;
        repeats.count > (alive * 4).max(1_000) && !self.hinted.swap(true, Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn has_hinted(&self) -> bool {
        self.hinted.load(Ordering::Relaxed)
    }
}
