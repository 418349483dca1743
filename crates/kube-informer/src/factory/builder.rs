//! Building a factory: options for all kinds, and options for single kinds.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use kube_core::DynamicObject;
use serde::de::DeserializeOwned;

use crate::error::BuildError;
use crate::factory::SharedInformerFactory;
use crate::factory::request::{Defaults, Request, Slot};
use crate::factory::running::Turns;
use crate::informer::InformerBuilder;
use crate::informer::blueprint::Blueprint;
use crate::kind::{IntoKind, Kind, KindInfo};
use crate::options::{Options, option_setters};
use crate::report::{Callback, Failure};
use crate::source::{Cluster, HttpSources, Selection, Sources};
use crate::status::Patience;

/// How many first lists are read at the same time.
const AT_ONCE: usize = 8;

/// How long a first list may take before the next one may begin anyway.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a shutdown waits for handlers to be called with their pending events.
const DRAIN: Duration = Duration::from_secs(10);

/// Builds a [`SharedInformerFactory`].
///
/// Options set here apply to every kind; [`kind`](Self::kind) changes them for one kind. [`build`](Self::build) checks
/// all options, so that getting an informer from the factory cannot fail.
#[must_use]
pub struct FactoryBuilder {
    connection: Connection,
    name: Option<Arc<str>>,
    options: Options,
    on_error: Option<Callback>,
    kinds: Vec<Declared>,
    at_once: usize,
    patience: Patience,
    drain: Patience,
}

enum Connection {
    Cluster(Cluster),
    Sources(Arc<dyn Sources>),
}

type MakeBlueprint = dyn FnOnce(&Defaults) -> Result<Blueprint, BuildError> + Send;

/// A kind with options of its own.
struct Declared {
    slot: Slot,
    kind: KindInfo,
    blueprint: Box<MakeBlueprint>,
}

impl FactoryBuilder {
    fn new(connection: Connection) -> Self {
        Self {
            connection,
            name: None,
            options: Options::default(),
            on_error: None,
            kinds: Vec::new(),
            at_once: AT_ONCE,
            patience: PATIENCE.into(),
            drain: DRAIN.into(),
        }
    }

    pub(super) fn for_cluster(cluster: Cluster) -> Self {
        Self::new(Connection::Cluster(cluster))
    }

    pub(super) fn with_sources(sources: impl Sources) -> Self {
        Self::new(Connection::Sources(Arc::new(sources)))
    }

    /// Changes any of the options that the informers of this factory begin with, including options that have no method
    /// on this builder.
    pub fn options(mut self, change: impl FnOnce(Options) -> Options) -> Self {
        self.options = change(self.options);
        self
    }

    option_setters!();

    /// See [`Options::tweak`].
    pub fn tweak(self, function: impl Fn(&KindInfo, &mut Selection) + Send + Sync + 'static) -> Self {
        self.options(|options| options.tweak(function))
    }

    /// See [`Options::transform`].
    pub fn transform<F, E>(self, function: F) -> Self
    where
        F: Fn(&mut DynamicObject) -> Result<(), E> + Send + Sync + 'static,
        E: Display + 'static,
    {
        self.options(|options| options.transform(function))
    }

    /// Sets a function that is called with every failure that an informer survives, unless the kind has an `on_error`
    /// function of its own. It must not block.
    pub fn on_error(mut self, callback: impl Fn(&Failure) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(callback));
        self
    }

    /// A prefix for the names of all informers in metrics and logs. For a program with several clusters: without it
    /// only a number would distinguish their informers.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets options for one kind: everything that can be set on an [`InformerBuilder`].
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::core::v1::{Pod, Secret};
    /// # use kube_informer::SharedInformerFactory;
    /// # fn build(config: kube_client::Config) -> Result<SharedInformerFactory, kube_informer::error::BuildError> {
    /// SharedInformerFactory::builder(config)
    ///     .resync(Duration::from_secs(600))
    ///     .kind::<Pod>(|pods| pods.labels("app=web").decoded())
    ///     .kind::<Secret>(|secrets| secrets.namespace("default").resync(Duration::ZERO))
    ///     .build()
    /// # }
    /// ```
    pub fn kind<K: Kind<Dynamic = ()> + DeserializeOwned>(
        self,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send + 'static,
    ) -> Self {
        self.any_kind(K::info(&()), set)
    }

    /// The same for a kind that is only known at run time: an `ApiResource`, a `GroupVersionResource` or a [`KindInfo`].
    pub fn kind_of(
        self,
        kind: impl IntoKind,
        set: impl FnOnce(InformerBuilder<DynamicObject>) -> InformerBuilder<DynamicObject> + Send + 'static,
    ) -> Self {
        self.any_kind(kind.into_kind(), set)
    }

    fn any_kind<K: Kind + DeserializeOwned>(
        mut self,
        kind: KindInfo,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send + 'static,
    ) -> Self {
        let slot = Slot::kind::<K>(&kind);
        let of = kind.clone();
        let blueprint = Box::new(move |defaults: &Defaults| defaults.blueprint_with(&of, set));
        self.kinds.push(Declared { slot, kind, blueprint });
        self
    }

    /// How many first lists are read at the same time (default 8), and for how long a slow informer delays the others
    /// (default 5 s). The next informer starts when one has read its lists, has failed, or has used up this time.
    ///
    /// An informer of several namespaces reads one list for each of them, and starts them together.
    pub fn stagger(mut self, at_once: usize, patience: impl Into<Patience>) -> Self {
        self.at_once = at_once;
        self.patience = patience.into();
        self
    }

    /// For how long stopping the factory or one of its informers waits for handlers to be called with their pending
    /// events. Default 10 s.
    pub fn drain(mut self, patience: impl Into<Patience>) -> Self {
        self.drain = patience.into();
        self
    }

    /// The factory, or an error if an option cannot work. With a `kube::Config` it has to be called within a tokio
    /// runtime.
    ///
    /// Sends nothing to the server.
    pub fn build(self) -> Result<SharedInformerFactory, BuildError> {
        self.options.check().map_err(BuildError::of_factory)?;
        let sources = match self.connection {
            Connection::Sources(sources) => sources,
            Connection::Cluster(cluster) => Arc::new(HttpSources::new(cluster)?),
        };
        let defaults = Defaults {
            sources,
            probes: Arc::default(),
            name: self.name,
            options: self.options,
            on_error: self.on_error,
        };
        let mut requests: Vec<Request> = Vec::new();
        for Declared { slot, kind, blueprint } in self.kinds {
            if requests.iter().any(|other| other.slot == slot) {
                return Err(BuildError::declared_twice(kind));
            }
            requests.push(Request { slot, blueprint: blueprint(&defaults)?, named: None });
        }
        let turns = Turns::new(self.at_once, self.patience);
        Ok(SharedInformerFactory::new(defaults, requests, turns, self.drain))
    }
}

impl std::fmt::Debug for FactoryBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactoryBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
