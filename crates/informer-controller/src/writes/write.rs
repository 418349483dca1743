//! The objects of an informer as one run writes them.

use std::collections::BTreeMap;
use std::fmt;

use kube_client::core::params::{Patch, PatchParams, PostParams};
use kube_client::core::request::Request;
use kube_informer::object::ResourceVersion;
use kube_informer::{Object, ObjectKey};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::answer::Answer;
use super::echo::Base;
use super::error::WriteError;
use super::objects::Objects;
use super::seen::Until;
use super::send::Outgoing;

/// Writing. A write that has been sent is answered and taken note of also if whoever waits for it is dropped, as a run is that
/// takes too long.
///
/// What is sent as a dry run changes nothing, here as there.
impl<C: Send + Sync + 'static> Objects<C> {
    /// Creates an object. Without a namespace it is created in that of the key that is reconciled.
    pub async fn create(&self, object: &impl Serialize) -> Result<Object<C>, WriteError> {
        let (key, body) = self.body(object)?;
        let request = self.request(&key).create(&PostParams::default(), body);
        let mut outgoing = self.outgoing(key, request)?.over(Base::Nothing);
        outgoing.is_new = true;
        if outgoing.key.name().is_empty() {
            // The server makes up the name, which only its answer says.
            outgoing.unanswered = Until::Everything;
        }
        self.write(outgoing).await
    }

    /// Replaces an object. With a `resourceVersion` it is refused if somebody else has changed the object since. Without a
    /// namespace it is one in that of the key that is reconciled.
    pub async fn replace(&self, object: &impl Serialize) -> Result<Object<C>, WriteError> {
        let (key, body) = self.body(object)?;
        let base = asked(&body);
        let request = self.request(&key).replace(key.name(), &PostParams::default(), body);
        self.write(self.outgoing(key, request)?.over(base)).await
    }

    /// Replaces the status of an object.
    pub async fn replace_status(&self, object: &impl Serialize) -> Result<Object<C>, WriteError> {
        let (key, body) = self.body(object)?;
        let (params, base) = (PostParams::default(), asked(&body));
        let request = self.request(&key).replace_subresource("status", key.name(), &params, body);
        self.write(self.outgoing(key, request)?.over(base)).await
    }

    /// Changes an object. Server-side apply is [`Patch::Apply`].
    ///
    /// In a controller that is told of such objects, a patch that names no `resourceVersion` is first sent with the one that is
    /// known here: the server refuses it (409) if somebody else has changed the object meanwhile, and then it is sent as it was
    /// given. A JSON patch, a dry run and the patch of an object that is not known here are sent as they were given at once.
    pub async fn patch(
        &self,
        key: &ObjectKey,
        params: &PatchParams,
        patch: &Patch<impl Serialize + fmt::Debug>,
    ) -> Result<Object<C>, WriteError> {
        let request = self.request(key).patch(key.name(), params, patch);
        self.write(self.outgoing_patch(key, request, params)?).await
    }

    /// Changes the status of an object. What is sent is what [`patch`](Self::patch) says.
    pub async fn patch_status(
        &self,
        key: &ObjectKey,
        params: &PatchParams,
        patch: &Patch<impl Serialize + fmt::Debug>,
    ) -> Result<Object<C>, WriteError> {
        let request = self.request(key).patch_subresource("status", key.name(), params, patch);
        self.write(self.outgoing_patch(key, request, params)?).await
    }

    /// Creates a subresource of an object, such as `binding` of a pod, and gives what the server answered.
    pub async fn create_subresource(
        &self,
        key: &ObjectKey,
        subresource: &str,
        body: &impl Serialize,
    ) -> Result<Value, WriteError> {
        let body = serde_json::to_vec(body).map_err(|error| self.invalid(&error))?;
        let params = PostParams::default();
        let request = self.request(key).create_subresource(subresource, key.name(), &params, body);
        self.write_beside(self.outgoing(key.clone(), request)?).await
    }

    /// Replaces a subresource of an object, such as `scale` or `ephemeralcontainers`, and gives what the server answered.
    pub async fn replace_subresource(
        &self,
        key: &ObjectKey,
        subresource: &str,
        body: &impl Serialize,
    ) -> Result<Value, WriteError> {
        let body = serde_json::to_vec(body).map_err(|error| self.invalid(&error))?;
        let params = PostParams::default();
        let request = self.request(key).replace_subresource(subresource, key.name(), &params, body);
        self.write_beside(self.outgoing(key.clone(), request)?).await
    }

    /// Changes a subresource of an object, such as `scale` or `resize`, and gives what the server answered.
    pub async fn patch_subresource(
        &self,
        key: &ObjectKey,
        subresource: &str,
        params: &PatchParams,
        patch: &Patch<impl Serialize + fmt::Debug>,
    ) -> Result<Value, WriteError> {
        let request = self.request(key).patch_subresource(subresource, key.name(), params, patch);
        self.write_beside(self.outgoing(key.clone(), request)?.dry(params.dry_run)).await
    }

    /// Takes note of a write that was made with another client: of what the server answered, the object or a `Status`. Its event
    /// leads to a run, unlike that of a write made here: nothing says what the object was before it.
    pub fn wrote(&self, answer: &impl Serialize) -> Result<(), WriteError> {
        let value = serde_json::to_value(answer).map_err(|error| self.invalid(&error))?;
        self.note_answer(value)
    }

    /// The same for an answer that is JSON already.
    pub(crate) fn note_answer(&self, value: Value) -> Result<(), WriteError> {
        if value["kind"] == "Status" {
            // It says which object it is about, and at most its uid. What became of it the server is asked.
            if let Some(name) = value["details"]["name"].as_str() {
                let key = self.in_namespace_of_run("", name);
                drop(self.begin(&key, &Until::Unknown));
            }
            return Ok(());
        }
        let value = self.with_kind(value)?;
        let tickets = self.begin(&self.key_in(&value["metadata"]), &Until::Unknown);
        self.note_object(tickets, &Answer::of(value)).map(drop)
    }

    /// An object with the kind that the server wants to see.
    pub(super) fn value(&self, object: &impl Serialize) -> Result<Value, WriteError> {
        let value = serde_json::to_value(object).map_err(|error| self.invalid(&error))?;
        self.with_kind(value)
    }

    pub(super) fn with_kind(&self, mut value: Value) -> Result<Value, WriteError> {
        if !value["metadata"].is_object() {
            return Err(self.invalid(&"it has no metadata"));
        }
        let kind = self.informer.kind();
        value["apiVersion"] = kind.api_version().into();
        value["kind"] = kind.kind().into();
        Ok(value)
    }

    /// An object that is to be sent, and its key, with the namespace that it is to have.
    fn body(&self, object: &impl Serialize) -> Result<(ObjectKey, Vec<u8>), WriteError> {
        let mut value = self.value(object)?;
        let key = self.key_in(&value["metadata"]);
        if let Some(namespace) = key.namespace() {
            value["metadata"]["namespace"] = namespace.into();
        }
        Ok((key, value.to_string().into_bytes()))
    }

    pub(super) fn key_in(&self, metadata: &Value) -> ObjectKey {
        let text = |name: &str| metadata[name].as_str().unwrap_or_default();
        self.in_namespace_of_run(text("namespace"), text("name"))
    }

    /// The key of an object that may not say its namespace.
    fn in_namespace_of_run(&self, namespace: &str, name: &str) -> ObjectKey {
        let is_namespaced = self.informer.kind().is_namespaced() != Some(false);
        match (namespace, self.run.key.namespace().filter(|_| is_namespaced)) {
            ("", Some(namespace)) => ObjectKey::namespaced(namespace, name),
            ("", None) => ObjectKey::cluster(name),
            (namespace, _) => ObjectKey::namespaced(namespace, name),
        }
    }

    pub(super) fn request(&self, key: &ObjectKey) -> Request {
        Request::new(self.known.path(key.namespace()))
    }

    pub(super) fn outgoing(
        &self,
        key: ObjectKey,
        request: Result<http::Request<Vec<u8>>, kube_client::core::request::Error>,
    ) -> Result<Outgoing, WriteError> {
        let request = request.map_err(|error| self.invalid(&error))?;
        let (unanswered, base) = (Until::Unknown, Base::Unknown);
        Ok(Outgoing { key, unanswered, request, base, instead: None, is_dry: false, is_new: false })
    }

    /// A patch. To know afterwards that nobody else has changed the object meanwhile, the server is first asked to patch only the
    /// version that is known here; if it is another one by now, the patch is sent as it was given.
    fn outgoing_patch(
        &self,
        key: &ObjectKey,
        request: Result<http::Request<Vec<u8>>, kube_client::core::request::Error>,
        params: &PatchParams,
    ) -> Result<Outgoing, WriteError> {
        let mut outgoing = self.outgoing(key.clone(), request)?.dry(params.dry_run);
        // Where no handler is told of it, nobody needs to know.
        if params.dry_run || !self.run.tracker.echoes.listens(self.informer.kind()) {
            return Ok(outgoing);
        }
        outgoing.base = asked(outgoing.request.body());
        if outgoing.base != Base::Unknown {
            return Ok(outgoing);
        }
        let Some(base) = self.get(key).map(|object| object.resource_version().clone()) else {
            return Ok(outgoing);
        };
        if !base.is_empty()
            && let Some(body) = of_version(outgoing.request.body(), &base)
        {
            outgoing.base = Base::Version(base);
            outgoing.instead = Some(outgoing.request.clone());
            *outgoing.request.body_mut() = body;
        }
        Ok(outgoing)
    }

    pub(super) fn invalid(&self, why: &impl fmt::Display) -> WriteError {
        WriteError::Invalid { kind: self.informer.kind().clone(), why: why.to_string() }
    }
}

/// The version that a body asks for.
fn asked(body: &[u8]) -> Base {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    match body["metadata"]["resourceVersion"].as_str().unwrap_or_default() {
        "" => Base::Unknown,
        version => Base::Version(ResourceVersion::new(version)),
    }
}

/// The same patch, to be refused if the object has another version. All that it says it says in the same bytes. `None` if it does not
/// look like an object, as a JSON patch does not.
fn of_version(patch: &[u8], version: &ResourceVersion) -> Option<Vec<u8>> {
    type Fields<'a> = BTreeMap<String, &'a RawValue>;
    let version = to_raw_value(&version.to_string()).ok()?;
    let mut fields: Fields<'_> = serde_json::from_slice(patch).ok()?;
    let mut metadata: Fields<'_> = match fields.get("metadata") {
        Some(metadata) => serde_json::from_str(metadata.get()).ok()?,
        None => BTreeMap::new(),
    };
    metadata.insert("resourceVersion".to_owned(), &version);
    let metadata = to_raw_value(&metadata).ok()?;
    fields.insert("metadata".to_owned(), &metadata);
    serde_json::to_vec(&fields).ok()
}

#[cfg(test)]
mod tests;
