//! One kind of a factory: what `factory.core().v1().pods()` gives.

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

/// One kind of a factory, or a [named](Self::named) variant of it: its informer, its lister, its events.
///
/// Nothing is registered before it is asked for. Cheap to clone; counts as a clone of the factory.
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
    /// Whether `K` says what the objects look like, so that samples can be checked against it.
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

    /// The informer. The first call registers it, later calls give the same one.
    ///
    /// It runs once the factory is started; one that is asked for after that runs at once. If it was stopped meanwhile, a new
    /// one takes its place. The server is not asked whether it has the kind: one that it does not serve is picked up when
    /// it does, and until then the informer is not synced and its phase is [`Gone`](crate::status::Phase::Gone).
    pub fn informer(&self) -> SharedInformer<K> {
        self.obtain(Claim::Held)
    }

    /// Reads the cache. Registers the informer, since otherwise there would be nothing to read.
    pub fn lister(&self) -> Lister<K> {
        self.informer().lister()
    }

    /// The events as a stream, see [`SharedInformer::stream`]. Registers the informer.
    pub fn stream(&self) -> Result<EventStream<K>, InformerError> {
        self.informer().stream()
    }

    /// The informer for as long as the lease lives.
    ///
    /// When the last lease goes, so does the informer, unless somebody has asked for it in another way. Handlers and listers
    /// do not count.
    pub fn lease(&self) -> Lease<K> {
        Lease::new(self.obtain(Claim::Leased), &self.factory.inner)
    }

    /// The same objects, but only their metadata.
    ///
    /// If the factory holds whole objects, or is asked for them before it is started, this is that informer seen as
    /// metadata: one watch and one copy are enough, unless there is a transform of the objects' own type, which may have
    /// changed the metadata. Otherwise the server is asked for metadata only, which takes a fraction of the traffic and
    /// memory. What has been started is not changed: if whole objects are asked for only then, they are a second informer,
    /// and [`status`](crate::status::InformerStatus::also_held_by) says that the kind is held twice.
    pub fn metadata(&self) -> Access<PartialObjectMeta<K>>
    where
        PartialObjectMeta<K>: Kind,
    {
        let (factory, kind, named) = (self.factory.clone(), self.kind.clone(), self.named.clone());
        Access { factory, kind, named, typed: false, of: PhantomData }
    }

    /// Another selection, transform or mode of the same kind, under a name of its own.
    ///
    /// It begins with what the factory was told for all kinds; what it was told for this kind does not count. As long as
    /// somebody holds the access or its informer lives, the name stands for these settings: with others it is an error. An
    /// informer that has exactly these settings already, under another name or none, is shared, unless it looks at certain
    /// namespaces: those can be [added](SharedInformer::add_namespace) and removed, which is nothing that another name
    /// should notice. So is one with a [transform](InformerBuilder::transform) that has captured something.
    ///
    /// Of those who share an informer the first has set [`on_error`](InformerBuilder::on_error); that of the others is
    /// not called.
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
