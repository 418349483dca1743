//! P-034, P-038 and P-039: one write that is told as another event than one would think.

use anyhow::Result;
use serde_json::{Value, json};

use super::api;
use crate::support::wire::{rv, told};

#[tokio::test]
async fn p_034_coming_to_match_a_label_selector_is_added_and_ceasing_to_is_deleted() -> Result<()> {
    let Some(api) = api("p_034").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    let query = format!("?watch=1&resourceVersion={version}&labelSelector=app=web");
    let mut watch = api.watch(&api.configmaps(&query)).await?;
    let label = |name: &str, value: Value| {
        let (api, path) = (&api, api.configmaps(&format!("/{name}")));
        async move { api.patched(&path, json!({ "metadata": { "labels": { "app": value } } })).await }
    };
    api.configmap("never", "app=db").await?;
    api.step("never", "1").await?;
    api.configmap("a", "app=db").await?;
    let matches = label("a", json!("web")).await?;
    let still = api.step("a", "1").await?;
    let ceased = label("a", json!("db")).await?;
    api.step("a", "2").await?;
    api.deleted(&api.configmaps("/a")).await?;
    api.deleted(&api.configmaps("/never")).await?;
    api.configmap("last", "app=web").await?;

    let events = watch.take(4).await?;
    assert_eq!(told(&events), ["ADDED a", "MODIFIED a", "DELETED a", "ADDED last"]);
    assert_eq!((&events[0].object, &events[1].object), (&matches, &still));
    assert_eq!(rv(&events[2].object), rv(&ceased), "the version of the update");
    assert_eq!(events[2].object["metadata"]["labels"]["app"], "web", "the old labels");
    Ok(())
}

#[tokio::test]
async fn p_034_field_selectors_likewise() -> Result<()> {
    let Some(api) = api("p_034").await? else { return Ok(()) };
    let version = rv(&api.got(&api.pods("")).await?);
    let watch = |selector: &str| {
        let query = format!("?watch=1&resourceVersion={version}&fieldSelector={selector}");
        let (api, path) = (&api, api.pods(&query));
        async move { api.watch(&path).await }
    };
    let mut running = watch("status.phase=Running").await?;
    let mut pending = watch("status.phase=Pending").await?;
    let mut unscheduled = watch("spec.nodeName=").await?;
    api.pod("a").await?;
    let phase = |phase: &'static str| {
        let (api, path) = (&api, api.pods("/a/status"));
        async move { api.patched(&path, json!({ "status": { "phase": phase } })).await }
    };
    let started = phase("Running").await?;
    let ended = phase("Succeeded").await?;
    let binding = json!({ "metadata": { "name": "b" }, "target": { "kind": "Node", "name": "n1" } });
    api.pod("b").await?;
    api.create(&api.pods("/b/binding"), binding).await?;

    let events = running.take(2).await?;
    assert_eq!(told(&events), ["ADDED a", "DELETED a"]);
    assert_eq!(events[1].object["status"]["phase"], "Running", "the old state");
    assert_eq!(rv(&events[1].object), rv(&ended));
    let events = pending.take(2).await?;
    assert_eq!(told(&events), ["ADDED a", "DELETED a"]);
    assert_eq!(rv(&events[1].object), rv(&started));
    let events = unscheduled.take(5).await?;
    assert_eq!(told(&events), ["ADDED a", "MODIFIED a", "MODIFIED a", "ADDED b", "DELETED b"]);
    Ok(())
}

#[tokio::test]
async fn p_038_with_finalizers_a_delete_is_an_update_and_the_last_update_a_delete() -> Result<()> {
    let Some(api) = api("p_038").await? else { return Ok(()) };
    let metadata = json!({ "name": "a", "finalizers": ["example.com/keep"] });
    let created = api.create(&api.configmaps(""), json!({ "metadata": metadata })).await?;
    let query = format!("?watch=1&resourceVersion={}", rv(&created));
    let mut watch = api.watch(&api.configmaps(&query)).await?;
    let path = api.configmaps("/a");
    let terminating = api.deleted(&path).await?;
    assert!(terminating["metadata"]["deletionTimestamp"].is_string(), "{terminating}");
    let freed = api.patched(&path, json!({ "metadata": { "finalizers": null } })).await?;
    assert_eq!(freed["metadata"].get("finalizers"), None, "the answer is without");
    assert_eq!(rv(&freed), rv(&terminating), "and of the previous version");
    api.get(&path).await?.failure(404, "NotFound");
    api.configmap("last", "").await?;

    let events = watch.take(3).await?;
    assert_eq!(told(&events), ["MODIFIED a", "DELETED a", "ADDED last"]);
    assert_eq!(events[0].object, terminating);
    assert_eq!(events[1].object["metadata"]["finalizers"], json!(["example.com/keep"]));
    assert!(rv(&events[1].object) > rv(&terminating));
    Ok(())
}

#[tokio::test]
async fn p_039_a_pod_is_marked_before_it_is_deleted_and_a_configmap_is_not() -> Result<()> {
    let Some(api) = api("p_039").await? else { return Ok(()) };
    let created = api.pod("a").await?;
    let mut pods = api.watch(&api.pods(&format!("?watch=1&resourceVersion={}", rv(&created)))).await?;
    api.deleted(&api.pods("/a")).await?;
    api.pod("b").await?;
    api.deleted(&api.pods("/b?gracePeriodSeconds=0")).await?;
    let events = pods.take(5).await?;
    assert_eq!(told(&events), ["MODIFIED a", "DELETED a", "ADDED b", "MODIFIED b", "DELETED b"]);
    for event in [&events[0], &events[3]] {
        let metadata = &event.object["metadata"];
        assert!(metadata["deletionTimestamp"].is_string(), "{metadata}");
        assert_eq!(metadata["deletionGracePeriodSeconds"], 0, "{metadata}");
        assert_eq!(metadata["generation"], 2, "{metadata}");
    }

    let created = api.configmap("a", "").await?;
    let query = format!("?watch=1&resourceVersion={}", rv(&created));
    let mut configmaps = api.watch(&api.configmaps(&query)).await?;
    api.deleted(&api.configmaps("/a")).await?;
    assert_eq!(told(&configmaps.take(1).await?), ["DELETED a"]);
    Ok(())
}
