//! P-053 to P-059: watches that begin with the state. Where the server does not offer it, that it says so.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::api;
use crate::support::wire::{Api, Event, Watch, assert_failure, items, rv, told};

const INITIAL: &str =
    "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const NO_INITIAL: &str = "watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";

/// Whether the server streams lists; if it does not, it has been asked this and refused as it should.
async fn streams(api: &Api, query: &str) -> Result<bool> {
    if !api.server.streams_lists {
        assert_eq!(
            api.get(&api.configmaps(&format!("?{query}"))).await?.failure(422, "Invalid"),
            "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is \
             forbidden for watch unless the WatchList feature gate is enabled"
        );
    }
    Ok(api.server.streams_lists)
}

async fn open(api: &Api, query: &str) -> Result<Watch> {
    api.watch(&api.configmaps(&format!("?{query}"))).await
}

/// The initial events and the version of the bookmark that ends them.
async fn initial(watch: &mut Watch) -> Result<(Vec<Event>, u64)> {
    let mut events = Vec::new();
    loop {
        let event = watch.next().await?;
        if event.ends_initial_events() {
            return Ok((events, rv(&event.object)));
        }
        events.push(event);
    }
}

#[tokio::test]
async fn p_053_initial_events_in_order_then_the_marker_then_what_is_new() -> Result<()> {
    let Some(api) = api("p_053").await? else { return Ok(()) };
    if !streams(&api, INITIAL).await? {
        return Ok(());
    }
    for name in ["c", "a", "a-b"] {
        api.configmap(name, "").await?;
    }
    let mut watch = open(&api, INITIAL).await?;
    let (events, marker) = initial(&mut watch).await?;
    assert_eq!(told(&events), ["ADDED a", "ADDED a-b", "ADDED c"]);
    assert!(events.iter().all(|event| rv(&event.object) <= marker));
    api.configmap("b", "").await?;
    api.step("a", "1").await?;
    api.deleted(&api.configmaps("/c")).await?;
    let events = watch.take(3).await?;
    assert_eq!(told(&events), ["ADDED b", "MODIFIED a", "DELETED c"], "one marker");
    assert!(events.iter().all(|event| rv(&event.object) > marker));
    Ok(())
}

#[tokio::test]
async fn p_054_the_initial_events_are_the_list_at_the_version_of_the_marker() -> Result<()> {
    let Some(api) = api("p_054").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    let selector = "&labelSelector=app in (web,db)";
    if !streams(&api, &format!("{INITIAL}{selector}")).await? {
        return Ok(());
    }
    api.configmap("other", "app=cache").await?;
    let write = async {
        for round in 0..30 {
            api.configmap(&format!("c{round}"), if round % 2 == 0 { "app=web" } else { "app=db" }).await?;
            api.step("c0", &format!("{}", round + 1)).await?;
        }
        anyhow::Ok(())
    };
    let read = async {
        for _ in 0..5 {
            let (events, marker) = initial(&mut open(&api, &format!("{INITIAL}{selector}")).await?).await?;
            let query = format!("?resourceVersion={marker}&resourceVersionMatch=Exact{selector}");
            let list = api.got(&api.configmaps(&query)).await?;
            let state = |object: &serde_json::Value| object["metadata"].clone();
            let told: Vec<_> = events.iter().map(|event| state(&event.object)).collect();
            let listed: Vec<_> = items(&list).iter().map(state).collect();
            assert_eq!(told, listed, "at {marker}");
        }
        anyhow::Ok(())
    };
    futures::future::try_join(write, read).await?;
    Ok(())
}

#[tokio::test]
async fn p_055_of_nothing_the_marker_comes_at_once() -> Result<()> {
    let Some(api) = api("p_055").await? else { return Ok(()) };
    if !streams(&api, INITIAL).await? {
        return Ok(());
    }
    let started = Instant::now();
    let (events, marker) = initial(&mut open(&api, INITIAL).await?).await?;
    assert_eq!(events, []);
    assert!(marker > 0);
    // Otherwise with the next bookmark, after a minute.
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    Ok(())
}

