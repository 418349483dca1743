//! What the scripted server holds: objects, a version counter, and the history of changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer_wire::{ObjectKey, Status};
use serde_json::{Value, json};

use super::answers;
use crate::kind::KindInfo;

/// Objects in the order in which a server lists them: by the bytes of `namespace/name`, so `a-b/x` before `a/x`.
pub(super) type Objects = BTreeMap<String, Arc<Value>>;

/// One change. `before` is none for a creation, `after` for a deletion.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) version: u64,
    pub(super) key: String,
    pub(super) before: Option<Arc<Value>>,
    pub(super) after: Option<Arc<Value>>,
}

#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) kind: KindInfo,
    pub(super) objects: Objects,
    pub(super) version: u64,
    /// Clients can no longer get changes up to this version.
    pub(super) forgotten: u64,
    /// All changes since `kept_from`: `rewind` can go back further than the history that clients can get.
    history: Vec<Change>,
    /// `compact` has given back the memory of what was before this version.
    kept_from: u64,
    uids: u64,
}

impl Model {
    pub(super) fn new(kind: KindInfo) -> Self {
        // Zero means "any version" in requests, so no server is ever at version zero.
        Self {
            kind,
            objects: Objects::new(),
            version: 1,
            forgotten: 1,
            history: Vec::new(),
            kept_from: 0,
            uids: 0,
        }
    }

    pub(super) fn create(&mut self, object: Value) -> Result<Change, Status> {
        let (mut object, key) = self.admit(object)?;
        if self.objects.contains_key(&key) {
            let name = &object["metadata"]["name"];
            let message = format!("{} {name} already exists", self.kind.resource());
            return Err(answers::failure(409, "AlreadyExists", message));
        }
        self.version += 1;
        self.uids += 1;
        let time = self.version;
        let metadata = &mut object["metadata"];
        metadata["uid"] = json!(format!("00000000-0000-4000-8000-{:012x}", self.uids));
        metadata["creationTimestamp"] =
            json!(format!("2024-01-01T{:02}:{:02}:{:02}Z", time / 3600 % 24, time / 60 % 60, time % 60));
        Ok(self.commit(key, Some(object)))
    }

    /// `None` if nothing is different: then a server makes no new version.
    pub(super) fn update(&mut self, object: Value) -> Result<Option<Change>, Status> {
        let (mut object, key) = self.admit(object)?;
        let Some(old) = self.objects.get(&key).cloned() else { return Err(self.not_found(&key)) };
        let asked = object["metadata"]["resourceVersion"].clone();
        if asked.as_str().is_some_and(|asked| !asked.is_empty())
            && asked != old["metadata"]["resourceVersion"]
        {
            let message = format!(
                "Operation cannot be fulfilled on {} {key:?}: the object has been modified",
                self.kind.resource()
            );
            return Err(answers::failure(409, "Conflict", message));
        }
        for field in ["uid", "creationTimestamp", "resourceVersion"] {
            object["metadata"][field] = old["metadata"][field].clone();
        }
        if object == *old {
            return Ok(None);
        }
        self.version += 1;
        Ok(Some(self.commit(key, Some(object))))
    }

    pub(super) fn put(&mut self, object: Value) -> Result<Option<Change>, Status> {
        let (object, key) = self.admit(object)?;
        if self.objects.contains_key(&key) { self.update(object) } else { self.create(object).map(Some) }
    }

    pub(super) fn delete(&mut self, key: &ObjectKey) -> Result<Change, Status> {
        let key = key.to_string();
        if !self.objects.contains_key(&key) {
            return Err(self.not_found(&key));
        }
        self.version += 1;
        Ok(self.commit(key, None))
    }

    /// Forgets the history: a client that wants to resume from an older version has to list again.
    pub(super) fn compact(&mut self) {
        self.forgotten = self.version;
        self.kept_from = self.version;
        self.history = Vec::new();
    }

    /// Back to the state at an earlier version, counter included; `false` if that version is not there yet, or not any more.
    /// Uids are never given twice, as on a real server.
    pub(super) fn rewind(&mut self, version: u64) -> bool {
        if version > self.version || version < self.kept_from {
            return false;
        }
        self.objects = self.objects_at(version);
        self.history.retain(|change| change.version <= version);
        self.version = version;
        self.forgotten = version;
        true
    }

    /// Changes after a version; `None` if some of them have been forgotten.
    pub(super) fn since(&self, version: u64) -> Option<&[Change]> {
        (version >= self.forgotten).then(|| self.changes_after(version))
    }

    /// The state at an earlier version; `None` if that has been forgotten.
    pub(super) fn at(&self, version: u64) -> Option<Objects> {
        (version >= self.forgotten).then(|| self.objects_at(version))
    }

    fn changes_after(&self, version: u64) -> &[Change] {
        let first = self.history.partition_point(|change| change.version <= version);
        &self.history[first..]
    }

    fn objects_at(&self, version: u64) -> Objects {
        let mut objects = self.objects.clone();
        for change in self.changes_after(version).iter().rev() {
            match &change.before {
                Some(before) => objects.insert(change.key.clone(), before.clone()),
                None => objects.remove(&change.key),
            };
        }
        objects
    }

    fn commit(&mut self, key: String, object: Option<Value>) -> Change {
        let after = object.map(|mut object| {
            object["metadata"]["resourceVersion"] = json!(self.version.to_string());
            Arc::new(object)
        });
        let before = match &after {
            Some(after) => self.objects.insert(key.clone(), after.clone()),
            None => self.objects.remove(&key),
        };
        let change = Change { version: self.version, key, before, after };
        self.history.push(change.clone());
        change
    }

    /// Checks an object and fills in what a server fills in.
    fn admit(&self, mut object: Value) -> Result<(Value, String), Status> {
        let invalid = |message: &str| answers::failure(422, "Invalid", message.to_owned());
        if !object.is_object() {
            return Err(invalid("an object must be a JSON object"));
        }
        if object["metadata"].is_null() {
            object["metadata"] = json!({});
        }
        if !object["metadata"].is_object() {
            return Err(invalid("metadata must be a JSON object"));
        }
        for (field, expected) in
            [("kind", self.kind.kind().to_owned()), ("apiVersion", self.kind.api_version())]
        {
            if object[field].is_null() {
                object[field] = json!(expected);
            } else if object[field] != expected.as_str() {
                return Err(invalid(&format!("{field}: expected {expected}")));
            }
        }
        let metadata = &mut object["metadata"];
        let Some(name) = metadata["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned) else {
            return Err(invalid("metadata.name: Required value: name or generateName is required"));
        };
        let mut namespace = metadata["namespace"].as_str().unwrap_or_default().to_owned();
        match self.kind.is_namespaced() {
            Some(true) if namespace.is_empty() => namespace = "default".to_owned(),
            Some(false) => namespace.clear(),
            _ => {}
        }
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.retain(|_, value| !value.is_null());
            if namespace.is_empty() {
                metadata.remove("namespace");
            } else {
                metadata.insert("namespace".to_owned(), json!(namespace));
            }
        }
        let key = ObjectKey::namespaced(namespace, name).to_string();
        Ok((object, key))
    }

    fn not_found(&self, key: &str) -> Status {
        let name = key.rsplit('/').next().unwrap_or(key);
        answers::failure(404, "NotFound", format!("{} {name:?} not found", self.kind.resource()))
    }
}
