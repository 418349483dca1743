//! What can be set about the behaviour of the API.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use crate::storage::{History, Slowness};

/// What can be set about the behaviour of the API. The default is what the real server does by default.
#[derive(Clone, Debug)]
pub(crate) struct ApiOptions {
    /// How much of the past is kept.
    pub(crate) history: History,
    /// When a watch is given up because its client does not keep up.
    pub(crate) slowness: Slowness,
    /// How often a watch that asks for bookmarks gets one.
    pub(crate) bookmark_interval: Duration,
    /// How long before the end of a watch it gets one more.
    pub(crate) last_bookmark: Duration,
    /// How long a version of the future is waited for.
    pub(crate) freshness_wait: Duration,
    /// How long a watch lasts that does not say; a random time between the two.
    pub(crate) watch_timeout: Range<Duration>,
    /// Whether watches may ask for the state first (the feature gate `WatchList`).
    pub(crate) streaming_lists: bool,
    /// What chance depends on: uids, generated names, the length of watches. `None`: different each time.
    pub(crate) seed: Option<u64>,
    /// The time at the start, from which on tokio's clock counts.
    pub(crate) now: SystemTime,
}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            history: History::default(),
            slowness: Slowness::default(),
            bookmark_interval: Duration::from_secs(60),
            last_bookmark: Duration::from_secs(2),
            freshness_wait: Duration::from_secs(3),
            watch_timeout: Duration::from_secs(1800)..Duration::from_secs(3600),
            streaming_lists: true,
            seed: None,
            now: SystemTime::now(),
        }
    }
}
