//! An object as it is stored: JSON, and the values that selectors use.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::escape::HtmlSafe;
use crate::kinds::{Field, Resource, Schemas};
use crate::select::Selector;
use crate::status::ApiError;

/// An object in one version. Cheap to clone. Two versions may share their content: a deletion has a version of its own.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Zero in a dry run of a create.
    pub(crate) version: u64,
    pub(crate) content: Arc<Content>,
}

/// Stored JSON that cannot be read again. No write should store such JSON; if one does, this is an error rather than an
/// empty object.
#[derive(Debug)]
pub(crate) struct Unreadable(serde_json::Error);

impl From<Unreadable> for ApiError {
    fn from(Unreadable(error): Unreadable) -> Self {
        Self::internal(format!("a stored object cannot be read: {error}"))
    }
}

/// An object without its resourceVersion, which is known only when it is written.
#[derive(Debug)]
pub(crate) struct Content {
    /// `namespace/name`, or `name` for cluster-scoped kinds.
    pub(crate) key: Arc<str>,
    /// Compact JSON with metadata first, without kind and apiVersion, with an empty resourceVersion.
    json: Bytes,
    /// Where in `json` the digits of the resourceVersion belong.
    version_at: usize,
    /// The end of the metadata in `json`.
    metadata_end: usize,
    labels: Vec<(Box<str>, Box<str>)>,
    /// The values of fields that selectors may use, by label. They are set at the write: if a CustomResourceDefinition gets
    /// other selectable fields later, an object has them after its next write.
    fields: Vec<(Arc<str>, Box<str>)>,
    pub(crate) uid: Box<str>,
    /// Whether it has a deletionTimestamp.
    pub(crate) terminating: bool,
    /// The schemas that a custom resource has been written under, and the version that it was written in.
    written: Option<(Arc<Schemas>, Arc<str>)>,
}

impl Content {
    /// Makes the content from an object. Kind, apiVersion and resourceVersion are left out.
    pub(crate) fn new(key: &str, object: &Map<String, Value>, fields: &[Field]) -> Self {
        let empty = Map::new();
        let metadata = object.get("metadata").and_then(Value::as_object).unwrap_or(&empty);
        let mut json = b"{\"metadata\":{\"resourceVersion\":\"".to_vec();
        let version_at = json.len();
        json.push(b'"');
        for (name, value) in metadata {
            if name != "resourceVersion" {
                write_member(&mut json, name, value);
            }
        }
        json.push(b'}');
        let metadata_end = json.len();
        for (name, value) in object {
            if name != "kind" && name != "apiVersion" && name != "metadata" {
                write_member(&mut json, name, value);
            }
        }
        json.push(b'}');
        let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
        Self {
            key: key.into(),
            json: json.into(),
            version_at,
            metadata_end,
            labels: labels(metadata),
            fields: fields.iter().map(|field| (field.label.clone(), value_of(object, field))).collect(),
            uid: text("uid").into(),
            terminating: metadata.get("deletionTimestamp").is_some_and(|value| !value.is_null()),
            written: None,
        }
    }

    /// What is stored of an object that is written as one of that resource.
    pub(crate) fn written_as(resource: &Resource, key: &str, object: &Map<String, Value>) -> Self {
        let written = resource.schemas.as_ref().map(|schemas| (schemas.clone(), resource.version.clone()));
        Self { written, ..Self::new(key, object, &resource.stored_fields) }
    }

    /// Whether both are the same but for the resourceVersion.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.json == other.json
    }

    pub(crate) fn name(&self) -> &str {
        self.key.rsplit('/').next().unwrap_or_default()
    }

    /// Empty for cluster-scoped kinds.
    pub(crate) fn namespace(&self) -> &str {
        self.key.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.labels.iter().find(|(label, _)| &**label == key).map(|(_, value)| &**value)
    }

    /// The value of a field for selectors; empty if the object has none.
    pub(crate) fn field(&self, label: &str) -> &str {
        match label {
            "metadata.name" => self.name(),
            "metadata.namespace" => self.namespace(),
            _ => self.fields.iter().find(|(field, _)| &**field == label).map_or("", |(_, value)| value),
        }
    }

    /// About how much memory it takes.
    pub(crate) fn size(&self) -> usize {
        self.json.len() + 256
    }
}

impl Stored {
    /// Writes the object as JSON. `head` has the first fields, each followed by a comma: kind and apiVersion, or nothing.
    pub(crate) fn write_whole(&self, head: &str, out: &mut Vec<u8>) {
        self.write_until(self.content.json.len(), head, out);
    }

