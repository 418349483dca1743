//! How long reads of the cache take.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

/// How many reads of hot objects there are a second.
pub const HOT_READS: u32 = 100_000;

/// How many reads there are a second where each may be of an object that nobody has read before.
pub const COLD_READS: u32 = 10_000;

/// How long one kind of read takes, in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Reads {
    /// What is read.
    pub name: String,
    /// How many objects a read brings.
    pub objects: f64,
    /// How many reads there were a second.
    pub rate: f64,
    /// All of them together, per read.
    pub mean: f64,
    /// The median of batches, per read.
    pub median: f64,
    /// The slowest batch but one in a hundred, per read.
    pub p99: f64,
    /// The slowest batch but one in a thousand, per read.
    pub p999: f64,
}

/// Reads again and again for a while, in batches, and takes the time. `read` gets the number of the read and returns how
/// many objects it brought.
pub fn time_reads(name: &str, batch: u64, length: Duration, read: impl FnMut(u64) -> usize) -> Reads {
    timed(name, batch, length, read, |_| {})
}

/// Reads at this rate, and takes the time of each: looking at the clock is part of it. The reader wakes every millisecond for those
/// that are due, as a program that has other things to do.
pub fn time_paced_reads(
    name: &str,
    a_second: u32,
    length: Duration,
    read: impl FnMut(u64) -> usize,
) -> Reads {
    let started = Instant::now();
    timed(name, 1, length, read, |number| {
        let due = Duration::from_secs(number) / a_second;
        if let Some(early) = due.checked_sub(started.elapsed()) {
            thread::sleep(early.max(Duration::from_millis(1)));
        }
    })
}

#[allow(clippy::cast_precision_loss)] // Counts and nanoseconds.
fn timed(
    name: &str,
    batch: u64,
    length: Duration,
    mut read: impl FnMut(u64) -> usize,
    mut wait: impl FnMut(u64),
) -> Reads {
    let started = Instant::now();
    let (mut times, mut objects, mut number) = (Vec::new(), 0, 0);
    while started.elapsed() < length || times.is_empty() {
        wait(number);
        let before = Instant::now();
        for _ in 0..batch {
            objects += black_box(read(number));
            number += 1;
        }
        times.push(before.elapsed().as_nanos() as f64 / batch as f64);
    }
    let rate = number as f64 / started.elapsed().as_secs_f64();
    times.sort_unstable_by(f64::total_cmp);
    let slowest_but = |part: usize| times[(times.len() - 1) * (part - 1) / part];
    Reads {
        name: name.to_owned(),
        objects: objects as f64 / number as f64,
        rate,
        mean: times.iter().sum::<f64>() / times.len() as f64,
        median: times[times.len() / 2],
        p99: slowest_but(100),
        p999: slowest_but(1_000),
    }
}

/// A walk over `count` things that looks random and meets them all.
pub fn keys_of_reads(number: u64, count: usize) -> usize {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from((mixed >> 20) % count.max(1) as u64).unwrap_or_default()
}
