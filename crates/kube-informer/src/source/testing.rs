//! A simple intake for tests of the decoders, and helpers to feed them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use serde_json::Value;

use super::intake::Intake;
use crate::key::ObjectKey;
use crate::object::ingest::IngestError;
use crate::object::known::Known;
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing::{origin, record_with};
use crate::version::{ResourceVersion, Uid};

/// Takes objects in as ConfigMaps: key, uid, version, labels and `data.text`.
pub(crate) struct TestIntake(pub(crate) Arc<Origin>);

impl TestIntake {
    pub(crate) fn new() -> Self {
        Self(origin())
    }
}

impl Intake for TestIntake {
    fn take(&self, json: &[u8], known: &dyn Known) -> Result<Arc<Record>, IngestError> {
        let object: Value =
            serde_json::from_slice(json).map_err(|error| IngestError::NotJson(error.to_string()))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &object["metadata"];
        let name = text(&metadata["name"]);
        let key = match text(&metadata["namespace"]) {
            namespace if namespace.is_empty() => name.clone(),
            namespace => format!("{namespace}/{name}"),
        };
        let Ok(key) = key.parse::<ObjectKey>() else {
            return Err(IngestError::LeftOut { key: None, message: "no name".to_owned() });
        };
        if object["kind"].as_str().is_some_and(|kind| kind != "ConfigMap") {
            return Err(IngestError::LeftOut { key: Some(key), message: "another kind".to_owned() });
        }
        let (uid, version) = (text(&metadata["uid"]), text(&metadata["resourceVersion"]));
        if let Some(record) = known.lookup(&key, &Uid::new(&uid), &ResourceVersion::new(&version)) {
            return Ok(record);
        }
        let labels: Vec<(String, String)> = metadata["labels"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.clone(), text(value)))
            .collect();
        let labels: Vec<_> = labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let content = text(&object["data"]["text"]);
        Ok(record_with(&self.0, &key.to_string(), &uid, &version, &labels, &content))
    }

    fn take_first(
        &self,
        bytes: &[u8],
        known: &dyn Known,
        follows: impl FnOnce(&[u8]) -> bool,
    ) -> Option<(Result<Arc<Record>, IngestError>, usize)> {
        take_first(bytes, follows, |json| self.take(json, known))
    }
}

/// [`Intake::take_first`] by way of [`Intake::take`].
pub(crate) fn take_first<T>(
    bytes: &[u8],
    follows: impl FnOnce(&[u8]) -> bool,
    take: impl FnOnce(&[u8]) -> T,
) -> Option<(T, usize)> {
    let mut documents = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    documents.next()?.ok()?;
    let end = documents.byte_offset();
    follows(&bytes[end..]).then(|| (take(&bytes[..end]), end))
}

/// Knows one record and counts the questions.
pub(crate) struct KnowsOne {
    pub(crate) record: Arc<Record>,
    pub(crate) asked: AtomicUsize,
}

impl KnowsOne {
    pub(crate) fn new(record: Arc<Record>) -> Self {
        Self { record, asked: AtomicUsize::new(0) }
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Known for KnowsOne {
    fn lookup(&self, key: &ObjectKey, uid: &Uid, version: &ResourceVersion) -> Option<Arc<Record>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let head = &self.record.head;
        (head.key == *key && head.uid == *uid && head.resource_version == *version)
            .then(|| self.record.clone())
    }
}

/// The same bytes in chunks of one size.
pub(crate) fn chunks(bytes: impl AsRef<[u8]>, size: usize) -> Vec<Bytes> {
    bytes.as_ref().chunks(size.max(1)).map(Bytes::copy_from_slice).collect()
}
