//! What the examples of kube-rs do, on both servers: patches of every type, `entry`, `finalizer` and `Controller`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use futures::StreamExt as _;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::api::entry::CommitError;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::{Api, Client, Resource as _, ResourceExt as _};
use kube_runtime::controller::{Action, Controller};
use kube_runtime::finalizer::{self, finalizer};
use kube_runtime::wait::{await_condition, conditions};
use kube_runtime::watcher;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{Server, both, normal_object};

/// What a server has answered, in order.
#[derive(Default)]
struct Told(Vec<Value>);

impl Told {
    fn object(&mut self, object: &impl Serialize) -> Result<()> {
        let mut object = serde_json::to_value(object)?;
        normal_object(&mut object);
        self.0.push(object);
        Ok(())
    }

    /// The object or the error of the server.
    fn answer(&mut self, answer: kube_client::Result<impl Serialize>) -> Result<()> {
        match answer {
            Ok(object) => self.object(&object),
            Err(kube_client::Error::Api(status)) => self.object(&status),
            Err(error) => bail!(error),
        }
    }
}

/// Runs something on both servers and compares what was told.
async fn same(test: &str, run: impl AsyncFn(&Server) -> Result<Told>) -> Result<()> {
    let Some([real, embedded]) = both(test).await? else { return Ok(()) };
    let (real, embedded) = (run(&real).await?.0, run(&embedded).await?.0);
    assert_eq!(embedded.len(), real.len());
    for (place, (real, embedded)) in real.iter().zip(&embedded).enumerate() {
        assert_eq!(embedded, real, "step {place}\nembedded {embedded}\nreal     {real}");
    }
    Ok(())
}

fn deployment() -> Result<Deployment> {
    let template = json!({
        "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "web", "image": "web:1" }] },
    });
    let spec =
        json!({ "replicas": 1, "selector": { "matchLabels": { "app": "web" } }, "template": template });
    Ok(serde_json::from_value(json!({ "metadata": { "name": "web" }, "spec": spec }))?)
}

async fn patches(server: &Server) -> Result<Told> {
    let mut told = Told::default();
    let deployments: Api<Deployment> = Api::default_namespaced(server.client.clone());
    told.answer(deployments.create(&PostParams::default(), &deployment()?).await)?;
    let containers = |image: &str| json!([{ "name": "web", "image": image }]);
    let image =
        |image: &str| json!({ "spec": { "template": { "spec": { "containers": containers(image) } } } });
    let (plain, applier, other) =
        (PatchParams::default(), PatchParams::apply("applier"), PatchParams::apply("other"));
    told.answer(deployments.patch("web", &plain, &Patch::Strategic(image("web:2"))).await)?;
    told.answer(deployments.patch("web", &plain, &Patch::Merge(json!({ "spec": { "replicas": 2 } }))).await)?;
    let operations: json_patch::Patch = serde_json::from_value(json!([
        { "op": "test", "path": "/spec/replicas", "value": 2 },
        { "op": "replace", "path": "/spec/replicas", "value": 3 },
        { "op": "add", "path": "/metadata/labels", "value": { "a": "b" } },
    ]))?;
    let operations = Patch::Json::<()>(operations);
    told.answer(deployments.patch("web", &plain, &operations).await)?;
    // The test fails now.
    told.answer(deployments.patch("web", &plain, &operations).await)?;
    let mut config = image("web:3");
    config["apiVersion"] = "apps/v1".into();
    config["kind"] = "Deployment".into();
    let config = Patch::Apply(config);
    told.answer(deployments.patch("web", &applier, &config).await)?;
    told.answer(deployments.patch("web", &applier.clone().force(), &config).await)?;
    told.answer(deployments.patch("web", &other, &config).await)?;
    told.answer(deployments.patch("web", &applier.clone().dry_run().force(), &config).await)?;
    told.answer(deployments.patch("none", &plain, &Patch::Merge(json!({}))).await)?;
    let status = json!({ "status": { "replicas": 3, "readyReplicas": 1 } });
    told.answer(deployments.patch_status("web", &plain, &Patch::Merge(&status)).await)?;
    told.answer(deployments.get_status("web").await)?;
    let scale = Patch::Merge(json!({ "spec": { "replicas": 5 } }));
    told.answer(deployments.patch_scale("web", &plain, &scale).await)?;
    let mut scale = deployments.get_scale("web").await?;
    scale.spec.get_or_insert_default().replicas = Some(6);
    told.answer(deployments.replace_scale("web", &PostParams::default(), &scale).await)?;
    // Its version is old now.
    told.answer(deployments.replace_scale("web", &PostParams::default(), &scale).await)?;
    told.answer(deployments.get("web").await)?;
    Ok(told)
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_of_kube_rs_do_what_they_do_on_the_real_server() -> Result<()> {
    same("patches_of_kube_rs_do_what_they_do_on_the_real_server", patches).await
}

fn config_map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map
}

