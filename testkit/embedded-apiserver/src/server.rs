//! The public type of the server.

use std::fmt::Debug;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use kube_client::api::PostParams;
use kube_client::{Client, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::Api;
use crate::builder::Builder;
use crate::faults::{InjectedServerFault, ServerFault};
use crate::front::Front;
use crate::journal::Journal;
use crate::transport::{InMemory, TcpServer};

/// A Kubernetes API server in this process. Cheap to clone; all clones are the same server.
///
/// It lives as long as any clone, client or [`TcpServer`] of it. It runs no tasks in the background, except for the
/// [controllers](Builder::controllers) that are switched on.
#[derive(Clone, Debug)]
pub struct EmbeddedApiserver {
    front: Arc<Front>,
}

/// Making the server and connecting to it.
impl EmbeddedApiserver {
    /// A server with the defaults of the real one, without a token. It has the namespaces that every cluster has.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A server with other settings.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn from_front(front: Arc<Front>) -> Self {
        Self { front }
    }

    /// A client that calls the server without sockets. Works under tokio's paused time.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn client(&self) -> Client {
        Client::new(self.service(), "default")
    }

    /// A client whose requests are affected by no fault and recorded in no journal: for the set-up of a test, and for
    /// changes that the code under test should see. Otherwise the same as [`client`](Self::client).
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn quiet_client(&self) -> Client {
        Client::new(InMemory::aside(self.front.clone()), "default")
    }

    /// The service beneath [`client`](Self::client), for a client stack of your own.
    pub fn service(&self) -> InMemory {
        InMemory::new(self.front.clone())
    }

    /// Listens on a free port of 127.0.0.1.
    ///
    /// Do not use sockets under tokio's paused time: while all tasks wait for sockets, tokio advances the clock to the
    /// next timer, and time-outs fire at once.
    pub async fn listen(&self) -> io::Result<TcpServer> {
        self.listen_on((Ipv4Addr::LOCALHOST, 0).into()).await
    }

    /// Listens on this address: that of an endpoint that was stopped, for example, or one that other machines can reach.
    /// There is no TLS, so tokens are sent in plain text.
    pub async fn listen_on(&self, address: SocketAddr) -> io::Result<TcpServer> {
        TcpServer::bind(self.front.clone(), address).await
    }
}

/// Test set-up, faults and history.
impl EmbeddedApiserver {
    /// Creates an object, as a [`quiet_client`](Self::quiet_client) would, and returns it as it is stored. An object of a
    /// namespaced kind that names no namespace is created in `default`.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn create<K>(&self, object: &K) -> Result<K, kube_client::Error>
    where
        K: Resource<DynamicType: Default> + Serialize + DeserializeOwned + Clone + Debug,
    {
        let kind = K::DynamicType::default();
        let group = K::group(&kind);
        let version = K::version(&kind);
        let plural = K::plural(&kind);
        let resource = self.front.api.registry.find(&group, &version, &plural);
        let default = resource.filter(|resource| resource.namespaced).map(|_| "default");
        let namespace = object.meta().namespace.as_deref().or(default);
        let request = kube_client::core::Request::new(K::url_path(&kind, namespace));
        let body = serde_json::to_vec(object).map_err(kube_client::Error::SerdeError)?;
        let request =
            request.create(&PostParams::default(), body).map_err(kube_client::Error::BuildRequest)?;
        self.quiet_client().request(request).await
    }

    /// Makes requests fail from now on in the way that the [`ServerFault`] describes.
    pub fn inject(&self, fault: ServerFault) -> InjectedServerFault {
        self.front.faults.inject(fault)
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.front.faults.clear();
    }

    /// The requests that the server has received.
    pub fn journal(&self) -> &Journal {
        &self.front.journal
    }

    /// The resourceVersion of the last write.
    pub fn version(&self) -> u64 {
        self.front.api.version()
    }

    /// Forgets the history before this version: a list or watch from an older version is answered with 410 `Expired`.
    pub fn compact(&self, version: u64) {
        self.front.api.compact(version);
    }

    /// The API without transports, credentials and faults.
    pub(crate) fn api(&self) -> &Api {
        &self.front.api
    }

    /// Restores the state as of this version, as from a backup: all watches end, and later writes use the same versions
    /// again. A version that has not been reached yet changes nothing.
    pub fn rewind(&self, version: u64) -> Result<(), RewindError> {
        self.front.api.rewind(version).map_err(|gone| RewindError { oldest: gone.oldest })
    }
}

impl Default for EmbeddedApiserver {
    fn default() -> Self {
        Self::new()
    }
}

/// The version is too old: its history has been forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the oldest version that is remembered is {oldest}")]
#[non_exhaustive]
pub struct RewindError {
    /// The oldest version that is still known.
    pub oldest: u64,
}

#[cfg(test)]
mod tests;
