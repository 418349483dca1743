//! Listers over the whole pipeline.

use std::sync::Arc;

use informer_wire::ObjectKey;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube_core::labels::{Expression, Selector};
use serde_json::json;

use super::support::{Rig, SOON, rest, start, started};
use crate::informer::SharedInformer;
use crate::lister::Lister;
use crate::object::Object;
use crate::report::Cause;
use crate::source::{Fault, ScriptedSource};

fn labelled(rig: &Rig, key: &str, app: &str) {
    let (namespace, name) = key.split_once('/').unwrap();
    let metadata = json!({ "namespace": namespace, "name": name, "labels": { "app": app } });
    rig.server.put_json(json!({ "metadata": metadata })).unwrap();
}

async fn shop() -> Rig {
    let rig = Rig::new(&["a/bare"]);
    for (key, app) in [("a/web", "web"), ("a/db", "db"), ("b/web", "web")] {
        labelled(&rig, key, app);
    }
    rig.started().await
}

fn keys(objects: &[Object<ConfigMap>]) -> Vec<String> {
    let mut keys: Vec<_> = objects.iter().map(|object| object.key().to_string()).collect();
    keys.sort();
    keys
}

fn app(app: &str) -> Selector {
    Expression::Equal("app".into(), app.into()).into()
}

#[tokio::test(start_paused = true)]
async fn b_400_lists_cover_everything_one_namespace_or_what_a_selector_picks() {
    let rig = shop().await;
    let lister = rig.informer.lister();
    assert_eq!(keys(&lister.list()), ["a/bare", "a/db", "a/web", "b/web"]);
    assert_eq!(keys(&lister.namespace("a").list()), ["a/bare", "a/db", "a/web"]);
    assert_eq!(keys(&lister.matching(&app("web"))), ["a/web", "b/web"]);
    assert_eq!(keys(&lister.namespace("b").matching(&app("web"))), ["b/web"]);
    assert_eq!((lister.len(), lister.is_empty(), lister.keys().len()), (4, false, 4));
}

#[tokio::test(start_paused = true)]
async fn a_scan_shows_one_commit_however_long_it_takes() {
    let rig = shop().await;
    let mut scan = rig.informer.lister().scan();
    let mut seen = vec![scan.next().unwrap()];
    for key in ["a/bare", "a/db", "a/web", "b/web"] {
        rig.delete(key);
    }
    rig.put("c/new", "1");
    rig.settle().await;
    seen.extend(scan);
    assert_eq!(keys(&seen), ["a/bare", "a/db", "a/web", "b/web"]);
    assert_eq!(keys(&rig.informer.lister().scan().collect::<Vec<_>>()), ["c/new"]);
}

#[tokio::test(start_paused = true)]
async fn b_400_all_readers_share_the_cached_objects() {
    let rig = shop().await;
    let lister = rig.informer.lister();
    let one = lister.namespace("a").get("web").unwrap();
    let (same, listed) = (
        lister.by_key(&ObjectKey::namespaced("a", "web")).unwrap(),
        lister.namespace("a").matching(&app("web")),
    );
    assert!(Arc::ptr_eq(one.record(), same.record()) && Arc::ptr_eq(one.record(), listed[0].record()));
    assert!(Arc::ptr_eq(&one.get().unwrap(), &same.get().unwrap()), "decoded once for all");
}

#[tokio::test(start_paused = true)]
async fn b_216_what_a_reader_holds_never_changes() {
    let rig = Rig::new(&["a/x"]).started().await;
    let held = rig.informer.lister().list();
    let decoded = held[0].get().unwrap();
    rig.put("a/x", "new");
    rig.settle().await;
    assert_eq!(held[0].resource_version().to_string(), "2");
    assert_eq!(decoded.data.as_ref().unwrap()["text"], "");
    let now = rig.informer.lister().namespace("a").get("x").unwrap();
    assert_eq!(now.get().unwrap().data.as_ref().unwrap()["text"], "new");
    assert!(held[0].same_object(&now) && !held[0].same_version(&now));
}

