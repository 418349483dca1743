//! The settings of a server.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::api::Api;
use crate::controllers::{self, BuiltinController};
use crate::front::{Front, User};
use crate::options::ApiOptions;
use crate::server::EmbeddedApiserver;
use crate::transport::Hosts;

/// Sets up an [`EmbeddedApiserver`]. Defaults are those of the real server.
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
    hosts: Option<Hosts>,
}

impl Builder {
    /// Requires this bearer token; requests without it are answered with 401. Kubeconfigs and clients that the server
    /// makes contain it. `/healthz`, `/livez`, `/readyz` and `/version` need no token.
    ///
    /// This server has no TLS, and clients in Go, kubectl among them, send no token without TLS.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.users.insert(0, User { name: "kubernetes-admin".into(), token: token.into() });
        self
    }

    /// Adds a user with a token. Every user may do everything, unless a fault denies it:
    ///
    /// ```
    /// # use embedded_apiserver::{EmbeddedApiserver, ServerFault};
    /// let server = EmbeddedApiserver::builder().token("secret").user("reader", "other").build();
    /// server.inject(ServerFault::forbidden().resource("secrets").when(|request| request.user == "reader"));
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

    /// How long a watch lasts if the client sets no `timeoutSeconds`: a random time in this range, 1,800 to 3,600 s.
    pub fn watch_timeout(mut self, range: Range<Duration>) -> Self {
        self.options.watch_timeout = range;
        self
    }

    /// How long a request for a resourceVersion that does not exist yet waits for it; 3 s.
    pub fn future_version_wait(mut self, patience: Duration) -> Self {
        self.options.freshness_wait = patience;
        self
    }

    /// For how long the changes of a busy resource are kept, within the limits of
    /// [`history_events`](Self::history_events); 75 s.
    pub fn history_window(mut self, window: Duration) -> Self {
        self.options.history.window = window;
        self
    }

    /// How many changes of each resource are kept: the minimum, whatever their age, and the maximum; 100 to 102,400.
    pub fn history_events(mut self, range: RangeInclusive<usize>) -> Self {
        (self.options.history.min_events, self.options.history.max_events) = range.into_inner();
        self
    }

    /// The age at which changes are forgotten even if there is room for them; by default there is none.
    pub fn history_age(mut self, age: Duration) -> Self {
        self.options.history.max_age = Some(age);
        self
    }

    /// How many bytes of changes of each resource are kept at most; 256 MiB.
    pub fn history_bytes(mut self, bytes: usize) -> Self {
        self.options.history.max_bytes = bytes;
        self
    }

    /// When the server ends a watch because its client is too slow: after more than this many changes have been waiting
    /// for longer than this; 1,000 and 1 s.
    pub fn slow_watch(mut self, changes: usize, patience: Duration) -> Self {
        self.options.slowness.buffer = changes;
        self.options.slowness.patience = patience;
        self
    }

    /// Whether watches may ask for the current state first (`sendInitialEvents`); yes. If not, such a watch is answered
    /// with 422, as by Kubernetes 1.33.
    pub fn streaming_lists(mut self, served: bool) -> Self {
        self.options.streaming_lists = served;
        self
    }

    /// Whether objects have `metadata.managedFields`, which server-side apply needs; yes. Without them objects are smaller and
    /// writes take less time, and an apply patch is answered with 501.
    pub fn managed_fields(mut self, kept: bool) -> Self {
        self.options.managed_fields = kept;
        self
    }

    /// The resourceVersion before the first write; 1. Versions count the writes, and the namespaces that every cluster has
    /// are written first.
    ///
    /// A server that is started again begins with nothing, so a client that has outlived it may know a version that the
    /// new server will only reach later, and would miss what comes before. If the versions of each server begin above
    /// those of the last one (microseconds since 1970 do), such a client gets 410 `Expired` at once, and reads anew.
    pub fn first_version(mut self, version: u64) -> Self {
        self.options.first_version = version.max(1);
        self
    }

    /// Makes random values the same in every run: uids, generated names, how long a watch lasts.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// The time at which the server's clock starts, for timestamps of objects; now. It advances with tokio's clock.
    pub fn start_time(mut self, time: SystemTime) -> Self {
        self.options.now = time;
        self
    }

    /// Runs these controllers; by default none. They act on all objects, on tokio's clock, and end with the server.
    ///
    /// ```
    /// # use embedded_apiserver::{BuiltinController, EmbeddedApiserver};
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let controllers = [BuiltinController::GarbageCollector, BuiltinController::Namespace];
    /// let server = EmbeddedApiserver::builder().controllers(controllers).build();
    /// # }
    /// ```
    ///
    /// Without the garbage collector owners have no effect, nor has a `propagationPolicy`: a delete adds no finalizer that
    /// nobody would remove. Without the controller of namespaces a deleted namespace is emptied and removed at once.
    pub fn controllers(mut self, controllers: impl IntoIterator<Item = BuiltinController>) -> Self {
        self.options.controllers.extend(controllers);
        self
    }

    /// How long the [controller of namespaces](BuiltinController::Namespace) waits after a change of a namespace that is being
    /// deleted, or in it, before it looks what there is to delete; 5 s.
    pub fn namespace_wait(mut self, wait: Duration) -> Self {
        self.options.namespace_wait = wait;
        self
    }

    /// Answers over TCP only who calls the server `localhost`, by an address of loopback, or by one of these names, and others
    /// with 403; by default it answers to any. For servers that run beside a browser: a page whose name leads to this
    /// machine could read and change all objects. Pages of other sites, which say so, get 403 as well.
    pub fn only_hosts(mut self, others: impl IntoIterator<Item = String>) -> Self {
        self.hosts = Some(Hosts::new(others));
        self
    }

    /// Builds the server.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime, if there are [controllers](Self::controllers).
    pub fn build(self) -> EmbeddedApiserver {
        let mut front = Front::new(Api::new(self.options), self.users);
        front.hosts = self.hosts;
        let front = Arc::new(front);
        controllers::start(&front);
        EmbeddedApiserver::from_front(front)
    }
}
