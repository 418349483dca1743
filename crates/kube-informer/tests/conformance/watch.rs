//! P-030 to P-033, P-035 to P-037, P-040 to P-042 and P-049: WATCH.

use std::time::{Duration, Instant};

use anyhow::Result;
use http::Version;
use serde_json::{Value, json};

use super::api;
use crate::support::wire::{Api, Event, Watch, assert_failure, rv, told};

/// Watches the configmaps of the test from a version on.
async fn from(api: &Api, version: u64) -> Result<Watch> {
    api.watch(&api.configmaps(&format!("?watch=1&resourceVersion={version}"))).await
}

#[tokio::test]
async fn p_030_every_later_change_is_told_once_and_in_order() -> Result<()> {
    let Some(api) = api("p_030").await? else { return Ok(()) };
    api.configmap("before", "").await?;
    let version = rv(&api.got(&api.configmaps("")).await?);
    let mut live = from(&api, version).await?;
    api.configmap("a", "").await?;
    let middle = rv(&api.configmap("b", "").await?);
    api.step("a", "1").await?;
    api.deleted(&api.configmaps("/b")).await?;
    api.configmap("last", "").await?;

    let events = live.take(5).await?;
    assert_eq!(told(&events), ["ADDED a", "ADDED b", "MODIFIED a", "DELETED b", "ADDED last"]);
    let versions: Vec<u64> = events.iter().map(|event| rv(&event.object)).collect();
    assert!(versions[0] > version && versions.is_sorted_by(|one, next| one < next), "{versions:?}");

    assert_eq!(from(&api, version).await?.take(5).await?, events, "from the past");
    assert_eq!(from(&api, middle).await?.take(3).await?, events[2..], "the version itself is excluded");
    Ok(())
}

#[tokio::test]
async fn p_031_headers_come_before_events_and_each_event_is_one_line() -> Result<()> {
    let Some(api) = api("p_031").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    for accept in ["application/json", "application/json;stream=watch"] {
        let path = api.configmaps(&format!("?watch=1&resourceVersion={version}"));
        // That it returns is the point: nothing has happened in this namespace.
        let watch = api.watch_with(&path, &[("accept", accept)]).await?;
        assert_eq!(watch.headers["content-type"], "application/json", "{accept}");
        if watch.version == Version::HTTP_11 {
            assert_eq!(watch.headers["transfer-encoding"], "chunked", "{accept}");
        }
    }
    let mut watch = from(&api, version).await?;
    api.configmap("a", "").await?;
    api.configmap("b", "").await?;
    for name in ["a", "b"] {
        let line = watch.line().await?.unwrap();
        let event: Value = serde_json::from_str(line.strip_suffix('\n').unwrap())?;
        let mut keys: Vec<&String> = event.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["object", "type"]);
        assert_eq!(event["object"]["metadata"]["name"], name);
    }
    Ok(())
}

