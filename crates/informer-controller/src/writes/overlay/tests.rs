use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::testing::ScriptedSource;
use serde_json::json;

use super::*;

fn informer() -> SharedInformer<ConfigMap> {
    SharedInformer::builder(ScriptedSource::of::<ConfigMap>()).build().unwrap()
}

/// One with this uid and version.
fn is(informer: &SharedInformer<ConfigMap>, uid: &str, version: &str) -> Change {
    let meta = json!({ "name": "a", "namespace": "default", "uid": uid, "resourceVersion": version });
    let json = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }).to_string();
    let object = informer.object_from_json(json.as_bytes()).unwrap().as_kind();
    Change::Is(Written { object, is_selected: Some(true) })
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
