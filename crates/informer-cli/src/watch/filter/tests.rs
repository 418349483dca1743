use kube_client::api::DynamicObject;
use kube_informer::kind::KindInfo;
use kube_informer::{Event, Object};
use serde_json::json;

use super::*;

fn object(kind: &KindInfo, content: &Value) -> Object<DynamicObject> {
    let mut content = content.clone();
    content["metadata"] = json!({ "namespace": "a", "name": "x", "uid": "u", "resourceVersion": "1" });
    Object::from_json(kind, content.to_string().as_bytes()).unwrap()
}

fn update(old: &Value, new: &Value) -> Told {
    let kind = KindInfo::new("example.com", "v1", "Widget", "widgets");
    let event = Event::Updated { old: object(&kind, old), new: object(&kind, new), resync: false };
    Told::of(&event).unwrap()
}

fn paths(texts: &[&str]) -> Filter {
    Filter::new(texts.iter().map(|text| Path::parse(text).unwrap()).collect(), None)
}

fn grep(text: &str) -> Filter {
    Filter::new(Vec::new(), Some(text.to_owned()))
}

#[test]
fn updates_pass_if_what_the_path_leads_to_changed() {
    let conditions =
        |ready: &str| json!([{ "type": "Live", "status": "x" }, { "type": "Ready", "status": ready }]);
    let told = update(
        &json!({ "spec": { "replicas": 3, "image": "a" }, "status": { "conditions": conditions("True") } }),
        &json!({ "spec": { "replicas": 4, "image": "a" }, "status": { "conditions": conditions("False") } }),
    );
    assert!(Filter::default().passes(&told));
    assert!(paths(&["spec.replicas"]).passes(&told));
    assert!(paths(&[".spec"]).passes(&told));
    assert!(!paths(&["spec.image"]).passes(&told));
    assert!(paths(&["spec.image", "spec.replicas"]).passes(&told), "any of them");
    assert!(paths(&["{.status.conditions[?(@.type==\"Ready\")].status}"]).passes(&told));
    assert!(!paths(&["{.status.conditions[?(@.type==\"Live\")].status}"]).passes(&told));
    assert!(!paths(&["no.such[5]"]).passes(&told));
    let comes = update(&json!({}), &json!({ "spec": 1 }));
    assert!(paths(&["spec"]).passes(&comes), "a field that is new");
}

#[test]
fn text_is_looked_for_in_what_changed_or_in_all_of_it() {
    let told = update(
        &json!({ "spec": { "replicas": 3, "image": "old" } }),
        &json!({ "spec": { "replicas": 41, "image": "old" } }),
    );
    assert!(grep("41").passes(&told) && grep("replicas").passes(&told) && grep("a/x").passes(&told));
    assert!(!grep("old").passes(&told), "it did not change");
    let under = |value: u32| json!({ "spec": { "x".repeat(1_000): { "last": value } } });
    let deep = update(&under(1), &under(2));
    assert!(grep("last").passes(&deep) && grep(&"x".repeat(1_000)).passes(&deep), "however long the path is");
    let kind = KindInfo::new("example.com", "v1", "Widget", "widgets");
    let event = Event::Added {
        object: object(&kind, &json!({ "spec": { "image": ["old"], "on": true } })),
        initial: false,
    };
    let told = Told::of(&event).unwrap();
    assert!(grep("old").passes(&told) && grep("image").passes(&told) && grep("true").passes(&told));
    assert!(!grep("nothing").passes(&told));
}

#[test]
fn values_of_secrets_cannot_be_found_out() {
    let kind = KindInfo::new("", "v1", "Secret", "secrets");
    let secret = |value: &str| object(&kind, &json!({ "data": { "a": value } }));
    let event = Event::Updated { old: secret("aHVudGVyMg=="), new: secret("aHVudGVyMw=="), resync: false };
    let told = Told::of(&event).unwrap();
    assert!(!grep("aHVudGVy").passes(&told) && grep("changed").passes(&told));
    let event = Event::Added { object: secret("aHVudGVyMg=="), initial: false };
    assert!(!grep("aHVudGVy").passes(&Told::of(&event).unwrap()));
    let same = Event::Updated { old: secret("aHVudGVyMg=="), new: secret("aHVudGVyMg=="), resync: false };
    assert!(!paths(&["data.a"]).passes(&Told::of(&same).unwrap()));
    assert!(paths(&["data.a"]).passes(&told), "that it changed is told, and nothing else");
}
