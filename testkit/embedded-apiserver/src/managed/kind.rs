//! The types of a kind, in the versions that it is served in.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::set::Set;
use super::types::{DEDUCED, Reference, Schema, Type};
use super::updater::{Typed, Versions};
use super::{builtin, convert};

static BUILTIN: LazyLock<Schema> = LazyLock::new(Schema::default);

/// A built-in or custom kind.
#[derive(Debug)]
pub(crate) struct Kind {
    group: String,
    pub(crate) name: String,
    /// None for built-in kinds.
    custom: Option<Custom>,
}

#[derive(Debug)]
struct Custom {
    schema: Schema,
    /// By apiVersion.
    versions: HashMap<String, Reference>,
}

impl Kind {
    pub(crate) fn builtin(group: &str, name: &str) -> Self {
        Self { group: group.to_owned(), name: name.to_owned(), custom: None }
    }

    /// A custom kind with the schema of each apiVersion, which includes `metadata`; `None` where a version has no schema.
    pub(crate) fn custom(
        group: &str,
        name: &str,
        versions: impl IntoIterator<Item = (String, Option<Value>)>,
    ) -> Self {
        let mut custom = Custom { schema: Schema::default(), versions: HashMap::new() };
        for (version, schema) in versions {
            let of = match schema {
                Some(schema) => Reference::Inline(Box::new(convert::definition(&schema, false))),
                None => Reference::named(DEDUCED),
            };
            custom.versions.insert(version, of);
        }
        Self { group: group.to_owned(), name: name.to_owned(), custom: Some(custom) }
    }

    /// The type of its objects; `None` if it is not served in that version.
    pub(crate) fn of(&self, api_version: &str) -> Option<Type<'_>> {
        match &self.custom {
            Some(custom) => custom.versions.get(api_version).map(|of| custom.schema.of(of)),
            None => {
                let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
                let of = builtin::kind(api_version, &self.name).filter(|_| group == self.group)?;
                Some(BUILTIN.of(of))
            }
        }
    }

    /// An object of which nothing is set yet.
    pub(crate) fn empty(&self, api_version: &str) -> Value {
        let empty = match (&self.custom, builtin::kind(api_version, &self.name)) {
            (None, Some(Reference::Named { name, .. })) => builtin::empty(name),
            _ => Map::new().into(),
        };
        self.in_version(&empty, api_version)
    }

    /// Nothing but the apiVersion is converted: that is what definitions without a webhook do.
    fn in_version(&self, object: &Value, api_version: &str) -> Value {
        let mut object = object.clone();
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".to_owned(), api_version.into());
            fields.entry("kind").or_insert_with(|| (&*self.name).into());
        }
        object
    }
}

impl<'s> Versions<'s> for Served<'s> {
    fn convert(&self, object: &Typed<'s>, version: &str) -> Result<Option<Typed<'s>>, String> {
        if object.value["apiVersion"] == version {
            return Ok(Some(object.clone()));
        }
        let of = self.kind.of(version);
        Ok(of.map(|of| Typed::new(self.kind.in_version(&object.value, version), of)))
    }

    fn written(&self, _version: &str, set: Set) -> Set {
        if self.ignored.is_empty() { set } else { set.recursive_difference(self.ignored) }
    }
}

/// A kind as one of its paths serves it.
pub(crate) struct Served<'s> {
    pub(crate) kind: &'s Kind,
    /// The fields that are not written there.
    pub(crate) ignored: &'s Set,
}

/// The fields that writes to objects, or to a subresource of them, leave as they are.
pub(crate) fn ignored(
    resource: &str,
    has_status: bool,
    is_custom: bool,
    subresource: &str,
) -> &'static [&'static str] {
    match (subresource, resource) {
        ("", "certificatesigningrequests") => &["spec", "status"],
        ("", "servicecidrs") => &[],
        ("" | "finalize", _) if has_status => &["status"],
        ("status", _) if is_custom => &["metadata", "spec"],
        ("status", "deployments") => &["spec", "metadata.labels"],
        ("status", "pods") => &["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
        ("status", "certificatesigningrequests") => &["spec", "status.conditions"],
        ("approval", "certificatesigningrequests") => &["spec", "status.certificate"],
        (
            "status",
            "validatingadmissionpolicies"
            | "storageversions"
            | "flowschemas"
            | "prioritylevelconfigurations"
            | "servicecidrs"
            | "devicetaintrules"
            | "resourceclaims"
            | "resourcepoolstatusrequests"
            | "podgroups"
            | "volumeattachments"
            | "storageversionmigrations",
        ) => &["metadata", "spec"],
        ("status", _) => &["spec"],
        _ => &[],
    }
}
