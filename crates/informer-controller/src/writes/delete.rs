//! Deleting the objects of an informer.

use kube_client::core::params::{DeleteParams, ListParams, PostParams, Preconditions};
use kube_informer::object::Uid;
use kube_informer::{Object, ObjectKey};
use serde_json::{Value, json};

use super::answer::{Answer, has_finalizers};
use super::error::WriteError;
use super::objects::Objects;
use super::seen::Until;

/// Deleting.
impl<C: Send + Sync + 'static> Objects<C> {
    /// Deletes this object, and no other one of the same name. What is gone already is no error.
    pub async fn delete(&self, object: &Object<C>) -> Result<(), WriteError> {
        let uid = Some(object.uid().to_string()).filter(|uid| !uid.is_empty());
        let preconditions = Preconditions { uid, resource_version: None };
        let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
        let deleted = self.delete_with(object.key(), &params).await;
        self.or_gone(object, deleted)
    }

    /// Deletes the object with this key at the server, whether the cache has it or not.
    pub async fn delete_with(&self, key: &ObjectKey, params: &DeleteParams) -> Result<(), WriteError> {
        let request = self.request(key).delete(key.name(), params);
        let outgoing = self.outgoing(key.clone(), request)?;
        if params.dry_run {
            return self.rehearse(outgoing).await.map(drop);
        }
        self.send(outgoing, |objects: Self, tickets, key, answer| async move {
            let (value, meta) = (&answer.value, &answer.value["metadata"]);
            if answer.is_status() {
                let uid = value["details"]["uid"].as_str().map(Uid::new);
                let uid = uid.or_else(|| objects.get(&key).map(|object| object.uid().clone()));
                objects.note_gone(tickets, &key, uid);
                return Ok(());
            }
            if has_finalizers(value) || meta["deletionGracePeriodSeconds"].as_i64().unwrap_or_default() > 0 {
                // That it cannot be shown does not undo it.
                objects.note_object(tickets, &answer).ok();
                return Ok(());
            }
            objects.note_gone(tickets, &key, meta["uid"].as_str().map(Uid::new));
            Ok(())
        })
        .await
    }

    /// Deletes the objects of a namespace, or of all of them, that label and field selectors select at the server. The next run
    /// waits until the informer has read that scope again.
    pub async fn delete_collection(
        &self,
        namespace: Option<&str>,
        params: &DeleteParams,
        selected: &ListParams,
    ) -> Result<(), WriteError> {
        let key = match namespace {
            Some(namespace) => ObjectKey::namespaced(namespace, ""),
            None => ObjectKey::cluster(""),
        };
        let request = self.request(&key).delete_collection(params, selected);
        let mut outgoing = self.outgoing(key.clone(), request)?;
        if params.dry_run {
            return self.rehearse(outgoing).await.map(drop);
        }
        outgoing.unanswered = Until::Everything;
        let left = self.request(&key).list(selected).map_err(|error| self.invalid(&error))?;
        self.send(outgoing, |objects: Self, tickets, _, answer| async move {
            objects.note_deleted_collection(&answer, left).await;
            drop(tickets);
            Ok(())
        })
        .await
    }

    /// Evicts this pod, if its disruption budgets allow it, and no other one of the same name. What is gone already is no error.
    pub async fn evict(&self, object: &Object<C>) -> Result<(), WriteError> {
        let key = object.key();
        // kube's own way to evict calls the options by another name than the server does, and they have no effect.
        let eviction = json!({
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": { "name": key.name(), "namespace": key.namespace() },
            "deleteOptions": { "preconditions": { "uid": object.uid().to_string() } },
        });
        let (params, body) = (PostParams::default(), eviction.to_string().into_bytes());
        let request = self.request(key).create_subresource("eviction", key.name(), &params, body);
        let (outgoing, uid) = (self.outgoing(key.clone(), request)?, object.uid().clone());
        let evicted = self.send(outgoing, |objects: Self, tickets, key, _| async move {
            objects.read_back(tickets, &key, Some(&uid)).await;
            Ok(())
        });
        let evicted = evicted.await;
        self.or_gone(object, evicted)
    }

    /// That there is no such object, or another one of that name, says that this one is gone. The cache may not know it yet.
    fn or_gone(&self, object: &Object<C>, written: Result<(), WriteError>) -> Result<(), WriteError> {
        match written {
            Err(error) if error.is_not_found() || error.is_of_another_uid() => {
                let tickets = self.begin(object.key(), &Until::Unknown);
                self.note_gone(tickets, object.key(), Some(object.uid().clone()));
                Ok(())
            }
            written => written,
        }
    }

    /// Takes note of what became of the objects that a collection had when it was deleted: some are only about to go.
    async fn note_deleted_collection(&self, answer: &Answer, left: http::Request<Vec<u8>>) {
        let Ok(client) = self.client() else { return };
        // That this is not known does not undo it.
        let Ok(left) = client.request::<Value>(left).await else { return };
        let empty = Vec::new();
        let items = |list: &Value| list["items"].as_array().unwrap_or(&empty).clone();
        let left = items(&left);
        for item in items(&answer.value) {
            let uid = &item["metadata"]["uid"];
            let there = left.iter().find(|other| other["metadata"]["uid"] == *uid);
            let there = there.and_then(|there| self.with_kind(there.clone()).ok()).map(Answer::of);
            let uid = Uid::new(uid.as_str().unwrap_or_default());
            self.note_of_collection(&self.key_in(&item["metadata"]), &uid, there.as_ref());
        }
    }
}
