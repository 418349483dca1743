//! Random writes, straight to the server.

use std::time::Instant;

use anyhow::{Result, bail};
use fastrand::Rng;
use kube_client::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube_client::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube_client::{Api, Client};
use serde_json::{Value, json};

use super::truth::{LABEL, Truth};
use crate::support::PATIENCE;

pub(crate) const NAMESPACES: [&str; 3] = ["diff-a", "diff-b", "diff-c"];
const GROUP: &str = "diff.example.com";
/// Few enough that every name lives several times in a round.
const NAMES: usize = 8;
/// Is changed last, so that who was told of it was told of everything before.
const MARKER: &str = "marker";

/// Writes objects of one kind and keeps account of it.
pub(crate) struct Workload {
    pub(crate) resource: ApiResource,
    pub(crate) truth: Truth,
    /// What makes each content another one.
    writes: u64,
    client: Client,
}

/// An object that was written, to wait for.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) key: String,
    pub(crate) rv: String,
}

impl Workload {
    /// One for ConfigMaps and one for a kind of ours, which the server is taught, in namespaces of our own.
    pub(crate) async fn all(client: &Client) -> Result<[Self; 2]> {
        let config_maps =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "ConfigMap"), "configmaps");
        let widgets =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, "v1", "Widget"), "widgets");
        let namespaces = dynamic(client, "", "Namespace", "namespaces");
        for namespace in NAMESPACES {
            namespaces
                .create(&PostParams::default(), &object(json!({ "metadata": { "name": namespace } }))?)
                .await?;
        }
        let definitions =
            dynamic(client, "apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions");
        definitions.create(&PostParams::default(), &object(definition())?).await?;
        let of = |resource| Self { resource, truth: Truth::default(), writes: 0, client: client.clone() };
        let workloads = [of(config_maps), of(widgets)];
        workloads[1].wait_until_served().await?;
        Ok(workloads)
    }

    /// A kind is served a moment after its definition was accepted, or after the server has started again.
    pub(crate) async fn wait_until_served(&self) -> Result<()> {
        let started = Instant::now();
        loop {
            match self.api(NAMESPACES[0]).list(&ListParams::default()).await {
                Ok(_) => return Ok(()),
                Err(error) if started.elapsed() > PATIENCE => {
                    bail!("{} is not served: {error}", self.resource.kind)
                }
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }

    /// Removes everything; a new account begins.
    pub(crate) async fn clear(&mut self) -> Result<()> {
        for namespace in NAMESPACES {
            self.api(namespace).delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
        }
        self.truth = Truth::default();
        Ok(())
    }

    /// Creates, changes, labels, deletes or re-creates one object.
    pub(crate) async fn write(&mut self, rng: &mut Rng) -> Result<()> {
        let (namespace, name) =
            (NAMESPACES[rng.usize(..NAMESPACES.len())], format!("n{}", rng.usize(..NAMES)));
        let key = format!("{namespace}/{name}");
        let labelled = if rng.bool() { "yes" } else { "no" };
        let api = self.api(namespace);
        if !self.truth.exists(&key) {
            return self.create(&api, &name, labelled).await;
        }
        match rng.u32(..10) {
            0..5 => self.patch(&api, &name, self.content()).await,
            5..7 => self.patch(&api, &name, json!({ "metadata": { "labels": { LABEL: labelled } } })).await,
            7 => self.delete(&api, &key, &name).await,
            _ => {
                self.delete(&api, &key, &name).await?;
                self.create(&api, &name, labelled).await
            }
        }
    }

    /// Changes the marker of each of the namespaces.
    pub(crate) async fn mark(&mut self, included: impl Fn(&str) -> bool) -> Result<Vec<Mark>> {
        let mut marks = Vec::new();
        for namespace in NAMESPACES.into_iter().filter(|namespace| included(namespace)) {
            let (api, key) = (self.api(namespace), format!("{namespace}/{MARKER}"));
            if self.truth.exists(&key) {
                self.patch(&api, MARKER, self.content()).await?;
            } else {
                self.create(&api, MARKER, "yes").await?;
            }
            let rv = self.truth.of(&key).last().and_then(|state| state.rv().cloned()).unwrap_or_default();
            marks.push(Mark { key, rv });
        }
        Ok(marks)
    }

    pub(crate) fn writes(&self) -> u64 {
        self.writes
    }

    async fn create(&mut self, api: &Api<DynamicObject>, name: &str, labelled: &str) -> Result<()> {
        let mut content = self.content();
        content["apiVersion"] = self.resource.api_version.as_str().into();
        content["kind"] = self.resource.kind.as_str().into();
        content["metadata"] =
            json!({ "name": name, "labels": { LABEL: labelled }, "annotations": { "note": "<é&>" } });
        let created = api.create(&PostParams::default(), &object(content)?).await?;
        self.wrote(&created);
        Ok(())
    }

    async fn patch(&mut self, api: &Api<DynamicObject>, name: &str, patch: Value) -> Result<()> {
        let patched = api.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await?;
        self.wrote(&patched);
        Ok(())
    }

    async fn delete(&mut self, api: &Api<DynamicObject>, key: &str, name: &str) -> Result<()> {
        api.delete(name, &DeleteParams::default()).await?;
        self.truth.deleted(key);
        self.writes += 1;
        Ok(())
    }

    fn wrote(&mut self, object: &DynamicObject) {
        self.truth.wrote(object);
        self.writes += 1;
    }

    /// Something that no object holds yet.
    fn content(&self) -> Value {
        let number = self.writes;
        if self.resource.group.is_empty() {
            json!({ "data": { "number": number.to_string(), "text": "tab\t\"quote\" \u{1F600}".repeat(10) } })
        } else {
            json!({ "spec": { "number": number, "share": 0.25, "large": 9_007_199_254_740_993_i64, "list": [null, {}] } })
        }
    }

    fn api(&self, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), namespace, &self.resource)
    }
}

fn dynamic(client: &Client, group: &str, kind: &str, plural: &str) -> Api<DynamicObject> {
    Api::all_with(
        client.clone(),
        &ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, "v1", kind), plural),
    )
}

fn object(json: Value) -> Result<DynamicObject> {
    Ok(serde_json::from_value(json)?)
}

fn definition() -> Value {
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    json!({
        "metadata": { "name": format!("widgets.{GROUP}") },
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }]
        }
    })
}
