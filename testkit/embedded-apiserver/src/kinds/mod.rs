//! The kinds that are served: the built-in ones, and those that CustomResourceDefinitions add at run time.

mod builtin;
mod builtin_table;
pub(crate) mod crd;
mod crd_validation;
mod events;
mod registry;
mod structural;

use std::sync::Arc;

use crate::request::Verb;
use crate::status::{ApiError, Details};

pub(crate) use registry::Registry;
pub(crate) use structural::{Checked, Findings, Schemas};

/// One kind in one version, as it is served under one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// Empty for the core group.
    pub(crate) group: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) kind: Arc<str>,
    pub(crate) list_kind: Arc<str>,
    pub(crate) plural: Arc<str>,
    pub(crate) singular: Arc<str>,
    pub(crate) namespaced: bool,
    pub(crate) short_names: Vec<Arc<str>>,
    pub(crate) categories: Vec<Arc<str>>,
    /// The verbs that it supports, in alphabetical order.
    pub(crate) verbs: Vec<Verb>,
    pub(crate) subresources: Vec<Subresource>,
    /// The fields that field selectors may use besides `metadata.name` and `metadata.namespace`.
    pub(crate) fields: Vec<Field>,
    /// The fields whose values are stored with an object: those of all its APIs.
    pub(crate) stored_fields: Vec<Field>,
    /// Which message refuses a field selector.
    pub(crate) field_refusal: FieldRefusal,
    pub(crate) generation: Generation,
    /// Whether a delete is answered with the object rather than with a Status.
    pub(crate) delete_answers_object: bool,
    /// Whether a PUT to a missing object creates it.
    pub(crate) create_on_update: bool,
    /// Whether a PUT needs no resourceVersion.
    pub(crate) unconditional_update: bool,
    /// Whether it is defined by a CustomResourceDefinition. Such objects are written with another order of keys, and items
    /// of lists have a kind.
    pub(crate) custom: bool,
    /// The schemas of all versions of a custom resource.
    pub(crate) schemas: Option<Arc<Schemas>>,
    /// Whether the real server has a watch cache for it. For events it has none.
    pub(crate) cached: bool,
}

/// Another view of an object, or something that can be done to it: `status`, `scale`, `eviction`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subresource {
    pub(crate) name: Arc<str>,
    /// The kind that is read and written there: that of the object itself, or another one such as `Scale`.
    pub(crate) kind: Arc<str>,
    /// The group and version of that kind, if they differ from those of the resource.
    pub(crate) group_version: Option<(Arc<str>, Arc<str>)>,
    pub(crate) verbs: Vec<Verb>,
    /// The paths of the replica counts; set only for the `scale` of a custom resource.
    pub(crate) scale: Option<ScalePaths>,
}

/// The paths of the replica counts in a custom resource, such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalePaths {
    pub(crate) spec_replicas: Arc<str>,
    pub(crate) status_replicas: Arc<str>,
    pub(crate) label_selector: Option<Arc<str>>,
}

/// A field that field selectors may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The name of the field in selectors, such as `spec.nodeName`.
    pub(crate) label: Arc<str>,
    /// The paths of the value in the object, with dots between keys. The first path that has a value counts.
    pub(crate) paths: Vec<Arc<str>>,
    /// The value if an object has none.
    pub(crate) default: &'static str,
}

/// Which message refuses a field selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRefusal {
    /// For kinds with no fields but `metadata.name` and `metadata.namespace`.
    OnlyMetadata,
    /// `field label not supported: spec.foo`.
    Label,
    /// With the kind; for jobs, for example.
    QuotedLabelAndKind,
    /// With group, version and kind; for resource slices.
    LabelForKind,
}

/// Which changes increase `metadata.generation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The kind has no generation.
    None,
    /// None: it is always 1.
    Fixed,
    /// Every change outside of metadata, and outside of the status if that is a subresource.
    Content,
    /// The same, and changes of this field of metadata: annotations of deployments, labels of endpoint slices.
    ContentAnd(&'static str),
}

impl Resource {
    /// The resource in messages: `pods` for the core group, `deployments.apps` for others.
    pub(crate) fn qualified(&self) -> String {
        match &*self.group {
            "" => self.plural.to_string(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// `v1` for the core group, `apps/v1` for others.
    pub(crate) fn api_version(&self) -> String {
        match &*self.group {
            "" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// The collection of its objects, which is the same for all versions of a kind, and for both kinds of events.
    pub(crate) fn storage_id(&self) -> StorageId {
        let group = if self.is_converted() { "".into() } else { self.group.clone() };
        StorageId { group, plural: self.plural.clone() }
    }

    /// The `details` of a Status about one object.
    pub(crate) fn details(&self, name: &str) -> Details {
        Details {
            name: name.to_owned(),
            group: self.group.to_string(),
            kind: self.plural.to_string(),
            ..Details::default()
        }
    }

    /// Whether its objects are stored. A `TokenReview` or a `Binding`, for example, is only answered.
    pub(crate) fn is_stored(&self) -> bool {
        self.verbs.contains(&Verb::Watch)
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| &*subresource.name == name)
    }

    /// The field that selectors call `label`; an error if this kind has no such field.
    /// `metadata.name` and `metadata.namespace` are fields of nearly every kind.
    pub(crate) fn field(&self, label: &str) -> Result<Field, ApiError> {
        let is_metadata = match label {
            "metadata.name" => true,
            // In the real server, cluster-scoped kinds accept it only if they do not define their own fields.
            "metadata.namespace" => self.namespaced || self.field_refusal == FieldRefusal::OnlyMetadata,
            _ => false,
        };
        if is_metadata {
            return Ok(Field { label: label.into(), paths: vec![label.into()], default: "" });
        }
        if let Some(field) = self.fields.iter().find(|field| &*field.label == label) {
            return Ok(field.clone());
        }
        Err(ApiError::bad_request(match self.field_refusal {
            FieldRefusal::OnlyMetadata => format!(
                "{label:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            ),
            FieldRefusal::Label => format!("field label not supported: {label}"),
            FieldRefusal::QuotedLabelAndKind => {
                format!("field label {label:?} not supported for {}", self.kind)
            }
            FieldRefusal::LabelForKind => {
                format!("field label not supported for {}, Kind={}: {label}", self.api_version(), self.kind)
            }
        }))
    }
}

/// Identifies a collection in the storage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StorageId {
    pub(crate) group: Arc<str>,
    pub(crate) plural: Arc<str>,
}

impl StorageId {
    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        &*self.group == group && &*self.plural == plural
    }
}
