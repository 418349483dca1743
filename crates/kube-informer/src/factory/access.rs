//! Access to one kind of a factory: the value that `factory.core().v1().pods()` returns.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kube_core::PartialObjectMeta;
use serde::de::DeserializeOwned;

use crate::error::{BuildError, InformerError};
use crate::factory::registry::Claim;
use crate::factory::request::{Named, Request};
use crate::factory::{Lease, SharedInformerFactory};
use crate::handler::EventStream;
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::{Kind, KindInfo};
use crate::lister::Lister;

/// Access to one kind of a factory, or to a [named](Self::named) variant of the kind: its informer, its lister, its
/// events.
///
/// The factory registers the informer when one of the methods below needs it, not before. Cheap to clone; keeps the
/// factory alive like a clone of the factory.
///
/// ```no_run
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn ask(factory: &kube_informer::SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
/// let pods = factory.core().v1().pods(); // or factory.kind::<Pod>()
/// let (informer, lister) = (pods.informer(), pods.lister()); // one cache
/// let names = pods.metadata().lister(); // the same cache, since whole pods are held anyway
/// let web = pods.named("web-pods", |pods| pods.labels("app=web"))?.lister(); // a second cache
/// # Ok(())
/// # }
/// ```
pub struct Access<K> {
    factory: SharedInformerFactory,
    kind: KindInfo,
    named: Option<Arc<Named>>,
    /// Whether `K` describes the fields of the objects (unlike `DynamicObject`), so that sample objects can be checked
    /// against it.
    typed: bool,
    of: PhantomData<fn() -> K>,
}

impl<K: Kind + DeserializeOwned> Access<K> {
    pub(super) fn new(factory: SharedInformerFactory, kind: KindInfo, typed: bool) -> Self {
        Self { factory, kind, named: None, typed: typed && !K::metadata_only(), of: PhantomData }
    }

    /// The kind.
    pub fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// The informer. The first call registers it, later calls return the same one.
    ///
    /// It runs once the factory is started; if the factory is running already, it starts at once. If the informer was
    /// stopped meanwhile, this returns a new one. This call does not check whether the server serves the kind: as long
    /// as the server does not, the informer is not synced and its phase is [`Gone`](crate::status::Phase::Gone), and it
    /// fills its cache once the server does.
    pub fn informer(&self) -> SharedInformer<K> {
        self.obtain(Claim::Held)
    }

    /// A lister that reads the cache. Registers the informer, since otherwise there would be no cache to read.
    pub fn lister(&self) -> Lister<K> {
        self.informer().lister()
    }

    /// The events as a stream, see [`SharedInformer::stream`]. Registers the informer.
    pub fn stream(&self) -> Result<EventStream<K>, InformerError> {
        self.informer().stream()
    }

    /// The informer, kept running for as long as the lease lives.
    ///
    /// When the last lease is dropped, the factory stops the informer, unless the program has also obtained it without
    /// a lease, such as with [`informer`](Self::informer). Handlers and listers do not keep it running.
    pub fn lease(&self) -> Lease<K> {
        Lease::new(self.obtain(Claim::Leased), &self.factory.inner)
    }

    /// Access to the same objects, but only to their metadata.
    ///
    /// If the factory already has an informer of the whole objects, that informer also serves the metadata: one watch and
    /// one copy are enough. The exception is a transform of the objects' own type, which may have changed the metadata.
    /// Otherwise the informer requests only metadata from the server, which takes a fraction of the traffic and memory. An
    /// informer is never changed into another: if the program requests whole objects later, the factory adds a second
    /// informer, and [`status`](crate::status::InformerStatus::also_held_by) shows that the kind is held twice. A program
    /// that needs both requests the whole objects first.
    pub fn metadata(&self) -> Access<PartialObjectMeta<K>>
    where
        PartialObjectMeta<K>: Kind,
    {
        let (factory, kind, named) = (self.factory.clone(), self.kind.clone(), self.named.clone());
        Access { factory, kind, named, typed: false, of: PhantomData }
    }

    /// A variant of the same kind under a name of its own, with other selectors, another transform or other options.
    ///
    /// It begins with the options that the factory has for all kinds; the options that the factory has for this kind
    /// are not used. As long as the returned access, a clone of it or its informer lives, the name is bound to these
    /// options: calling this again with the same name and other options is an error. If the factory already has an
    /// informer with exactly these options, under another name or none, it is shared. Two sorts of informers are never
    /// shared between names: one that watches only certain namespaces, because namespaces
    /// [added](SharedInformer::add_namespace) or removed under one name should not change what the other name sees, and
    /// one with a [transform](InformerBuilder::transform) of its own that captures variables.
    ///
    /// If several names share an informer, only the [`on_error`](InformerBuilder::on_error) function of the first one
    /// is called.
    ///
    /// ```no_run
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn ask(factory: &kube_informer::SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let pods = factory.kind::<Pod>();
    /// let web = pods.named("web-pods", |pods| pods.labels("app=web"))?.informer();
    /// let slim = pods.named("slim-pods", |pods| pods.drop_field("spec").drop_field("status"))?.lister();
    /// # Ok(())
    /// # }
    /// ```
    pub fn named(
        &self,
        name: &str,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> Result<Self, BuildError> {
        let named = self.factory.inner.name::<K>(name, &self.kind, set)?;
        Ok(Self { named: Some(named), ..self.clone() })
    }

    fn obtain(&self, claim: Claim) -> SharedInformer<K> {
        let inner = &self.factory.inner;
        let request = self.request();
        let informer = inner.obtain(&request, &self.kind, claim);
        if self.typed {
            inner.have_type::<K>(&informer);
        }
        informer.as_kind()
    }

    fn request(&self) -> Request {
        match &self.named {
            Some(named) => named.request(K::metadata_only()),
            None => self.factory.inner.request::<K>(&self.kind),
        }
    }
}

impl<K> Clone for Access<K> {
    fn clone(&self) -> Self {
        let (factory, kind, named) = (self.factory.clone(), self.kind.clone(), self.named.clone());
        Self { factory, kind, named, typed: self.typed, of: PhantomData }
    }
}

impl<K> fmt::Debug for Access<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut access = f.debug_struct("Access");
        access.field("kind", &self.kind);
        if let Some(named) = &self.named {
            access.field("name", &named.name);
        }
        access.finish_non_exhaustive()
    }
}
