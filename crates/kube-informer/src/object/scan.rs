//! One pass over the JSON of an object: checks all of it, reads out its metadata, decodes nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// What one pass reads out of an object. Borrows from its JSON wherever a text has no escapes.
#[derive(Debug, Default)]
pub(crate) struct Metadata<'a> {
    /// Empty if missing.
    pub(crate) api_version: Cow<'a, str>,
    /// Empty if missing.
    pub(crate) kind: Cow<'a, str>,
    /// Whether `apiVersion` or `kind` are spelled out as null or empty, so that adding them would make a duplicate.
    pub(crate) blank_type: bool,
    pub(crate) name: Cow<'a, str>,
    pub(crate) namespace: Cow<'a, str>,
    pub(crate) uid: Cow<'a, str>,
    pub(crate) resource_version: Cow<'a, str>,
    pub(crate) generation: Option<i64>,
    pub(crate) created: Option<i64>,
    pub(crate) deleted: Option<i64>,
    /// Sorted by key, each key once.
    pub(crate) labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub(crate) owners: Vec<Owner<'a>>,
    pub(crate) finalizers: Vec<Cow<'a, str>>,
    /// Where the values of `metadata.managedFields` stand; several only if the key is repeated.
    pub(crate) managed_fields: Vec<Range<usize>>,
}

/// An owner reference, not interned yet.
#[derive(Debug, Default)]
pub(crate) struct Owner<'a> {
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) uid: Cow<'a, str>,
    pub(crate) controller: bool,
    pub(crate) block_owner_deletion: bool,
}

/// Why a document gave no metadata.
#[derive(Debug)]
pub(crate) enum ScanError {
    /// The bytes are not JSON.
    NotJson(String),
    /// They are JSON, but not an object of Kubernetes.
    Odd(serde_json::Error),
}

/// Reads the metadata of an object and checks the whole document to be JSON.
///
/// Of a repeated key the last wins, and null counts as missing, everywhere.
pub(crate) fn scan(json: &[u8]) -> Result<Metadata<'_>, ScanError> {
    // serde_json does not look at the encoding of texts it skips.
    let text = std::str::from_utf8(json).map_err(|error| ScanError::NotJson(error.to_string()))?;
    match serde_json::from_str::<Top<'_>>(text) {
        Ok(top) => Ok(top.finish(json)),
        // Whatever the visitors disliked, the question is whether the document is JSON at all.
        Err(odd) => match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Err(ScanError::Odd(odd)),
            Err(error) => Err(ScanError::NotJson(position(&error))),
        },
    }
}

/// Name and namespace of an object whose metadata is odd in other places.
pub(crate) fn rough_key(json: &[u8]) -> Option<(String, String)> {
    fn read<'a, T: Deserialize<'a>>(members: &BTreeMap<String, &'a RawValue>, key: &str) -> Option<T> {
        serde_json::from_str(members.get(key)?.get()).ok()
    }
    let top: BTreeMap<String, &RawValue> = serde_json::from_slice(json).ok()?;
    let metadata: BTreeMap<String, &RawValue> = read(&top, "metadata")?;
    let name: String = read(&metadata, "name").filter(|name: &String| !name.is_empty())?;
    Some((read(&metadata, "namespace").unwrap_or_default(), name))
}

/// What serde said, without the parts that may quote the document.
pub(crate) fn position(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Io => "cannot be read",
        Category::Syntax => "not JSON",
        Category::Data => "not of the expected form",
        Category::Eof => "ends too early",
    };
    format!("{what} at line {} column {}", error.line(), error.column())
}

/// The document as the visitors leave it.
#[derive(Default)]
struct Top<'a> {
    metadata: Metadata<'a>,
    managed_fields: Vec<&'a RawValue>,
}

