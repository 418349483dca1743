//! How long a run is and which, and what follows from its length.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

/// What `cargo xtask soak` was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) minutes: u64,
    pub(crate) seed: u64,
    /// The first step that is done; those before it are only drawn.
    pub(crate) first_step: usize,
    /// Where the table goes, as Markdown.
    pub(crate) report: Option<PathBuf>,
}

impl Settings {
    /// Nothing if the length is not set: then nobody asked for a run.
    pub(crate) fn from_environment() -> Result<Option<Self>> {
        let number = |name: &str| match std::env::var(name) {
            Ok(value) => value.parse().map(Some).with_context(|| format!("{name}={value} is not a number")),
            Err(_) => Ok(None),
        };
        let Some(minutes) = number("KUBE_INFORMER_SOAK_MINUTES")? else { return Ok(None) };
        Ok(Some(Self {
            minutes,
            seed: number("KUBE_INFORMER_SOAK_SEED")?.unwrap_or(1),
            first_step: usize::try_from(number("KUBE_INFORMER_SOAK_STEP")?.unwrap_or(1))?,
            report: std::env::var_os("KUBE_INFORMER_SOAK_REPORT").map(PathBuf::from),
        }))
    }

    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs(60 * self.minutes)
    }

    /// How long the longest partition is: 10 minutes in a run of an hour.
    pub(crate) fn longest_partition(&self) -> Duration {
        (self.length() / 6).min(Duration::from_secs(600))
    }

    /// How many objects the large kind has.
    pub(crate) fn objects(&self) -> usize {
        usize::try_from(self.minutes).unwrap_or(usize::MAX).saturating_mul(1000).min(50_000)
    }

    /// How many processes there are at once.
    pub(crate) fn processes(&self) -> usize {
        usize::try_from(self.minutes).unwrap_or(usize::MAX).saturating_mul(2).clamp(4, 20)
    }

    /// Whether a fault that may take so long to get over takes part: a short run has to come to the others, too.
    pub(crate) fn has_time_for(&self, bound: Duration) -> bool {
        bound * 5 <= self.length() * 2
    }

    /// Whether memory at the end can be compared with memory after a quarter: not before everything has happened a few times.
    pub(crate) fn memory_means_something(&self) -> bool {
        self.minutes >= 30
    }

    /// What repeats a run.
    pub(crate) fn command(&self) -> String {
        format!("cargo xtask soak --minutes {} --seed {}", self.minutes, self.seed)
    }
}
