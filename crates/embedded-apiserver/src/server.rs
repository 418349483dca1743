//! The server as its users see it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use kube_client::Client;

use crate::api::Api;
use crate::faults::{Fault, InjectedFault};
use crate::front::Front;
use crate::journal::Journal;
use crate::transport::{Endpoint, InMemory};

/// A Kubernetes API server in this process. Cheap to clone; all clones are the same server.
#[derive(Clone, Debug)]
pub struct EmbeddedApiserver {
    front: Arc<Front>,
}

impl EmbeddedApiserver {
    /// A server with the settings of the real one, without a token.
    pub fn new() -> Self {
        Self { front: Arc::new(Front::new(Api::default(), None)) }
    }

    /// A client without sockets beneath it. Works under tokio's paused time.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn client(&self) -> Client {
        Client::new(self.service(), "default")
    }

    /// The service beneath [`client`](Self::client), for a client stack of your own.
    pub fn service(&self) -> InMemory {
        InMemory::new(self.front.clone())
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

    /// Forgets what was before a resourceVersion: older ones can neither be listed nor watched from.
    pub fn compact(&self, version: u64) {
        self.front.api.compact(version);
    }

    /// What answers beneath transport and faults.
    pub(crate) fn api(&self) -> &Api {
        &self.front.api
    }

    /// Listens on a free port of 127.0.0.1.
    pub async fn listen(&self) -> io::Result<Endpoint> {
        self.listen_on((Ipv4Addr::LOCALHOST, 0).into()).await
    }

    /// Listens on this address.
    pub async fn listen_on(&self, address: SocketAddr) -> io::Result<Endpoint> {
        Endpoint::bind(self.front.clone(), address).await
    }
}

impl Default for EmbeddedApiserver {
    fn default() -> Self {
        Self::new()
    }
}
