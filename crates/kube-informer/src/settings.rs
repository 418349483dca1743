//! Every wait, count and limit that one informer goes by.

use std::time::Duration;

use crate::error::BuildError;

/// How long things may take, how large they may be, and how lists are read. The defaults suit a production cluster.
///
/// ```
/// use std::time::Duration;
/// use kube_informer::Settings;
///
/// let settings = Settings::default()
///     .min_watch_timeout(Duration::from_secs(60))
///     .page_size(200);
/// assert!(settings.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    pub(crate) backoff_first: Duration,
    pub(crate) backoff_factor: f64,
    pub(crate) backoff_limit: Duration,
    pub(crate) backoff_jitter: f64,
    pub(crate) backoff_steady: Duration,
    pub(crate) backoff_reset: Duration,
    pub(crate) retry_after_limit: Duration,
    pub(crate) min_watch_timeout: Duration,
    pub(crate) page_size: Option<u32>,
    pub(crate) streaming_list: StreamingList,
    pub(crate) streaming_timeout: Duration,
    pub(crate) streaming_objects: u32,
    pub(crate) fallback_memory: Duration,
    pub(crate) list_silence: Duration,
    pub(crate) list_limit: Duration,
    pub(crate) watch_grace: Duration,
    pub(crate) bookmark_silence: Duration,
    pub(crate) gone_retry: Duration,
    pub(crate) poll: Duration,
    pub(crate) resume_jitter: Duration,
    pub(crate) relist_spread: Duration,
    pub(crate) request_burst: u32,
    pub(crate) request_interval: Duration,
    pub(crate) relist_burst: u32,
    pub(crate) relist_interval: Duration,
    pub(crate) short_watch: Duration,
    pub(crate) document_limit: usize,
    pub(crate) queue_bytes: usize,
    pub(crate) queue_entries: usize,
    pub(crate) errors_to_relist: u32,
    pub(crate) silences_to_relist: u32,
    pub(crate) early_ends_to_list: u32,
    pub(crate) minimum_resync: Duration,
    pub(crate) stop_patience: Duration,
    pub(crate) slow_call: Duration,
    pub(crate) lookup_after: Duration,
}

/// Whether lists are read as a stream (`sendInitialEvents=true`), which costs the server far less memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamingList {
    /// Streamed; a server that cannot is remembered and asked with LIST for a while.
    #[default]
    Auto,
    /// Streaming is tried before every list, whatever happened before.
    Always,
    /// LIST only.
    Never,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            backoff_first: Duration::from_millis(800),
            backoff_factor: 2.0,
            backoff_limit: Duration::from_secs(30),
            backoff_jitter: 0.5,
            backoff_steady: Duration::from_secs(10),
            backoff_reset: Duration::from_secs(120),
            retry_after_limit: Duration::from_secs(600),
            min_watch_timeout: Duration::from_secs(300),
            page_size: None,
            streaming_list: StreamingList::Auto,
            streaming_timeout: Duration::from_secs(30),
            streaming_objects: 100,
            fallback_memory: Duration::from_secs(3600),
            list_silence: Duration::from_secs(75),
            list_limit: Duration::from_secs(300),
            watch_grace: Duration::from_secs(15),
            bookmark_silence: Duration::from_secs(150),
            gone_retry: Duration::from_secs(30),
            poll: Duration::from_secs(30),
            resume_jitter: Duration::from_millis(20),
            relist_spread: Duration::from_secs(1),
            request_burst: 10,
            request_interval: Duration::from_secs(1),
            relist_burst: 5,
            relist_interval: Duration::from_secs(10),
            short_watch: Duration::from_secs(1),
            document_limit: 32 << 20,
            queue_bytes: 8 << 20,
            queue_entries: 4096,
            errors_to_relist: 3,
            silences_to_relist: 2,
            early_ends_to_list: 3,
            minimum_resync: Duration::from_secs(1),
            stop_patience: Duration::from_secs(10),
            slow_call: Duration::from_millis(100),
            lookup_after: Duration::from_millis(500),
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty),* $(,)?) => {
        impl Settings {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, value: $type) -> Self {
                    self.$name = value.into();
                    self
                }
            )*
        }
    };
}

