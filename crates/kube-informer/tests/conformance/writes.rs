//! P-080 to P-085: versions, writes, and what is not there.

use std::collections::HashSet;

use anyhow::Result;
use serde_json::{Value, json};

use super::api;
use crate::support::wire::{Api, name, rv};

#[tokio::test]
async fn p_080_versions_of_one_type_increase_with_every_change() -> Result<()> {
    let Some(api) = api("p_080").await? else { return Ok(()) };
    let mut versions = vec![rv(&api.got(&api.configmaps("")).await?)];
    for name in ["b", "a"] {
        versions.push(rv(&api.configmap(name, "").await?));
        versions.push(rv(&api.step(name, "1").await?));
    }
    api.deleted(&api.configmaps("/b")).await?;
    versions.push(rv(&api.configmap("b", "").await?));
    assert!(versions.is_sorted_by(|one, next| one < next), "{versions:?}");
    Ok(())
}

#[tokio::test]
async fn p_081_conflicts_and_what_is_missing() -> Result<()> {
    let Some(api) = api("p_081").await? else { return Ok(()) };
    let path = api.configmaps("/a");
    let old = api.configmap("a", "").await?;
    api.step("a", "1").await?;
    let details = json!({ "name": "a", "kind": "configmaps" });

    let mut stale = old.clone();
    stale["data"]["step"] = json!("2");
    let answer = api.put(&path, &stale).await?;
    assert_eq!(
        answer.failure(409, "Conflict"),
        "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your \
         changes to the latest version and try again"
    );
    assert_eq!(answer.json()["details"], details);

    let answer = api.post(&api.configmaps(""), json!({ "metadata": { "name": "a" } })).await?;
    assert_eq!(answer.failure(409, "AlreadyExists"), "configmaps \"a\" already exists");
    assert_eq!(answer.json()["details"], details);

    api.deleted(&path).await?;
    let put = api.put(&path, &json!({ "metadata": { "name": "a" } })).await?;
    let patch = api.merge_patch(&path, json!({ "data": {} })).await?;
    for answer in [put, patch, api.get(&path).await?, api.delete(&path).await?] {
        assert_eq!(answer.failure(404, "NotFound"), "configmaps \"a\" not found");
        assert_eq!(answer.json()["details"], details);
    }
    let path = format!("/apis/apps/v1/namespaces/{}/deployments/a", api.namespace);
    let answer = api.get(&path).await?;
    assert_eq!(answer.failure(404, "NotFound"), "deployments.apps \"a\" not found");
    assert_eq!(answer.json()["details"], json!({ "name": "a", "group": "apps", "kind": "deployments" }));

    let elsewhere = "/api/v1/namespaces/there-is-none/configmaps";
    let answer = api.post(elsewhere, json!({ "metadata": { "name": "a" } })).await?;
    assert_eq!(answer.failure(404, "NotFound"), "namespaces \"there-is-none\" not found");
    Ok(())
}

#[tokio::test]
async fn p_082_versions_in_what_is_written() -> Result<()> {
    let Some(api) = api("p_082").await? else { return Ok(()) };
    let object = json!({ "metadata": { "name": "a", "resourceVersion": "5" } });
    let message = api.post(&api.configmaps(""), object).await?.failure(500, "");
    assert_eq!(message, "resourceVersion should not be set on objects to be created");

    let created = api.configmap("a", "").await?;
    let changed = json!({ "metadata": { "name": "a" }, "data": { "step": "1" } });
    let put = api.put(&api.configmaps("/a"), &changed).await?.body_of(200)?;
    assert!(rv(&put) > rv(&created), "without a version: whatever is there is replaced");
    let stale = json!({
        "metadata": { "resourceVersion": created["metadata"]["resourceVersion"] }, "data": { "step": "2" }
    });
    api.merge_patch(&api.configmaps("/a"), stale).await?.failure(409, "Conflict");

    api.serve_widgets().await?;
    let widget = Api::widget("a", &json!({ "size": 1 }));
    api.create(&api.widgets(""), widget.clone()).await?;
    let message = api.put(&api.widgets("/a"), &widget).await?.failure(422, "Invalid");
    assert!(
        message.contains("metadata.resourceVersion: Invalid value: 0: must be specified for an update"),
        "{message}"
    );
    Ok(())
}

