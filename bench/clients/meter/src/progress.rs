//! How far a handler has come.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// What one handler has heard.
#[derive(Debug, Default)]
pub struct Progress {
    calls: AtomicU64,
    newest: AtomicU64,
    stamping: AtomicBool,
    stamps: Mutex<Vec<(u64, u64)>>,
}

impl Progress {
    /// Notes a call about a version.
    pub fn heard(&self, resource_version: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.newest.fetch_max(resource_version, Ordering::Release);
        if self.stamping.load(Ordering::Relaxed) {
            let stamp = (resource_version, now_nanos());
            self.stamps.lock().unwrap_or_else(PoisonError::into_inner).push(stamp);
        }
    }

    /// From now on notes when each call came; room for so many is made now.
    pub fn stamp(&self, count: u64) {
        let count = usize::try_from(count).unwrap_or_default();
        self.stamps.lock().unwrap_or_else(PoisonError::into_inner).reserve(count);
        self.stamping.store(true, Ordering::Relaxed);
    }

    /// When which version was heard.
    pub fn stamps(&self) -> Vec<(u64, u64)> {
        self.stamping.store(false, Ordering::Relaxed);
        std::mem::take(&mut self.stamps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The newest version it has heard of.
    pub fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }
}

/// Nanoseconds of the clock, which the server has too.
pub fn now_nanos() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or_default()
}
