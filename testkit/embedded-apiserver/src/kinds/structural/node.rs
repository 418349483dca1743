//! A schema of a CustomResourceDefinition, parsed.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::formats::Format;
use super::pattern::Pattern;
use super::rules::Rule;

/// A schema or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    /// Empty if any type is allowed.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) format: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) nullable: bool,
    /// Null if there is none.
    pub(super) default: Value,
    pub(super) maximum: Option<f64>,
    pub(super) exclusive_maximum: bool,
    pub(super) minimum: Option<f64>,
    pub(super) exclusive_minimum: bool,
    pub(super) multiple_of: Option<f64>,
    pub(super) max_length: Option<i64>,
    pub(super) min_length: Option<i64>,
    pub(super) pattern: Option<Pattern>,
    pub(super) max_items: Option<i64>,
    pub(super) min_items: Option<i64>,
    pub(super) unique_items: bool,
    pub(super) max_properties: Option<i64>,
    pub(super) min_properties: Option<i64>,
    pub(super) required: Vec<String>,
    #[serde(rename = "enum")]
    pub(super) values: Vec<Value>,
    pub(super) items: Option<Items>,
    pub(super) properties: BTreeMap<String, Self>,
    pub(super) additional_properties: Option<Additional>,
    pub(super) all_of: Vec<Self>,
    pub(super) any_of: Vec<Self>,
    pub(super) one_of: Vec<Self>,
    pub(super) not: Option<Box<Self>>,
    /// Keywords that a definition must not use.
    #[serde(flatten)]
    pub(super) forbidden: Forbidden,
    #[serde(rename = "x-kubernetes-preserve-unknown-fields")]
    pub(super) preserve: Option<bool>,
    #[serde(rename = "x-kubernetes-embedded-resource")]
    pub(super) embedded: bool,
    #[serde(rename = "x-kubernetes-int-or-string")]
    pub(super) int_or_string: bool,
    #[serde(rename = "x-kubernetes-list-type")]
    pub(super) list_type: Option<String>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    pub(super) list_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    pub(super) map_type: Option<String>,
    #[serde(rename = "x-kubernetes-validations")]
    pub(super) rules: Vec<Rule>,
}

/// Keywords of JSON Schema that a definition must not use.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Forbidden {
    pub(super) id: String,
    pub(super) additional_items: Value,
    pub(super) pattern_properties: Value,
    pub(super) definitions: Value,
    pub(super) dependencies: Value,
    #[serde(rename = "$ref")]
    pub(super) reference: Value,
}

/// The schema of the items of a list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Items {
    All(Box<Node>),
    /// One for each place, which is forbidden.
    Each(Vec<Node>),
}

/// Which fields an object may have besides `properties`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Additional {
    Allowed(bool),
    Schema(Box<Node>),
}

impl<'de> Deserialize<'de> for Additional {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Allowed(bool),
            Schema(Box<Node>),
        }
        Ok(match Form::deserialize(from)? {
            Form::Allowed(allowed) => Self::Allowed(allowed),
            Form::Schema(node) => Self::Schema(node),
        })
    }
}

impl Node {
    /// The schema of all items of a list.
    pub(super) fn item(&self) -> Option<&Self> {
        match &self.items {
            Some(Items::All(node)) => Some(node),
            Some(Items::Each(_)) | None => None,
        }
    }

    /// The schema of fields that are not among `properties`.
    pub(super) fn additional(&self) -> Option<&Self> {
        match &self.additional_properties {
            Some(Additional::Schema(node)) => Some(node),
            Some(Additional::Allowed(_)) | None => None,
        }
    }

    /// The schema of a field.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or_else(|| self.additional())
    }

    /// Whether it is a list whose items have keys.
    pub(super) fn is_map(&self) -> bool {
        self.list_type.as_deref() == Some("map")
    }

    pub(super) fn preserves(&self) -> bool {
        self.preserve == Some(true)
    }

    pub(super) fn has_default(&self) -> bool {
        !self.default.is_null()
    }

    /// The types that a value may have; empty if any.
    pub(super) fn types(&self) -> &[&'static str] {
        if self.int_or_string {
            return &["integer", "string"];
        }
        match &*self.kind {
            "string" => &["string"],
            "integer" => &["integer"],
            "number" => &["number"],
            "boolean" => &["boolean"],
            "array" => &["array"],
            "object" => &["object"],
            _ => &[],
        }
    }

    /// The format, if it is one that is checked for the type. Others are ignored.
    pub(super) fn checked_format(&self) -> Option<Format<'_>> {
        // With two types the format is looked up as that of no type at all.
        let kind = if self.int_or_string { "" } else { &*self.kind };
        Format::of(kind, &self.format)
    }
}