setters! {
    /// The first wait after a request that failed. Default 0.8 s.
    ///
    /// A watch that brought something, or lasted for [`short_watch`](Settings::short_watch), is resumed without this wait.
    backoff_first: Duration,
    /// By how much each further wait is longer. Default 2.
    backoff_factor: f64,
    /// What a wait grows to, before jitter. Default 30 s.
    backoff_limit: Duration,
    /// How much is added at random to a wait, as a share of it, so that many clients do not come back together.
    /// Default 0.5: a wait is up to half as long again.
    backoff_jitter: f64,
    /// For how long after the first of several failures the waits do not grow. Default 10 s.
    backoff_steady: Duration,
    /// After how long without a failure the next wait is a first one again. Default 2 min.
    backoff_reset: Duration,
    /// The longest `Retry-After` of a server that is obeyed. Default 10 min.
    retry_after_limit: Duration,
    /// The shortest time a watch is asked to last; each one lasts between once and twice this, at random.
    /// Default 5 min.
    ///
    /// A shorter time is taken as it is (client-go quietly ignores anything below 5 min): some load balancers cut
    /// connections after a minute, and a watch that ends before that ends cleanly and costs nothing. At least 1 s.
    min_watch_timeout: Duration,
    /// How many objects a page of a list has. Without it lists that a server's cache can answer are not paged,
    /// the others have pages of 500.
    page_size: u32,
    /// Whether lists are streamed. Default [`StreamingList::Auto`].
    streaming_list: StreamingList,
    /// In each such time a streamed list has to bring [`streaming_objects`](Settings::streaming_objects) new objects or
    /// its end, or LIST is used instead. Default 30 s.
    streaming_timeout: Duration,
    /// How many objects that it has not brought before a streamed list has to bring in each
    /// [`streaming_timeout`](Settings::streaming_timeout). Default 100.
    streaming_objects: u32,
    /// How long a server that cannot stream lists is not asked to again. Default 1 h.
    fallback_memory: Duration,
    /// How long a LIST may bring no byte. Default 75 s: servers give up after 60 s.
    list_silence: Duration,
    /// How long one LIST request, or one page, may take in all. Default 5 min: a server's own limit is a minute unless
    /// its administrator says otherwise.
    list_limit: Duration,
    /// How much longer than its timeout a watch may be without a byte before it counts as dead. Default 15 s.
    watch_grace: Duration,
    /// How long a watch that has brought a bookmark, which come every minute, may be without a byte. Default 150 s.
    bookmark_silence: Duration,
    /// How rarely a kind that the server does not serve is asked for in the end, up to twice this at random. The waits
    /// grow to this as after any failure. Default 30 s.
    gone_retry: Duration,
    /// How often an account that may list but not watch lists, up to twice this at random. Default 30 s.
    poll: Duration,
    /// The longest random wait before a watch that ended is resumed, so that watches which end together do not come back
    /// in the same instant. Default 20 ms.
    resume_jitter: Duration,
    /// The longest random wait before a list is read again because the watch cannot be resumed: what many processes
    /// learn at the same time they must not do at the same time. First lists and `refresh()` do not wait. Default 1 s.
    relist_spread: Duration,
    /// How many requests one scope may send at once. Default 10. Pages of a list that goes forward and the first list
    /// of a scope do not count; questions about single objects and `refresh()` have a second allowance of the same size.
    request_burst: u32,
    /// After how long one more request may be sent. Default 1 s.
    request_interval: Duration,
    /// How many times a watch that cannot be resumed may make one scope be listed again in short order. Default 5.
    relist_burst: u32,
    /// After how long it may happen once more. Default 10 s.
    relist_interval: Duration,
    /// A watch that ends before this time and brought nothing new counts as a failure. Default 1 s.
    short_watch: Duration,
    /// The largest JSON document, an object of a list or an event of a watch, in bytes. Default 32 MiB.
    document_limit: usize,
    /// How many bytes of objects wait between the network and the store. Default 8 MiB.
    queue_bytes: usize,
    /// How many events wait between the network and the store. Default 4,096.
    queue_entries: usize,
    /// How many errors of a watch in a row, without a newer event or bookmark in between, make the list be read again; fewer
    /// resume. Default 3.
    errors_to_relist: u32,
    /// How many watches in a row that die without a byte make the list be read again; fewer are opened again. Default 2.
    silences_to_relist: u32,
    /// How many streamed lists in a row may end before they are complete; after the last of them LIST is used instead.
    /// Default 3.
    early_ends_to_list: u32,
    /// The shortest period of a resync; handlers that ask for a shorter one get this. Default 1 s.
    minimum_resync: Duration,
    /// How long a stop waits for calls of handlers that are in progress. Default 10 s.
    ///
    /// [`SharedInformer::shutdown`](crate::SharedInformer::shutdown), which also delivers what waits, has a timeout of its own.
    stop_patience: Duration,
    /// A call of a handler that keeps the thread for longer counts as slow, and the first is logged. Default 100 ms.
    slow_call: Duration,
    /// How long the watch is given to bring what is [waited for](crate::SharedInformer::wait_for) before the object is
    /// asked for on its own. Default 500 ms.
    lookup_after: Duration,
}

