//! CPU time, time, memory.

use std::fs;
use std::time::Instant;

use anyhow::{Context as _, Result};
use nix::sys::resource::{UsageWho, getrusage};
use serde::Serialize;

/// How many bytes are allocated and not freed, if somebody counts them.
pub type Heap = fn() -> Option<u64>;

/// What a part of a run took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Phase {
    /// User and system time of the whole process, in seconds.
    pub cpu: f64,
    /// Time on the wall, in seconds.
    pub wall: f64,
    /// Resident memory at the end, in bytes.
    pub rss: u64,
    /// The most resident memory during it, in bytes.
    pub peak: u64,
    /// Live heap at the end, in bytes.
    pub heap: Option<u64>,
}

/// Measures a part of a run.
#[derive(Debug)]
pub struct Meter {
    cpu: f64,
    started: Instant,
    heap: Heap,
}

impl Meter {
    /// Starts.
    pub fn start(heap: Heap) -> Result<Self> {
        // Forgets the peak so far.
        fs::write("/proc/self/clear_refs", "5").context("cannot reset the peak of resident memory")?;
        Ok(Self { cpu: cpu()?, started: Instant::now(), heap })
    }

    /// Stops.
    pub fn stop(self) -> Result<Phase> {
        let (cpu, wall) = (cpu()? - self.cpu, self.started.elapsed().as_secs_f64());
        let status = fs::read_to_string("/proc/self/status")?;
        let field = |name: &str| -> Result<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).context("no such field")?;
            let kilobytes: u64 = line.split_whitespace().next().context("no number")?.parse()?;
            Ok(kilobytes * 1024)
        };
        Ok(Phase { cpu, wall, rss: field("VmRSS:")?, peak: field("VmHWM:")?, heap: (self.heap)() })
    }
}

#[allow(clippy::cast_precision_loss)] // Seconds.
fn cpu() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
