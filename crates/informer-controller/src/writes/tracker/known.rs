//! The informers that a tracker knows, and those of them that have the same objects.

use std::sync::Arc;

use kube_client::Client;
use kube_informer::SharedInformer;

use super::Tracker;
use crate::writes::cache::Known;

impl Tracker {
    /// From now on runs wait until this informer has seen what is written of its objects, whoever it is written through. It is
    /// asked about with this client, or its own.
    pub(crate) fn know(
        &self,
        informer: &SharedInformer<()>,
        client: Option<&Client>,
        is_owned: bool,
    ) -> Arc<Known> {
        let find =
            |all: &[Arc<Known>]| all.iter().find(|known| known.informer.same_informer(informer)).cloned();
        if let Some(known) = find(&self.state.lock().known) {
            return known;
        }
        // With nothing locked: a client costs something, and those that have stopped may be the last that hold a cache.
        let client = client.cloned().or_else(|| informer.client());
        let new = Arc::new(Known::new(informer.clone(), client, is_owned));
        let mut state = self.state.lock();
        if let Some(known) = find(&state.known) {
            return known;
        }
        let stopped: Vec<_> = state.known.extract_if(.., |known| known.informer.is_stopped()).collect();
        state.known.push(new.clone());
        drop(state);
        drop(stopped);
        new
    }

    /// All informers that have what this one has. It comes first.
    pub(in crate::writes) fn siblings(&self, known: &Arc<Known>, is_one_cluster: bool) -> Vec<Arc<Known>> {
        // With nothing locked: a source of the program may be asked.
        let mut all = self.state.lock().known.clone();
        all.retain(|other| {
            !other.informer.same_informer(&known.informer)
                && are_siblings(&known.informer, &other.informer, is_one_cluster)
        });
        all.insert(0, known.clone());
        all
    }

    /// How many writes were hidden: no run reads them, because the selectors, the namespaces or the transform of an informer
    /// leave them out. The first one of each informer is said as a warning.
    pub fn hidden_writes(&self) -> u64 {
        self.state.lock().hidden
    }

    pub(in crate::writes) fn count_hidden(&self) {
        let mut state = self.state.lock();
        state.hidden += 1;
        let counter = state.hidden_total.clone();
        drop(state);
        if let Some(counter) = counter {
            counter.increment(1);
        }
    }
}

/// Whether both have objects of one resource, in whatever version, of one cluster.
pub(crate) fn are_siblings(
    one: &SharedInformer<()>,
    other: &SharedInformer<()>,
    is_one_cluster: bool,
) -> bool {
    let (ours, theirs) = (one.kind(), other.kind());
    let is_resource = (ours.group(), ours.plural()) == (theirs.group(), theirs.plural());
    is_resource && (is_one_cluster || one.same_cluster(other))
}