#[tokio::test]
async fn p_032_objects_of_events_have_kind_and_version() -> Result<()> {
    let Some(api) = api("p_032").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    api.configmap("a", "").await?;
    api.step("a", "1").await?;
    api.deleted(&api.configmaps("/a")).await?;
    for event in from(&api, version).await?.take(3).await? {
        assert_eq!((&event.object["kind"], &event.object["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
        assert!(rv(&event.object) > version);
    }
    Ok(())
}

#[tokio::test]
async fn p_033_created_updated_deleted() -> Result<()> {
    let Some(api) = api("p_033").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    let mut watch = from(&api, version).await?;
    let created = api.configmap("a", "").await?;
    let updated = api.step("a", "1").await?;
    api.deleted(&api.configmaps("/a")).await?;
    let events = watch.take(3).await?;
    assert_eq!(told(&events), ["ADDED a", "MODIFIED a", "DELETED a"]);
    assert_eq!((&events[0].object, &events[1].object), (&created, &updated));
    let mut last = events[2].object.clone();
    assert!(rv(&last) > rv(&updated), "the version of a deleted object is that of its deletion");
    last["metadata"]["resourceVersion"] = updated["metadata"]["resourceVersion"].clone();
    assert_eq!(last, updated, "the last state");
    Ok(())
}

#[tokio::test]
async fn p_035_a_watch_sees_its_namespace_or_its_name_only() -> Result<()> {
    let Some(api) = api("p_035").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    let other = format!("{}-other", api.namespace);
    api.create("/api/v1/namespaces", json!({ "metadata": { "name": other } })).await?;
    let path = format!("/api/v1/namespaces/{other}/configmaps");
    api.create(&path, json!({ "metadata": { "name": "elsewhere" } })).await?;
    for name in ["a", "b", "c"] {
        api.configmap(name, "").await?;
    }
    assert_eq!(told(&from(&api, version).await?.take(3).await?), ["ADDED a", "ADDED b", "ADDED c"]);

    let query = format!("?watch=1&resourceVersion={version}&fieldSelector=metadata.name=b");
    let mut named = api.watch(&api.configmaps(&query)).await?;
    api.step("a", "1").await?;
    api.step("b", "1").await?;
    assert_eq!(told(&named.take(2).await?), ["ADDED b", "MODIFIED b"]);

    let query = format!("?watch=1&resourceVersion={version}&fieldSelector=metadata.namespace={other}");
    let mut elsewhere = api.watch(&format!("/api/v1/configmaps{query}")).await?;
    assert_eq!(told(&elsewhere.take(1).await?), ["ADDED elsewhere"]);
    Ok(())
}

#[tokio::test]
async fn p_036_a_write_that_changes_nothing_is_no_event() -> Result<()> {
    let Some(api) = api("p_036").await? else { return Ok(()) };
    let created = api.configmap("a", "").await?;
    let mut watch = from(&api, rv(&created)).await?;
    let path = api.configmaps("/a");
    assert_eq!(rv(&api.put(&path, &created).await?.body_of(200)?), rv(&created));
    assert_eq!(rv(&api.patched(&path, json!({ "data": { "step": "0" } })).await?), rv(&created));
    let changed = api.step("a", "1").await?;
    assert_eq!(watch.next().await?, Event { kind: "MODIFIED".to_owned(), object: changed });
    Ok(())
}

#[tokio::test]
async fn p_037_all_watches_see_the_same_and_resume_without_gap_or_repeat() -> Result<()> {
    let Some(api) = api("p_037").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    let mut one = from(&api, version).await?;
    let mut other = from(&api, version).await?;
    for round in 0..4 {
        let name = format!("c{round}");
        api.configmap(&name, "").await?;
        api.step(&name, "1").await?;
        api.deleted(&api.configmaps(&format!("/{name}"))).await?;
    }
    let events = one.take(12).await?;
    assert_eq!(other.take(12).await?, events);
    for (seen, event) in events.iter().enumerate() {
        let rest = &events[seen + 1..];
        assert_eq!(from(&api, rv(&event.object)).await?.take(rest.len()).await?, rest);
    }
    Ok(())
}

#[tokio::test]
async fn p_040_a_watch_ends_cleanly_after_timeout_seconds() -> Result<()> {
    let Some(api) = api("p_040").await? else { return Ok(()) };
    let version = rv(&api.got(&api.configmaps("")).await?);
    let started = Instant::now();
    let path = api.configmaps(&format!("?watch=1&resourceVersion={version}&timeoutSeconds=2"));
    let events = api.watch(&path).await?.rest().await?;
    let took = started.elapsed();
    assert_eq!(events, []);
    assert!(took >= Duration::from_millis(1900) && took < Duration::from_secs(30), "{took:?}");
    Ok(())
}

#[tokio::test]
async fn p_041_a_watch_from_before_the_history_is_an_error_event_410() -> Result<()> {
    let Some(api) = api("p_041").await? else { return Ok(()) };
    // Built-in resources are there from the first version on, and a new server may remember it.
    api.serve_widgets().await?;
    let message = gone(&api, &api.widgets("?watch=1&resourceVersion=1")).await?;
    assert!(message.starts_with("too old resource version: 1 ("), "{message}");

    let _alone = api.server.history.write().await;
    let old = rv(&api.event("e1").await?);
    api.event("e2").await?;
    let new = rv(&api.event("e3").await?);
    if api.server.compacted("p_041_a_watch_from_before_the_history", new).await? {
        let message = gone(&api, &api.events(&format!("?watch=1&resourceVersion={old}"))).await?;
        assert_eq!(message, "The resourceVersion for the provided watch is too old.");
    }
    Ok(())
}

/// What the one event of a watch says, which must be that its version is gone.
async fn gone(api: &Api, path: &str) -> Result<String> {
    let mut events = api.watch(path).await?.rest().await?;
    assert_eq!(events.len(), 1, "{events:?}");
    let event = events.remove(0);
    assert_eq!(event.kind, "ERROR");
    assert_failure(&event.object, 410, "Expired");
    Ok(event.object["message"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn p_042_a_watch_from_the_future_is_silent_until_then() -> Result<()> {
    let Some(api) = api("p_042").await? else { return Ok(()) };
    let mut version = rv(&api.configmap("a", "").await?);
    let mut written = 0;
    loop {
        let future = version + 100;
        let (mut watch, before) = (from(&api, future).await?, written);
        let first = loop {
            let object = api.step("a", &format!("{}", written + 1)).await?;
            written += 1;
            version = rv(&object);
            if version > future {
                break object;
            }
        };
        assert_eq!(watch.next().await?.object, first);
        // Unless others wrote a hundred times before this test wrote once, there was something not to be heard of.
        if written > before + 1 {
            return Ok(());
        }
    }
}
