use kube_informer::Object;
use kube_informer::kind::KindInfo;
use serde_json::json;

use super::*;

fn pod(name: &str, ready: &str) -> Object<DynamicObject> {
    let pod = json!({ "metadata": { "namespace": "a", "name": name, "uid": name, "resourceVersion": "1" },
        "status": { "conditions": [{ "type": "Ready", "status": ready }] } });
    Object::from_json(&KindInfo::new("", "v1", "Pod", "pods"), pod.to_string().as_bytes()).unwrap()
}

#[test]
fn who_changes_most_and_what_flaps() {
    let mut summary = Summary::default();
    let mut see = |event: Event<DynamicObject>| {
        let told = Told::of(&event).unwrap();
        summary.see(&event, &told);
    };
    see(Event::Added { object: pod("x", "True"), initial: true });
    see(Event::Added { object: pod("y", "True"), initial: false });
    for (old, new) in [("True", "False"), ("False", "True"), ("True", "False")] {
        see(Event::Updated { old: pod("x", old), new: pod("x", new), resync: false });
    }
    see(Event::Updated { old: pod("y", "True"), new: pod("y", "False"), resync: false });
    see(Event::Deleted { object: pod("y", "False"), final_state_known: true });
    let wanted = "\
1 added, 4 updated, 1 deleted in 7 s
most updates:
      3  pod a/x
      1  pod a/y
conditions that went back and forth:
      3  pod a/x Ready, now False";
    assert_eq!(summary.text(Duration::from_secs(7)), wanted);
    let json = summary.json(Duration::from_secs(7));
    assert_eq!(json["most"][0], json!({ "kind": "Pod", "key": "a/x", "updates": 3 }));
    assert_eq!(
        json["flapping"],
        json!([{ "kind": "Pod", "key": "a/x", "condition": "Ready", "changes": 3, "status": "False" }])
    );
}

#[test]
fn nothing_happened() {
    assert_eq!(Summary::default().text(Duration::from_secs(1)), "0 added, 0 updated, 0 deleted in 1 s");
}
