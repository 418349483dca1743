//! Random values: uids, generated names, how long a watch lasts.

use std::ops::Range;
use std::time::Duration;

use parking_lot::Mutex;

/// A source of random values; with a seed they are the same in every run.
#[derive(Debug)]
pub(crate) struct Chance(Mutex<fastrand::Rng>);

impl Chance {
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self(Mutex::new(seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed)))
    }

    /// A random UUID.
    pub(crate) fn uuid(&self) -> String {
        let random = self.0.lock().u128(..);
        // Version 4, variant 1.
        let bits = random & !(0xf << 76) & !(0x3 << 62) | (4 << 76) | (0x2 << 62);
        let hex = format!("{bits:032x}");
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// The five random characters at the end of a generated name.
    pub(crate) fn name_end(&self) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut chance = self.0.lock();
        (0..5).filter_map(|_| chance.choice(ALPHABET)).map(|byte| char::from(*byte)).collect()
    }

    /// A random duration in a range; the start of the range if it is empty.
    pub(crate) fn duration(&self, range: &Range<Duration>) -> Duration {
        let part = self.0.lock().f64();
        range.start.saturating_add(range.end.saturating_sub(range.start).mul_f64(part))
    }
}
