//! What a process has used.

use std::ops::Sub;
use std::time::Duration;

/// The unit of the times in `/proc`, on every Linux that there is.
const TICKS_PER_SECOND: u64 = 100;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// User and system time.
    pub(crate) cpu: Duration,
    /// The most memory that was resident.
    pub(crate) peak_bytes: u64,
}

impl Usage {
    /// Nothing where there is no `/proc`.
    pub(crate) fn of(process: u32) -> Self {
        let read =
            |file: &str| std::fs::read_to_string(format!("/proc/{process}/{file}")).unwrap_or_default();
        let (stat, status) = (read("stat"), read("status"));
        // The name of the program is in parentheses, and may have spaces. User and system time are the 14th and the 15th field.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
        Self {
            cpu: Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND),
            peak_bytes: peak.unwrap_or_default() * 1024,
        }
    }
}

impl Sub for Usage {
    type Output = Self;

    /// The time since then. The most memory is that of the whole life of the process.
    fn sub(self, before: Self) -> Self {
        Self { cpu: self.cpu.saturating_sub(before.cpu), ..self }
    }
}
