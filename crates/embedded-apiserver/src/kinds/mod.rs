//! What the server serves: the built-in kinds, and those that CustomResourceDefinitions add at run time.

mod builtin;
mod builtin_table;
pub(crate) mod crd;
mod crd_validation;
mod registry;

use std::sync::Arc;

use crate::request::Verb;
use crate::status::{ApiError, Details};

pub(crate) use registry::Registry;

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
    /// What can be done to its objects; in alphabetical order.
    pub(crate) verbs: Vec<Verb>,
    pub(crate) subresources: Vec<Subresource>,
    /// What field selectors may name beside `metadata.name` and `metadata.namespace`.
    pub(crate) fields: Vec<Field>,
    /// How the refusal of a field selector is worded.
    pub(crate) field_refusal: FieldRefusal,
    pub(crate) generation: Generation,
    /// Whether a delete is answered with the object rather than with a Status.
    pub(crate) delete_answers_object: bool,
    /// Whether a PUT to a missing object creates it.
    pub(crate) create_on_update: bool,
    /// Whether a PUT needs no resourceVersion.
    pub(crate) unconditional_update: bool,
    /// Defined by a CustomResourceDefinition: other key order in lists, kind in items.
    pub(crate) custom: bool,
    /// Whether the real server keeps it in its watch cache; events it does not.
    pub(crate) cached: bool,
}

/// Another view of an object, or something that can be done to it: `status`, `scale`, `eviction`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subresource {
    pub(crate) name: Arc<str>,
    /// What is read and written there: the kind of the object itself, or another one such as `Scale`.
    pub(crate) kind: Arc<str>,
    /// Group and version of that kind where they are not those of the resource.
    pub(crate) group_version: Option<(Arc<str>, Arc<str>)>,
    pub(crate) verbs: Vec<Verb>,
    /// Where in the object `Scale` has its numbers; only of a custom resource's `scale`.
    pub(crate) scale: Option<ScalePaths>,
}

/// Where in a custom resource its scale is, as paths such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScalePaths {
    pub(crate) spec_replicas: Arc<str>,
    pub(crate) status_replicas: Arc<str>,
    pub(crate) label_selector: Option<Arc<str>>,
}

/// A field that can be selected by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// What selectors say, such as `spec.nodeName`.
    pub(crate) label: Arc<str>,
    /// Where in the object the value is: keys separated by dots. The first place that has a value counts.
    pub(crate) paths: Vec<Arc<str>>,
    /// The value of an object that has none.
    pub(crate) default: &'static str,
}

/// How the refusal of a field selector is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRefusal {
    /// Of a type that has no fields but those that all have.
    OnlyMetadata,
    /// `field label not supported: spec.foo`.
    Label,
    /// With the kind; of jobs and such.
    QuotedLabelAndKind,
    /// With group, version and kind; of resource slices.
    LabelForKind,
}

/// How `metadata.generation` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    /// The kind has none.
    None,
    /// 1, and that is it.
    Fixed,
    /// Every change outside of metadata, and outside of status where that is a subresource.
    Content,
    /// Changes of this part of metadata too: annotations of deployments, labels of endpoint slices.
    ContentAnd(&'static str),
}

impl Resource {
    /// `pods` for the core group, `deployments.apps` for the others: the form of messages.
    pub(crate) fn qualified(&self) -> String {
        match &*self.group {
            "" => self.plural.to_string(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// `v1` for the core group, `apps/v1` for the others.
    pub(crate) fn api_version(&self) -> String {
        match &*self.group {
            "" => self.version.to_string(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Where its objects are stored: the same for all versions of a kind.
    pub(crate) fn storage_id(&self) -> StorageId {
        StorageId { group: self.group.clone(), plural: self.plural.clone() }
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

    /// Whether its objects are kept; if not, it is a question (`TokenReview`) or an order (`Binding`).
    pub(crate) fn is_stored(&self) -> bool {
        self.verbs.contains(&Verb::Watch)
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| &*subresource.name == name)
    }

    /// The field that a selector calls `label`; an error if objects of this kind cannot be selected by it.
    /// `metadata.name` and `metadata.namespace` are fields of nearly every kind.
    pub(crate) fn field(&self, label: &str) -> Result<Field, ApiError> {
        let is_metadata = match label {
            "metadata.name" => true,
            // Kinds of the whole cluster take it only where nobody gave a thought to their fields.
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

/// A collection in the storage.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StorageId {
    pub(crate) group: Arc<str>,
    pub(crate) plural: Arc<str>,
}
