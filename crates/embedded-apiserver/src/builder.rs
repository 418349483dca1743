//! What can be set about a server.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::api::Api;
use crate::front::{Front, User};
use crate::options::ApiOptions;
use crate::server::EmbeddedApiserver;

/// Sets up an [`EmbeddedApiserver`]. What is not set is as in the real server.
///
/// ```
/// use std::time::Duration;
/// use embedded_apiserver::EmbeddedApiserver;
///
/// let server = EmbeddedApiserver::builder().token("secret").bookmark_every(Duration::from_secs(5)).build();
/// assert_eq!(server.version(), EmbeddedApiserver::new().version());
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is set up until it is built"]
pub struct Builder {
    options: ApiOptions,
    users: Vec<User>,
}

impl Builder {
    /// Requests need this bearer token; without it they are answered with 401. Kubeconfigs and clients that the server
    /// makes have it. `/healthz`, `/livez`, `/readyz` and `/version` are open to all.
    ///
    /// Clients in Go, kubectl among them, do not send a token to a server without TLS, which this one is.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.users.insert(0, User { name: "kubernetes-admin".into(), token: token.into() });
        self
    }

    /// A further user with a token. All may do everything but for what a fault denies them:
    ///
    /// ```
    /// # use embedded_apiserver::{EmbeddedApiserver, Fault};
    /// let server = EmbeddedApiserver::builder().token("secret").user("reader", "other").build();
    /// server.inject(Fault::forbidden().resource("secrets").when(|request| request.user == "reader"));
    /// ```
    pub fn user(mut self, name: impl Into<String>, token: impl Into<String>) -> Self {
        self.users.push(User { name: name.into(), token: token.into() });
        self
    }

    /// How often a watch that asks for bookmarks gets one; 60 s.
    pub fn bookmark_every(mut self, interval: Duration) -> Self {
        self.options.bookmark_interval = interval;
        self
    }

    /// How long a watch lasts that does not say; a random time in this range, 1,800 to 3,600 s.
    pub fn watch_timeout(mut self, range: Range<Duration>) -> Self {
        self.options.watch_timeout = range;
        self
    }

    /// How long a request for a version of the future waits for it; 3 s.
    pub fn future_version_wait(mut self, patience: Duration) -> Self {
        self.options.freshness_wait = patience;
        self
    }

    /// How long changes are remembered of a resource with many; 75 s.
    pub fn history_window(mut self, window: Duration) -> Self {
        self.options.history.window = window;
        self
    }

    /// How many changes are remembered of each resource: at least, whatever their age, and at most; 100 to 102,400.
    pub fn history_events(mut self, range: RangeInclusive<usize>) -> Self {
        (self.options.history.min_events, self.options.history.max_events) = range.into_inner();
        self
    }

    /// After what time changes are forgotten even where there is room for them; never.
    pub fn history_age(mut self, age: Duration) -> Self {
        self.options.history.max_age = Some(age);
        self
    }

    /// How many bytes of changes are remembered of each resource, at most; 256 MiB.
    pub fn history_bytes(mut self, bytes: usize) -> Self {
        self.options.history.max_bytes = bytes;
        self
    }

    /// When the server ends a watch whose client does not keep up: when more than this many changes have waited for it
    /// for this long; 1,000 and 1 s.
    pub fn slow_watch(mut self, changes: usize, patience: Duration) -> Self {
        (self.options.slowness.buffer, self.options.slowness.patience) = (changes, patience);
        self
    }

    /// Whether watches may ask for the state first (`sendInitialEvents`); yes. Without it they are answered with 422, as
    /// by Kubernetes 1.33.
    pub fn streaming_lists(mut self, served: bool) -> Self {
        self.options.streaming_lists = served;
        self
    }

    /// Makes what the server makes up the same each time: uids, generated names, how long a watch lasts.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// The time of day at the start, for timestamps of objects; now. It goes on as tokio's clock does.
    pub fn start_time(mut self, time: SystemTime) -> Self {
        self.options.now = time;
        self
    }

    /// Makes the server.
    pub fn build(self) -> EmbeddedApiserver {
        EmbeddedApiserver::from_front(Arc::new(Front::new(Api::new(self.options), self.users)))
    }
}
