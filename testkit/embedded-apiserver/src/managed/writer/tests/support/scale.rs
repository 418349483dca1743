//! Writes to the scale of a deployment.

use kube_client::Client;
use serde_json::{Value, json};

use super::super::super::*;
use super::super::{APPLY, JSON, MERGE, managers, same, send};
use crate::managed::scale::{of_object, of_scale, path};

/// What differs from the real server.
pub(crate) async fn problems(client: &Client) -> Vec<String> {
    let collection = "/apis/apps/v1/namespaces/default/deployments";
    let template = json!({
        "metadata": { "labels": { "app": "x" } }, "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    let spec = json!({ "replicas": 2, "selector": { "matchLabels": { "app": "x" } }, "template": template });
    let object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "scaled" }, "spec": spec,
    });
    send(client, "POST", &format!("{collection}?fieldManager=one"), JSON, &object).await;
    let scale = |replicas: u32| {
        json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "scaled" },
            "spec": { "replicas": replicas },
        })
    };
    let steps = [
        (MERGE, "two", "", scale(2)),
        (MERGE, "two", "", scale(3)),
        (APPLY, "three", "", scale(4)),
        (APPLY, "three", "&force=true", scale(4)),
        (APPLY, "four", "", scale(4)),
        (MERGE, "three", "", scale(5)),
    ];
    let mut problems = Vec::new();
    for (number, (media_type, manager, force, body)) in steps.into_iter().enumerate() {
        let path = format!("{collection}/scaled");
        if let Err(problem) = check(client, &path, media_type, manager, force, &body).await {
            problems.push(format!("scale step {number}: {problem}"));
        }
    }
    problems
}

async fn check(
    client: &Client,
    object: &str,
    media_type: &str,
    manager: &str,
    force: &str,
    body: &Value,
) -> Result<(), String> {
    let scale = format!("{object}/scale");
    let (_, before) = send(client, "GET", object, JSON, &Value::Null).await;
    let (_, mut scale_before) = send(client, "GET", &scale, JSON, &Value::Null).await;
    let url = format!("{scale}?fieldManager={manager}{force}");
    let (status, mut scale_after) = send(client, "PATCH", &url, media_type, body).await;
    let (_, after) = send(client, "GET", object, JSON, &Value::Null).await;
    let entries = after["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let now = entries.iter().filter_map(|entry| entry["time"].as_str()).max().unwrap_or_default();
    let kind = Kind::builtin("autoscaling", "Scale");
    let writer = Writer {
        kind: &kind,
        api_version: "autoscaling/v1",
        subresource: "scale",
        ignored: &Set::default(),
        manager,
        now,
    };
    let managed = Managed::of(&before).unwrap();
    let paths = |version: &str| (version == "apps/v1").then(|| path(".spec.replicas"));
    of_scale(&managed, &paths).write(&mut scale_before);
    let ours = match media_type {
        APPLY => match writer.applied(Some(&scale_before), body, !force.is_empty()) {
            Ok(ours) => ours,
            Err(error) => {
                let theirs = json!([status, scale_after["message"]]);
                return same("error", &json!([error.code, error.message]), &theirs);
            }
        },
        _ => {
            writer.updated(Some(&scale_before), &mut scale_after);
            scale_after
        }
    };
    let mut ours_after = entries::without(&after);
    of_object(&managed, Managed::of(&ours).unwrap(), "apps/v1", &paths).write(&mut ours_after);
    same("managers", &managers(&ours_after), &managers(&after))
}
