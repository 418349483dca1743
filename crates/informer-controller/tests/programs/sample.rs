//! `sample_controller`.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::events::v1::Event;
use kube_client::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube_client::core::GroupVersionKind;
use serde_json::{Value, json};

use crate::support::{Program, Server, eventually, stories};

stories!(sample_controller);

async fn sample_controller(server: &Server) {
    let mut program = Program::start("sample_controller", server);
    program.until("waits for Foos").await;
    let kind = GroupVersionKind::gvk("samplecontroller.k8s.io", "v1alpha1", "Foo");
    let kind = ApiResource::from_gvk_with_plural(&kind, "foos");
    let foos: Api<DynamicObject> = Api::namespaced_with(server.client(), "default", &kind);
    let made = |spec: Value| -> DynamicObject {
        let object = json!({
            "apiVersion": "samplecontroller.k8s.io/v1alpha1", "kind": "Foo",
            "metadata": { "name": "example-foo" }, "spec": spec,
        });
        serde_json::from_value(object).unwrap()
    };
    let first = made(json!({ "deploymentName": "example-foo", "replicas": 1 }));
    // The kind may be served a moment after its definition has been created.
    eventually("a Foo can be created", || async {
        foos.create(&PostParams::default(), &first).await.map(drop).map_err(|error| error.to_string())
    })
    .await;
    program.until("default/example-foo is in sync: 1 replicas, 0 available").await;
    let deployment = server.api::<Deployment>().get("example-foo").await.unwrap();
    let owners = deployment.metadata.owner_references.unwrap_or_default();
    assert_eq!((owners.len(), &*owners[0].kind, owners[0].controller), (1, "Foo", Some(true)));

    let patch = Patch::Merge(json!({ "spec": { "replicas": 3 } }));
    foos.patch("example-foo", &PatchParams::default(), &patch).await.unwrap();
    program.until("default/example-foo is in sync: 3 replicas").await;
    server
        .patch_status::<Deployment>(
            "example-foo",
            json!({ "status": { "replicas": 3, "readyReplicas": 2, "availableReplicas": 2 } }),
        )
        .await;
    program.until("default/example-foo is in sync: 3 replicas, 2 available").await;
    eventually("the Foo says so", || async {
        let found = foos.get("example-foo").await.map_err(|error| error.to_string())?;
        match found.data["status"]["availableReplicas"].as_i64() {
            Some(2) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    // Somebody takes the Deployment away: it comes back.
    server.delete::<Deployment>("example-foo").await;
    program.until("default/example-foo is in sync: 3 replicas, 0 available").await;
    // Somebody else has a Deployment of this name.
    let selector = json!({ "matchLabels": { "app": "other" } });
    let template = json!({
        "metadata": { "labels": { "app": "other" } },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    let spec = json!({ "selector": selector, "template": template });
    server.create::<Deployment>(json!({ "metadata": { "name": "taken" }, "spec": spec })).await;
    let patch = Patch::Merge(json!({ "spec": { "deploymentName": "taken" } }));
    foos.patch("example-foo", &PatchParams::default(), &patch).await.unwrap();
    eventually("there are events", || async {
        let events = server.list::<Event>().await;
        let reasons: BTreeSet<_> = events.into_iter().filter_map(|event| event.reason).collect();
        match reasons.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["ErrResourceExists", "Synced"] => Ok(()),
            _ => Err(format!("{reasons:?}")),
        }
    })
    .await;
    program.ended_by_sigterm().await;
}