    /// Writes the object as JSON in the form of an API that is not the one in which it is stored.
    pub(crate) fn write_as(&self, resource: &Resource, head: &str, out: &mut Vec<u8>) {
        match self.to_object() {
            Ok(object) => {
                let content = Content::new(&self.content.key, &resource.served(object), &[]);
                Self { version: self.version, content: content.into() }.write_whole(head, out);
            }
            Err(_) => self.write_whole(head, out),
        }
    }

    /// Writes only the metadata.
    pub(crate) fn write_metadata(&self, head: &str, out: &mut Vec<u8>) {
        self.write_until(self.content.metadata_end, head, out);
        out.push(b'}');
    }

    fn write_until(&self, end: usize, head: &str, out: &mut Vec<u8>) {
        let Content { json, version_at, .. } = &*self.content;
        out.reserve(head.len() + end + 24);
        out.push(b'{');
        out.extend_from_slice(head.as_bytes());
        if self.version == 0 {
            // A dry run has no version, so the empty one is left out. A name always follows, so there is a comma to skip.
            out.extend_from_slice(b"\"metadata\":{");
            out.extend_from_slice(&json[version_at + 2..end]);
            return;
        }
        out.extend_from_slice(&json[1..*version_at]);
        out.extend_from_slice(self.version.to_string().as_bytes());
        out.extend_from_slice(&json[*version_at..end]);
    }

    /// The object as clients of a resource see it: with the fields and the defaults that the schema has by now, and with the
    /// fields that its selectors use by now.
    pub(crate) fn seen_as(&self, resource: &Resource) -> Cow<'_, Self> {
        let Some(schemas) = &resource.schemas else { return Cow::Borrowed(self) };
        let stored_in = match &self.content.written {
            Some((written, version)) => {
                let is_stored = *version == schemas.storage && resource.version == schemas.storage;
                if is_stored && Arc::ptr_eq(written, schemas) {
                    return Cow::Borrowed(self);
                }
                &written.storage
            }
            None => &schemas.storage,
        };
        let Ok(mut object) = self.to_object() else { return Cow::Borrowed(self) };
        schemas.convert(&mut object, stored_in, &resource.version);
        let content = Content::new(&self.content.key, &object, &resource.fields);
        Cow::Owned(Self { version: self.version, content: Arc::new(content) })
    }

    /// Whether a selector selects the object as clients of a resource see it.
    pub(crate) fn is_selected(&self, selector: &Selector, resource: &Resource) -> bool {
        selector.is_empty() || selector.matches(&self.seen_as(resource))
    }

    /// Many objects as clients of a resource see them.
    pub(crate) fn all_seen_as(items: Vec<Self>, resource: &Resource) -> Vec<Self> {
        match resource.schemas {
            None => items,
            Some(_) => items.iter().map(|stored| stored.seen_as(resource).into_owned()).collect(),
        }
    }

    /// Reads a part of the metadata.
    pub(crate) fn metadata<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        #[derive(Deserialize)]
        struct Object<T> {
            metadata: T,
        }
        let mut text = Vec::new();
        self.write_metadata("", &mut text);
        serde_json::from_slice(&text).map(|object: Object<T>| object.metadata).map_err(Unreadable)
    }

    /// Parses the object; it has no kind and no apiVersion.
    pub(crate) fn to_object(&self) -> Result<Map<String, Value>, Unreadable> {
        let mut text = Vec::new();
        self.write_whole("", &mut text);
        serde_json::from_slice(&text).map_err(Unreadable)
    }
}

fn write_member(json: &mut Vec<u8>, name: &str, value: &Value) {
    json.push(b',');
    write_json(json, &name);
    json.push(b':');
    write_json(json, &value);
}

/// Writes JSON as Go does. Serializing a JSON value cannot fail.
pub(crate) fn write_json(json: &mut Vec<u8>, value: &impl serde::Serialize) {
    let mut serializer = serde_json::Serializer::with_formatter(json, HtmlSafe);
    let written = value.serialize(&mut serializer);
    debug_assert!(written.is_ok());
}

fn labels(metadata: &Map<String, Value>) -> Vec<(Box<str>, Box<str>)> {
    let labels = metadata.get("labels").and_then(Value::as_object);
    labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.as_str().into(), value.as_str()?.into())))
        .collect()
}

fn value_of(object: &Map<String, Value>, field: &Field) -> Box<str> {
    let found = field.paths.iter().find_map(|path| {
        let mut keys = path.split('.');
        let first = object.get(keys.next()?)?;
        match keys.try_fold(first, |value, key| value.get(key))? {
            Value::String(text) if !text.is_empty() => Some(text.as_str().into()),
            Value::Bool(value) => Some(value.to_string().into()),
            Value::Number(value) => Some(value.to_string().into()),
            Value::Null | Value::Array(_) | Value::Object(_) | Value::String(_) => None,
        }
    });
    found.unwrap_or_else(|| field.default.into())
}
