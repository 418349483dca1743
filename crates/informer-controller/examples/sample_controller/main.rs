//! The sample controller of Kubernetes: a Foo has a Deployment, with as many replicas as the Foo says.
//!
//! Run with `cargo run --package informer-controller --example sample_controller -- --kubeconfig FILE`, then create a Foo:
//!
//! ```yaml
//! apiVersion: samplecontroller.k8s.io/v1alpha1
//! kind: Foo
//! metadata: { name: example-foo, namespace: default }
//! spec: { deploymentName: example-foo, replicas: 1 }
//! ```
//!
//! It creates the definition of the kind if there is none, and tells of what it did: `kubectl get events`.

#[path = "../program/mod.rs"]
mod program;

use informer_controller::recorder::{Note, RecorderOptions};
use informer_controller::{Controller, Ctx, EventRecorder, Next, ReconcileError};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{Api, Patch, PatchParams, PostParams};
use kube_informer::kind::{KindInfo, Namespaced};
use kube_informer::{Kind, Object, ObjectKey, SharedInformer, SharedInformerFactory};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
struct Foo {
    spec: FooSpec,
    #[serde(default)]
    status: FooStatus,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FooSpec {
    #[serde(default)]
    deployment_name: String,
    replicas: Option<i32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FooStatus {
    available_replicas: i32,
}

impl Kind for Foo {
    type Scope = Namespaced;
    type Dynamic = ();

    fn info(_: &()) -> KindInfo {
        KindInfo::new("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos").namespaced(true)
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let factory = SharedInformerFactory::builder(program::cluster().await?).build()?;
    let client = factory.client().ok_or_else(|| anyhow::anyhow!("there is no cluster to write to"))?;
    let definition: CustomResourceDefinition = serde_json::from_str(include_str!("crd.json"))?;
    match Api::all(client.clone()).create(&PostParams::default(), &definition).await {
        Err(kube_client::Error::Api(status)) if status.code == 409 => {}
        created => drop(created?),
    }

    let deployments = factory.apps().v1().deployments().informer();
    let controller = Controller::new("foo", factory.kind::<Foo>().informer())
        .recorder(EventRecorder::new(client, "sample-controller", RecorderOptions::default()))
        .owns(deployments.clone())
        .reconcile(move |ctx| reconcile(ctx, deployments.clone()));
    factory.start();
    println!("waits for Foos");
    controller.run(program::stop()).await?;
    factory.shutdown().await;
    Ok(())
}

async fn reconcile(ctx: Ctx<Foo>, deployments: SharedInformer<Deployment>) -> Result<Next, ReconcileError> {
    // Its Deployment goes with it: that is the work of the garbage collector.
    let Some(object) = ctx.object() else { return Ok(Next::Done) };
    let decoded = object.get()?;
    let name = &*decoded.spec.deployment_name;
    if name.is_empty() {
        // Trying again does not help, a change of the Foo does.
        return Err(ReconcileError::terminal(format!("{}: spec.deploymentName is empty", ctx.key())));
    }
    let deployments = ctx.objects(&deployments);
    let key = ObjectKey::namespaced(object.namespace().unwrap_or_default(), name);
    let deployment = match deployments.get(&key) {
        Some(deployment) => deployment,
        None => deployments.create(&deployment_of(object, &decoded)).await?,
    };
    if deployment.controller_owner().is_none_or(|owner| owner.uid != *object.uid()) {
        let why = format!("Deployment {key} exists and is not managed by {}", ctx.key());
        ctx.event(Note::warning("ErrResourceExists", &*why));
        return Err(ReconcileError::msg(why));
    }
    let mut found = deployment.get()?;
    if let Some(replicas) = decoded.spec.replicas.filter(|wanted| found.spec.replicas != Some(*wanted)) {
        let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
        found = deployments.patch(&key, &PatchParams::default(), &patch).await?.get()?;
    }
    let available = found.status.as_ref().and_then(|status| status.available_replicas).unwrap_or(0);
    if decoded.status.available_replicas != available {
        let patch = Patch::Merge(json!({ "status": { "availableReplicas": available } }));
        ctx.objects(ctx.informer()).patch_status(ctx.key(), &PatchParams::default(), &patch).await?;
    }
    ctx.event(Note::normal("Synced", "Foo synced successfully"));
    let replicas = found.spec.replicas.unwrap_or(1);
    println!("{} is in sync: {replicas} replicas, {available} available", ctx.key());
    Ok(Next::Done)
}

fn deployment_of(object: &Object<Foo>, decoded: &Foo) -> Value {
    let labels = json!({ "app": "nginx", "controller": object.name() });
    let owner = json!({
        "apiVersion": object.kind().api_version(), "kind": object.kind().kind(),
        "name": object.name(), "uid": object.uid().to_string(), "controller": true, "blockOwnerDeletion": true,
    });
    let spec = json!({
        "replicas": decoded.spec.replicas,
        "selector": { "matchLabels": labels },
        "template": {
            "metadata": { "labels": labels },
            "spec": { "containers": [{ "name": "nginx", "image": "nginx:latest" }] },
        },
    });
    let metadata = json!({
        "name": decoded.spec.deployment_name, "namespace": object.namespace(), "ownerReferences": [owner],
    });
    json!({ "metadata": metadata, "spec": spec })
}
