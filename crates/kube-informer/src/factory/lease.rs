//! An informer that runs as long as the program holds a lease of it.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use crate::factory::Inner;
use crate::informer::SharedInformer;

/// Keeps an informer of a factory running. It dereferences to the informer.
///
/// Dropping the last lease stops the informer gracefully, in the background. Cloning a lease makes another lease;
/// clones of the informer behind it do not keep the informer running, and a lease does not keep its factory alive.
pub struct Lease<K: 'static> {
    informer: SharedInformer<K>,
    factory: Weak<Inner>,
}

impl<K> Lease<K> {
    /// Makes a lease of an informer for which the registry has already counted this lease.
    pub(super) fn new(informer: SharedInformer<K>, factory: &Arc<Inner>) -> Self {
        Self { informer, factory: Arc::downgrade(factory) }
    }
}

impl<K> Deref for Lease<K> {
    type Target = SharedInformer<K>;

    fn deref(&self) -> &SharedInformer<K> {
        &self.informer
    }
}

impl<K> Clone for Lease<K> {
    fn clone(&self) -> Self {
        if let Some(factory) = self.factory.upgrade() {
            factory.registry(|registry| registry.lease_again(&self.informer.as_kind()));
        }
        Self { informer: self.informer.clone(), factory: self.factory.clone() }
    }
}

impl<K> Drop for Lease<K> {
    fn drop(&mut self) {
        if let Some(factory) = self.factory.upgrade() {
            factory.registry(|registry| registry.release(&self.informer.as_kind(), factory.drain));
        }
    }
}

impl<K> fmt::Debug for Lease<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&self.informer).finish()
    }
}
