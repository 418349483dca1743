//! Changes that the user makes to every object before it is stored.

use std::fmt::Display;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::object::error::describe;
use crate::object::metadata::Metadata;
use crate::panics::panic_text;

/// Changes the JSON of an object. Called once per version, never with a lock held.
pub trait Transform: Send + Sync {
    /// The new JSON.
    fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError>;
}

/// Why a transform gave no result.
pub enum TransformError {
    /// The object does not decode into the transform's type, or does not encode again.
    Json(serde_json::Error),
    /// The user's code said no.
    Refused(String),
    /// The user's code panicked.
    Panicked(String),
}

impl TransformError {
    /// The text of the report. For a sensitive object nothing that may quote it.
    pub fn describe(&self, sensitive: bool) -> String {
        match self {
            Self::Json(error) => {
                format!("it does not decode for the transform: {}", describe(error, sensitive))
            }
            Self::Refused(_) if sensitive => "the transform refused it".to_owned(),
            Self::Refused(message) => format!("the transform refused it: {message}"),
            Self::Panicked(_) if sensitive => "the transform panicked".to_owned(),
            Self::Panicked(message) => format!("the transform panicked: {message}"),
        }
    }
}

/// A transform by a function over the decoded object.
pub struct TypedTransform<K, F> {
    change: F,
    of: PhantomData<fn() -> K>,
}

impl<K, F> TypedTransform<K, F> {
    /// A transform by this function.
    pub fn new<E>(change: F) -> Self
    where
        F: Fn(&mut K) -> Result<(), E>,
    {
        Self { change, of: PhantomData }
    }
}

impl<K, F, E> Transform for TypedTransform<K, F>
where
    K: DeserializeOwned + Serialize,
    F: Fn(&mut K) -> Result<(), E> + Send + Sync,
    E: Display,
{
    /// The new JSON.
    fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        let work = || {
            let mut value: K = serde_json::from_slice(json).map_err(TransformError::Json)?;
            (self.change)(&mut value).map_err(|error| TransformError::Refused(error.to_string()))?;
            serde_json::to_vec(&value).map_err(TransformError::Json)
        };
        catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|payload| Err(TransformError::Panicked(panic_text(&*payload))))
    }
}

/// What an object keeps whatever a transform does: its type, key, uid and version.
pub struct Identity<'a> {
    pub(crate) kind: &'a str,
    pub(crate) api_version: &'a str,
    pub(crate) name: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) uid: &'a str,
    pub(crate) resource_version: &'a str,
}

impl Identity<'_> {
    pub(crate) fn is_that_of(&self, found: &Metadata<'_>) -> bool {
        self.kind == found.kind
            && self.api_version == found.api_version
            && self.name == found.name
            && self.namespace == found.namespace
            && self.uid == found.uid
            && self.resource_version == found.resource_version
    }

    /// Writes the identity into a document that lost or changed it.
    pub fn restore(&self, json: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
        let mut document: Map<String, Value> = serde_json::from_slice(json)?;
        set(&mut document, "kind", self.kind);
        set(&mut document, "apiVersion", self.api_version);
        let metadata = document.entry("metadata").or_insert(Value::Null);
        if !metadata.is_object() {
            *metadata = Value::Object(Map::new());
        }
        if let Value::Object(metadata) = metadata {
            set(metadata, "name", self.name);
            set(metadata, "namespace", self.namespace);
            set(metadata, "uid", self.uid);
            set(metadata, "resourceVersion", self.resource_version);
        }
        serde_json::to_vec(&document)
    }
}

fn set(object: &mut Map<String, Value>, key: &str, value: &str) {
    if value.is_empty() {
        object.remove(key);
    } else {
        object.insert(key.to_owned(), value.into());
    }
}
