//! Kinds that come and go while the factory runs.

use std::time::Duration;

use anyhow::{Result, ensure};
use kube_client::api::{DeleteParams, DynamicObject, PostParams};
use kube_client::{Api, Client};
use kube_informer::status::Phase;
use kube_informer::{Options, SharedInformerFactory};
use tokio::task::block_in_place;

use super::{cluster, install_widgets, widgets};
use crate::faults::kinds::CRD;
use crate::support::{PATIENCE, config, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kind_that_is_installed_later_is_picked_up_and_one_that_vanishes_is_gone() -> Result<()> {
    let test = "a_kind_that_is_installed_later_is_picked_up_and_one_that_vanishes_is_gone";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let client = Client::try_from(config(&cluster).await?)?;
    let settings = Options::default().tuning(|tuning| tuning.gone_retry(Duration::from_secs(1)));
    let factory = SharedInformerFactory::builder(config(&cluster).await?).options(|_| settings).build()?;

    let unknown = factory.for_resource("widgetz").await.expect_err("nobody has installed it");
    ensure!(unknown.to_string() == "the server has no resource \"widgetz\"", "{unknown}");
    let informer = factory.kind_of(widgets()).informer();
    factory.start();
    let phase = async |wanted: Phase| {
        eventually("it is in this phase", || async {
            let phase = informer.status().phase;
            ensure!(phase == wanted, "it is {phase}, not {wanted}");
            Ok(())
        })
        .await
    };
    phase(Phase::Gone).await?;
    let error = factory.wait_for_cache_sync(Duration::ZERO).await.expect_err("there is no such kind");
    ensure!(error.to_string().contains("install its CustomResourceDefinition"), "{error}");

    let definitions = install_widgets(&client).await?;
    factory.wait_for_cache_sync(PATIENCE).await?;
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &widgets());
    let created = api.create(&PostParams::default(), &DynamicObject::new("one", &widgets())).await?;
    informer.wait_for(&created, PATIENCE).await?;
    for name in ["widget", "widgets.example.com", "widgets.v1.example.com"] {
        let named = factory.for_resource(name).await?.informer();
        ensure!(named.lister().namespace("default").get("one").is_ok(), "{name} is the same informer");
    }
    let near = factory.for_resource("widgetz").await.expect_err("a misspelt name");
    ensure!(near.to_string().ends_with("near names: widgets.example.com"), "{near}");

    definitions.delete(CRD, &DeleteParams::default()).await?;
    phase(Phase::Gone).await?;
    let before = informer.status().failures;
    let since = tokio::time::Instant::now();
    eventually("it has asked a few times more", || async {
        ensure!(informer.status().failures >= before + 3, "{}", informer.status().failures);
        Ok(())
    })
    .await?;
    // Asked again every one to two seconds; a loop would make hundreds of requests a second.
    ensure!(since.elapsed() > Duration::from_secs(1), "three requests within {:?}", since.elapsed());
    ensure!(informer.status().phase == Phase::Gone, "{}", informer.status().phase);

    eventually("the definition is gone", || async {
        ensure!(definitions.get_opt(CRD).await?.is_none(), "it is still there");
        Ok(())
    })
    .await?;
    install_widgets(&client).await?;
    phase(Phase::Watching).await?;
    eventually("the objects went with their definition", || async {
        ensure!(informer.lister().is_empty(), "{:?}", informer.lister().keys());
        Ok(())
    })
    .await?;
    factory.shutdown().await;
    Ok(())
}
