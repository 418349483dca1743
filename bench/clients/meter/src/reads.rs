//! How long reads of the cache take.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

/// How long one kind of read takes, in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Reads {
    /// What is read.
    pub name: String,
    /// How many objects a read brings.
    pub objects: f64,
    /// The median of batches, per read.
    pub median: f64,
    /// The slowest batch but one in a thousand, per read.
    pub p999: f64,
}

/// Reads again and again for a while, in batches, and takes the time. `read` gets the number of the read and returns how
/// many objects it brought.
#[allow(clippy::cast_precision_loss)] // Counts and nanoseconds.
pub fn time_reads(name: &str, batch: u64, length: Duration, mut read: impl FnMut(u64) -> usize) -> Reads {
    let started = Instant::now();
    let (mut times, mut objects, mut number) = (Vec::new(), 0, 0);
    while started.elapsed() < length || times.is_empty() {
        let before = Instant::now();
        for _ in 0..batch {
            objects += black_box(read(number));
            number += 1;
        }
        times.push(before.elapsed().as_nanos() as f64 / batch as f64);
    }
    times.sort_unstable_by(f64::total_cmp);
    Reads {
        name: name.to_owned(),
        objects: objects as f64 / number as f64,
        median: times[times.len() / 2],
        p999: times[(times.len() - 1) * 999 / 1_000],
    }
}

/// A walk over `count` things that looks random and meets them all.
pub fn keys_of_reads(number: u64, count: usize) -> usize {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from((mixed >> 20) % count.max(1) as u64).unwrap_or_default()
}
