//! How an informer is put together.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::handler::Event;
use crate::informer::SharedInformer;
use crate::informer::engine::{Engine, EngineParts, Selectors};
use crate::informer::unshared::Informer;
use crate::informer::variant::{ResourceId, Variant};
use crate::kind::{Kind, KindInfo};
use crate::metrics::Metrics;
use crate::object::FieldPath;
use crate::object::decoded::{Shelf, decoder};
use crate::object::ingest::{Ingest, IngestOptions};
use crate::object::transform::{Transform, TransformId, TypedTransform};
use crate::reflector::shared_probe::SharedProbe;
use crate::report::{Callback, Failure, Reporter};
use crate::scope::Scope;
use crate::settings::Settings;
use crate::source::ListWatch;

/// Puts a [`SharedInformer`] together.
pub struct InformerBuilder<K: Kind> {
    kind: KindInfo,
    source: Arc<dyn ListWatch>,
    shared_probe: Arc<SharedProbe>,
    name: Option<Arc<str>>,
    namespaces: Namespaces,
    selectors: Selectors,
    resync: Duration,
    settings: Settings,
    keep_managed_fields: bool,
    sensitive: bool,
    decoded: bool,
    decode_cache_bytes: usize,
    drop_fields: Vec<String>,
    transform: Option<(Arc<dyn Transform>, TransformId)>,
    on_error: Option<Callback>,
    of: PhantomData<fn() -> K>,
}

/// Which namespaces an informer looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Namespaces {
    /// All, unless its factory says otherwise.
    #[default]
    Unsaid,
    All,
    /// Perhaps none as yet.
    These(BTreeSet<String>),
}

impl Namespaces {
    fn also(&mut self, names: impl Iterator<Item = String>) {
        match self {
            Self::These(namespaces) => namespaces.extend(names),
            Self::Unsaid | Self::All => *self = Self::These(names.collect()),
        }
    }

    /// `None`: all.
    fn named(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::These(namespaces) => Some(namespaces),
            Self::Unsaid | Self::All => None,
        }
    }
}

/// The settings of an informer contradict each other or make no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("informer of {kind}: {message}")]
pub struct BuildError {
    kind: KindInfo,
    message: String,
}

impl<K: Kind> InformerBuilder<K> {
    pub(crate) fn new(source: Arc<dyn ListWatch>, kind: KindInfo) -> Self {
        Self {
            sensitive: kind.is_sensitive(),
            kind,
            source,
            shared_probe: Arc::default(),
            name: None,
            namespaces: Namespaces::Unsaid,
            selectors: Selectors::default(),
            resync: Duration::ZERO,
            settings: Settings::default(),
            keep_managed_fields: false,
            decoded: false,
            decode_cache_bytes: Shelf::DEFAULT_BYTES,
            drop_fields: Vec::new(),
            transform: None,
            on_error: None,
            of: PhantomData,
        }
    }

