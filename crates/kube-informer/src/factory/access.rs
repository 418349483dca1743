//! One kind of a factory: what `factory.core().v1().pods()` gives.

use std::fmt;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;

use crate::factory::{Lease, SharedInformerFactory};
use crate::informer::SharedInformer;
use crate::kind::Kind;
use crate::lister::Lister;

/// The informer and the lister of one kind of a factory. Cheap to clone; counts as a clone of the factory.
pub struct Access<K> {
    factory: SharedInformerFactory,
    of: PhantomData<fn() -> K>,
}

impl<K> Access<K> {
    pub(super) fn new(factory: SharedInformerFactory) -> Self {
        Self { factory, of: PhantomData }
    }
}

impl<K: Kind<Dynamic = ()> + DeserializeOwned> Access<K> {
    /// The informer of the kind; the first call registers it. See [`SharedInformerFactory::informer`].
    pub fn informer(&self) -> SharedInformer<K> {
        self.factory.informer()
    }

    /// Reads the cache of the kind. Registers its informer, since otherwise there would be nothing to read.
    pub fn lister(&self) -> Lister<K> {
        self.informer().lister()
    }

    /// The informer for as long as the lease lives. See [`SharedInformerFactory::lease`].
    pub fn lease(&self) -> Lease<K> {
        self.factory.lease()
    }
}

impl<K> Clone for Access<K> {
    fn clone(&self) -> Self {
        Self::new(self.factory.clone())
    }
}

impl<K: Kind<Dynamic = ()>> fmt::Debug for Access<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Access").field(&K::info(&())).finish()
    }
}
