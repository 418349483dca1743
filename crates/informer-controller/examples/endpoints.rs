//! Keeps an EndpointSlice for every Service with the addresses of its ready pods, beside a manager of replicas in the same
//! program: both read the same pods, which the server is asked for once.
//!
//! Run with `cargo run --package informer-controller --example endpoints -- --kubeconfig FILE`.

mod program;
#[path = "replication_manager/replicas.rs"]
mod replicas;

use std::collections::BTreeMap;
use std::time::Duration;

use informer_controller::{Controller, Ctx, Next, ReconcileError};
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube_client::api::{Patch, PatchParams};
use kube_client::core::labels::Selector;
use kube_informer::{Lister, Object, ObjectKey, SharedInformer, SharedInformerFactory};
use serde::Deserialize;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let factory = SharedInformerFactory::builder(program::cluster().await?).build()?;
    let client = factory.client().ok_or_else(|| anyhow::anyhow!("there is no cluster to write to"))?;
    let pods = factory.core().v1().pods().informer();
    let slices = factory.discovery().v1().endpoint_slices().informer();
    let services = factory.core().v1().services();
    let (lister, (read_pods, write_slices)) = (services.lister(), (pods.clone(), slices.clone()));
    let endpoints = Controller::new("endpoints", services.informer())
        .owns(slices)
        .watches(pods.clone(), move |pod, keys| keys.extend(services_of(&lister, pod)))
        .reconcile(move |ctx| reconcile(ctx, read_pods.clone(), write_slices.clone()));
    let sets = factory.apps().v1().replica_sets().informer();
    let replicas = replicas::controller("replicaset", sets, &replicas::Pods::new(pods, client));
    factory.start();
    println!("looks after endpoints and replicas");
    let stop = program::stop();
    tokio::try_join!(endpoints.run(stop.clone()), replicas.run(stop))?;
    factory.shutdown().await;
    Ok(())
}

/// The services that select a pod.
fn services_of(services: &Lister<Service>, pod: &Object<Pod>) -> Vec<ObjectKey> {
    let in_namespace = services.list().into_iter().filter(|service| service.namespace() == pod.namespace());
    let selects = |service: &Object<Service>| {
        let selector = service.view::<View>().ok().and_then(|view| view.spec.selector());
        selector.is_some_and(|selector| pod.labels().matches(&selector))
    };
    in_namespace.filter(selects).map(|service| service.key().clone()).collect()
}

/// What counts of a Service.
#[derive(Debug, Deserialize)]
struct View {
    spec: ViewSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ViewSpec {
    selector: BTreeMap<String, String>,
    ports: Vec<Value>,
}

impl ViewSpec {
    /// Without one somebody else looks after the endpoints.
    fn selector(&self) -> Option<Selector> {
        let selector: Selector = self.selector.clone().into_iter().collect();
        (!selector.selects_all()).then_some(selector)
    }
}

async fn reconcile(
    ctx: Ctx<Service>,
    pods: SharedInformer<Pod>,
    slices: SharedInformer<EndpointSlice>,
) -> Result<Next, ReconcileError> {
    let Some(service) = ctx.object() else { return Ok(Next::Done) };
    if ctx.is_stale() {
        return Ok(Next::After(Duration::from_secs(5)));
    }
    let view: View = service.view()?;
    let Some(selector) = view.spec.selector() else { return Ok(Next::Done) };
    let namespace = service.namespace().unwrap_or_default();
    let mut endpoints = Vec::new();
    for pod in ctx.objects(&pods).matching(&selector).iter().filter(|pod| pod.namespace() == Some(namespace))
    {
        let decoded = pod.get()?;
        let Some(address) = decoded.status.as_ref().and_then(|status| status.pod_ip.clone()) else {
            continue;
        };
        let ready = pod.view::<replicas::PodView>()?.ready().is_some() && pod.deletion_timestamp().is_none();
        let target = json!({ "kind": "Pod", "namespace": namespace, "name": pod.name(), "uid": pod.uid().to_string() });
        endpoints
            .push(json!({ "addresses": [address], "conditions": { "ready": ready }, "targetRef": target }));
    }
    endpoints.sort_by_key(|endpoint| endpoint["addresses"][0].to_string());
    let ports = view.spec.ports.iter().map(|port| {
        let number = port["targetPort"].as_i64().or(port["port"].as_i64());
        json!({ "name": port["name"].as_str().unwrap_or_default(), "port": number, "protocol": port["protocol"] })
    });
    let content =
        json!({ "addressType": "IPv4", "endpoints": endpoints, "ports": ports.collect::<Vec<_>>() });
    let (count, slices) = (endpoints.len(), ctx.objects(&slices));
    match ctx.owned::<EndpointSlice>().first() {
        Some(slice) if holds(&slice.view::<Value>()?, &content) => return Ok(Next::Done),
        Some(slice) => {
            slices.patch(slice.key(), &PatchParams::default(), &Patch::Merge(content)).await?;
        }
        None => {
            let mut slice = content;
            slice["metadata"] = json!({
                "generateName": format!("{}-", service.name()),
                "labels": { "kubernetes.io/service-name": service.name() },
                "ownerReferences": [replicas::owner(service)],
            });
            slices.create(&slice).await?;
        }
    }
    println!("{}: {count} endpoints", ctx.key());
    Ok(Next::Done)
}

/// Whether an object has these fields already.
fn holds(object: &Value, fields: &Value) -> bool {
    fields.as_object().is_some_and(|fields| {
        fields.iter().all(|(name, value)| {
            object.get(name) == Some(value)
                || (value == &json!([]) && object.get(name).is_none_or(Value::is_null))
        })
    })
}
