//! Every resource of the server at once.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{
    ConfigMap, Namespace, Node, PersistentVolume, Pod, Secret, Service, ServiceAccount,
};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{DynamicObject, ListParams, PostParams};
use kube_client::core::{ApiResource, GroupVersionKind};
use kube_client::{Api, Client};
use kube_informer::kind::KindInfo;
use kube_informer::{Kind, SharedInformer, SharedInformerFactory};
use serde_json::json;
use tokio::task::block_in_place;

use super::{cluster, install_widgets, widgets};
use crate::support::{PATIENCE, config, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_served_resource_gets_an_informer_through_one_factory() -> Result<()> {
    let test = "every_served_resource_gets_an_informer_through_one_factory";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let client = Client::try_from(config(&cluster).await?)?;
    install_widgets(&client).await?;
    for (resource, name) in [(widgets(), "a"), (ApiResource::erase::<ConfigMap>(&()), "b")] {
        let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
        let object = DynamicObject::new(name, &resource);
        eventually("the object is created", || async {
            Ok(api.create(&PostParams::default(), &object).await?)
        })
        .await?;
    }

    let factory = SharedInformerFactory::builder(config(&cluster).await?).build()?;
    let typed = typed(&factory);
    let resources = factory.resources().await?;
    ensure!(resources.len() > 50, "a server has many resources: {resources:?}");
    ensure!(resources.iter().any(|kind| kind.resource() == "widgets.example.com"), "{resources:?}");
    let informers: Vec<_> = resources.iter().map(|kind| factory.kind_of(kind).informer()).collect();
    ensure!(factory.status().len() == resources.len(), "the typed ones are the same informers");
    for kind in &typed {
        ensure!(resources.iter().any(|served| served.url_path(None) == kind.url_path(None)), "{kind:?}");
    }

    let started = Instant::now();
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    let synced = started.elapsed();
    let mut objects = 0;
    for informer in &informers {
        eventually("the cache is what a list has", || compare(&client, informer)).await?;
        objects += informer.lister().len();
    }
    for status in factory.status() {
        ensure!(status.wrong_type.is_none(), "{}: {:?}", status.name, status.wrong_type);
    }
    factory.shutdown().await;
    ensure!(factory.status().iter().all(|status| status.stopped), "all have stopped");
    writeln!(
        std::io::stderr(),
        "served: {} resources, {} of them typed, {objects} objects, synced after {synced:.2?}",
        resources.len(),
        typed.len(),
    )?;
    Ok(())
}

/// Asks for a good number of kinds by their type.
fn typed(factory: &SharedInformerFactory) -> Vec<KindInfo> {
    macro_rules! kinds {
        ($($kind:ty),* $(,)?) => {
            vec![$({ factory.kind::<$kind>().informer(); <$kind as Kind>::info(&()) }),*]
        };
    }
    kinds![
        ClusterRole,
        ClusterRoleBinding,
        ConfigMap,
        CronJob,
        CustomResourceDefinition,
        DaemonSet,
        Deployment,
        EndpointSlice,
        Ingress,
        Job,
        Lease,
        Namespace,
        NetworkPolicy,
        Node,
        PersistentVolume,
        Pod,
        PriorityClass,
        ReplicaSet,
        Role,
        Secret,
        Service,
        ServiceAccount,
        StatefulSet,
        StorageClass,
        ValidatingWebhookConfiguration,
    ]
}

/// The keys in the cache are those of a fresh list.
async fn compare(client: &Client, informer: &SharedInformer<DynamicObject>) -> Result<()> {
    let kind = informer.kind();
    let gvk = GroupVersionKind::gvk(kind.group(), kind.version(), kind.kind());
    let resource = ApiResource::from_gvk_with_plural(&gvk, kind.plural());
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let list = api.list(&ListParams::default()).await.with_context(|| format!("a list of {kind}"))?;
    let key = |object: &DynamicObject| {
        let name = object.metadata.name.clone().unwrap_or_default();
        match &object.metadata.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name,
        }
    };
    let listed: BTreeSet<String> = list.items.iter().map(key).collect();
    let cached: BTreeSet<String> = informer.lister().keys().iter().map(ToString::to_string).collect();
    ensure!(listed == cached, "{kind}: {}", json!({ "listed": listed, "cached": cached }));
    Ok(())
}
