//! How a factory is set up: for all kinds, and for each.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use kube_client::{Client, Config};
use kube_core::DynamicObject;
use serde::de::DeserializeOwned;

use crate::factory::SharedInformerFactory;
use crate::factory::error::FactoryError;
use crate::factory::recipe::{Defaults, Recipe, Selection, Tweak};
use crate::factory::registry::Slot;
use crate::factory::running::Turns;
use crate::factory::sources::{Server, Sources};
use crate::informer::variant::ResourceId;
use crate::informer::{BuildError, InformerBuilder};
use crate::kind::{Kind, KindInfo};
use crate::object::FieldPath;
use crate::object::transform::{Transform, TransformId, TypedTransform};
use crate::report::{Callback, Failure};
use crate::settings::Settings;
use crate::source::HttpSource;

/// How many first lists are read at the same time.
const AT_ONCE: usize = 8;

/// How long a list is waited for before the next may begin.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a shutdown gives handlers to hear what is known.
const DRAIN: Duration = Duration::from_secs(10);

/// Sets up a [`SharedInformerFactory`].
///
/// What is set here holds for every kind; [`kind`](Self::kind) says what is different for one. Everything is checked
/// by [`build`](Self::build), so that asking the factory for an informer cannot fail.
#[must_use]
pub struct FactoryBuilder {
    connection: Connection,
    name: Option<Arc<str>>,
    namespaces: BTreeSet<String>,
    resync: Duration,
    settings: Settings,
    selection: Selection,
    tweak: Option<Arc<Tweak>>,
    transform: Option<(Arc<dyn Transform>, TransformId)>,
    drop_fields: Vec<String>,
    keep_managed_fields: bool,
    on_error: Option<Callback>,
    kinds: Vec<KindSettings>,
    at_once: usize,
    patience: Duration,
    drain: Duration,
}

enum Connection {
    Config(Box<Config>),
    Sources(Arc<dyn Sources>),
}

type MakeRecipe = dyn FnOnce(&Defaults) -> Result<Recipe, BuildError> + Send;

struct KindSettings {
    slot: Slot,
    kind: KindInfo,
    recipe: Box<MakeRecipe>,
}

impl FactoryBuilder {
    fn new(connection: Connection) -> Self {
        Self {
            connection,
            name: None,
            namespaces: BTreeSet::new(),
            resync: Duration::ZERO,
            settings: Settings::default(),
            selection: Selection::default(),
            tweak: None,
            transform: None,
            drop_fields: Vec::new(),
            keep_managed_fields: false,
            on_error: None,
            kinds: Vec::new(),
            at_once: AT_ONCE,
            patience: PATIENCE,
            drain: DRAIN,
        }
    }

    pub(super) fn with_config(config: Config) -> Self {
        Self::new(Connection::Config(Box::new(config)))
    }

    pub(super) fn with_client(client: Client) -> Self {
        let any = HttpSource::with_client(client, Server::no_kind());
        Self::new(Connection::Sources(Arc::new(Server::new(any))))
    }

    pub(super) fn with_sources(sources: impl Sources) -> Self {
        Self::new(Connection::Sources(Arc::new(sources)))
    }

