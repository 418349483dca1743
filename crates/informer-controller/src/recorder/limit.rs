//! Who tells too much: many notes under one reason, and many events of one object.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::mem;
use std::time::Duration;

use tokio::time::Instant;

/// How many different notes are told one by one, and for how long they are remembered. As in client-go.
const DIFFERENT_NOTES: usize = 9;
const REMEMBERED: Duration = Duration::from_secs(600);

/// The entries that were used last, so that memory has a bound.
pub(super) struct Recent<K, V> {
    /// Whenever these are many they become the old ones, and the old ones are forgotten.
    new: HashMap<K, V>,
    old: HashMap<K, V>,
    many: usize,
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// At most `most` entries, and at least half as many.
    pub(super) fn new(most: usize) -> Self {
        Self { new: HashMap::new(), old: HashMap::new(), many: (most / 2).max(1) }
    }

    pub(super) fn get(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        if !self.new.contains_key(&key) {
            let old = self.old.remove(&key);
            if self.new.len() >= self.many {
                self.old = mem::take(&mut self.new);
            }
            return self.new.entry(key).or_insert_with(|| old.unwrap_or_else(new));
        }
        self.new.entry(key).or_insert_with(new)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.new.len() + self.old.len()
    }
}

/// The notes of events that are the same otherwise.
pub(super) struct Notes {
    last: Instant,
    /// Their hashes: two notes that are taken for one are no loss.
    seen: Vec<u64>,
}

impl Notes {
    pub(super) fn new(now: Instant) -> Self {
        Self { last: now, seen: Vec::new() }
    }

    /// Whether there are so many that this one is not told on its own.
    pub(super) fn are_many(&mut self, note: &str, now: Instant) -> bool {
        if now.saturating_duration_since(self.last) > REMEMBERED {
            self.seen.clear();
        }
        self.last = now;
        let mut hasher = DefaultHasher::new();
        note.hash(&mut hasher);
        let hash = hasher.finish();
        if self.seen.contains(&hash) {
            return false;
        }
        if self.seen.len() >= DIFFERENT_NOTES {
            return true;
        }
        self.seen.push(hash);
        false
    }
}

/// How many more events an object may have.
pub(super) struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Bucket {
    pub(super) fn full(burst: u32, now: Instant) -> Self {
        Self { tokens: f64::from(burst), at: now }
    }

    /// Whether there may be one more.
    pub(super) fn take(&mut self, burst: u32, one_per: Duration, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        let refilled = if one_per.is_zero() { f64::INFINITY } else { passed / one_per.as_secs_f64() };
        self.tokens = (self.tokens + refilled).min(f64::from(burst));
        self.at = now;
        // A little less than one, as sums of fractions are.
        let is_there = self.tokens >= 0.999_999;
        if is_there {
            self.tokens -= 1.0;
        }
        is_there
    }
}

#[cfg(test)]
mod tests;
