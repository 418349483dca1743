//! A request for an informer of a factory, and how to build that informer.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::error::BuildError;
use crate::informer::blueprint::Blueprint;
use crate::informer::{InformerBuilder, SharedProbes};
use crate::kind::{Kind, KindInfo, ResourceId};
use crate::options::Options;
use crate::report::Callback;
use crate::source::{Selection, Sources};

/// The kind or name under which an informer is requested. All Rust types of a kind share one informer; metadata may
/// have a second one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) of: SlotOf,
    pub(super) metadata: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SlotOf {
    Kind(ResourceId),
    Named(Arc<str>),
}

impl Slot {
    pub(super) fn kind<K: Kind>(kind: &KindInfo) -> Self {
        Self { of: SlotOf::Kind(ResourceId::of(kind)), metadata: K::metadata_only() }
    }

    /// The slot of the same objects as metadata instead of whole, or whole instead of metadata.
    pub(super) fn other_face(&self) -> Self {
        Self { of: self.of.clone(), metadata: !self.metadata }
    }

    pub(super) fn is_named(&self) -> bool {
        matches!(self.of, SlotOf::Named(_))
    }
}

/// A request for one informer.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) slot: Slot,
    pub(super) blueprint: Blueprint,
    /// Keeps the name from being bound to other options.
    pub(super) named: Option<Arc<Named>>,
}

impl Request {
    /// The name of the informer in metrics and logs, unless its options set one.
    pub(super) fn name(&self) -> String {
        match &self.slot.of {
            SlotOf::Kind(_) => self.blueprint.kind.resource(),
            SlotOf::Named(name) => name.to_string(),
        }
    }
}

/// The blueprint that a name is bound to, as long as an access or an informer of that name lives.
pub(super) struct Named {
    pub(super) name: Arc<str>,
    pub(super) blueprint: Blueprint,
}

impl Named {
    /// The request for the objects of the name, whole or only their metadata.
    pub(super) fn request(self: &Arc<Self>, metadata: bool) -> Request {
        let narrowed = metadata && !self.blueprint.options.metadata_only;
        let blueprint = if narrowed { self.blueprint.metadata() } else { self.blueprint.clone() };
        let slot = Slot { of: SlotOf::Named(self.name.clone()), metadata: blueprint.options.metadata_only };
        Request { slot, blueprint, named: Some(self.clone()) }
    }
}

/// The options of a factory for all kinds. Checked when the factory is built.
pub(super) struct Defaults {
    pub(super) sources: Arc<dyn Sources>,
    pub(super) probes: Arc<SharedProbes>,
    /// The prefix of the names of all informers of the factory.
    pub(super) name: Option<Arc<str>>,
    pub(super) options: Options,
    pub(super) on_error: Option<Callback>,
}

impl Defaults {
    /// The blueprint that every informer of a kind begins with. Calls the user's `tweak` function, so no lock may be
    /// held.
    fn begin<K: Kind + DeserializeOwned>(&self, kind: &KindInfo) -> Blueprint {
        let mut blueprint = Blueprint::new::<K>(kind.clone(), self.sources.clone());
        blueprint.probes = self.probes.clone();
        blueprint.on_error.clone_from(&self.on_error);
        let Options { metadata_only, sensitive, .. } = blueprint.options;
        blueprint.options = self.options.clone();
        blueprint.options.metadata_only = metadata_only;
        blueprint.options.sensitive |= sensitive;
        // Kept decoded are objects of a type; metadata is read out anyway.
        blueprint.options.decoded &= !metadata_only;
        let options = &mut blueprint.options;
        options.namespaces = options.namespaces.inherited();
        if let Some(tweak) = options.tweak.take() {
            let (labels, fields) = (options.labels.take(), options.fields.take());
            let mut selection = Selection { labels, fields };
            (tweak.call)(kind, &mut selection);
            options.labels = selection.labels.filter(|selector| !selector.is_empty());
            options.fields = selection.fields.filter(|selector| !selector.is_empty());
        }
        blueprint
    }

    /// The blueprint of a kind without options of its own.
    pub(super) fn blueprint<K: Kind + DeserializeOwned>(&self, kind: &KindInfo) -> Blueprint {
        self.begin::<K>(kind).settled()
    }

    /// The blueprint of a kind with options of its own, or of a named variant.
    pub(super) fn blueprint_with<K: Kind + DeserializeOwned>(
        &self,
        kind: &KindInfo,
        set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>,
    ) -> Result<Blueprint, BuildError> {
        set(InformerBuilder::new(self.begin::<K>(kind))).into_blueprint().check()
    }

    /// The name of an informer in metrics and logs.
    pub(super) fn name(&self, name: &str) -> String {
        match &self.name {
            Some(factory) => format!("{factory}-{name}"),
            None => name.to_owned(),
        }
    }
}
