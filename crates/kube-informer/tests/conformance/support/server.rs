//! The server under test: all that the suite knows about it.

use std::fmt;
use std::sync::OnceLock;

use anyhow::Result;
use embedded_apiserver::EmbeddedApiserver;
use test_cluster::{Cluster, Options};
use tokio::sync::RwLock;

/// Makes the server forget what was before this resourceVersion.
type Compact = Box<dyn Fn(u64) -> Result<()> + Send + Sync>;

/// A server, how to reach it, and what it can do beyond answering requests in JSON.
pub(crate) struct Server {
    /// Its address, certificate and token.
    pub(crate) kubeconfig: String,
    /// Whether a watch may ask for initial events; if not, it refuses them with 422.
    pub(crate) streams_lists: bool,
    /// No HTTP request does this.
    pub(crate) compact: Option<Compact>,
    /// Held alone by a test that compacts, and shared by those that need the history.
    pub(crate) history: RwLock<()>,
}

impl Server {
    /// An embedded one, which is reachable as long as the runtime of the test is.
    pub(crate) async fn embedded() -> Result<&'static Self> {
        let server = EmbeddedApiserver::new();
        let endpoint = server.listen().await?;
        let kubeconfig = endpoint.kubeconfig();
        let compact = move |version| {
            // It listens as long as this is kept.
            let _ = &endpoint;
            server.compact(version);
            Ok(())
        };
        Ok(Box::leak(Box::new(Self {
            kubeconfig,
            streams_lists: true,
            compact: Some(Box::new(compact)),
            history: RwLock::new(()),
        })))
    }

    /// The real one for the whole run, started by the first test that asks; it ends with the process.
    pub(crate) fn real() -> &'static Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        SERVER.get_or_init(|| {
            let cluster = Cluster::start(Options::default()).expect("the cluster starts");
            Self::of(cluster.until_exit().expect("the cluster is kept"))
        })
    }

    /// Makes it forget what was before `version`; `false`, after saying so, if it cannot be made to.
    pub(crate) async fn compacted(&'static self, test: &str, version: u64) -> Result<bool> {
        let Some(compact) = &self.compact else {
            test_cluster::print_skip(test, "this server cannot be made to forget its history");
            return Ok(false);
        };
        tokio::task::spawn_blocking(move || compact(version)).await??;
        Ok(true)
    }

    fn of(cluster: &'static Cluster) -> Self {
        Self {
            kubeconfig: cluster.kubeconfig_yaml(),
            streams_lists: cluster.feature_gate("WatchList").unwrap_or(true),
            compact: Some(Box::new(|revision| cluster.compact_etcd(revision))),
            history: RwLock::new(()),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("streams_lists", &self.streams_lists).finish_non_exhaustive()
    }
}