impl Settings {
    /// Names the first setting that cannot work. Informers check when they are built.
    pub fn check(&self) -> Result<(), BuildError> {
        let fail = |setting, problem| Err(BuildError::cannot_work(setting, problem));
        let waits = [
            ("backoff_first", self.backoff_first),
            ("backoff_reset", self.backoff_reset),
            ("streaming_timeout", self.streaming_timeout),
            ("list_silence", self.list_silence),
            ("watch_grace", self.watch_grace),
            ("bookmark_silence", self.bookmark_silence),
            ("gone_retry", self.gone_retry),
            ("list_limit", self.list_limit),
            ("poll", self.poll),
            ("request_interval", self.request_interval),
            ("relist_interval", self.relist_interval),
            ("minimum_resync", self.minimum_resync),
        ];
        if let Some((setting, _)) = waits.iter().find(|(_, wait)| wait.is_zero()) {
            return fail(setting, "must not be zero");
        }
        if !(self.backoff_factor.is_finite() && self.backoff_factor >= 1.0) {
            return fail("backoff_factor", "must be 1 or more");
        }
        if !(self.backoff_jitter.is_finite() && self.backoff_jitter >= 0.0) {
            return fail("backoff_jitter", "must not be negative");
        }
        if self.backoff_limit < self.backoff_first {
            return fail("backoff_limit", "must not be below backoff_first");
        }
        if !(Duration::from_secs(1)..=Duration::from_secs(86_400)).contains(&self.min_watch_timeout) {
            return fail("min_watch_timeout", "must be between a second and a day");
        }
        for (setting, interval) in
            [("request_interval", self.request_interval), ("relist_interval", self.relist_interval)]
        {
            if interval > Duration::from_secs(86_400) {
                return fail(setting, "must not be more than a day");
            }
        }
        if self.page_size == Some(0) {
            return fail("page_size", "must not be zero");
        }
        for (setting, bound) in [
            ("document_limit", self.document_limit),
            ("queue_bytes", self.queue_bytes),
            ("queue_entries", self.queue_entries),
        ] {
            if bound == 0 {
                return fail(setting, "must not be zero");
            }
        }
        for (setting, count) in [
            ("errors_to_relist", self.errors_to_relist),
            ("silences_to_relist", self.silences_to_relist),
            ("streaming_objects", self.streaming_objects),
            ("request_burst", self.request_burst),
            ("relist_burst", self.relist_burst),
            ("early_ends_to_list", self.early_ends_to_list),
        ] {
            if count == 0 {
                return fail(setting, "must not be zero");
            }
        }
        Ok(())
    }

    /// The time one watch is asked to last, in whole seconds, drawn from [m, 2m].
    pub(crate) fn watch_timeout(&self, rng: &mut fastrand::Rng) -> u32 {
        let min = u32::try_from(self.min_watch_timeout.as_secs()).unwrap_or(u32::MAX / 2).max(1);
        rng.u32(min..=min.saturating_mul(2))
    }

    /// How long a watch may be without a byte before it counts as dead.
    pub(crate) fn watch_silence(&self, timeout_seconds: u32, bookmarked: bool) -> Duration {
        let whole = Duration::from_secs(timeout_seconds.into()).saturating_add(self.watch_grace);
        if bookmarked { whole.min(self.bookmark_silence) } else { whole }
    }
}

#[cfg(test)]
mod tests;
