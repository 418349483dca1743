//! A write between its request and its answer, at every cache that is to see it.

use std::sync::Arc;

use kube_informer::{ObjectKey, SharedInformer};

use super::cache::Known;
use super::seen::Until;
use super::tracker::Ticket;

/// One ticket for each informer of a resource. That which is written through comes first.
pub(super) struct Tickets(Vec<(Arc<Known>, Ticket)>);

impl Tickets {
    pub(super) fn new(all: Vec<(Arc<Known>, Ticket)>) -> Self {
        Self(all)
    }

    /// The number by which the task of the request is known.
    pub(super) fn number(&self) -> u64 {
        self.0.first().map_or(0, |(_, ticket)| ticket.number())
    }

    /// Whether this informer is one of those that are to see it.
    pub(super) fn are_of(&self, informer: &SharedInformer<()>) -> bool {
        self.0.iter().any(|(known, _)| known.informer.same_informer(informer))
    }

    /// It was not written.
    pub(super) fn void(self) {
        self.0.into_iter().for_each(|(_, ticket)| ticket.void());
    }

    /// All caches have to see this, and none of them is going to have the object then.
    pub(super) fn pass(self, key: &ObjectKey, until: &Until) {
        self.0.into_iter().for_each(|(_, ticket)| ticket.answered(key.clone(), until.clone(), false));
    }
}

impl IntoIterator for Tickets {
    type Item = (Arc<Known>, Ticket);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
