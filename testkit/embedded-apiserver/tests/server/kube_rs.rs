//! The watcher and the controller of kube-rs.

use std::sync::Arc;
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{DeleteParams, Patch, PatchParams};
use kube_client::{Api, Client};
use kube_runtime::controller::{Action, Controller};
use kube_runtime::finalizer::{self, finalizer};
use kube_runtime::watcher::{self, Event, watcher};
use serde_json::json;

fn config_map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map
}

fn name(map: &ConfigMap) -> &str {
    map.metadata.name.as_deref().unwrap_or_default()
}

/// The next event of a watcher, in short form.
async fn next(events: &mut (impl Stream<Item = Result<Event<ConfigMap>, watcher::Error>> + Unpin)) -> String {
    match events.next().await.expect("a watcher never ends") {
        Ok(Event::Init) => "init".to_owned(),
        Ok(Event::InitApply(map)) => format!("init {}", name(&map)),
        Ok(Event::InitDone) => "done".to_owned(),
        Ok(Event::Apply(map)) => format!("apply {}", name(&map)),
        Ok(Event::Delete(map)) => format!("delete {}", name(&map)),
        Err(error) => format!("error {error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_sees_everything_with_and_without_streaming_lists() {
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let server = EmbeddedApiserver::new();
        server.create(&config_map("a")).await.unwrap();
        server.create(&config_map("b")).await.unwrap();
        let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
        let mut events = Box::pin(watcher(maps, config));
        for expected in ["init", "init a", "init b", "done"] {
            assert_eq!(next(&mut events).await, expected);
        }
        server.create(&config_map("c")).await.unwrap();
        assert_eq!(next(&mut events).await, "apply c");
        let quiet: Api<ConfigMap> = Api::default_namespaced(server.quiet_client());
        let patch = Patch::Merge(json!({"data": {"x": "y"}}));
        quiet.patch("a", &PatchParams::default(), &patch).await.unwrap();
        assert_eq!(next(&mut events).await, "apply a");
        quiet.delete("b", &DeleteParams::default()).await.unwrap();
        assert_eq!(next(&mut events).await, "delete b");
        // After a day it has opened many watches, and no event is missing.
        tokio::time::advance(Duration::from_secs(86_400)).await;
        server.create(&config_map("d")).await.unwrap();
        assert_eq!(next(&mut events).await, "apply d");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watcher_lists_again_when_its_version_is_forgotten() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    let fault = server.inject(ServerFault::expired_event_after(1).once());
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut events = Box::pin(watcher(maps, watcher::Config::default()));
    for expected in ["init", "init a", "done"] {
        assert_eq!(next(&mut events).await, expected);
    }
    server.create(&config_map("b")).await.unwrap();
    assert_eq!(next(&mut events).await, "apply b");
    let error = next(&mut events).await;
    assert!(error.starts_with("error "), "{error}");
    for expected in ["init", "init a", "init b", "done"] {
        assert_eq!(next(&mut events).await, expected);
    }
    assert_eq!(fault.struck(), 1);
    assert_eq!(server.journal().count(|request| request.is(Verb::List, "configmaps")), 2);
}

/// Labels every ConfigMap.
async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, kube_client::Error> {
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::clone(&client));
    let patch = Patch::Merge(json!({"data": {"seen": "yes"}}));
    maps.patch(name(&map), &PatchParams::default(), &patch).await?;
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn a_controller_reconciles_through_faults() {
    let server = EmbeddedApiserver::new();
    for name in ["a", "b", "c"] {
        server.create(&config_map(name)).await.unwrap();
    }
    let faults = [
        server.inject(ServerFault::status(503).on(Verb::List).once()),
        server.inject(ServerFault::refuse().on(Verb::Patch).first(2)),
        server.inject(ServerFault::cut_after(1).on(Verb::Watch).once()),
    ];
    let client = server.client();
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let retry =
        |_: Arc<ConfigMap>, _: &kube_client::Error, _: Arc<Client>| Action::requeue(Duration::from_secs(1));
    let controller = Controller::new(maps, watcher::Config::default());
    let running = controller.run(reconcile, retry, Arc::new(client)).for_each(|_| async {});
    let quiet: Api<ConfigMap> = Api::default_namespaced(server.quiet_client());
    let all_seen = async {
        loop {
            let list = quiet.list(&Default::default()).await.unwrap();
            let seen = |map: &ConfigMap| map.data.as_ref().is_some_and(|data| data.contains_key("seen"));
            if list.items.iter().all(seen) {
                return;
            }
            server.journal().until(server.journal().requests().len() + 1, |_| true).await;
        }
    };
    let deadline = Duration::from_secs(3600);
    tokio::select! {
        () = running => panic!("the controller has ended"),
        seen = tokio::time::timeout(deadline, all_seen) => seen.expect("all maps are seen within the hour"),
    }
    assert_eq!(faults[0].struck(), 1);
    assert_eq!(faults[1].struck(), 2);
}

/// Follows a ConfigMap through [`finalizer`] and tells what it was called for.
async fn finalize(maps: &Api<ConfigMap>, map: &str) -> Vec<&'static str> {
    let mut calls = Vec::new();
    let map = Arc::new(maps.get(map).await.expect("the map is there"));
    let done: Result<Action, finalizer::Error<kube_client::Error>> =
        finalizer(maps, "example.com/cleanup", map, async |event| {
            calls.push(match event {
                finalizer::Event::Apply(_) => "apply",
                finalizer::Event::Cleanup(_) => "cleanup",
            });
            Ok(Action::await_change())
        })
        .await;
    done.expect("it is followed");
    calls
}

#[tokio::test(start_paused = true)]
async fn finalizer_adds_its_finalizer_and_removes_it() {
    let server = EmbeddedApiserver::new();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut other = config_map("b");
    other.metadata.finalizers = Some(vec!["example.com/other".to_owned()]);
    for map in [config_map("a"), other] {
        server.create(&map).await.unwrap();
        let (map, before) = (name(&map), map.metadata.finalizers.clone().unwrap_or_default());
        assert_eq!(finalize(&maps, map).await, [""; 0], "the finalizer comes first");
        let finalizers = maps.get(map).await.unwrap().metadata.finalizers.unwrap();
        assert_eq!(finalizers, [&before[..], &["example.com/cleanup".to_owned()]].concat());
        assert_eq!(finalize(&maps, map).await, ["apply"]);
        maps.delete(map, &DeleteParams::default()).await.unwrap();
        assert_eq!(finalize(&maps, map).await, ["cleanup"]);
        let left = maps.get_opt(map).await.unwrap().and_then(|map| map.metadata.finalizers);
        assert_eq!(left.unwrap_or_default(), before);
    }
}
