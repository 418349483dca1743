//! The kind itself goes away and comes back.

use std::time::Duration;

use anyhow::{Result, ensure};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::core::{ApiResource, GroupVersionKind};
use kube_client::{Api, Client};
use kube_informer::Options;
use kube_informer::status::{Phase, RelistReason};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::cluster;
use crate::support::link::Link;
use crate::support::objects::Objects;
use crate::support::watched::Watched;
use crate::support::{config, eventually};

pub(crate) const CRD: &str = "widgets.example.com";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crd_deleted_and_recreated_with_another_version() -> Result<()> {
    let test = "crd_deleted_and_recreated_with_another_version";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let definitions: Api<CustomResourceDefinition> = Api::all(Client::try_from(config(&cluster).await?)?);
    let create = async |versions: Value| {
        let definition = serde_json::from_value(definition(&versions))?;
        definitions.create(&PostParams::default(), &definition).await?;
        anyhow::Ok(())
    };
    create(json!([version("v1", true)])).await?;
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let objects = Objects::new(config(&cluster).await?, ApiResource::from_gvk_with_plural(&kind, "widgets"))?;
    eventually("the kind is served", || objects.content()).await?;
    objects.seed().await?;
    let (_link, through_link) = Link::to(config(&cluster).await?).await?;
    let settings = Options::default().tuning(|tuning| tuning.gone_retry(Duration::from_secs(1)));
    let mut watched = Watched::start(through_link, &objects.resource, settings).await?;

    let mut fault = watched.fault("CRD deleted and re-created");
    definitions.delete(CRD, &DeleteParams::default()).await?;
    watched.until("the kind is gone", |status| status.phase == Phase::Gone).await?;
    eventually("the CRD is gone", || async {
        ensure!(definitions.get_opt(CRD).await?.is_none(), "the CRD is still there");
        Ok(())
    })
    .await?;

    // Another version alone is not what the informer asks for.
    create(json!([version("v2", true)])).await?;
    let v2 = GroupVersionKind::gvk("example.com", "v2", "Widget");
    let other = Objects::new(config(&cluster).await?, ApiResource::from_gvk_with_plural(&v2, "widgets"))?;
    eventually("version 2 is served", || other.content()).await?;
    other.seed().await?;
    let asked = watched.informer.status().failures;
    watched
        .until("it asked again and the kind is still gone", |status| {
            status.failures >= asked + 2 && status.phase == Phase::Gone
        })
        .await?;

    let both = json!({ "spec": { "versions": [version("v1", false), version("v2", true)] } });
    definitions.patch(CRD, &PatchParams::default(), &Patch::Merge(&both)).await?;
    eventually("version 1 is served again", || objects.content()).await?;
    fault.is_over();
    other.change(1).await?;

    let recovery = watched.recovered(fault, &objects).await?;
    assert!(watched.relists(RelistReason::Gone) > 0);
    let text = ["widgets.example.com in namespace \"default\" (HTTP 404)", "CustomResourceDefinition"];
    assert!(recovery.reported(&text), "{recovery:#?}");
    assert!(recovery.asked_at_most(30), "{recovery:#?}");
    Ok(())
}

pub(crate) fn definition(versions: &Value) -> Value {
    json!({
        "metadata": { "name": CRD },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget" },
            "versions": versions,
        },
    })
}

pub(crate) fn version(name: &str, storage: bool) -> Value {
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    json!({ "name": name, "served": true, "storage": storage, "schema": schema })
}
