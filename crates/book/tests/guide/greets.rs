use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use greeter::{GREETING, controller};
use kube_informer::SharedInformerFactory;
use kube_informer::k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_greeting_becomes_a_config_map() -> anyhow::Result<()> {
    let server = EmbeddedApiserver::new();
    let factory = SharedInformerFactory::builder(server.client()).build()?;
    let controller = controller(&factory);
    let maps = factory.core().v1().config_maps().informer();
    factory.start();
    tokio::spawn(controller.run(std::future::pending()));

    let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let deployment: Deployment = serde_json::from_value(json!({
        "metadata": { "name": "web", "namespace": "default", "annotations": { GREETING: "hello" } },
        "spec": { "selector": { "matchLabels": { "app": "web" } }, "template": template },
    }))?;
    server.create(&deployment).await?;

    let mut progress = maps.progress();
    let map = loop {
        match maps.lister().namespace("default").get("web-greeting") {
            Ok(map) => break map,
            Err(_) => progress = maps.wait_progress(&progress, Duration::from_secs(60)).await?,
        }
    };
    assert_eq!(map.get()?.data.clone().unwrap_or_default()["text"], "hello");
    Ok(())
}