#[tokio::test(start_paused = true)]
async fn b_401_a_selector_may_pick_nothing_and_the_empty_one_picks_all() {
    let lister = shop().await.informer.lister();
    assert!(lister.matching(&app("nothing")).is_empty());
    let impossible = Selector::from_iter([
        Expression::Equal("app".into(), "web".into()),
        Expression::DoesNotExist("app".into()),
    ]);
    assert!(lister.matching(&impossible).is_empty());
    assert_eq!(lister.matching(&Selector::default()).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn b_402_an_unknown_namespace_is_empty_and_a_blank_one_means_all() {
    let lister = shop().await.informer.lister();
    assert!(lister.namespace("nowhere").list().is_empty());
    assert!(lister.namespace("nowhere").matching(&app("web")).is_empty());
    assert_eq!(lister.namespace("").list().len(), 4);
    assert_eq!(lister.namespace("").matching(&app("web")).len(), 2);
    assert!(lister.namespace("").get("web").is_err(), "a name alone does not say which");
}

#[tokio::test(start_paused = true)]
async fn b_402_a_namespace_goes_with_its_last_object() {
    let rig = shop().await;
    rig.delete("b/web");
    rig.settle().await;
    assert!(rig.informer.lister().namespace("b").list().is_empty());
    assert_eq!(keys(&rig.informer.lister().list()), ["a/bare", "a/db", "a/web"]);
}

#[tokio::test(start_paused = true)]
async fn b_403_a_missing_name_is_not_found_with_resource_and_key() {
    let lister = shop().await.informer.lister();
    let error = lister.namespace("a").get("gone").unwrap_err();
    assert_eq!(error.to_string(), r#"configmaps "a/gone" not found"#);
    assert_eq!((error.kind().kind(), error.key().to_string().as_str()), ("ConfigMap", "a/gone"));
    let error = lister.by_key(&ObjectKey::namespaced("b", "db")).unwrap_err();
    assert_eq!(error.to_string(), r#"configmaps "b/db" not found"#);
}

#[tokio::test(start_paused = true)]
async fn b_403_objects_of_the_whole_cluster_are_found_by_name_alone() {
    let server = ScriptedSource::of::<Node>();
    server.put_json(json!({ "metadata": { "name": "node-1" } })).unwrap();
    let nodes = started(SharedInformer::<Node>::builder(server.clone()).build().unwrap()).await;
    let node = nodes.lister().get("node-1").unwrap();
    assert_eq!((node.name(), node.namespace(), node.to_string()), ("node-1", None, "Node node-1".into()));
    assert_eq!(nodes.lister().get("node-2").unwrap_err().to_string(), r#"nodes "node-2" not found"#);
    assert_eq!(nodes.lister().list().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_405_reading_before_the_sync_gives_what_is_there() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespace("a").namespace("b"));
    assert!(rig.informer.lister().list().is_empty(), "not started");
    rig.start();
    rig.server.wait_for_watches(2).await;
    let hold = rig.server.inject(Fault::stall().once());
    rig.informer.engine().scopes.now()[0].refresh.notify_one();
    hold.until_struck(1).await;
    assert_eq!(rig.informer.lister().len(), 2, "a relist under way takes nothing away");

    let late = Rig::with(&["a/x", "b/x"], |builder| builder.namespace("a").namespace("b"));
    let hold = late.server.inject(Fault::stall().once());
    start(&late.informer);
    hold.until_struck(1).await;
    rest().await;
    assert!(!late.informer.has_synced());
    assert_eq!(late.informer.lister().len(), 1, "one namespace is there, the other is on its way");
    assert!(late.informer.lister().namespace("c").get("x").is_err());
    hold.remove();
    late.synced().await;
    assert_eq!(late.informer.lister().len(), 2);
}

/// A method of a trait is called only where the type has none of that name itself.
#[test]
fn b_404_only_kinds_of_the_whole_cluster_are_got_by_name_alone() {
    trait Otherwise {
        fn get(&self, _: &str) -> &'static str {
            "a name is not enough"
        }
    }
    impl<K> Otherwise for Lister<K> {}

    let maps = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap();
    assert_eq!(maps.lister().get("web"), "a name is not enough");
    assert!(maps.lister().namespace("a").get("web").is_err());
    let nodes = SharedInformer::<Node>::builder(ScriptedSource::of::<Node>()).build().unwrap();
    assert_eq!(nodes.lister().get("web").unwrap_err().to_string(), r#"nodes "web" not found"#);
}

#[tokio::test(start_paused = true)]
async fn b_520_after_waiting_for_ones_own_write_nothing_older_is_read() {
    let rig = shop().await;
    let read = || rig.informer.lister().namespace("a").get("web").unwrap().resource_version().clone();
    let (web, before) = (ObjectKey::namespaced("a", "web"), read());
    let first = rig.put("a/web", "first");
    assert_eq!(read(), before, "it is on its way");
    rig.informer.wait_for_version(&web, &first, SOON).await.unwrap();
    assert_eq!(read(), first);
    let (second, third) = (rig.put("a/web", "second"), rig.put("a/web", "third"));
    rig.informer.wait_for_version(&web, &second, SOON).await.unwrap();
    assert!([second, third].contains(&read()), "its own write, or what came after it");
}

#[tokio::test(start_paused = true)]
async fn b_405_the_cache_can_be_read_after_the_stop() {
    let rig = shop().await;
    rig.informer.shutdown(std::time::Duration::from_secs(1)).await;
    assert_eq!(rig.informer.lister().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn d1_list_decoded_leaves_out_and_reports_what_does_not_decode() {
    let rig = Rig::new(&["a/good", "b/good"]);
    let bad = json!({ "metadata": { "namespace": "a", "name": "bad" }, "data": { "text": 7 } });
    rig.server.put_json(bad).unwrap();
    let rig = rig.started().await;
    rig.failures.lock().clear();

    assert_eq!(rig.informer.lister().list().len(), 3, "it is in the cache all the same");
    assert_eq!(rig.informer.lister().list_decoded().len(), 2);
    assert_eq!(rig.informer.lister().namespace("a").list_decoded().len(), 1);
    let failures = rig.failures.lock().clone();
    assert_eq!(failures.len(), 1, "once, though it was listed twice");
    let Cause::Undecodable { key, .. } = &failures[0].cause else { panic!("{:?}", failures[0]) };
    assert_eq!(key.to_string(), "a/bad");
    assert!(failures[0].to_string().starts_with("configmaps a/bad does not decode: "), "{}", failures[0]);
    assert_eq!(rig.informer.status().failures, 2, "the check at the start found it too");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_decode_is_reported_once_per_version() {
    let rig = Rig::new(&["a/good"]);
    let put_odd = |text: &str| {
        let metadata = json!({ "namespace": "a", "name": "odd" });
        rig.server.put_json(json!({ "metadata": metadata, "data": text })).unwrap();
    };
    put_odd("1");
    rig.start();
    rig.synced().await;
    let lister = rig.informer.lister();
    let list = || {
        rig.failures.lock().clear();
        assert_eq!(lister.list_decoded().len(), 1);
        assert_eq!(lister.namespace("a").list_decoded().len(), 1);
        rig.failures().len()
    };
    assert_eq!((list(), list(), list()), (1, 0, 0));
    put_odd("2");
    rig.settle().await;
    assert_eq!((list(), list()), (1, 0), "another version is news");
}