#[tokio::test]
async fn p_056_the_version_asked_for_is_a_lower_bound_and_never_too_old() -> Result<()> {
    let Some(api) = api("p_056").await? else { return Ok(()) };
    if !streams(&api, &format!("{INITIAL}&resourceVersion=1")).await? {
        return Ok(());
    }
    let version = rv(&api.configmap("a", "").await?);
    for query in [
        String::new(),
        format!("&resourceVersion={version}"),
        "&resourceVersion=0".to_owned(),
        "&resourceVersion=1".to_owned(),
    ] {
        // The first two are not older than the write; after them the others are not either.
        let (events, marker) = initial(&mut open(&api, &format!("{INITIAL}{query}")).await?).await?;
        assert_eq!(told(&events), ["ADDED a"], "{query}");
        assert!(marker >= version, "{query}");
    }
    let started = Instant::now();
    let future = version + 1_000_000;
    let mut events = open(&api, &format!("{INITIAL}&resourceVersion={future}")).await?.rest().await?;
    let took = started.elapsed();
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(30), "{took:?}");
    assert_eq!(events.len(), 1, "{events:?}");
    let error = events.remove(0);
    assert_eq!(error.kind, "ERROR");
    assert_failure(&error.object, 504, "Timeout");
    assert_eq!(error.object["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    Ok(())
}

#[tokio::test]
async fn p_057_a_watch_without_a_version_begins_with_the_state_too() -> Result<()> {
    let Some(api) = api("p_057").await? else { return Ok(()) };
    let version = rv(&api.configmap("a", "").await?);
    api.got(&api.configmaps(&format!("?resourceVersion={version}"))).await?;
    let ask = |query: &'static str| {
        let api = &api;
        async move { anyhow::Ok((query, open(api, query).await?.rest().await?)) }
    };
    let answers = futures::future::try_join_all([
        ask("watch=1&timeoutSeconds=8"),
        ask("watch=1&timeoutSeconds=8&resourceVersion=0"),
        ask("watch=1&timeoutSeconds=8&allowWatchBookmarks=true"),
        ask("watch=1&timeoutSeconds=8&resourceVersion=0&allowWatchBookmarks=true"),
    ]);
    for (query, events) in answers.await? {
        assert_eq!(told(&events[..1]), ["ADDED a"], "{query}");
        let markers = events.iter().filter(|event| event.ends_initial_events()).count();
        if query.contains("Bookmarks") {
            assert_eq!(markers, usize::from(api.server.streams_lists), "{query}");
            assert!(events[1..].iter().all(|event| event.kind == "BOOKMARK"), "{query}: {events:?}");
        } else {
            assert_eq!(events.len(), 1, "{query}: {events:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn p_058_without_initial_events_only_what_is_new() -> Result<()> {
    let Some(api) = api("p_058").await? else { return Ok(()) };
    if !streams(&api, NO_INITIAL).await? {
        return Ok(());
    }
    let version = rv(&api.configmap("a", "").await?);
    api.got(&api.configmaps(&format!("?resourceVersion={version}"))).await?;
    let mut watches = Vec::new();
    for query in [String::new(), "&resourceVersion=0".to_owned(), format!("&resourceVersion={version}")] {
        watches.push((open(&api, &format!("{NO_INITIAL}{query}")).await?, query));
    }
    api.configmap("b", "").await?;
    for (mut watch, query) in watches {
        assert_eq!(told(&watch.take(1).await?), ["ADDED b"], "{query}");
    }
    Ok(())
}

#[tokio::test]
async fn p_059_initial_events_and_the_match_must_be_asked_for_together() -> Result<()> {
    let Some(api) = api("p_059").await? else { return Ok(()) };
    let refused = |query: &'static str| {
        let (api, path) = (&api, api.configmaps(&format!("?watch=1&{query}")));
        async move { anyhow::Ok(api.get(&path).await?.failure(422, "Invalid")) }
    };
    let gate = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    for value in ["sendInitialEvents=true", "sendInitialEvents=false"] {
        let message = refused(value).await?;
        assert!(
            message.contains(
                "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
            ),
            "{message}"
        );
        assert_eq!(message.contains(gate), !api.server.streams_lists, "{message}");
    }
    let message = refused("sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1").await?;
    assert!(
        message.contains("Unsupported value: \"Exact\": supported values: \"NotOlderThan\""),
        "{message}"
    );
    assert_eq!(
        refused("resourceVersionMatch=NotOlderThan&resourceVersion=1").await?,
        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is \
         forbidden for watch unless sendInitialEvents is provided"
    );
    Ok(())
}
