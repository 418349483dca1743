use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::ScriptedSource;
use serde_json::json;

use super::*;

thread_local! {
    /// How often a write was compared with the cache.
    pub(super) static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn informer() -> SharedInformer<ConfigMap> {
    SharedInformer::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap()
}

/// One with this uid and version.
fn is(informer: &SharedInformer<ConfigMap>, uid: &str, version: &str) -> Change {
    let meta = json!({ "name": "a", "namespace": "default", "uid": uid, "resourceVersion": version });
    let json = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }).to_string();
    let object = informer.object_from_json(json.as_bytes()).unwrap().as_kind();
    Change::Written(Written { object, is_selected: Some(true) })
}

fn gone(uid: &str) -> Change {
    Change::Gone(Uid::new(uid))
}

/// What is there after these answers.
fn after(changes: impl FnOnce(&SharedInformer<ConfigMap>) -> Vec<Change>) -> Option<String> {
    let (informer, mut overlay) = (informer(), Overlay::default());
    let key = ObjectKey::namespaced("default", "a");
    for change in changes(&informer) {
        overlay.put(&informer, key.clone(), change);
    }
    let there = overlay.get(&informer, &key);
    assert_eq!(overlay.list(&informer, Vec::new, |_| true).len(), usize::from(there.is_some()));
    there.map(|object| format!("{} {}", object.uid(), object.resource_version()))
}

#[test]
fn answers_come_in_any_order_and_the_latest_state_stays() {
    let there = |text: &str| Some(text.to_owned());
    assert_eq!(after(|i| vec![is(i, "x", "5"), is(i, "x", "6")]), there("x 6"));
    assert_eq!(after(|i| vec![is(i, "x", "6"), is(i, "x", "5")]), there("x 6"));
    assert_eq!(after(|i| vec![is(i, "x", "5"), gone("x")]), None);
    assert_eq!(after(|i| vec![gone("x"), is(i, "x", "5")]), None);
    assert_eq!(after(|i| vec![gone("x"), is(i, "y", "7")]), there("y 7"));
    assert_eq!(after(|i| vec![is(i, "y", "7"), gone("x")]), there("y 7"));
}

/// Looked at one by one, as often as there are writes, and all together.
#[test]
fn reading_what_was_just_written_costs_no_more_the_more_was_written_before() {
    const WRITES: usize = 4_000;
    let (informer, mut overlay) = (informer(), Overlay::default());
    LOOKS.set(0);
    for number in 0..WRITES {
        let key = ObjectKey::namespaced("default", format!("map-{number}"));
        assert!(overlay.get(&informer, &key).is_none());
        let meta =
            json!({ "name": key.name(), "namespace": "default", "uid": key.name(), "resourceVersion": "7" });
        let json = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }).to_string();
        let object = informer.object_from_json(json.as_bytes()).unwrap().as_kind();
        overlay.put(&informer, key.clone(), Change::Written(Written { object, is_selected: Some(true) }));
        assert!(overlay.get(&informer, &key).is_some());
    }
    assert!(LOOKS.get() <= 3 * WRITES, "{} looks", LOOKS.get());
    LOOKS.set(0);
    for _ in 0..10 {
        assert_eq!(overlay.list(&informer, Vec::new, |_| true).len(), WRITES);
    }
    assert!(LOOKS.get() <= WRITES, "{} looks: the cache has not changed in between", LOOKS.get());
}