    /// A name for metrics and logs; the resource if not set. Give two of one kind names of their own: while both live, the
    /// metrics of the second are those of `name-2`.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Looks at one namespace only. Called again, at several: they become one cache, fed by one watch each, and others can
    /// be [added](SharedInformer::add_namespace) and removed later.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespaces.also(std::iter::once(namespace.into()));
        self
    }

    /// Looks at these namespaces only, in addition to those named before. Perhaps at none: then the cache stays empty until
    /// one is [added](SharedInformer::add_namespace).
    #[must_use]
    pub fn namespaces<N: Into<String>>(mut self, namespaces: impl IntoIterator<Item = N>) -> Self {
        self.namespaces.also(namespaces.into_iter().map(Into::into));
        self
    }

    /// Looks at all namespaces, which is what an informer does unless told otherwise, by itself or by its factory.
    #[must_use]
    pub fn all_namespaces(mut self) -> Self {
        self.namespaces = Namespaces::All;
        self
    }

    /// Only objects whose labels match, in the server's syntax: `app=web,tier in (front, back)`.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.selectors.labels = Some(selector.into()).filter(|selector| !selector.is_empty());
        self
    }

    /// Only objects whose fields match, in the server's syntax: `spec.nodeName=node-1`.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.selectors.fields = Some(selector.into()).filter(|selector| !selector.is_empty());
        self
    }

    /// How often handlers hear of every object again unless they say otherwise; zero, the default, for never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Timeouts, backoff, page size, bounds.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Keeps `metadata.managedFields`, which are otherwise cut out: they are often a third of an object.
    #[must_use]
    pub fn keep_managed_fields(mut self) -> Self {
        self.keep_managed_fields = true;
        self
    }

    /// Treats the kind like Secrets, of which all this is true without being asked for. Of what is in an object
    ///
    /// - nothing is in an error, a log, a metric, a status or a `Debug` of ours. Errors tell the place in the JSON and what
    ///   a server says of a request that it refuses, and neither what a panic in your handlers, index functions and transforms said nor why these refused an object;
    /// - nothing is kept but with the object itself: it is not packed, which would leave traces in the packer, no
    ///   dictionary is learned from it, its labels are not shared with other objects, what was decoded is not kept at hand
    ///   ([`decode_cache_bytes`](Self::decode_cache_bytes) counts as zero), and our buffers are overwritten after use. When
    ///   the object is gone from the cache and from what you hold, so is all of this, index values included.
    ///
    /// Memory that is given back to the allocator is not overwritten, neither ours nor that of the HTTP and TLS
    /// connection. And the panic hook of your program, which by default prints to the standard error stream, hears of a
    /// panic before we do.
    #[must_use]
    pub fn sensitive(mut self) -> Self {
        self.sensitive = true;
        self
    }

    /// How many bytes of recently decoded objects are kept at hand; 4 MiB if not set, zero for none. Of
    /// [sensitive](Self::sensitive) kinds there are never any.
    #[must_use]
    pub fn decode_cache_bytes(mut self, bytes: usize) -> Self {
        self.decode_cache_bytes = bytes;
        self
    }

    /// Drops a field from every object before it is stored, without decoding it.
    ///
    /// A path such as `spec.containers[*].env` or `metadata.annotations["example.com/large"]`.
    #[must_use]
    pub fn drop_field(mut self, path: impl Into<String>) -> Self {
        self.drop_fields.push(path.into());
        self
    }

    /// Hears every failure; the informer survives all but [`Cause::Broken`](crate::Cause::Broken). Must not block.
    #[must_use]
    pub fn on_error(mut self, callback: impl Fn(&Failure) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(callback));
        self
    }
}

impl<K: Kind + DeserializeOwned> InformerBuilder<K> {
    /// Keeps every object decoded as well: for code that reads whole objects of all of the cache often. Costs memory.
    #[must_use]
    pub fn decoded(mut self) -> Self {
        self.decoded = true;
        self
    }

    /// Changes every object before it is stored, once per version. An error leaves the object out and is reported.
    ///
    /// Name, namespace, uid and resource version stay what they were, whatever the function does.
    #[must_use]
    pub fn transform<F, E>(mut self, function: F) -> Self
    where
        K: Serialize,
        F: Fn(&mut K) -> Result<(), E> + Send + Sync + 'static,
        E: Display,
    {
        self.transform = Some((Arc::new(TypedTransform::new(function)), TransformId::of::<F>()));
        self
    }

    /// The informer. Nothing happens until it is [run](SharedInformer::run).
    pub fn build(self) -> Result<SharedInformer<K>, BuildError> {
        Ok(SharedInformer::new(self.engine()?))
    }

    /// An informer with one function that is called by the informer itself, right after each commit.
    pub fn build_unshared(
        self,
        function: impl FnMut(&Event<K>) + Send + 'static,
    ) -> Result<Informer<K>, BuildError> {
        Ok(Informer::new(SharedInformer::new(self.engine()?), function))
    }

    fn engine(self) -> Result<Arc<Engine>, BuildError> {
        let drop_fields = self.check()?;
        Ok(self.assemble(drop_fields))
    }

    /// The same for settings that were checked before.
    pub(crate) fn assemble(self, drop_fields: Vec<FieldPath>) -> Arc<Engine> {
        let name = self.name.clone().unwrap_or_else(|| self.kind.resource().into());
        let metrics = Metrics::new(&name, &self.kind);
        let reporter = Reporter::new(self.kind.clone(), self.on_error.clone())
            .sensitive(self.sensitive)
            .with_metrics(&metrics);
        let reporter = Arc::new(reporter);
        let ingest = Ingest::new(IngestOptions {
            metadata_only: K::metadata_only(),
            sensitive: self.sensitive,
            keep_managed_fields: self.keep_managed_fields,
            drop_fields,
            transform: self.transform.map(|(transform, _)| transform),
            type_check: Some(decoder::<K>()),
            pin: self.decoded.then(decoder::<K>),
            shelf_bytes: self.decode_cache_bytes,
            ..IngestOptions::new(self.kind.clone(), reporter.clone())
        });
        let scopes = match self.namespaces {
            Namespaces::Unsaid | Namespaces::All => vec![Scope::All],
            Namespaces::These(namespaces) => namespaces.into_iter().map(Scope::namespace).collect(),
        };
        Engine::new(EngineParts {
            name,
            kind: self.kind,
            source: self.source,
            shared_probe: self.shared_probe,
            selectors: self.selectors,
            metadata_only: K::metadata_only(),
            scopes,
            settings: self.settings,
            default_resync: self.resync,
            reporter,
            metrics,
            ingest: Arc::new(ingest),
        })
    }
}

