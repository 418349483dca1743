//! The server of an informer, to write to.

use kube_client::Client;

use crate::informer::SharedInformer;
use crate::source::HttpSources;

impl<K: 'static> SharedInformer<K> {
    /// A client of the server that the objects come from, like
    /// [`SharedInformerFactory::client`](crate::SharedInformerFactory::client). `None` if the source is not an API server.
    pub fn client(&self) -> Option<Client> {
        self.engine().source.server().map(HttpSources::client)
    }
}
