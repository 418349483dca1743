//! The server as its users see it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use kube_client::Client;

use crate::api::Api;
use crate::front::Front;
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
