//! How the informers of a factory are made: settings for all kinds, and for one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kube_core::{DynamicObject, PartialObjectMeta};
use serde::de::DeserializeOwned;
use tokio::sync::Notify;

use crate::factory::sources::Sources;
use crate::informer::variant::Variant;
use crate::informer::{BuildError, InformerBuilder, SharedInformer, SharedProbe};
use crate::kind::{Kind, KindInfo, KindScope};
use crate::object::FieldPath;
use crate::object::decoded::decoder;
use crate::object::transform::{Transform, TransformId};
use crate::report::Callback;
use crate::settings::Settings;

/// Which objects of a kind an informer asks for, in the server's syntax. `None` for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Only objects with these labels: `app=web,tier in (front, back)`.
    pub labels: Option<String>,
    /// Only objects with these fields: `spec.nodeName=node-1`.
    pub fields: Option<String>,
}

pub(super) type Tweak = dyn Fn(&KindInfo, &mut Selection) + Send + Sync;

/// What holds for all kinds of a factory. Checked when the factory is built.
pub(super) struct Defaults {
    pub(super) sources: Arc<dyn Sources>,
    pub(super) shared_probe: Arc<SharedProbe>,
    pub(super) name: Option<Arc<str>>,
    pub(super) namespaces: BTreeSet<String>,
    pub(super) resync: Duration,
    pub(super) settings: Settings,
    pub(super) selection: Selection,
    pub(super) tweak: Option<Arc<Tweak>>,
    pub(super) transform: Option<(Arc<dyn Transform>, TransformId)>,
    pub(super) drop_fields: Vec<String>,
    pub(super) parsed_drop_fields: Vec<FieldPath>,
    pub(super) keep_managed_fields: bool,
    pub(super) on_error: Option<Callback>,
}

impl Defaults {
    /// The beginning of every informer. Calls the user's functions, so no lock may be held.
    pub(super) fn builder<K: Kind>(&self, kind: &KindInfo) -> InformerBuilder<K> {
        let mut selection = self.selection.clone();
        if let Some(tweak) = &self.tweak {
            tweak(kind, &mut selection);
        }
        let mut builder = InformerBuilder::new(self.sources.source(kind), kind.clone())
            .resync(self.resync)
            .settings(self.settings.clone())
            .labels(selection.labels.unwrap_or_default())
            .fields(selection.fields.unwrap_or_default());
        for path in &self.drop_fields {
            builder = builder.drop_field(path);
        }
        if self.keep_managed_fields {
            builder = builder.keep_managed_fields();
        }
        builder.sharing_probe(&self.shared_probe);
        if let Some(transform) = &self.transform {
            builder.transform_any(transform.clone());
        }
        if let Some(on_error) = self.on_error.clone() {
            builder = builder.on_error(move |failure| on_error(failure));
        }
        builder
    }

    /// For a kind that nothing else was said about.
    pub(super) fn recipe<K: Kind + DeserializeOwned>(&self, kind: &KindInfo) -> Recipe {
        let mut builder = self.builder::<K>(kind);
        builder.default_namespaces(&self.namespaces);
        Recipe::of_checked(kind, builder, self.parsed_drop_fields.clone())
    }

    /// For a kind that something was said about, or a variant of it.
    pub(super) fn recipe_with<K: Kind + DeserializeOwned>(
        &self,
        kind: &KindInfo,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> Result<Recipe, BuildError> {
        let mut builder = set(self.builder::<K>(kind));
        builder.default_namespaces(&self.namespaces);
        let drop_fields = builder.check()?;
        Ok(Recipe::of_checked(kind, builder, drop_fields))
    }

    /// The name of an informer in metrics and logs.
    pub(super) fn name(&self, name: &str) -> String {
        match &self.name {
            Some(factory) => format!("{factory}-{name}"),
            None => name.to_owned(),
        }
    }
}

/// Makes an informer of a name that tells somebody of each of its failures.
type Make = dyn Fn(Arc<str>, Arc<Notify>) -> SharedInformer<()> + Send + Sync;

/// Makes informers that are alike, without knowing their type.
#[derive(Clone)]
pub(super) struct Recipe {
    pub(super) kind: KindInfo,
    pub(super) variant: Variant,
    /// Whether samples are checked against a type of the user's, not just any object's.
    pub(super) typed: bool,
    make: Arc<Make>,
    metadata: Arc<dyn Fn() -> Self + Send + Sync>,
}

impl Recipe {
    fn of_checked<K: Kind + DeserializeOwned>(
        kind: &KindInfo,
        builder: InformerBuilder<K>,
        drop_fields: Vec<FieldPath>,
    ) -> Self {
        let builder = Arc::new(builder);
        let metadata = {
            let (builder, kind, drop_fields) = (builder.clone(), kind.clone(), drop_fields.clone());
            move || {
                let builder = builder.retyped::<PartialObjectMeta<DynamicObject>>();
                Self::of_checked(&kind, builder, drop_fields.clone())
            }
        };
        Self {
            kind: kind.clone(),
            variant: builder.variant(),
            typed: K::Scope::NAMESPACED.is_some() && !K::metadata_only(),
            metadata: Arc::new(metadata),
            make: Arc::new(move |name, failed| {
                let mut builder = InformerBuilder::clone(&builder);
                builder.default_name(|| name);
                builder.also_on_error(move |_| failed.notify_one());
                SharedInformer::<K>::new(builder.assemble(drop_fields.clone())).as_kind()
            }),
        }
    }

    /// The same objects, but only their metadata.
    pub(super) fn metadata(&self) -> Self {
        (self.metadata)()
    }

    /// An informer; `failed` is told of each of its failures. Calls a user's function, so no lock may be held.
    pub(super) fn make(&self, name: Arc<str>, failed: Arc<Notify>) -> SharedInformer<()> {
        (self.make)(name, failed)
    }
}

/// Has samples checked against a type, where so far nobody has said what type it is.
pub(super) fn check_type<K: DeserializeOwned + Send + Sync + 'static>(informer: &SharedInformer<()>) {
    informer.engine().ingest.check_type(decoder::<K>());
}
