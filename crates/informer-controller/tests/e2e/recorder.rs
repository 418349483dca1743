//! Events that the real server takes, which is strict about them.

use std::time::Duration;

use informer_controller::EventRecorder;
use informer_controller::recorder::{Note, RecorderOptions};
use k8s_openapi::api::core::v1::{ConfigMap, Event as Old, Namespace};
use k8s_openapi::api::events::v1::Event as Written;
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube_client::Api;
use kube_client::api::{DeleteParams, ListParams, PostParams};
use kube_informer::Object;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

fn from<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_takes_events_series_long_notes_and_names_that_events_cannot_have() {
    let test = "recorder::the_server_takes_events_series_long_notes_and_names_that_events_cannot_have";
    let Some((cluster, client)) = super::cluster(test).await else { return };
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let map = from(json!({ "metadata": { "name": "a" } }));
    let map = Object::new(&maps.create(&PostParams::default(), &map).await.unwrap()).unwrap();
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let role = from(json!({ "metadata": { "name": "Some:Role" }, "rules": [] }));
    let role = Object::new(&roles.create(&PostParams::default(), &role).await.unwrap()).unwrap();

    let recorder = EventRecorder::new(client.clone(), "example.com/scaler", RecorderOptions::default());
    for _ in 0..3 {
        recorder.event(&map, Note::normal("Scaled", "from 3 to 5").action("Scale").related(&role));
        assert!(recorder.flush(PATIENCE).await);
    }
    recorder.event(&map, Note::warning("Long", "é".repeat(1000)));
    recorder.event(&role, Note::normal("R".repeat(200), "").action("A".repeat(200)));
    assert!(recorder.flush(PATIENCE).await);

    let events: Api<Written> = Api::namespaced(client.clone(), "default");
    let mine = ListParams::default().fields("regarding.kind!=Namespace");
    let all = events.list(&mine).await.unwrap().items;
    let mine = |reason: &str| {
        let is_it = |event: &&Written| event.reason.as_ref().is_some_and(|it| it.starts_with(reason));
        all.iter().find(is_it).unwrap_or_else(|| panic!("{reason}: {all:?}"))
    };
    let scaled = mine("Scaled");
    assert_eq!(scaled.series.as_ref().map(|series| series.count), Some(3));
    assert_eq!(scaled.reporting_controller.as_deref(), Some("example.com/scaler"));
    assert!(scaled.reporting_instance.as_ref().unwrap().starts_with("example.com/scaler-"));
    assert_eq!(mine("Long").note.as_ref().unwrap().len(), 1024);
    assert_eq!(mine("RRR").regarding.as_ref().unwrap().name.as_deref(), Some("Some:Role"));

    // One that has expired.
    let name = scaled.metadata.name.as_ref().unwrap();
    events.delete(name, &DeleteParams::default()).await.unwrap();
    recorder.event(&map, Note::normal("Scaled", "from 3 to 5").action("Scale").related(&role));
    assert!(recorder.flush(PATIENCE).await);
    assert_eq!(events.get(name).await.unwrap().series.unwrap().count, 4);
    // kubectl describe reads the old API.
    let old: Api<Old> = Api::namespaced(client.clone(), "default");
    let old = old.get(name).await.unwrap();
    assert_eq!(
        (old.involved_object.name.as_deref(), old.message.as_deref()),
        (Some("a"), Some("from 3 to 5"))
    );

    // A deleted namespace stays Terminating: nobody here removes it.
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let new = from(json!({ "metadata": { "name": "leaving" } }));
    namespaces.create(&PostParams::default(), &new).await.unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "leaving");
    let map = from(json!({ "metadata": { "name": "a" } }));
    let map = Object::new(&maps.create(&PostParams::default(), &map).await.unwrap()).unwrap();
    namespaces.delete("leaving", &DeleteParams::default()).await.unwrap();
    recorder.event(&map, Note::normal("Late", ""));
    assert!(recorder.flush(Duration::from_secs(5)).await, "it is not tried again");
    drop(recorder);
    super::end(cluster).await;
}
