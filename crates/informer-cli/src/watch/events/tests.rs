use std::time::Duration;

use futures::StreamExt as _;
use kube_client::api::ApiResource;
use kube_informer::kind::KindInfo;
use kube_informer::testing::ScriptedSource;
use serde_json::json;

use super::*;
use crate::content::reads;

const SOON: Duration = Duration::from_secs(60);

fn kind() -> KindInfo {
    KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true)
}

fn put(server: &ScriptedSource, name: &str, value: usize) {
    let map = json!({ "metadata": { "namespace": "a", "name": name }, "data": { "n": value.to_string() } });
    server.put_json(map).unwrap();
}

/// A running informer on the server, and its events.
async fn events(server: &ScriptedSource, limit: usize) -> Events {
    let resource = ApiResource {
        group: String::new(),
        version: "v1".into(),
        api_version: "v1".into(),
        kind: "ConfigMap".into(),
        plural: "configmaps".into(),
    };
    let builder = SharedInformer::<DynamicObject>::builder_with(server.clone(), &resource);
    let informer = builder.build().unwrap();
    let selected = Selected { informer: informer.clone(), names: Vec::new() };
    let events = Events::of(selected, limit, SHOWN).unwrap();
    let runs = informer.clone();
    tokio::spawn(async move { runs.run(std::future::pending()).await });
    informer.wait_synced(SOON).await.unwrap();
    server.wait_for_watch().await;
    events
}

/// Waits until the cache has all objects of the server.
async fn caught_up(events: &Events, server: &ScriptedSource) {
    server.bookmark();
    while events.informer.last_sync_resource_version() != server.version() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn every_update_and_every_short_lived_object_comes_however_late_it_is_asked_for() {
    let server = ScriptedSource::new(kind());
    put(&server, "x", 0);
    let mut events = events(&server, LIMIT).await;
    for n in 1..=300 {
        put(&server, "x", n);
    }
    for n in 0..20 {
        put(&server, &format!("short-{n}"), n);
        server.delete(&format!("a/short-{n}")).unwrap();
    }
    caught_up(&events, &server).await;
    let (mut added, mut updated, mut deleted) = (0, 0, 0);
    while deleted < 20 {
        match events.events.recv().await.unwrap() {
            Event::Added { initial: false, .. } => added += 1,
            Event::Updated { .. } => updated += 1,
            Event::Deleted { .. } => deleted += 1,
            _ => {}
        }
    }
    assert_eq!((added, updated, events.take_merged()), (20, 300, 0));
}

#[tokio::test(start_paused = true)]
async fn what_is_over_the_limit_is_merged_and_counted() {
    let server = ScriptedSource::new(kind());
    put(&server, "x", 0);
    let mut events = events(&server, 50).await;
    for n in 1..=500 {
        put(&server, "x", n);
    }
    caught_up(&events, &server).await;
    let mut all = AllEvents(vec![events]);
    let (mut updated, mut last) = (0, 0);
    while last < 500 {
        if let (_, Event::Updated { new, .. }) = all.next().await.unwrap() {
            updated += 1;
            last = content(&new);
        }
    }
    events = all.0.remove(0);
    let merged = events.take_merged();
    assert!(updated < 200, "{updated} were told");
    assert_eq!(updated + merged, 500, "those that were not told are counted");
    assert_eq!(events.take_merged(), 0, "once");
}

fn content(object: &Object<DynamicObject>) -> u64 {
    crate::content::shown(object)["data"]["n"].as_str().unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn many_initial_objects_are_counted_without_being_read() {
    for (count, shown) in [(SHOWN, SHOWN), (SHOWN + 1, 0), (2_000, 0)] {
        let server = ScriptedSource::new(kind());
        for n in 0..count {
            put(&server, &format!("x-{n:04}"), n);
        }
        let mut events = events(&server, LIMIT).await;
        let before = reads();
        while events.is_filling() {
            match events.events.try_recv() {
                Ok(event) => assert!(events.count(&event)),
                Err(_) => match events.take_first(false) {
                    Some(first) => {
                        let names: Vec<_> =
                            first.shown.iter().map(|object| object.name().to_owned()).collect();
                        let sorted: Vec<_> = (0..shown).map(|n| format!("x-{n:04}")).collect();
                        assert_eq!((first.count, names), (count, sorted));
                    }
                    None => tokio::time::sleep(Duration::from_millis(1)).await,
                },
            }
        }
        assert_eq!(reads(), before, "nothing was read to count {count}");
    }
}
