//! One run of a reconcile function, as far as it writes.

use std::fmt;
use std::sync::Arc;

use kube_client::Client;
use kube_informer::{ObjectKey, SharedInformer};

use super::objects::Objects;
use super::overlay::Overlays;
use super::tracker::{Tracker, are_siblings};
use crate::election::Leadership;

/// One run for a key: what it writes is read by itself, and waited for by the next one. See [`Tracker`].
#[derive(Clone)]
pub struct Run {
    pub(super) key: ObjectKey,
    pub(super) tracker: Tracker,
    pub(super) overlays: Arc<Overlays>,
    /// Written with in the place of that of each informer.
    pub(super) client: Option<Client>,
    /// Nothing is written without it, if there is one.
    pub(super) leadership: Option<Leadership>,
    is_stale: bool,
}

impl Run {
    pub(super) fn new(key: ObjectKey, tracker: Tracker, is_stale: bool) -> Self {
        let overlays = if is_stale { tracker.overlays(&key) } else { Arc::default() };
        Self { key, tracker, overlays, client: None, leadership: None, is_stale }
    }

    pub(crate) fn with(self, client: Option<Client>, leadership: Option<Leadership>) -> Self {
        Self { client, leadership, ..self }
    }

    /// Writes with this client, instead of the connections of each informer. All informers are of one cluster then.
    pub fn with_client(self, client: Client) -> Self {
        Self { client: Some(client), ..self }
    }

    /// Writes only as long as this leadership is valid.
    pub fn with_leadership(self, leadership: Leadership) -> Self {
        Self { leadership: Some(leadership), ..self }
    }

    /// The key that it is for.
    pub fn key(&self) -> &ObjectKey {
        &self.key
    }

    /// Whether caches had not seen all that earlier runs wrote when this one began.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Whether what is written through one of them is written at the other one.
    pub(crate) fn are_siblings(&self, one: &SharedInformer<()>, other: &SharedInformer<()>) -> bool {
        are_siblings(one, other, self.client.is_some())
    }

    /// The objects of an informer, to read and to write. Writes go over the connections of the informer, unless there
    /// is [another client](Self::with_client).
    pub fn objects<C: Send + Sync + 'static>(&self, informer: &SharedInformer<C>) -> Objects<C> {
        Objects::new(informer.clone(), self.clone())
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("key", &self.key)
            .field("is_stale", &self.is_stale)
            .finish_non_exhaustive()
    }
}
