//! Waiting for what was written, where the watch does not bring it.

use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, RecordedRequest, ServerFault, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::{DeleteParams, PostParams};
use kube_informer::ObjectKey;
use kube_informer::object::Uid;
use kube_informer::status::RelistReason;
use tokio::time::Instant;

use crate::support::{PATIENCE, Rig, SECOND, config_map, exact, lists, parameter, pass};

const HALF_A_SECOND: Duration = Duration::from_millis(500);

fn labelled(name: &str, app: &str) -> ConfigMap {
    let mut map = config_map(name);
    map.metadata.labels = Some([("app".to_owned(), app.to_owned())].into());
    map
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

fn uid(map: &ConfigMap) -> Uid {
    Uid::new(map.metadata.uid.as_deref().expect("the server gives one"))
}

fn maps(server: &EmbeddedApiserver) -> Api<ConfigMap> {
    Api::namespaced(server.quiet_client(), "default")
}

/// The lists of single objects.
fn lookups(rig: &Rig) -> Vec<RecordedRequest> {
    let single = |request: &RecordedRequest| parameter(request, "fieldSelector").contains("metadata.name=");
    rig.probes().into_iter().filter(single).collect()
}

#[tokio::test(start_paused = true)]
async fn d11_a_write_that_a_selector_hides_is_known_after_one_question() {
    let server = EmbeddedApiserver::new();
    let rig = Rig::start_with(server, |builder| builder.options(|_| exact()).labels("app=web"));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    let hidden = rig.server.create(&labelled("a", "other")).await.unwrap();
    let began = Instant::now();
    rig.informer.wait_for(&hidden, PATIENCE).await.unwrap();
    assert_eq!(began.elapsed(), HALF_A_SECOND);
    assert!(rig.informer.lister().is_empty());
    let asked = lookups(&rig);
    assert_eq!(asked.len(), 1);
    assert!(asked[0].is(Verb::List, "configmaps"), "{asked:?}");
    assert_eq!(parameter(&asked[0], "fieldSelector"), "metadata.name=a,metadata.namespace=default");
    assert_eq!(parameter(&asked[0], "labelSelector"), "app=web");
    assert_eq!(
        (parameter(&asked[0], "limit"), parameter(&asked[0], "resourceVersion")),
        ("1".into(), String::new())
    );

    // And one that takes an object out of sight, whose end the watch does bring.
    let shown = rig.server.create(&labelled("b", "web")).await.unwrap();
    rig.informer.wait_for(&shown, PATIENCE).await.unwrap();
    let mut changed = shown.clone();
    changed.metadata.labels = Some([("app".to_owned(), "other".to_owned())].into());
    let changed = maps(&rig.server).replace("b", &PostParams::default(), &changed).await.unwrap();
    rig.informer.wait_for(&changed, PATIENCE).await.unwrap();
    assert!(rig.informer.lister().is_empty());
    assert_eq!((lookups(&rig).len(), rig.failures().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn d11_a_kind_without_bookmarks_does_not_keep_anybody_waiting() {
    let server = EmbeddedApiserver::builder().bookmark_every(PATIENCE).build();
    let rig = Rig::start_with(server, |builder| builder.options(|_| lists()).labels("app=web"));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    for number in 0..5 {
        let hidden = rig.server.create(&labelled(&format!("a-{number}"), "other")).await.unwrap();
        let began = Instant::now();
        rig.informer.wait_for(&hidden, PATIENCE).await.unwrap();
        assert_eq!(began.elapsed(), HALF_A_SECOND);
    }
    assert_eq!((lookups(&rig).len(), rig.status().bookmarks), (5, 0));
    let shown = rig.server.create(&labelled("b", "web")).await.unwrap();
    rig.informer.wait_for(&shown, Duration::from_millis(100)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn d11_wait_gone_of_what_the_cache_has_not_seen_is_answered_by_the_server() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::stall_after(0).on(Verb::Watch).once());
    let rig = Rig::start(server, lists());
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    rig.asked(2).await;
    // The watch brings nothing of all this.
    let created = rig.server.create(&config_map("a")).await.unwrap();
    let wait = async { rig.informer.wait_gone(&key("a"), &uid(&created), PATIENCE).await };
    let delete = async {
        pass(10 * SECOND).await;
        assert!(rig.informer.lister().namespace("default").get("a").is_ok(), "asked for at once, and there");
        maps(&rig.server).delete("a", &DeleteParams::default()).await.unwrap();
        Instant::now()
    };
    let (gone, deleted) = tokio::join!(wait, delete);
    gone.unwrap();
    assert!(deleted.elapsed() <= 16 * SECOND, "{:?}", deleted.elapsed());
    assert!(rig.informer.lister().is_empty());

    let created = rig.server.create(&config_map("b")).await.unwrap();
    maps(&rig.server).delete("b", &DeleteParams::default()).await.unwrap();
    let began = Instant::now();
    rig.informer.wait_gone(&key("b"), &uid(&created), PATIENCE).await.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn d11_many_hidden_writes_are_settled_by_one_list() {
    let server = EmbeddedApiserver::new();
    let rig = Rig::start_with(server, |builder| builder.options(|_| exact()).labels("app=web"));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    let mut hidden = Vec::new();
    for number in 0..100 {
        hidden.push(rig.server.create(&labelled(&format!("a-{number}"), "other")).await.unwrap());
    }
    let before = rig.requests().len();
    let began = Instant::now();
    let waits = hidden.iter().map(|hidden| rig.informer.wait_for(hidden, PATIENCE));
    for outcome in futures::future::join_all(waits).await {
        outcome.unwrap();
    }
    assert_eq!(began.elapsed(), HALF_A_SECOND);
    assert_eq!(rig.status().relists(RelistReason::Waited), 1);
    assert!(rig.requests().len() - before <= 3, "{:?}", rig.requests());
}