/// What a factory needs of the builders it keeps.
impl<K: Kind> InformerBuilder<K> {
    /// The fields to drop, or what is wrong with the settings.
    pub(crate) fn check(&self) -> Result<Vec<FieldPath>, BuildError> {
        let failed = |message: String| BuildError { kind: self.kind.clone(), message };
        let mut drop_fields = Vec::new();
        for path in &self.drop_fields {
            drop_fields.push(path.parse::<FieldPath>().map_err(|error| failed(error.to_string()))?);
        }
        let limited = self.namespaces.named();
        if self.kind.is_namespaced() == Some(false) && limited.is_some() {
            return Err(failed("a kind of the whole cluster cannot be limited to a namespace".into()));
        }
        if limited.is_some_and(|namespaces| namespaces.contains("")) {
            return Err(failed("a namespace is empty; leave it out to look at all of them".into()));
        }
        self.settings.check().map_err(|error| failed(error.to_string()))?;
        Ok(drop_fields)
    }

    /// What would tell the informer from others.
    pub(crate) fn variant(&self) -> Variant {
        Variant {
            resource: ResourceId::of(&self.kind),
            namespaces: self.namespaces.named().cloned(),
            selectors: self.selectors.clone(),
            metadata_only: K::metadata_only(),
            decoded: self.decoded,
            transform: self.transform.as_ref().map(|(_, id)| *id),
            drop_fields: self.drop_fields.clone(),
            keep_managed_fields: self.keep_managed_fields,
            sensitive: self.sensitive,
            resync: self.resync,
            settings: self.settings.clone(),
            name: self.name.clone(),
            decode_cache_bytes: self.decode_cache_bytes,
        }
    }

    /// The same for another type, but for what depends on the type: `decoded`, and a transform of that type.
    pub(crate) fn retyped<V: Kind>(&self) -> InformerBuilder<V> {
        InformerBuilder {
            kind: self.kind.clone(),
            source: self.source.clone(),
            shared_probe: self.shared_probe.clone(),
            name: self.name.clone(),
            namespaces: self.namespaces.clone(),
            selectors: self.selectors.clone(),
            resync: self.resync,
            settings: self.settings.clone(),
            keep_managed_fields: self.keep_managed_fields,
            sensitive: self.sensitive,
            decoded: false,
            decode_cache_bytes: self.decode_cache_bytes,
            drop_fields: self.drop_fields.clone(),
            transform: self.transform.clone().filter(|(_, transform)| transform.any_kind),
            on_error: self.on_error.clone(),
            of: PhantomData,
        }
    }

    /// Those who watch the same server.
    pub(crate) fn sharing_probe(&mut self, probe: &Arc<SharedProbe>) {
        self.shared_probe = probe.clone();
    }

    /// A transform of any object, by its JSON.
    pub(crate) fn transform_any(&mut self, transform: (Arc<dyn Transform>, TransformId)) {
        self.transform = Some(transform);
    }

    /// These namespaces, unless something was said about them or the kind has none.
    pub(crate) fn default_namespaces(&mut self, namespaces: &BTreeSet<String>) {
        let unsaid = self.namespaces == Namespaces::Unsaid && self.kind.is_namespaced() != Some(false);
        if unsaid && !namespaces.is_empty() {
            self.namespaces = Namespaces::These(namespaces.clone());
        }
    }

    /// This name, unless there is one.
    pub(crate) fn default_name(&mut self, name: impl FnOnce() -> Arc<str>) {
        self.name.get_or_insert_with(name);
    }

    /// Has a function called at each failure, beside the one that was set.
    pub(crate) fn also_on_error(&mut self, also: impl Fn(&Failure) + Send + Sync + 'static) {
        let set = self.on_error.take();
        self.on_error = Some(Arc::new(move |failure| {
            also(failure);
            if let Some(set) = &set {
                set(failure);
            }
        }));
    }
}

impl<K: Kind> Clone for InformerBuilder<K> {
    fn clone(&self) -> Self {
        let mut clone = self.retyped();
        clone.decoded = self.decoded;
        clone.transform = self.transform.clone();
        clone
    }
}

impl<K: Kind> std::fmt::Debug for InformerBuilder<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InformerBuilder").field("kind", &self.kind).finish_non_exhaustive()
    }
}
