//! What this process takes of the machine.

use std::time::Duration;

use anyhow::{Context, Result};
use tokio::runtime::Handle;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Resources {
    pub(crate) descriptors: usize,
    pub(crate) tasks: usize,
}

const TICK: Duration = Duration::from_millis(250);

/// So many ticks: twelve seconds, where idle connections are kept for ten.
const STEADY: u32 = 48;

const PATIENCE: Duration = Duration::from_secs(120);

impl Resources {
    fn now() -> Result<Self> {
        let descriptors = std::fs::read_dir("/proc/self/fd").context("the descriptors of a process")?.count();
        Ok(Self { descriptors, tasks: Handle::current().metrics().num_alive_tasks() })
    }

    /// Waits until they have been the same for longer than idle connections are kept.
    pub(crate) async fn steady() -> Result<Self> {
        let mut tick = tokio::time::interval(TICK);
        let (mut last, mut same) = (Self::now()?, 0);
        while same < STEADY {
            tick.tick().await;
            let now = Self::now()?;
            same = if now == last { same + 1 } else { 0 };
            last = now;
        }
        Ok(last)
    }

    /// Waits until there are no more than these, and gives those there are.
    pub(crate) async fn back_to(self) -> Result<Self> {
        let mut tick = tokio::time::interval(TICK);
        let back = async {
            loop {
                tick.tick().await;
                let now = Self::now()?;
                if now.descriptors <= self.descriptors && now.tasks <= self.tasks {
                    return Ok(now);
                }
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, back).await;
        in_time.with_context(|| format!("{:?} are left, {self:?} after the warm-up", Self::now()))?
    }
}

/// What the process has in memory, in KiB.
pub(crate) fn resident() -> Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status").context("the memory of a process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).context("VmRSS")
}
