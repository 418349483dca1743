use kube_informer::kind::KindInfo;
use serde_json::json;

use super::*;

fn until(text: &str) -> Until {
    text.parse().unwrap()
}

fn object(name: &str, content: &Value) -> Object<DynamicObject> {
    let mut content = content.clone();
    content["metadata"] = json!({ "namespace": "a", "name": name, "uid": name, "resourceVersion": "1" });
    Object::from_json(&KindInfo::new("", "v1", "Pod", "pods"), content.to_string().as_bytes()).unwrap()
}

#[test]
fn conditions_are_met_as_in_kubectl_wait() {
    let of = |status: &str, observed: i64| {
        json!({ "metadata": { "generation": 2 }, "status": { "observedGeneration": observed,
            "conditions": [{ "type": "Available", "status": status }] } })
    };
    assert!(until("condition=Available").holds(&of("True", 2)));
    assert!(until("condition=available=true").holds(&of("True", 2)), "case does not matter");
    assert!(until("condition=Available=False").holds(&of("False", 2)));
    assert!(!until("condition=Available").holds(&of("False", 2)));
    assert!(!until("condition=Available").holds(&of("True", 1)), "it is about an older spec");
    assert!(!until("condition=Ready").holds(&of("True", 2)));
    assert!(!until("condition=Ready").holds(&json!({})));
}

#[test]
fn paths_lead_to_a_value_or_to_any() {
    let pod = json!({ "status": { "phase": "Running", "n": 3, "f": 1.0, "h": 1.5, "list": ["a", "a"], "on": false, "c": [{ "t": "x", "s": "y=z" }] } });
    for holds in [
        "jsonpath={.status.phase}=Running",
        "jsonpath={.status.phase}=\"Running\"",
        "jsonpath=.status.phase=Running",
        "jsonpath={.status.phase}",
        "jsonpath={.status.n}=3",
        "jsonpath={.status.f}=1",
        "jsonpath={.status.f}=1.0",
        "jsonpath={.status.h}=1.5",
        "jsonpath={.status.on}=false",
        "jsonpath={.status.list[*]}=a",
        "jsonpath={.status.c[?(@.t==\"x\")].s}=y=z",
        "jsonpath=.status.c[?(@.t==\"x\")].s=y=z",
    ] {
        assert!(until(holds).holds(&pod), "{holds}");
    }
    for not in [
        "jsonpath={.status.phase}=Pending",
        "jsonpath={.status.no}",
        "jsonpath={.status.h}=1",
        "jsonpath={.status.list[7]}",
        "jsonpath={.status.no}=x",
    ] {
        assert!(!until(not).holds(&pod), "{not}");
    }
}

#[test]
fn what_cannot_be_waited_for_is_refused() {
    for wrong in [
        "",
        "ready",
        "condition",
        "condition=",
        "delete=x",
        "jsonpath",
        "jsonpath=",
        "jsonpath={.a",
        "jsonpath={.a}b",
        "jsonpath={.a[x]}=1",
    ] {
        assert!(wrong.parse::<Until>().is_err(), "{wrong}");
    }
}

#[test]
fn it_has_to_hold_for_all_objects_that_are_meant() {
    let (ready, not) =
        (json!({ "status": { "phase": "Running" } }), json!({ "status": { "phase": "Pending" } }));
    let add = |name: &str, content: &Value| Event::Added { object: object(name, content), initial: true };
    let delete = |name: &str| Event::Deleted { object: object(name, &ready), final_state_known: true };
    let mut all = Awaited::new(until("jsonpath={.status.phase}=Running"), [vec![]]);
    assert!(!all.holds(), "there has to be one");
    assert_eq!(all.missing(), "there are no such objects");
    all.see(0, &add("x", &ready));
    assert!(all.holds());
    all.see(0, &add("y", &not));
    assert!(!all.holds());
    assert_eq!(all.missing(), "not of a/y");
    all.see(0, &delete("y"));
    assert!(all.holds());
    let mut named = Awaited::new(until("create"), [vec!["x".to_owned()], vec!["z".to_owned()]]);
    named.see(0, &add("x", &not));
    assert!(!named.holds());
    assert_eq!(named.missing(), "not of z (not there)");
    named.see(1, &add("z", &not));
    assert!(named.holds());
    named.see(7, &add("other", &not));
    let mut gone = Awaited::new(Until::Delete, [vec!["x".to_owned()]]);
    assert!(gone.holds(), "it is not there to begin with");
    gone.see(0, &add("x", &ready));
    assert!(!gone.holds());
    gone.see(0, &delete("x"));
    assert!(gone.holds());
}
