use std::time::Duration;

use informer_controller::{Controller, Ctx, Next, ReconcileError};
use kube_informer::k8s_openapi::api::apps::v1::Deployment;
use kube_informer::k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::kube_client::api::{Patch, PatchParams};
use kube_informer::{SharedInformer, SharedInformerFactory};
use serde_json::json;

/// What a Deployment says to have a greeting.
pub const GREETING: &str = "example.com/greeting";

/// The controller, on the informers of a factory.
pub fn controller(factory: &SharedInformerFactory) -> Controller<Deployment> {
    let maps = factory.core().v1().config_maps().informer();
    Controller::new("greeter", factory.apps().v1().deployments().informer())
        .owns(maps.clone())
        .reconcile(move |ctx| reconcile(ctx, maps.clone()))
}

async fn reconcile(ctx: Ctx<Deployment>, maps: SharedInformer<ConfigMap>) -> Result<Next, ReconcileError> {
    // A deleted Deployment: its ConfigMap goes with it, because it is owned by it.
    let Some(deployment) = ctx.object() else { return Ok(Next::Done) };
    if ctx.is_stale() {
        // The watch hangs: what the last run wrote is not in the cache, so what is missing there may exist.
        return Ok(Next::After(Duration::from_secs(5)));
    }
    let greeting = deployment.annotations()?.remove(GREETING);
    let maps = ctx.objects(&maps);
    let map = ctx.owned::<ConfigMap>().into_iter().next();
    match (greeting, map) {
        (Some(text), None) => {
            let owner = json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "name": deployment.name(),
                "uid": deployment.uid().to_string(), "controller": true,
            });
            let name = format!("{}-greeting", deployment.name());
            let metadata = json!({ "name": name, "ownerReferences": [owner] });
            maps.create(&json!({ "metadata": metadata, "data": { "text": text } })).await?;
        }
        (Some(text), Some(map)) => {
            let data = map.get()?.data.clone().unwrap_or_default();
            if data.get("text") != Some(&text) {
                let patch = Patch::Merge(json!({ "data": { "text": text } }));
                maps.patch(map.key(), &PatchParams::default(), &patch).await?;
            }
        }
        (None, Some(map)) => maps.delete(&map).await?,
        (None, None) => {}
    }
    Ok(Next::Done)
}
