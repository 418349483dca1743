//! The server as its users see it.

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
use crate::faults::{Fault, InjectedFault};
use crate::front::Front;
use crate::journal::Journal;
use crate::transport::{Endpoint, InMemory};

/// A Kubernetes API server in this process. Cheap to clone; all clones are the same server.
///
/// It lives as long as a clone of it, a client of it or an [`Endpoint`] does, and has no tasks of its own.
#[derive(Clone, Debug)]
pub struct EmbeddedApiserver {
    front: Arc<Front>,
}

/// How it is made, and reached.
impl EmbeddedApiserver {
    /// A server with the settings of the real one, without a token. It has the namespaces that every cluster has.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A server with settings of its own.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn from_front(front: Arc<Front>) -> Self {
        Self { front }
    }

    /// A client without sockets beneath it. Works under tokio's paused time.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn client(&self) -> Client {
        Client::new(self.service(), "default")
    }

    /// A client that no fault strikes at and whose requests are not in the journal: for the set-up of a test, and for
    /// changes that something under test should see. Otherwise as [`client`](Self::client).
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
    /// Do not wait for a socket under tokio's paused time: the clock jumps while nothing but sockets is waited for.
    pub async fn listen(&self) -> io::Result<Endpoint> {
        self.listen_on((Ipv4Addr::LOCALHOST, 0).into()).await
    }

    /// Listens on this address: that of an endpoint that was stopped, or one that other machines can reach. There is no
    /// TLS, so a token goes over the wire as it is.
    pub async fn listen_on(&self, address: SocketAddr) -> io::Result<Endpoint> {
        Endpoint::bind(self.front.clone(), address).await
    }
}

/// What a test does to it.
impl EmbeddedApiserver {
    /// Puts an object in, as a [`quiet_client`](Self::quiet_client) would, and returns it as it is stored. Without a
    /// namespace it goes to `default`, if its kind has namespaces.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn create<K>(&self, object: &K) -> Result<K, kube_client::Error>
    where
        K: Resource<DynamicType: Default> + Serialize + DeserializeOwned + Clone + Debug,
    {
        let kind = K::DynamicType::default();
        let (group, version, plural) = (K::group(&kind), K::version(&kind), K::plural(&kind));
        let resource = self.front.api.registry.find(&group, &version, &plural);
        let default = resource.filter(|resource| resource.namespaced).map(|_| "default");
        let namespace = object.meta().namespace.as_deref().or(default);
        let request = kube_client::core::Request::new(K::url_path(&kind, namespace));
        let body = serde_json::to_vec(object).map_err(kube_client::Error::SerdeError)?;
        let request =
            request.create(&PostParams::default(), body).map_err(kube_client::Error::BuildRequest)?;
        self.quiet_client().request(request).await
    }

    /// Lets something go wrong from now on; see [`Fault`] for what.
    pub fn inject(&self, fault: Fault) -> InjectedFault {
        self.front.faults.inject(fault)
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.front.faults.clear();
    }

    /// What was asked of the server.
    pub fn journal(&self) -> &Journal {
        &self.front.journal
    }

    /// The resourceVersion of the last write.
    pub fn version(&self) -> u64 {
        self.front.api.version()
    }

    /// Forgets what was before this version: who lists or watches from an older one is told 410 `Expired`.
    pub fn compact(&self, version: u64) {
        self.front.api.compact(version);
    }

    /// What answers beneath transport and faults.
    pub(crate) fn api(&self) -> &Api {
        &self.front.api
    }

    /// Makes everything as it was at this version, as a restored backup does: all watches end, and later writes use the
    /// same versions again. A version that is not there yet changes nothing.
    pub fn rewind(&self, version: u64) -> Result<(), Forgotten> {
        self.front.api.rewind(version).map_err(|gone| Forgotten { oldest: gone.oldest })
    }
}

impl Default for EmbeddedApiserver {
    fn default() -> Self {
        Self::new()
    }
}

/// The version is no longer known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the oldest version that is remembered is {oldest}")]
#[non_exhaustive]
pub struct Forgotten {
    /// The oldest that is.
    pub oldest: u64,
}

#[cfg(test)]
mod tests;
