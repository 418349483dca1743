//! The embedded server, with what scenarios do to a cluster.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use embedded_apiserver::{EmbeddedApiserver, RecordedRequest, ServerFault, TcpServer, Verb};
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::{interval, timeout};

use crate::support::{PATIENCE, Server};

/// The administrator's tokens: the one at first, and the one that replaces it.
const TOKENS: [&str; 2] = ["first", "second"];
/// As whom the one with the second token is known.
const ADMIN_AGAIN: &str = "kubernetes-admin-again";
/// Name and token of the user who may do nothing where there are rules.
const UNPRIVILEGED: &str = "unprivileged";
const BINDINGS: [&str; 2] =
    ["rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io"];

/// A server that looks to scenarios like a real cluster.
pub(super) struct Cluster {
    server: EmbeddedApiserver,
    /// None while the server is not running.
    endpoint: Option<TcpServer>,
    address: SocketAddr,
    kubeconfig: String,
    token: &'static str,
    /// The version that was copied last.
    backup: u64,
}

/// Starts one. As with a real cluster there is a choice, and here it is always there.
#[expect(clippy::unnecessary_wraps, reason = "a real cluster may not be available")]
pub(super) fn cluster(_test: &str) -> Option<Cluster> {
    let server = EmbeddedApiserver::builder()
        .token(TOKENS[0])
        .user(ADMIN_AGAIN, TOKENS[1])
        .user(UNPRIVILEGED, UNPRIVILEGED)
        .build();
    let endpoint = block_in_place(|| Handle::current().block_on(server.listen())).expect("there is a port");
    let (address, kubeconfig) = (endpoint.address(), endpoint.kubeconfig());
    Some(Cluster { server, endpoint: Some(endpoint), address, kubeconfig, token: TOKENS[0], backup: 0 })
}

/// The same with access rules: who is bound to any role reads all there is where it is bound.
pub(super) fn cluster_with_rules(test: &str) -> Option<Cluster> {
    let cluster = cluster(test)?;
    let journal = cluster.server.journal().clone();
    let denied = move |request: &RecordedRequest| {
        let done = |verb, status, binding: &RecordedRequest| {
            BINDINGS.iter().any(|resource| binding.is(verb, resource))
                && (binding.namespace.is_empty() || binding.namespace == request.namespace)
                && binding.status == Some(status)
        };
        let bound = journal.count(|binding| done(Verb::Create, 201, binding));
        request.user == UNPRIVILEGED && bound == journal.count(|binding| done(Verb::Delete, 200, binding))
    };
    cluster.server.inject(ServerFault::forbidden().when(denied));
    Some(cluster)
}

impl Server for Cluster {
    fn kubeconfig(&self) -> String {
        self.kubeconfig.replace(TOKENS[0], self.token)
    }

    /// All that there ever were.
    async fn watches(&self, resource: &str) -> Result<u64> {
        Ok(self.server.journal().count(|request| request.is(Verb::Watch, resource)).try_into()?)
    }
}

/// The same as with the real cluster, under the same names.
impl Cluster {
    pub(super) fn token(&self) -> &str {
        self.token
    }

    #[expect(clippy::unused_self, reason = "another one for each real cluster")]
    pub(super) fn unprivileged_token(&self) -> &str {
        UNPRIVILEGED
    }

    pub(super) fn kill_apiserver(&mut self) {
        self.endpoint = None;
    }

    /// At the same address, and without the history of before.
    pub(super) fn start_apiserver(&mut self) -> Result<()> {
        ensure!(self.endpoint.is_none(), "the server is running");
        self.server.compact(self.server.version());
        let started = async {
            let mut again = interval(Duration::from_millis(5));
            loop {
                again.tick().await;
                // The one before gives up its port a moment after it was dropped.
                if let Ok(endpoint) = self.server.listen_on(self.address).await {
                    return endpoint;
                }
            }
        };
        let started = block_in_place(|| Handle::current().block_on(timeout(PATIENCE, started)));
        self.endpoint = Some(started.context("the port is taken")?);
        Ok(())
    }

    pub(super) fn crash_apiserver(&mut self) -> Result<()> {
        self.kill_apiserver();
        self.start_apiserver()
    }

    /// Nobody knows the first token any more.
    #[expect(clippy::unnecessary_wraps, reason = "a real cluster writes files")]
    pub(super) fn replace_tokens(&mut self) -> Result<()> {
        self.token = TOKENS[1];
        self.server.inject(ServerFault::unauthorized().when(|request| request.user == "kubernetes-admin"));
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "a real cluster copies files")]
    pub(super) fn backup_etcd(&mut self) -> Result<()> {
        self.backup = self.server.version();
        Ok(())
    }

    pub(super) fn restore_etcd(&mut self) -> Result<()> {
        self.kill_apiserver();
        self.server.rewind(self.backup)?;
        self.start_apiserver()
    }
}