#[tokio::test]
async fn p_083_names_are_made_up_and_each_incarnation_has_its_uid() -> Result<()> {
    let Some(api) = api("p_083").await? else { return Ok(()) };
    let mut names = HashSet::new();
    let long = "x".repeat(80);
    for prefix in ["web-", "web-", "web-", &long] {
        let object = json!({ "metadata": { "generateName": prefix } });
        let created = api.create(&api.configmaps(""), object).await?;
        let name = name(&created).to_owned();
        let (kept, made_up) = name.split_at(name.len() - 5);
        assert_eq!(kept, &prefix[..prefix.len().min(58)], "what is kept of the prefix");
        assert!(made_up.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c)), "{name}");
        assert!(names.insert(name.clone()), "{name} twice");
    }
    let answer = api.post(&api.configmaps(""), json!({ "metadata": {} })).await?;
    let message = answer.failure(422, "Invalid");
    assert!(message.contains("metadata.name: Required value: name or generateName is required"), "{message}");

    let mut uids = HashSet::new();
    for _ in 0..3 {
        let created = api.configmap("a", "").await?;
        assert!(created["metadata"]["creationTimestamp"].is_string());
        assert!(uids.insert(created["metadata"]["uid"].as_str().unwrap().to_owned()));
        api.deleted(&api.configmaps("/a")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn p_084_status_and_spec_are_written_apart_and_generation_counts_specs() -> Result<()> {
    let Some(api) = api("p_084").await? else { return Ok(()) };
    api.serve_widgets().await?;
    let generation = |object: &Value| object["metadata"]["generation"].as_u64();
    let mut widget = Api::widget("a", &json!({ "size": 1 }));
    widget["status"] = json!({ "ready": true });
    widget["metadata"]["generation"] = json!(7);
    let created = api.create(&api.widgets(""), widget).await?;
    assert_eq!((created.get("status"), generation(&created)), (None, Some(1)), "no status at first");
    let both = |size: u64, ready: bool| json!({ "spec": { "size": size }, "status": { "ready": ready } });
    let path = api.widgets("/a");

    let changed = api.patched(&format!("{path}/status"), both(2, true)).await?;
    assert_eq!((&changed["spec"]["size"], &changed["status"]["ready"]), (&json!(1), &json!(true)));
    assert_eq!(generation(&changed), Some(1), "status does not count");
    assert!(rv(&changed) > rv(&created));
    let changed = api.patched(&path, both(3, false)).await?;
    assert_eq!((&changed["spec"]["size"], &changed["status"]["ready"]), (&json!(3), &json!(true)));
    assert_eq!(generation(&changed), Some(2));
    let changed = api.patched(&path, json!({ "metadata": { "labels": { "a": "b" } } })).await?;
    assert_eq!(generation(&changed), Some(2), "metadata does not count");

    let pod = api.pod("a").await?;
    assert_eq!((generation(&pod), &pod["status"]["phase"]), (Some(1), &json!("Pending")));
    let patch = json!({ "metadata": { "labels": { "a": "b" } }, "status": { "phase": "Running" } });
    let pod = api.patched(&api.pods("/a"), patch).await?;
    assert_eq!((generation(&pod), &pod["status"]["phase"]), (Some(1), &json!("Pending")));
    let pod = api.patched(&api.pods("/a/status"), json!({ "status": { "phase": "Running" } })).await?;
    assert_eq!((generation(&pod), &pod["status"]["phase"]), (Some(1), &json!("Running")));
    assert_eq!(generation(&api.configmap("a", "").await?), None);
    Ok(())
}

#[tokio::test]
async fn p_085_an_unknown_group_is_plain_text_and_an_unknown_resource_a_status() -> Result<()> {
    let Some(api) = api("p_085").await? else { return Ok(()) };
    for path in ["/apis/no.such.group/v1/foos", "/nowhere"] {
        let answer = api.get(path).await?;
        assert_eq!((answer.status, answer.body.trim_ascii()), (404, &b"404 page not found"[..]), "{path}");
        assert!(answer.header("content-type").starts_with("text/plain"), "{path}");
    }
    for path in ["/api/v1/foos", "/apis/apps/v1/foos", "/apis/apps/v9/deployments"] {
        let answer = api.get(path).await?;
        assert_eq!(answer.failure(404, "NotFound"), "the server could not find the requested resource");
        assert_eq!(answer.json()["details"], json!({}), "{path}");
    }
    Ok(())
}