fn count(map: &mut ConfigMap) {
    let data = map.data.get_or_insert_default();
    let count = data.get("count").and_then(|text| text.parse::<u32>().ok()).unwrap_or_default();
    data.insert("count".to_owned(), (count + 1).to_string());
}

async fn entries(server: &Server) -> Result<Told> {
    let mut told = Told::default();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client.clone());
    let parameters = PostParams { field_manager: Some("entry".to_owned()), ..PostParams::default() };
    for _ in 0..2 {
        let mut entry = maps.entry("counted").await?.and_modify(count).or_insert(|| config_map("counted"));
        entry.commit(&parameters).await?;
        told.object(entry.get())?;
        // A second commit of what has not changed is none.
        entry.commit(&parameters).await?;
        told.object(entry.get())?;
    }
    let mut late = maps.entry("counted").await?.and_modify(count).or_insert(|| config_map("counted"));
    maps.patch("counted", &PatchParams::default(), &Patch::Merge(json!({ "data": { "x": "y" } }))).await?;
    match late.commit(&parameters).await {
        Err(CommitError::Save(kube_client::Error::Api(status))) => told.object(&status)?,
        other => bail!("somebody else's change is overwritten: {other:?}"),
    }
    let (mut first, mut second) = (maps.entry("new").await?, maps.entry("new").await?);
    assert!(first.get_mut().is_none() && second.get_mut().is_none());
    first.or_insert(|| config_map("new")).commit(&parameters).await?;
    match second.or_insert(|| config_map("new")).commit(&parameters).await {
        Err(CommitError::Save(kube_client::Error::Api(status))) => told.object(&status)?,
        other => bail!("it exists: {other:?}"),
    }
    told.answer(maps.get("counted").await)?;
    Ok(told)
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_kube_rs_do_what_they_do_on_the_real_server() -> Result<()> {
    same("entries_of_kube_rs_do_what_they_do_on_the_real_server", entries).await
}

const FINALIZER: &str = "example.com/cleanup";

type Failure = finalizer::Error<kube_client::Error>;

/// Makes a secret for each ConfigMap, and removes it when that is deleted.
async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, Failure> {
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::clone(&client));
    let secrets: Api<Secret> = Api::default_namespaced(Client::clone(&client));
    finalizer(&maps, FINALIZER, map, async |event| {
        match event {
            finalizer::Event::Apply(map) => {
                let secret = json!({
                    "apiVersion": "v1", "kind": "Secret",
                    "metadata": { "name": map.name_any(), "ownerReferences": [map.controller_owner_ref(&())] },
                    "data": { "key": "eA==" },
                });
                let parameters = PatchParams::apply("secrets").force();
                secrets.patch(&map.name_any(), &parameters, &Patch::Apply(secret)).await?;
            }
            finalizer::Event::Cleanup(map) => {
                secrets.delete(&map.name_any(), &DeleteParams::default()).await?;
            }
        }
        Ok(Action::await_change())
    })
    .await
}

async fn controlled(server: &Server) -> Result<Told> {
    let mut told = Told::default();
    let client = server.client.clone();
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let config = watcher::Config::default().labels("made=here");
    let controller = Controller::new(maps.clone(), config).owns(secrets.clone(), watcher::Config::default());
    let retry = |_: Arc<ConfigMap>, _: &Failure, _: Arc<Client>| Action::requeue(Duration::from_millis(100));
    let running = controller.run(reconcile, retry, Arc::new(client)).for_each(|_| async {});
    let story = async {
        let mut map = config_map("mine");
        map.labels_mut().insert("made".to_owned(), "here".to_owned());
        maps.create(&PostParams::default(), &map).await?;
        let is_there = |secret: Option<&Secret>| secret.is_some();
        let secret = await_condition(secrets.clone(), "mine", is_there).await?.context("a secret")?;
        told.object(&secret)?;
        told.answer(maps.get("mine").await)?;
        // Who deletes what it owns gets it again.
        let uid = secret.uid().unwrap_or_default();
        secrets.delete("mine", &DeleteParams::default()).await?;
        let is_new = move |secret: Option<&Secret>| {
            secret.is_some_and(|secret| secret.uid().is_some_and(|other| other != uid))
        };
        told.object(&await_condition(secrets.clone(), "mine", is_new).await?)?;
        let map = maps.get("mine").await?;
        let deleted = maps.delete("mine", &DeleteParams::default()).await?;
        told.object(&deleted.left())?;
        await_condition(maps.clone(), "mine", conditions::is_deleted(&map.uid().unwrap_or_default())).await?;
        told.answer(secrets.get("mine").await)?;
        anyhow::Ok(())
    };
    tokio::select! {
        () = running => bail!("the controller has ended"),
        done = tokio::time::timeout(Duration::from_secs(60), story) => done??,
    }
    Ok(told)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_controller_of_kube_rs_does_what_it_does_on_the_real_server() -> Result<()> {
    same("a_controller_of_kube_rs_does_what_it_does_on_the_real_server", controlled).await
}
