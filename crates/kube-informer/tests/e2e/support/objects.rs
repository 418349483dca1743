//! What the tests do to the objects of the server, and what the server holds.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use futures::{StreamExt, TryStreamExt, stream};
use kube_client::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube_client::core::ApiResource;
use kube_client::{Api, Client, Config};
use serde_json::json;

use super::{Server, config, eventually};

/// The objects of one kind in the namespace `default`, to write with.
#[derive(Clone)]
pub(crate) struct Objects {
    pub(crate) api: Api<DynamicObject>,
    pub(crate) resource: ApiResource,
}

/// Key and resource version of every object.
pub(crate) type Content = BTreeMap<String, String>;

impl Objects {
    pub(crate) fn new(config: Config, resource: ApiResource) -> Result<Self> {
        let api = Api::namespaced_with(Client::try_from(config)?, "default", &resource);
        Ok(Self { api, resource })
    }

    /// ConfigMaps for [`change`](Self::change) to work on.
    pub(crate) async fn seeded(server: &impl Server) -> Result<Self> {
        let objects = Self::new(config(server).await?, config_maps())?;
        objects.seed().await?;
        Ok(objects)
    }

    pub(crate) async fn create(&self, name: &str) -> Result<DynamicObject> {
        let object = DynamicObject::new(name, &self.resource);
        self.api.create(&PostParams::default(), &object).await.with_context(|| format!("create {name}"))
    }

    pub(crate) async fn label(&self, name: &str, value: &str) -> Result<DynamicObject> {
        let patch = Patch::Merge(json!({ "metadata": { "labels": { "step": value } } }));
        self.api.patch(name, &PatchParams::default(), &patch).await.with_context(|| format!("label {name}"))
    }

    /// The same on a server that answers with errors at first, because it has not found its etcd again.
    pub(crate) async fn label_again(&self, name: &str, value: &str) -> Result<DynamicObject> {
        eventually("the API server writes again", || self.label(name, value)).await
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        let deleted = self.api.delete(name, &DeleteParams::default()).await;
        deleted.map(drop).with_context(|| format!("delete {name}"))
    }

    /// Objects for [`change`](Self::change) to work on.
    pub(crate) async fn seed(&self) -> Result<()> {
        for name in ["stays", "changes", "again", "goes-1", "goes-2", "goes-3"] {
            self.create(name).await?;
        }
        Ok(())
    }

    /// One of everything that can happen to an object. `round` counts from 1 to 3.
    pub(crate) async fn change(&self, round: u32) -> Result<()> {
        self.label("changes", &format!("round-{round}")).await?;
        self.delete(&format!("goes-{round}")).await?;
        self.delete("again").await?;
        self.create("again").await?;
        self.create(&format!("comes-{round}")).await?;
        Ok(())
    }

    /// Creates so many objects that nothing happens to.
    pub(crate) async fn fill(&self, count: usize) -> Result<()> {
        let creates = stream::iter(0..count).map(|number| {
            let objects = self.clone();
            async move { objects.create(&format!("filler-{number}")).await.map(drop) }
        });
        creates.buffer_unordered(32).try_collect().await
    }

    /// Writes so often to one object, and returns what it is in the end.
    pub(crate) async fn write(&self, times: usize) -> Result<DynamicObject> {
        let labels = stream::iter(0..times).map(|number| {
            let objects = self.clone();
            async move { objects.label("changes", &format!("number-{number}")).await }
        });
        labels.buffer_unordered(8).try_collect::<Vec<_>>().await?;
        self.label("changes", "last").await
    }

    /// What the server holds now.
    pub(crate) async fn content(&self) -> Result<Content> {
        let list = self.api.list(&ListParams::default()).await.context("a fresh list")?;
        let entry = |object: DynamicObject| {
            let name = object.metadata.name.context("a name")?;
            Ok((format!("default/{name}"), object.metadata.resource_version.context("a version")?))
        };
        list.items.into_iter().map(entry).collect()
    }
}

/// ConfigMaps: the simplest objects there are.
pub(crate) fn config_maps() -> ApiResource {
    ApiResource::erase::<k8s_openapi::api::core::v1::ConfigMap>(&())
}
