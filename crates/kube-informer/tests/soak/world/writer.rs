//! What is written to the server, and what the server holds.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube_client::{Api, Client, Config, Error};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::support::eventually;
use crate::support::objects::Content;
use crate::world::kinds::{CRD, What, definition};

/// The role that the informer with the certificate has.
const ROLE: &str = "reads-secrets";

/// So many objects of each kind come, change and go.
const NAMES: u64 = 20;

/// What is written to often.
const BUSY: &str = "busy";

/// A client that writes. Writes are repeated until they succeed, so each is such that it may happen twice.
#[derive(Clone)]
pub(crate) struct Writer {
    client: Client,
}

impl Writer {
    pub(crate) fn new(config: Config) -> Result<Self> {
        Ok(Self { client: Client::try_from(config)? })
    }

    fn api(&self, what: What) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), what.namespace(), &what.resource())
    }

    /// Everything that has to be there before the informers start.
    pub(crate) async fn prepare(&self, objects: usize) -> Result<()> {
        self.create::<Namespace>(json!({ "metadata": { "name": What::Large.namespace() } })).await?;
        let rules = json!([{ "apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "watch"] }]);
        self.create::<ClusterRole>(json!({ "metadata": { "name": ROLE }, "rules": rules })).await?;
        self.grant_permission().await?;
        self.create_kind().await?;
        for what in What::ALL {
            for number in 0..NAMES / 2 {
                self.put(what, &name(number), "first").await?;
            }
        }
        let creates = stream::iter(0..objects).map(|number| self.fill(number));
        creates.buffer_unordered(32).try_collect().await
    }

    async fn fill(&self, number: usize) -> Result<()> {
        let object = DynamicObject::new(&format!("filler-{number}"), &What::Large.resource());
        self.api(What::Large).create(&PostParams::default(), &object).await?;
        Ok(())
    }

    /// One of everything that can happen to an object of each kind, where it is served.
    pub(crate) async fn change(&self, seed: u64, widgets: bool) -> Result<()> {
        let mut rng = fastrand::Rng::with_seed(seed);
        for what in What::ALL.into_iter().filter(|what| widgets || *what != What::Widgets) {
            let mut names: Vec<_> = (0..NAMES).map(name).collect();
            rng.shuffle(&mut names);
            let value = rng.u64(..).to_string();
            for put in &names[..3] {
                self.put(what, put, &value).await?;
            }
            self.remove(what, &names[3]).await?;
            self.remove(what, &names[4]).await?;
            self.put(what, &names[4], &value).await?;
        }
        Ok(())
    }

    /// Waits until every kind can be written to: a server that is ready may not serve custom kinds yet, or not have found its
    /// etcd.
    pub(crate) async fn until_served(&self, seed: u64, widgets: bool) -> Result<()> {
        for what in What::ALL.into_iter().filter(|what| widgets || *what != What::Widgets) {
            self.put(what, "served", &seed.to_string()).await?;
        }
        Ok(())
    }

    /// Writes so often to one object.
    pub(crate) async fn write_often(&self, times: usize) -> Result<()> {
        let writes = stream::iter(0..times)
            .map(async |number| self.put(What::ConfigMaps, BUSY, &number.to_string()).await);
        writes.buffer_unordered(8).try_collect().await
    }

    /// The newest object of each kind, and one that nobody else writes to: with a backup from before, a server has either none
    /// of it or an older one, so that whoever has seen it can tell that the server went back.
    pub(crate) async fn write_what_will_be_lost(&self, seed: u64, widgets: bool) -> Result<()> {
        for what in What::ALL.into_iter().filter(|what| widgets || *what != What::Widgets) {
            self.put(what, "lost", &seed.to_string()).await?;
        }
        Ok(())
    }

    /// Something that processes wait for.
    pub(crate) async fn signal(&self, value: &str) -> Result<()> {
        self.put(What::ConfigMaps, "signal", value).await
    }

    /// Changes an object, or creates it.
    async fn put(&self, what: What, name: &str, value: &str) -> Result<()> {
        let api = self.api(what);
        let labels = json!({ "value": value });
        let mut object = DynamicObject::new(name, &what.resource());
        object.metadata.labels = serde_json::from_value(labels.clone())?;
        eventually("the server writes", || async {
            let patch = Patch::Merge(json!({ "metadata": { "labels": labels } }));
            match api.patch(name, &PatchParams::default(), &patch).await {
                Err(Error::Api(status)) if status.code == 404 => {
                    api.create(&PostParams::default(), &object).await?;
                }
                patched => drop(patched?),
            }
            Ok(())
        })
        .await
    }

    async fn remove(&self, what: What, name: &str) -> Result<()> {
        let api = self.api(what);
        eventually("the server deletes", || async { gone(api.delete(name, &DeleteParams::default()).await) })
            .await
    }

    async fn create<K>(&self, object: Value) -> Result<()>
    where
        K: kube_client::Resource<DynamicType = ()>
            + Clone
            + std::fmt::Debug
            + serde::Serialize
            + DeserializeOwned,
    {
        let (api, object): (Api<K>, K) = (Api::all(self.client.clone()), serde_json::from_value(object)?);
        eventually("it is created", || async {
            match api.create(&PostParams::default(), &object).await {
                // The attempt before was successful after all.
                Err(Error::Api(status)) if status.code == 409 && status.reason == "AlreadyExists" => Ok(()),
                created => Ok(created.map(drop)?),
            }
        })
        .await
    }

    pub(crate) async fn grant_permission(&self) -> Result<()> {
        let group = "rbac.authorization.k8s.io";
        self.create::<ClusterRoleBinding>(json!({
            "metadata": { "name": ROLE },
            "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": ROLE },
            "subjects": [{ "apiGroup": group, "kind": "User", "name": "reader" }],
        }))
        .await
    }

    pub(crate) async fn withdraw_permission(&self) -> Result<()> {
        let bindings: Api<ClusterRoleBinding> = Api::all(self.client.clone());
        let deleted = || async { gone(bindings.delete(ROLE, &DeleteParams::default()).await) };
        eventually("the permission is withdrawn", deleted).await
    }

    pub(crate) async fn create_kind(&self) -> Result<()> {
        self.create::<CustomResourceDefinition>(definition()).await?;
        eventually("the kind is served", || async { self.content(What::Widgets).await.map(drop) }).await
    }

    pub(crate) async fn delete_kind(&self) -> Result<()> {
        let definitions: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let deleted = || async { gone(definitions.delete(CRD, &DeleteParams::default()).await) };
        eventually("the CRD is deleted", deleted).await?;
        eventually("the CRD is gone", || async {
            ensure!(definitions.get_opt(CRD).await?.is_none(), "the CRD is still there");
            Ok(())
        })
        .await
    }

    /// What the server holds now, in pages and without the objects themselves: they would count as memory of this process.
    pub(crate) async fn content(&self, what: What) -> Result<Content> {
        let (api, mut content) = (self.api(what), Content::new());
        let mut page = ListParams::default().limit(500);
        loop {
            let list = api.list_metadata(&page).await.context("a fresh list")?;
            for object in list.items {
                let name = object.metadata.name.context("a name")?;
                let version = object.metadata.resource_version.context("a version")?;
                content.insert(format!("{}/{name}", what.namespace()), version);
            }
            match list.metadata.continue_.filter(|more| !more.is_empty()) {
                Some(more) => page = page.continue_token(&more),
                None => return Ok(content),
            }
        }
    }

    /// The version that the server is at.
    pub(crate) async fn revision(&self) -> Result<u64> {
        let list = self.api(What::Secrets).list_metadata(&ListParams::default().limit(1)).await?;
        Ok(list.metadata.resource_version.context("a version")?.parse()?)
    }

    /// Whether the server does not let this client list, with this status; an error if not.
    pub(crate) async fn refused(&self, what: What, status: u16) -> Result<()> {
        let refused = matches!(self.api(what).list_metadata(&ListParams::default().limit(1)).await,
            Err(Error::Api(answer)) if answer.code == status);
        ensure!(refused, "not refused with {status} yet");
        Ok(())
    }
}

/// Whether something is deleted now, by this request or the one before.
fn gone<T>(deleted: kube_client::Result<T>) -> Result<()> {
    match deleted {
        Err(Error::Api(status)) if status.code == 404 => Ok(()),
        deleted => Ok(deleted.map(drop)?),
    }
}

fn name(number: u64) -> String {
    format!("object-{number}")
}

/// Somebody who writes all the time.
pub(crate) struct Traffic {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Traffic {
    pub(crate) fn start(writer: &Writer) -> Self {
        let (writer, stop) = (writer.clone(), watch::Sender::new(false));
        let stopped = stop.subscribe();
        let task = tokio::spawn(async move {
            let mut tick = tokio::time::interval(Duration::from_millis(10));
            let mut number = 0_u64;
            while !*stopped.borrow() {
                tick.tick().await;
                number += 1;
                // It goes on, whatever comes of a single write.
                writer.put(What::ConfigMaps, BUSY, &format!("traffic-{number}")).await.ok();
            }
        });
        Self { task, stop }
    }

    /// Waits until the last write has been answered: one that is given up may still happen.
    pub(crate) async fn stop(self) -> Result<()> {
        self.stop.send_replace(true);
        Ok(self.task.await?)
    }
}
