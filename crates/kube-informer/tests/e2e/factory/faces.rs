//! All faces of a kind are one watch at the server.

use anyhow::{Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{ObjectMeta, PostParams};
use kube_client::{Api, Client};
use kube_informer::{SharedInformerFactory, handler};
use tokio::task::block_in_place;

use super::cluster;
use crate::support::{PATIENCE, Server, config, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn typed_dynamic_and_metadata_faces_of_a_kind_are_one_watch_at_the_server() -> Result<()> {
    let test = "typed_dynamic_and_metadata_faces_of_a_kind_are_one_watch_at_the_server";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let client = Client::try_from(config(&cluster).await?)?;
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let metadata = ObjectMeta { name: Some("one".into()), ..ObjectMeta::default() };
    api.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await?;
    let before = cluster.watches("configmaps").await?;

    let factory = SharedInformerFactory::builder(config(&cluster).await?).build()?;
    let dynamic = factory.for_resource("cm").await?.informer();
    let metadata = factory.kind::<ConfigMap>().metadata().informer();
    let typed = factory.kind::<ConfigMap>().informer();
    for number in 0..10 {
        typed.add_event_handler(handler().named(format!("handler-{number}")))?;
    }
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await?;
    eventually("there is one watch more", || async {
        let now = cluster.watches("configmaps").await?;
        ensure!(now == before + 1, "{now} watches of config maps, {before} before");
        Ok(())
    })
    .await?;
    let name = |found: Option<String>| ensure_name(found.as_deref());
    name(typed.lister().namespace("default").get("one")?.get()?.metadata.name.clone())?;
    name(dynamic.lister().namespace("default").get("one")?.get()?.metadata.name.clone())?;
    name(metadata.lister().namespace("default").get("one")?.get()?.metadata.name.clone())?;
    let status = factory.status();
    ensure!(status.len() == 1, "{status:?}");
    ensure!(status[0].versions_alive == typed.lister().len(), "one copy of each: {status:?}");
    factory.shutdown().await;
    Ok(())
}

fn ensure_name(name: Option<&str>) -> Result<()> {
    ensure!(name == Some("one"), "{name:?}");
    Ok(())
}
