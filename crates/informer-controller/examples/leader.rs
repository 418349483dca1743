//! Two replicas of a program, of which one works. The other one has its caches ready, and takes over when the first one ends,
//! hangs or is cut off.
//!
//! Run this twice with `cargo run --package informer-controller --example leader -- --kubeconfig FILE`, create a ConfigMap, and
//! end the one that leads:
//!
//! ```yaml
//! apiVersion: v1
//! kind: ConfigMap
//! metadata: { name: work, namespace: default, labels: { example: leader } }
//! ```
//!
//! The leader writes into it ten times a second. `REPLICA` is the name of the replica, if not that of the host, and
//! `LEASE_SECONDS` how long the Lease lasts, if not 15 s.

mod program;

use std::time::Duration;

use informer_controller::{Controller, Ctx, Election, Leadership, Next, ReconcileError};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Patch, PatchParams};
use kube_informer::SharedInformerFactory;
use serde_json::json;

const INTERVAL: Duration = Duration::from_millis(100);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let factory = SharedInformerFactory::builder(program::cluster().await?).build()?;
    let client = factory.client().ok_or_else(|| anyhow::anyhow!("there is no cluster to write to"))?;
    let replica = std::env::var("REPLICA").ok();
    let name = replica.clone().unwrap_or_else(|| "a replica".to_owned());
    let controller = Controller::new("leader", factory.core().v1().config_maps().informer())
        .only_if(|old, new| old.labels().get("example") != new.labels().get("example"))
        .reconcile(move |ctx| reconcile(ctx, name.clone()));
    let mut election = Election::new(client, "default", "leader-example");
    if let Some(replica) = replica {
        election = election.identity(replica);
    }
    if let Some(seconds) = std::env::var("LEASE_SECONDS").ok().and_then(|text| text.parse().ok()) {
        let duration = Duration::from_secs(seconds);
        election = election
            .lease_duration(duration)
            .renew_deadline(duration.mul_f64(0.67))
            .retry_period(duration.mul_f64(0.13));
    }

    // On every replica, so that the next leader has what it needs.
    factory.start();
    println!("is ready");
    let led = election.run(program::stop(), |leadership| {
        println!("leads in term {}", leadership.term());
        controller.run_as(leadership)
    });
    match led.await? {
        Some(led) if led.is_released => println!("has released the Lease"),
        Some(_) => println!("has not released the Lease: others wait until it expires"),
        None => println!("has never led"),
    }
    factory.shutdown().await;
    Ok(())
}

/// Counts in the ConfigMap, and says who counts and in which term.
async fn reconcile(ctx: Ctx<ConfigMap>, replica: String) -> Result<Next, ReconcileError> {
    let Some(map) = ctx.object().filter(|map| map.labels().get("example") == Some("leader")) else {
        return Ok(Next::Done);
    };
    let term = ctx.leadership().map(Leadership::term).unwrap_or_default();
    let data = map.get()?.data.clone().unwrap_or_default();
    let count = data.get("count").and_then(|count| count.parse::<u64>().ok()).unwrap_or_default() + 1;
    // Nothing in this patch would keep a leader of the past from writing. What does is that a write asks for the leadership.
    let patch =
        json!({ "data": { "count": count.to_string(), "term": term.to_string(), "replica": replica } });
    ctx.objects(ctx.informer()).patch(ctx.key(), &PatchParams::default(), &Patch::Merge(patch)).await?;
    println!("{}: {count} in term {term}", ctx.key());
    Ok(Next::After(INTERVAL))
}