    /// How often handlers hear of every object again unless they or their kind say otherwise; zero, the default, for
    /// never.
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Looks at one namespace only; called again, at several as one. Kinds of the whole cluster are not affected.
    ///
    /// A kind that names namespaces of its own, or [all](InformerBuilder::all_namespaces), goes by those instead. Of a
    /// dynamic kind whose scope is not known it is assumed that it lives in namespaces, until somebody asks for it who
    /// knows better.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespaces.insert(namespace.into());
        self
    }

    /// Only objects whose labels match, in the server's syntax. A kind that names labels itself goes by those instead.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.selection.labels = Some(selector.into());
        self
    }

    /// Only objects whose fields match, in the server's syntax. A kind that names fields itself goes by those instead.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.selection.fields = Some(selector.into());
        self
    }

    /// Which objects are asked for, kind by kind; what a kind says itself comes after it.
    ///
    /// What it says of a kind is kept: informers that follow one that was stopped ask for the same. It is called again for
    /// each [named](SharedInformerFactory::informer_named) informer that is asked for, whether it exists or not, and may be
    /// called by several who ask for a kind for the first time at the same moment, of which one result counts.
    pub fn tweak(mut self, function: impl Fn(&KindInfo, &mut Selection) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Arc::new(function));
        self
    }

    /// Timeouts, backoff, page size, bounds.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Drops a field from every object of every kind, see [`InformerBuilder::drop_field`].
    pub fn drop_field(mut self, path: impl Into<String>) -> Self {
        self.drop_fields.push(path.into());
        self
    }

    /// Keeps `metadata.managedFields`, which are otherwise cut out.
    pub fn keep_managed_fields(mut self) -> Self {
        self.keep_managed_fields = true;
        self
    }

    /// Changes every object of every kind before it is stored. A kind with a transform of its own has that one instead.
    ///
    /// To leave something out [`drop_field`](Self::drop_field) is far cheaper: it decodes nothing.
    pub fn transform<F, E>(mut self, function: F) -> Self
    where
        F: Fn(&mut DynamicObject) -> Result<(), E> + Send + Sync + 'static,
        E: Display + 'static,
    {
        self.transform = Some((Arc::new(TypedTransform::new(function)), TransformId::of_any_kind::<F>()));
        self
    }

    /// Hears every failure that an informer survives, unless its kind has a function of its own. Must not block.
    pub fn on_error(mut self, callback: impl Fn(&Failure) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(callback));
        self
    }

    /// A name that those of all informers begin with in metrics and logs; for a program with several clusters, which would
    /// else be told apart by a number only.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What is different for one kind: everything that can be set of an informer.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use k8s_openapi::api::core::v1::{Pod, Secret};
    /// # use kube_informer::SharedInformerFactory;
    /// # fn build(config: kube_client::Config) -> Result<SharedInformerFactory, kube_informer::FactoryError> {
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
    pub fn dynamic_kind(
        self,
        kind: impl Into<KindInfo>,
        set: impl FnOnce(InformerBuilder<DynamicObject>) -> InformerBuilder<DynamicObject> + Send + 'static,
    ) -> Self {
        self.any_kind(kind.into(), set)
    }

    fn any_kind<K: Kind + DeserializeOwned>(
        mut self,
        kind: KindInfo,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K> + Send + 'static,
    ) -> Self {
        let slot = Slot::Kind { resource: ResourceId::of(&kind), metadata: K::metadata_only() };
        let of = kind.clone();
        let recipe = Box::new(move |defaults: &Defaults| defaults.recipe_with(&of, set));
        self.kinds.push(KindSettings { slot, kind, recipe });
        self
    }

    /// How many first lists are read at the same time, 8 unless set, and for how long an informer that takes its time holds
    /// the others up, 5 s unless set. The next begins when one has its lists, has failed, or has had its time.
    ///
    /// An informer of several namespaces has a list for each of them, and starts them together.
    pub fn stagger(mut self, at_once: usize, patience: Duration) -> Self {
        (self.at_once, self.patience) = (at_once, patience);
        self
    }

    /// For how long a stop, of the factory or of one informer, lets handlers hear what is known. 10 s unless set.
    pub fn drain(mut self, deadline: Duration) -> Self {
        self.drain = deadline;
        self
    }

    /// The factory, if all its settings can work. With a `Config`, has to be called within a tokio runtime.
    ///
    /// Nothing is asked of the server.
    pub fn build(self) -> Result<SharedInformerFactory, FactoryError> {
        self.settings.check()?;
        if self.namespaces.contains("") {
            return Err(FactoryError::EmptyNamespace);
        }
        let paths = self.drop_fields.iter().map(|path| path.parse());
        let parsed_drop_fields = paths.collect::<Result<Vec<FieldPath>, _>>()?;
        let sources = match self.connection {
            Connection::Sources(sources) => sources,
            Connection::Config(config) => {
                let any = HttpSource::from_config(*config, Server::no_kind());
                Arc::new(Server::new(any.map_err(FactoryError::Client)?))
            }
        };
        let defaults = Defaults {
            sources,
            shared_probe: Arc::default(),
            name: self.name,
            namespaces: self.namespaces,
            resync: self.resync,
            settings: self.settings,
            selection: self.selection,
            tweak: self.tweak,
            transform: self.transform,
            drop_fields: self.drop_fields,
            parsed_drop_fields,
            keep_managed_fields: self.keep_managed_fields,
            on_error: self.on_error,
        };
        let mut kinds: Vec<(Slot, Recipe)> = Vec::new();
        for KindSettings { slot, kind, recipe } in self.kinds {
            if kinds.iter().any(|(other, _)| *other == slot) {
                return Err(FactoryError::DeclaredTwice { kind });
            }
            kinds.push((slot, recipe(&defaults)?));
        }
        let turns = Turns::new(self.at_once, self.patience);
        Ok(SharedInformerFactory::new(defaults, kinds, turns, self.drain))
    }
}

impl std::fmt::Debug for FactoryBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactoryBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
