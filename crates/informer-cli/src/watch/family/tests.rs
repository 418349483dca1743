use kube_informer::SharedInformer;
use kube_informer::testing::ScriptedSource;
use serde_json::{Value, json};

use super::*;

fn kind(kind: &str, plural: &str) -> KindInfo {
    KindInfo::new(if kind == "Pod" || kind == "Event" { "" } else { "apps" }, "v1", kind, plural)
        .namespaced(true)
}

fn object_of(of: &str, name: &str, owner: Option<&str>, more: &Value) -> Object<DynamicObject> {
    let owners = owner
        .map(|uid| json!([{ "apiVersion": "v1", "kind": "X", "name": "x", "uid": uid }]))
        .unwrap_or_default();
    let mut content = json!({ "metadata": { "namespace": "a", "name": name, "uid": format!("{of}-{name}"), "resourceVersion": "1",
        "ownerReferences": owners } });
    for (name, value) in more.as_object().into_iter().flatten() {
        content[name] = value.clone();
    }
    Object::from_json(&kind(of, ""), content.to_string().as_bytes()).unwrap()
}

fn family() -> Family {
    let builder = SharedInformer::<DynamicObject>::builder_with(
        ScriptedSource::new(kind("Deployment", "deployments")),
        &kube_client::api::ApiResource {
            group: "apps".into(),
            version: "v1".into(),
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            plural: "deployments".into(),
        },
    );
    let owner = Selected { informer: builder.build().unwrap(), names: vec!["web".to_owned()] };
    let mut family = Family::of(&owner, &[]);
    family.kind = kind("Deployment", "");
    family
}

fn names(shown: &[(usize, Event<DynamicObject>)]) -> Vec<String> {
    shown.iter().filter_map(|(_, event)| Some(object(event)?.name().to_owned())).collect()
}

fn added(object: Object<DynamicObject>) -> Event<DynamicObject> {
    Event::Added { object, initial: false }
}

#[test]
fn members_are_found_in_whatever_order_they_come() {
    let mut family = family();
    let set = object_of("ReplicaSet", "web-1", Some("Deployment-web"), &json!({}));
    let pod = object_of("Pod", "web-1-x", Some("ReplicaSet-web-1"), &json!({}));
    let about = object_of("Event", "said", None, &json!({ "involvedObject": { "uid": "Pod-web-1-x" } }));
    let other = object_of("Pod", "other", Some("ReplicaSet-other"), &json!({}));
    assert!(family.sort(3, added(about)).is_empty(), "it waits");
    assert!(family.sort(2, added(pod)).is_empty());
    assert!(family.sort(2, added(other.clone())).is_empty());
    assert!(family.sort(1, added(set)).is_empty());
    let shown = family.sort(0, added(object_of("Deployment", "web", None, &json!({}))));
    assert_eq!(names(&shown), ["web", "web-1", "web-1-x", "said"]);
    assert_eq!(shown.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(!family.has(&other));
    let gone = Event::Deleted {
        object: object_of("Pod", "web-1-x", Some("ReplicaSet-web-1"), &json!({})),
        final_state_known: true,
    };
    assert_eq!(names(&family.sort(2, gone)), ["web-1-x"]);
    let late = object_of("Event", "late", None, &json!({ "regarding": { "uid": "Pod-web-1-x" } }));
    assert_eq!(names(&family.sort(3, added(late))), ["late"], "also about what is gone");
}

#[test]
fn strangers_do_not_pile_up() {
    let mut family = family();
    for number in 0..3 * WAITING {
        family.sort(0, added(object_of("Pod", &number.to_string(), None, &json!({}))));
    }
    assert_eq!(family.waiting.len(), WAITING);
    for number in 0..MEMBERS + 5 {
        family.add(&object_of("Pod", &number.to_string(), None, &json!({})));
    }
    assert_eq!((family.members.len(), family.order.len()), (MEMBERS, MEMBERS));
}
