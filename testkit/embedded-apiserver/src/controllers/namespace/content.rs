//! Deleting what is in a namespace.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::super::Metadata;
use super::super::requests::{Refusal, Write, collection_path, object_path};
use super::Look;
use super::conditions::Findings;
use crate::kinds::Resource;
use crate::request::Verb;
use crate::storage::Stored;

/// How long a pod has to end if it does not say so.
const POD_SECONDS: u64 = 30;

/// What is left in a namespace.
#[derive(Debug, Default)]
pub(super) struct Left {
    objects: usize,
    /// When to look whether pods have used up their time.
    pub(super) time: Option<Duration>,
}

impl Left {
    pub(super) fn is_empty(&self) -> bool {
        self.objects == 0
    }
}

impl Look<'_> {
    /// Deletes what is in the namespace, pods first: all else waits until they are gone.
    pub(super) async fn delete_content(&self, findings: &mut Findings) -> Left {
        let mut left = Left::default();
        let mut of_pods = Findings::default();
        let (pods, others): (Vec<_>, Vec<_>) =
            self.kinds().into_iter().partition(|resource| is_pods(resource));
        for resource in &pods {
            self.delete_kind(resource, &mut of_pods, &mut left).await;
        }
        // The conditions do not mention the pods that remain.
        findings.errors = of_pods.errors;
        findings.is_refused = of_pods.is_refused;
        if !left.is_empty() {
            return left;
        }
        for resource in &others {
            self.delete_kind(resource, findings, &mut left).await;
        }
        left
    }

    /// The kinds that can be deleted, in the preferred version of their group.
    fn kinds(&self) -> Vec<Arc<Resource>> {
        let mut kinds: Vec<Arc<Resource>> = Vec::new();
        for resource in self.requests.front.api.registry.all() {
            let is_same =
                |other: &Arc<Resource>| (&other.group, &other.plural) == (&resource.group, &resource.plural);
            let can_be_deleted = resource.namespaced && resource.verbs.contains(&Verb::Delete);
            if can_be_deleted && !kinds.iter().any(is_same) {
                kinds.push(resource);
            }
        }
        kinds
    }

    async fn delete_kind(&self, resource: &Resource, findings: &mut Findings, left: &mut Left) {
        let objects = self.objects(resource);
        if objects.is_empty() {
            return;
        }
        let time = if is_pods(resource) { self.time_of_pods(&objects) } else { 0 };
        if let Err(Refusal { message, .. }) = self.delete_objects(resource, &objects).await {
            findings.errors.push(message);
            findings.is_refused = true;
            return;
        }
        let remaining = self.objects(resource);
        if remaining.is_empty() {
            return;
        }
        left.objects += remaining.len();
        findings.remaining.insert(format!("{}.{}", resource.plural, resource.group), remaining.len());
        let mut is_kept = false;
        for finalizer in remaining.iter().flat_map(|stored| Metadata::of(stored).finalizers) {
            is_kept = true;
            *findings.finalizers.entry(finalizer).or_default() += 1;
        }
        if time > 0 {
            left.time = Some(Duration::from_secs(time / 2 + 1));
        } else if !is_kept {
            let Resource { group, version, plural, .. } = resource;
            let kind = format!("{group}/{version}, Resource={plural}");
            findings
                .errors
                .push(format!("unexpected items still remain in namespace: {} for gvr: {kind}", self.name));
        }
    }

    async fn delete_objects(&self, resource: &Resource, objects: &[Stored]) -> Result<(), Refusal> {
        if resource.verbs.contains(&Verb::DeleteCollection) {
            return self.delete(collection_path(resource, self.name)).await;
        }
        for stored in objects {
            match self.delete(object_path(resource, &stored.content.key)).await {
                Ok(()) | Err(Refusal { code: 404 | 405, .. }) => {}
                refused => return refused,
            }
        }
        Ok(())
    }

    async fn delete(&self, path: String) -> Result<(), Refusal> {
        let body = json!({ "kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background" });
        self.requests.send(Write { method: Method::DELETE, path, body }).await
    }

    fn objects(&self, resource: &Resource) -> Vec<Stored> {
        self.requests.front.api.storage.all(&resource.storage_id(), Some(self.name))
    }

    /// How many seconds the pods may still take; none if the namespace has been deleted for longer.
    fn time_of_pods(&self, pods: &[Stored]) -> u64 {
        let seconds = |pod: &Stored| {
            let pod = Value::Object(pod.to_object().unwrap_or_default());
            match pod["status"]["phase"].as_str() {
                Some("Succeeded" | "Failed") => 0,
                _ => pod["spec"]["terminationGracePeriodSeconds"].as_u64().unwrap_or(POD_SECONDS),
            }
        };
        let most = pods.iter().map(seconds).max().unwrap_or_default();
        if self.since.elapsed() < Duration::from_secs(most) { most } else { 0 }
    }
}

fn is_pods(resource: &Resource) -> bool {
    resource.storage_id().is("", "pods")
}
