//! The blueprint of an informer: everything that an engine is built from, independent of the Rust type of its objects.

use std::fmt;
use std::sync::Arc;

use informer_core::object::decoded::{Decoder, decoder};
use informer_core::object::ingest::{Ingest, IngestOptions};
use informer_core::object::packed::{PackedForm, Packer};
use kube_core::{DynamicObject, PartialObjectMeta};
use serde::de::DeserializeOwned;

use crate::error::BuildError;
use crate::informer::engine::Engine;
use crate::kind::{Kind, KindInfo, ResourceId};
use crate::metrics::Metrics;
use crate::options::Options;
use crate::reflector::shared_probe::SharedProbes;
use crate::report::{Callback, Failure, Reporter};
use crate::source::{ListWatch, Sources};

/// Everything that an informer is built from. Before [`build`](Self::build), no objects are requested and no user
/// function is called.
#[derive(Clone)]
pub(crate) struct Blueprint {
    pub(crate) kind: KindInfo,
    pub(crate) options: Options,
    pub(crate) sources: Arc<dyn Sources>,
    /// Shared by all informers that watch the same server.
    pub(crate) probes: Arc<SharedProbes>,
    pub(crate) on_error: Option<Callback>,
    /// Decodes into the Rust type of the first request.
    decoder: Decoder,
    /// Whether that type describes the kind, unlike `DynamicObject`, which fits any object.
    pub(crate) typed: bool,
}

impl Blueprint {
    pub(crate) fn new<K: Kind + DeserializeOwned>(kind: KindInfo, sources: Arc<dyn Sources>) -> Self {
        let mut blueprint = Self {
            options: Options { sensitive: informer_wire::kind::is_sensitive(&kind), ..Options::default() },
            kind,
            sources,
            probes: Arc::default(),
            on_error: None,
            decoder: decoder::<K>(),
            typed: false,
        };
        blueprint.have_type::<K>();
        blueprint
    }

    fn have_type<K: Kind + DeserializeOwned>(&mut self) {
        use crate::kind::KindScope;
        self.decoder = decoder::<K>();
        self.options.metadata_only = K::metadata_only();
        self.typed = K::Scope::NAMESPACED.is_some() && !K::metadata_only();
    }

    /// The same objects, but only their metadata: without what depends on the type, which is `decoded` and a transform of
    /// that type.
    pub(crate) fn metadata(&self) -> Self {
        let mut metadata = self.clone();
        metadata.have_type::<PartialObjectMeta<DynamicObject>>();
        metadata.options.decoded = false;
        metadata.options.transform = metadata.options.transform.filter(|transform| transform.any_kind);
        metadata
    }

    /// Resolves the namespaces that are inherited from the factory. A cluster-scoped kind ignores them.
    pub(crate) fn settled(mut self) -> Self {
        let cluster_wide = self.kind.is_namespaced() == Some(false);
        self.options.namespaces = self.options.namespaces.settled(cluster_wide);
        self
    }

    /// The same blueprint, or an error if an option cannot work.
    pub(crate) fn check(self) -> Result<Self, BuildError> {
        let settled = self.settled();
        let tweak = settled.options.tweak.is_some();
        let tweaked = || {
            BuildError::cannot_work("tweak", "is for the options of a factory; here name labels and fields")
        };
        let checked = if tweak { Err(tweaked()) } else { settled.options.check() };
        let checked = checked.and_then(|()| {
            if settled.suits(&settled.kind) {
                Ok(())
            } else {
                Err(BuildError::problem("a kind of the whole cluster cannot be limited to a namespace"))
            }
        });
        match checked {
            Ok(()) => Ok(settled),
            Err(error) => Err(error.of_informer(&settled.kind)),
        }
    }

    /// The names of the differences: the kind, and options. If two blueprints differ in nothing, their requests may
    /// share one informer.
    pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let kind = (self.resource() != other.resource()).then_some("kind");
        kind.into_iter().chain(self.options.differences(&other.options)).collect()
    }

    /// Whether this blueprint fits the kind: a cluster-scoped kind cannot be limited to namespaces.
    pub(crate) fn suits(&self, kind: &KindInfo) -> bool {
        self.options.namespaces.named().is_none() || kind.is_namespaced() != Some(false)
    }

    /// Group, version and plural of the kind.
    pub(crate) fn resource(&self) -> ResourceId {
        ResourceId::of(&self.kind)
    }

    /// Adds a function that is called at each failure, in addition to the one that the user set.
    pub(crate) fn also_on_error(&mut self, also: impl Fn(&Failure) + Send + Sync + 'static) {
        let set = self.on_error.take();
        self.on_error = Some(Arc::new(move |failure| {
            also(failure);
            if let Some(set) = &set {
                set(failure);
            }
        }));
    }

    /// Builds the engine, under this name unless the options have one. Calls user functions and the metrics recorder,
    /// so no lock may be held.
    pub(crate) fn build(&self, name: Arc<str>) -> Arc<Engine> {
        let options = &self.options;
        let name = options.name.clone().unwrap_or(name);
        let sensitive = options.sensitive;
        let metrics = Metrics::new(&name, &self.kind);
        let reporter = Reporter::new(self.kind.clone(), self.on_error.clone())
            .sensitive(sensitive)
            .with_metrics(&metrics);
        let reporter = Arc::new(reporter);
        let ingest = Ingest::new(IngestOptions {
            packer: shared_packer(&self.kind, options),
            metadata_only: options.metadata_only,
            sensitive,
            keep_managed_fields: options.keep_managed_fields,
            drop_fields: options.drop_fields.iter().filter_map(|field| field.path.clone().ok()).collect(),
            transform: options.transform.as_ref().map(|transform| transform.function.call.clone()),
            type_check: Some(self.decoder),
            pin: options.decoded.then_some(self.decoder),
            decode_cache: options.decode_cache.0.clone(),
            ..IngestOptions::new(self.kind.clone(), reporter.clone())
        });
        Engine::new(self, name, reporter, metrics, Arc::new(ingest))
    }
}

/// What packs objects with the dictionary of other informers whose objects look alike. What a transform makes of objects may look like
/// nothing else.
fn shared_packer(kind: &KindInfo, options: &Options) -> Option<Packer> {
    (!options.sensitive && options.transform.is_none()).then(|| {
        // What a unit test sees must not depend on the others.
        if cfg!(test) {
            return Packer::new(false);
        }
        Packer::beside_others(PackedForm {
            resource: ResourceId::of(kind),
            metadata_only: options.metadata_only,
            keep_managed_fields: options.keep_managed_fields,
        })
    })
}

/// The text by which a reader of an error recognises the informer.
impl fmt::Display for Blueprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.resource(), self.options)
    }
}

/// The same source for every kind: used by an informer that was built without a factory, which has only one kind.
pub(crate) struct OnlySource(pub(crate) Arc<dyn ListWatch>);

impl Sources for OnlySource {
    fn source(&self, _: &KindInfo) -> Arc<dyn ListWatch> {
        self.0.clone()
    }
}
