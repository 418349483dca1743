//! The numbers of an informer: waits, counts, sizes.

use std::time::Duration;

use super::StreamingList;

/// One line per option: documentation, name, type and default. The macro makes the field, the setter, the default, and
/// the name that is used in errors about differing options. Options whose setter does more than store a value stand in
/// `with_setter`; their setters are written out below.
macro_rules! options_table {
    (
        $(#[$about:meta])*
        $table:ident
        plain { $( $(#[$doc:meta])* $name:ident: $type:ty = $default:expr; )* }
        with_setter { $( $(#[$why:meta])* $other:ident: $other_type:ty = $other_default:expr; )* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $table {
            $( pub(crate) $name: $type, )*
            $( $(#[$why])* pub(crate) $other: $other_type, )*
        }

        impl Default for $table {
            fn default() -> Self {
                Self { $( $name: $default, )* $( $other: $other_default, )* }
            }
        }

        impl $table {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, value: $type) -> Self {
                    self.$name = value;
                    self
                }
            )*

            /// The names of the fields in which two values differ.
            pub(crate) fn differing(&self, other: &Self) -> Vec<&'static str> {
                let alike = [
                    $( (stringify!($name), self.$name == other.$name), )*
                    $( (stringify!($other), self.$other == other.$other), )*
                ];
                alike.into_iter().filter(|(_, alike)| !alike).map(|(name, _)| name).collect()
            }
        }
    };
}
pub(crate) use options_table;

options_table! {
    /// The numbers by which an informer lists, watches, waits and queues. The defaults suit a production cluster, and most
    /// programs never name this type.
    ///
    /// Each [`Options`](crate::Options) value contains one, which [`Options::tuning`](crate::Options::tuning) changes.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kube_informer::source::Tuning;
    ///
    /// let patient = Tuning::default().min_watch_timeout(Duration::from_secs(60)).page_size(200);
    /// assert_ne!(patient, Tuning::default());
    /// ```
    Tuning
    plain {
        /// The first wait after a request that failed. Default 0.8 s.
        ///
        /// A watch that received an event, or lasted for [`short_watch`](Self::short_watch), is resumed without this
        /// wait.
        backoff_first: Duration = Duration::from_millis(800);
        /// The factor by which each further wait is longer. Default 2.
        backoff_factor: f64 = 2.0;
        /// The longest wait, before jitter. Default 30 s.
        backoff_limit: Duration = Duration::from_secs(30);
        /// How much is added at random to a wait, as a fraction of the wait, so that many clients do not retry at the
        /// same moment. Default 0.5: a wait is up to 1.5 times as long.
        backoff_jitter: f64 = 0.5;
        /// For how long after the first of several failures the waits do not grow. Default 10 s.
        backoff_steady: Duration = Duration::from_secs(10);
        /// After this time without a failure the waits start again at `backoff_first`. Default 2 min.
        backoff_reset: Duration = Duration::from_secs(120);
        /// The longest `Retry-After` of a server that the informer obeys. Default 10 min.
        retry_after_limit: Duration = Duration::from_secs(600);
        /// The shortest `timeoutSeconds` of a watch; each watch request names a random time between once and twice
        /// this. Default 5 min.
        ///
        /// A time below 5 min is used as it is (client-go silently ignores it): some load balancers cut connections
        /// after a minute, and a watch that ends before that ends cleanly and costs nothing. At least 1 s.
        min_watch_timeout: Duration = Duration::from_secs(300);
        /// Whether lists are streamed. Default [`StreamingList::Auto`].
        streaming_list: StreamingList = StreamingList::Auto;
        /// In each period of this length a streamed list has to deliver
        /// [`streaming_objects`](Self::streaming_objects) new objects or end; otherwise the informer uses LIST
        /// instead. Default 30 s.
        streaming_timeout: Duration = Duration::from_secs(30);
        /// How many new objects a streamed list has to deliver in each
        /// [`streaming_timeout`](Self::streaming_timeout). Default 100.
        streaming_objects: u32 = 100;
        /// After a server turned out not to support streamed lists, or ended one that had brought objects, how long the
        /// informer uses LIST before it tries a streamed list again. Default 1 h.
        fallback_memory: Duration = Duration::from_secs(3600);
        /// How long a LIST may receive no byte. Default 75 s: servers give up after 60 s.
        list_silence: Duration = Duration::from_secs(75);
        /// How long one LIST request, or one page, may take in all. Default 5 min: a server's own limit is a minute unless
        /// its administrator says otherwise.
        list_limit: Duration = Duration::from_secs(300);
        /// A watch counts as dead after its timeout plus this time without a byte. Default 15 s.
        watch_grace: Duration = Duration::from_secs(15);
        /// How long a watch that has received a bookmark may receive no byte before it counts as dead; servers send a
        /// bookmark every minute. Default 150 s.
        bookmark_silence: Duration = Duration::from_secs(150);
        /// After this much silence on a watch the informer makes sure that the server is still there: it asks for one
        /// object and expects a bookmark on the watch, or, where the transport has no pings, it moves the watch to
        /// another connection. Default 30 s.
        idle_watch: Duration = Duration::from_secs(30);
        /// How often the informer retries a kind that the server does not serve: the wait between two requests grows up
        /// to a random time between once and twice this. Default 30 s.
        gone_retry: Duration = Duration::from_secs(30);
        /// The time between two lists if RBAC allows the account to list but not to watch: a random time between once
        /// and twice this. Default 30 s.
        poll: Duration = Duration::from_secs(30);
        /// The longest random wait before a watch that ended is resumed, so that watches which end together are not all
        /// reopened in the same instant. Default 20 ms.
        resume_jitter: Duration = Duration::from_millis(20);
        /// The longest random wait before a list is read again because the watch cannot be resumed, so that many
        /// processes whose watches fail together do not all list at the same time. First lists and `refresh()` do not
        /// wait. Default 500 ms.
        relist_spread: Duration = Duration::from_millis(500);
        /// How many requests one scope may send in a burst. Default 10. The first list of a scope, and further pages of
        /// a list that makes progress, do not count; requests for single objects and `refresh()` have a second budget
        /// of the same size.
        request_burst: u32 = 10;
        /// After a burst, one more request may be sent in each period of this length. Default 1 s.
        request_interval: Duration = Duration::from_secs(1);
        /// How many relists in a burst are allowed for one scope because its watch cannot be resumed. Default 5.
        relist_burst: u32 = 5;
        /// After such a burst, one more relist is allowed in each period of this length. Default 10 s.
        relist_interval: Duration = Duration::from_secs(10);
        /// A watch that ends before this time without a new event counts as a failure. Default 1 s.
        short_watch: Duration = Duration::from_secs(1);
        /// The largest JSON document that the informer accepts, that is an object of a list or an event of a watch, in
        /// bytes. Default 32 MiB.
        document_limit: usize = 32 << 20;
        /// How many bytes of objects may be queued between the network and the store. Default 8 MiB.
        queue_bytes: usize = 8 << 20;
        /// How many events may be queued between the network and the store. Default 4,096.
        queue_entries: usize = 4096;
        /// After this many errors of a watch in a row, without a newer event or bookmark in between, the informer lists
        /// again; after fewer it resumes the watch. Default 3.
        errors_to_relist: u32 = 3;
        /// After this many watches in a row that died without a byte, the informer lists again; after fewer it reopens
        /// the watch. Default 2.
        silences_to_relist: u32 = 2;
        /// After this many streamed lists in a row that were cut, or ended before an object came, the informer uses LIST
        /// instead. It uses LIST at once after one that the server ended among its objects. Default 3.
        early_ends_to_list: u32 = 3;
        /// The shortest resync period; a handler that sets a shorter one gets this one. Default 1 s.
        ///
        /// As in client-go: a resync calls a handler for every object, so a period in milliseconds, mostly a slip, keeps a
        /// thread busy for nothing.
        minimum_resync: Duration = Duration::from_secs(1);
        /// How long a stop waits for handler calls that are in progress. Default 10 s.
        ///
        /// [`SharedInformer::shutdown`](crate::SharedInformer::shutdown), which also delivers pending events, has a
        /// timeout of its own.
        stop_patience: Duration = Duration::from_secs(10);
        /// A handler call that blocks its thread for longer counts as slow, and the first slow call is logged. Default
        /// 100 ms.
        slow_call: Duration = Duration::from_millis(100);
        /// How long [`wait_for`](crate::SharedInformer::wait_for) leaves it to the watch to bring the object before the
        /// informer requests that object from the server. Default 500 ms.
        lookup_after: Duration = Duration::from_millis(500);
    }
    with_setter {
        page_size: Option<u32> = None;
    }
}

impl Tuning {
    /// How many objects a page of a list has. If not set, lists that the server answers from its watch cache are not
    /// paged, and other lists have pages of 500.
    #[must_use]
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = Some(objects);
        self
    }

    /// The `timeoutSeconds` of one watch, drawn at random from [m, 2m], where m is `min_watch_timeout`.
    pub(crate) fn watch_timeout(&self, rng: &mut fastrand::Rng) -> u32 {
        let min = u32::try_from(self.min_watch_timeout.as_secs()).unwrap_or(u32::MAX / 2).max(1);
        rng.u32(min..=min.saturating_mul(2))
    }

    /// How long a watch may receive no byte before it counts as dead.
    pub(crate) fn watch_silence(&self, timeout_seconds: u32, bookmarked: bool) -> Duration {
        let whole = Duration::from_secs(timeout_seconds.into()).saturating_add(self.watch_grace);
        if bookmarked { whole.min(self.bookmark_silence) } else { whole }
    }
}
