//! Sends the writes of the simulation to the API server.

use std::collections::HashMap;

use bytes::Bytes;
use http::{Method, header};
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::objects;
use super::world::World;
use super::write::{UID_OF, Write};
use crate::api::Api;
use crate::request::{Request, Route, Target};
use crate::storage::{Content, Expected, Refused};

/// Makes the writes of the simulation, and remembers the uids of objects that own others.
#[derive(Debug, Default)]
pub(super) struct Applier {
    /// The uids of owners, by path.
    uids: HashMap<String, String>,
}

impl Applier {
    /// Stores all objects in the state in which everything runs. Existing objects, such as a namespace, are kept.
    pub(super) fn populate(&mut self, api: &Api, world: &World) {
        objects::all(world, &mut |write| self.store(api, write));
    }

    /// Stores an object with its status, which a create through the API would drop.
    fn store(&mut self, api: &Api, mut write: Write) {
        let Some(path) = write.created() else { return };
        let Ok(request) = http::Request::get(&path).body(()) else { return };
        let request = Request::new(request.into_parts().0);
        let Ok(Route::Objects(target)) = Route::find(&api.registry, &request) else { return };
        let uid = api.chance.uuid();
        self.fill_in_owner(&mut write.body);
        let now = api.clock.now();
        let Value::Object(mut object) = write.body else { return };
        object.remove("kind");
        object.remove("apiVersion");
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            metadata.insert("uid".to_owned(), uid.as_str().into());
            metadata.insert("creationTimestamp".to_owned(), now.into());
        }
        let Target { resource, .. } = &target;
        let content = Content::written_as(resource, &target.key(), &object);
        match api.storage.write(&resource.storage_id(), content, Expected::Absent) {
            Ok(_) => self.remember(path, uid),
            Err(Refused::Exists(stored)) => self.remember(path, stored.content.uid.to_string()),
            Err(refused) => tracing::debug!(path, ?refused, "not stored"),
        }
    }

    /// Makes a write. If it is refused, something else has changed the object, and the write is dropped.
    pub(super) async fn apply(&mut self, api: &Api, mut write: Write) {
        self.fill_in_owner(&mut write.body);
        let created = write.created();
        if write.method == Method::DELETE {
            self.uids.remove(&write.path);
        }
        let content_type = match write.method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let request = http::Request::builder()
            .method(write.method)
            .uri(&write.path)
            .header(header::CONTENT_TYPE, content_type)
            .body(());
        let Ok(request) = request else { return };
        let mut request = Request::new(request.into_parts().0);
        request.body = write.body.to_string().into();
        let answer = api.answer(&request).await;
        let status = answer.status();
        if !status.is_success() {
            tracing::debug!(path = write.path, %status, "refused");
            return;
        }
        if let Some(path) = created.filter(|path| is_owner(path)) {
            let body = answer.into_body().collect().await.map(http_body_util::Collected::to_bytes);
            let uid = body.ok().as_ref().and_then(uid_of);
            self.remember(path, uid.unwrap_or_default());
        }
    }

    fn remember(&mut self, path: String, uid: String) {
        if is_owner(&path) {
            self.uids.insert(path, uid);
        }
    }

    fn fill_in_owner(&self, object: &mut Value) {
        let Some(uid) = object.pointer_mut("/metadata/ownerReferences/0/uid") else { return };
        let owner = uid.as_str().and_then(|text| text.strip_prefix(UID_OF)).unwrap_or_default();
        *uid = self.uids.get(owner).cloned().unwrap_or_default().into();
    }
}

/// Whether other objects have it as their owner.
fn is_owner(path: &str) -> bool {
    path.contains("/deployments/") || path.contains("/replicasets/")
}

fn uid_of(body: &Bytes) -> Option<String> {
    let object: Value = serde_json::from_slice(body).ok()?;
    object["metadata"]["uid"].as_str().map(str::to_owned)
}
