//! Schemas of CustomResourceDefinitions: what becomes of the fields of custom resources, and which values they may have.

mod definition;
mod embedded;
mod formats;
mod lists;
mod node;
mod numbers;
mod outcome;
mod pattern;
mod prune;
mod ratchet;
mod rules;
mod scale;
mod structure;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::node::Node;
use self::ratchet::Old;
use self::rules::Rules;
use super::crd::{text, versions};
use super::{Resource, ScalePaths};
use crate::go;
use crate::status::Cause;

pub(super) use self::definition::{check as check_definition, lacking};
use self::outcome::shown;
pub(crate) use self::rules::Findings;

/// The schemas of a CustomResourceDefinition, by version.
#[derive(Debug)]
pub(crate) struct Schemas {
    roots: BTreeMap<String, Node>,
    /// The rules of the versions that have some.
    rules: BTreeMap<String, Rules>,
    /// The version that objects are stored in.
    pub(crate) storage: Arc<str>,
    /// The versions of the definition.
    source: Value,
}

impl PartialEq for Schemas {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Schemas {}

/// With these reasons an object is too wrong for rules.
const BLOCKING: [&str; 5] = [
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
];
const UNCHECKED: &str = "some validation rules were not checked because the object was invalid; correct the existing errors \
                         to complete validation";

/// Where a change comes from: which part of an object it may change, and so has to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    All,
    Status,
}

impl Schemas {
    /// Reads the schemas of a definition that has been accepted.
    pub(super) fn read(definition: &Value) -> Self {
        let root = |version: &Value| {
            let schema = version["schema"].get("openAPIV3Schema")?;
            // Defaults are read as the real server would write them.
            let mut schema = schema.clone();
            go::tidy_numbers(&mut schema);
            let mut node: Node = serde_json::from_value(schema).unwrap_or_default();
            prune::prune_defaults(&mut node);
            Some((text(&version["name"]).to_owned(), node))
        };
        let storage = versions(definition).find(|version| version["storage"] == true);
        let roots: BTreeMap<String, Node> = versions(definition).filter_map(root).collect();
        let rules = roots.iter().filter_map(|(version, root)| Some((version.clone(), Rules::read(root)?)));
        Self {
            rules: rules.collect(),
            roots,
            storage: storage.map_or("", |version| text(&version["name"])).into(),
            source: definition["spec"]["versions"].clone(),
        }
    }

    /// Whether these are the schemas of that definition.
    pub(super) fn are_of(&self, definition: &Value) -> bool {
        self.source == definition["spec"]["versions"]
    }

    /// The schema of a version as the definition has it.
    pub(super) fn source(&self, version: &str) -> Option<&Value> {
        let versions = self.source.as_array()?;
        let version = versions.iter().find(|other| other["name"] == version)?;
        version["schema"].get("openAPIV3Schema")
    }

    /// Takes an object in a version as a client has sent it: removes the fields that the schema does not have and sets
    /// defaults. Returns the removed fields; fails if the metadata of an embedded resource has a field of a wrong type.
    pub(crate) fn admit(
        &self,
        version: &str,
        object: &mut Map<String, Value>,
    ) -> Result<Vec<String>, String> {
        let Some(root) = self.roots.get(version) else { return Ok(Vec::new()) };
        let unknown = prune(root, object)?;
        set_defaults(root, object);
        Ok(unknown)
    }

    /// Sets the defaults of an object in a version.
    pub(crate) fn set_defaults(&self, version: &str, object: &mut Map<String, Value>) {
        if let Some(root) = self.roots.get(version) {
            set_defaults(root, object);
        }
    }

    /// What a client of `version` reads of an object that is stored in the version `stored`, or is about to be.
    pub(crate) fn convert(&self, object: &mut Map<String, Value>, stored: &str, version: &str) {
        if let Some(root) = self.roots.get(stored) {
            // Stored metadata has been checked when it was written.
            let _ = prune(root, object);
            set_defaults(root, object);
        }
        if let Some(root) = self.roots.get(version).filter(|_| stored != version) {
            let _ = prune(root, object);
        }
    }

    /// Adds what is wrong with an object to what is `found` otherwise. What is as in the old object may be wrong.
    pub(crate) fn validate(
        &self,
        resource: &Resource,
        checked: Checked,
        object: &Map<String, Value>,
        old: Option<&Map<String, Value>>,
        found: Vec<Cause>,
    ) -> Findings {
        let Some(root) = self.roots.get(&*resource.version) else {
            return Findings { causes: found, ..Findings::default() };
        };
        let whole = |object: &Map<String, Value>| {
            let mut object = object.clone();
            object.insert("kind".to_owned(), (&*resource.kind).into());
            object.insert("apiVersion".to_owned(), resource.api_version().into());
            Value::Object(object)
        };
        let new = whole(object);
        let old = old.map(whole);
        let scale = resource.subresource("scale").and_then(|scale| scale.scale.as_ref());
        let mut causes = found;
        causes.extend(match checked {
            Checked::All => values::validate(&new, root, "", old.as_ref().map(Old::root)).causes(""),
            Checked::Status => {
                let old = old.as_ref().and_then(|old| old.get("status"));
                // A null where nothing was is as it was.
                let is_same = |status: &&Value| !status.is_null() || old.is_some_and(|old| !old.is_null());
                let status = new.get("status").filter(is_same).zip(root.properties.get("status"));
                let outcome =
                    status.map(|(status, node)| values::validate(status, node, "", old.map(Old::part)));
                outcome.map(|outcome| outcome.causes("status")).unwrap_or_default()
            }
        });
        let is_all = checked == Checked::All;
        causes.extend(scale.into_iter().flat_map(|paths: &ScalePaths| scale::check(object, paths, is_all)));
        if is_all {
            embedded::check(&new, root, "", &mut causes);
        }
        let repeated = |object: &Value| {
            let mut causes = Vec::new();
            lists::check(object.as_object().unwrap_or(&Map::new()), root, "", &mut causes);
            causes
        };
        if old.as_ref().is_none_or(|old| repeated(old).is_empty()) {
            causes.extend(repeated(&new));
        }
        let mut warnings = Vec::new();
        if let Some(rules) = self.rules.get(&*resource.version) {
            if causes.iter().any(|cause| BLOCKING.contains(&cause.reason)) {
                causes.push(Cause::invalid("<nil>", "null", UNCHECKED));
            } else {
                let findings = rules.validate(root, &new, old.as_ref());
                causes.extend(findings.causes);
                warnings = findings.warnings;
            }
        }
        Findings { causes, warnings }
    }
}

/// Metadata has a type of its own, whatever the schema says, so it is left alone.
fn prune(root: &Node, object: &mut Map<String, Value>) -> Result<Vec<String>, String> {
    let metadata = object.remove("metadata");
    let mut unknown = prune::prune(object, root);
    prune::prune_null_fields(object, Some(root));
    let mut of_embedded = Vec::new();
    let coerced = embedded::coerce(object, root, "", &mut of_embedded);
    object.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
    coerced?;
    of_embedded.sort();
    unknown.extend(of_embedded);
    Ok(unknown)
}

fn set_defaults(root: &Node, object: &mut Map<String, Value>) {
    let metadata = object.remove("metadata");
    prune::set_field_defaults(object, root);
    object.extend(metadata.map(|metadata| ("metadata".to_owned(), metadata)));
}

impl outcome::Outcome {
    fn causes(self, place: &str) -> Vec<Cause> {
        self.into_problems().into_iter().map(|problem| problem.cause(place)).collect()
    }
}

#[cfg(test)]
mod tests;
