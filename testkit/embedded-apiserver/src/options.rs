//! Settings of the API.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use crate::controllers::BuiltinController;
use crate::storage::{History, Slowness};

/// Settings of the API. The defaults are those of the real server.
#[derive(Clone, Debug)]
pub(crate) struct ApiOptions {
    /// How much history is kept.
    pub(crate) history: History,
    /// When a watch is ended because its client is too slow.
    pub(crate) slowness: Slowness,
    /// How often a watch that asks for bookmarks gets one.
    pub(crate) bookmark_interval: Duration,
    /// How long before the end of a watch it gets its last bookmark.
    pub(crate) last_bookmark: Duration,
    /// How long a request waits for a resourceVersion that does not exist yet.
    pub(crate) freshness_wait: Duration,
    /// How long a watch without `timeoutSeconds` lasts; a random time in this range.
    pub(crate) watch_timeout: Range<Duration>,
    /// Whether watches may ask for the current state first (the feature gate `WatchList`).
    pub(crate) streaming_lists: bool,
    /// Whether objects say who owns which of their fields, and can be applied.
    pub(crate) managed_fields: bool,
    /// The resourceVersion before the first write.
    pub(crate) first_version: u64,
    /// The seed of uids, generated names and the length of watches. `None`: different in every run.
    pub(crate) seed: Option<u64>,
    /// The time at the start; from there it advances with tokio's clock.
    pub(crate) now: SystemTime,
    /// The controllers that run.
    pub(crate) controllers: BTreeSet<BuiltinController>,
    /// How long the controller of namespaces waits after a change of a namespace, or in it, before it looks.
    pub(crate) namespace_wait: Duration,
}

impl ApiOptions {
    /// Whether a controller runs.
    pub(crate) fn runs(&self, controller: BuiltinController) -> bool {
        self.controllers.contains(&controller)
    }
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
            managed_fields: true,
            first_version: 1,
            seed: None,
            now: SystemTime::now(),
            controllers: BTreeSet::new(),
            namespace_wait: Duration::from_secs(5),
        }
    }
}