impl<'a> Top<'a> {
    fn finish(self, json: &'a [u8]) -> Metadata<'a> {
        let mut metadata = self.metadata;
        let base = json.as_ptr() as usize;
        metadata.managed_fields = self
            .managed_fields
            .into_iter()
            .filter_map(|raw| {
                // A borrowed raw value is a part of the document, so its address tells its place.
                let start = (raw.get().as_ptr() as usize).checked_sub(base)?;
                let end = start.checked_add(raw.get().len())?;
                (end <= json.len()).then_some(start..end)
            })
            .collect();
        metadata
    }
}

/// A text, borrowed where possible.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads the next value; null is the default.
fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Cow<'de, str>, A::Error> {
    Ok(map.next_value::<Option<Text<'de>>>()?.map(|text| text.0).unwrap_or_default())
}

fn plain<'de, A: MapAccess<'de>, T: DeserializeOwned>(map: &mut A) -> Result<Option<T>, A::Error> {
    map.next_value()
}

fn seconds<'de, A: MapAccess<'de>>(map: &mut A, field: &str) -> Result<Option<i64>, A::Error> {
    let Some(text) = map.next_value::<Option<Text<'de>>>()? else { return Ok(None) };
    match text.0.parse::<Timestamp>() {
        Ok(time) => Ok(Some(time.as_second())),
        Err(_) => Err(serde::de::Error::custom(format_args!(
            "metadata.{field} is not a time as RFC 3339 writes it"
        ))),
    }
}

/// Makes a type out of a JSON object by a function over its members: derived code refuses repeated keys.
macro_rules! from_members {
    ($type:ident, $expecting:literal, |$into:ident, $key:ident, $map:ident| $member:expr) => {
        impl<'de> Deserialize<'de> for $type<'de> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;
                impl<'de> Visitor<'de> for Members {
                    type Value = $type<'de>;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$type<'de>, A::Error> {
                        let mut into = $type::default();
                        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
                            let ($into, $key, $map) = (&mut into, &*key, &mut map);
                            $member
                        }
                        Ok(into)
                    }
                }
                deserializer.deserialize_map(Members)
            }
        }
    };
}

from_members!(Top, "an object", |top, key, map| match key {
    "apiVersion" => {
        top.metadata.api_version = text(map)?;
        top.metadata.blank_type |= top.metadata.api_version.is_empty();
    }
    "kind" => {
        top.metadata.kind = text(map)?;
        top.metadata.blank_type |= top.metadata.kind.is_empty();
    }
    "metadata" => {
        let fields: Fields<'_> = map.next_value::<Option<Fields<'_>>>()?.unwrap_or_default();
        top.managed_fields.extend(fields.managed_fields);
        top.metadata = Metadata {
            api_version: std::mem::take(&mut top.metadata.api_version),
            kind: std::mem::take(&mut top.metadata.kind),
            blank_type: top.metadata.blank_type,
            ..fields.metadata
        };
    }
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

/// `metadata`; the fields of the document around it stay empty.
#[derive(Default)]
struct Fields<'a> {
    metadata: Metadata<'a>,
    managed_fields: Vec<&'a RawValue>,
}

from_members!(Fields, "metadata, an object", |fields, key, map| match key {
    "name" => fields.metadata.name = text(map)?,
    "namespace" => fields.metadata.namespace = text(map)?,
    "uid" => fields.metadata.uid = text(map)?,
    "resourceVersion" => fields.metadata.resource_version = text(map)?,
    "generation" => fields.metadata.generation = plain(map)?,
    "creationTimestamp" => fields.metadata.created = seconds(map, "creationTimestamp")?,
    "deletionTimestamp" => fields.metadata.deleted = seconds(map, "deletionTimestamp")?,
    "labels" => {
        fields.metadata.labels =
            map.next_value::<Option<Pairs<'_>>>()?.map(Pairs::sorted).unwrap_or_default();
    }
    "ownerReferences" => {
        let owners = map.next_value::<Option<Vec<Option<Owner<'_>>>>>()?.unwrap_or_default();
        fields.metadata.owners = owners.into_iter().flatten().collect();
    }
    "finalizers" => {
        let finalizers = map.next_value::<Option<Vec<Option<Text<'_>>>>>()?.unwrap_or_default();
        fields.metadata.finalizers = finalizers.into_iter().flatten().map(|text| text.0).collect();
    }
    "managedFields" => fields.managed_fields.push(map.next_value()?),
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

from_members!(Owner, "an owner reference", |owner, key, map| match key {
    "apiVersion" => owner.api_version = text(map)?,
    "kind" => owner.kind = text(map)?,
    "name" => owner.name = text(map)?,
    "uid" => owner.uid = text(map)?,
    "controller" => owner.controller = plain(map)?.unwrap_or_default(),
    "blockOwnerDeletion" => owner.block_owner_deletion = plain(map)?.unwrap_or_default(),
    _ => {
        map.next_value::<IgnoredAny>()?;
    }
});

/// Labels as they stand in the document.
#[derive(Default)]
struct Pairs<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Pairs<'a> {
    /// Sorted by key; the last of equal keys wins.
    fn sorted(self) -> Vec<(Cow<'a, str>, Cow<'a, str>)> {
        let mut pairs = self.0;
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        // `dedup_by` hands the later one first; moving its value into the earlier slot makes the last win.
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = std::mem::take(&mut later.1);
            }
            same
        });
        pairs
    }
}

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("labels, an object of texts")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
                    pairs.push((key, text(&mut map)?));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
