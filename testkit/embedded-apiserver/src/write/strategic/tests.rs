use serde_json::{Value, json};

use super::*;
use crate::schema::{add_foreign, named};

fn object(value: Value) -> Object {
    let Value::Object(object) = value else { panic!("{value} is no object") };
    object
}

/// A pod spec after a patch, or the code and message of the error.
fn patched(spec: &Value, patch: &Value) -> Result<Value, (u16, String)> {
    let pod = object(json!({ "spec": spec }));
    let patch = object(json!({ "spec": patch }));
    let merged = merge(named("v1", "Pod"), pod, patch);
    merged.map(|mut pod| pod["spec"].take()).map_err(|error| (error.code, error.message))
}

/// The names of containers after a patch of `a`, `b` and `c`.
fn order(patch: &Value) -> String {
    let containers = ["a", "b", "c"].map(|name| json!({ "name": name }));
    let spec = patched(&json!({ "containers": containers }), patch).unwrap();
    let names =
        spec["containers"].as_array().unwrap().iter().map(|container| container["name"].as_str().unwrap());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn new_items_come_first_unless_the_patch_says_where() {
    let named = |names: &[&str]| -> Value { names.iter().map(|name| json!({ "name": name })).collect() };
    assert_eq!(order(&json!({ "containers": named(&["d"]) })), "d a b c");
    assert_eq!(order(&json!({ "containers": named(&["d", "b"]) })), "d a b c");
    assert_eq!(order(&json!({ "containers": named(&["b", "d"]) })), "a b d c");
    let order_of = |names: &[&str], patch: &[&str]| {
        order(&json!({ "$setElementOrder/containers": named(names), "containers": named(patch) }))
    };
    assert_eq!(order_of(&["c", "a"], &[]), "b c a");
    assert_eq!(order_of(&["c", "d", "a"], &["d"]), "b c d a");
    assert_eq!(order_of(&["a", "b", "c", "d"], &["d"]), "a b c d");
}

#[test]
fn items_are_merged_deleted_and_replaced() {
    let spec =
        json!({ "containers": [{ "name": "a", "image": "1", "env": [{ "name": "X", "value": "1" }] }] });
    let patch =
        |container: Value| patched(&spec, &json!({ "containers": container })).unwrap()["containers"].take();
    let merged = patch(json!([{ "name": "a", "env": [{ "name": "Y", "value": "2" }], "image": null }]));
    assert_eq!(
        merged,
        json!([{ "name": "a", "env": [{ "name": "Y", "value": "2" }, { "name": "X", "value": "1" }] }])
    );
    assert_eq!(patch(json!([{ "name": "a", "$patch": "delete" }])), json!([]));
    assert_eq!(patch(json!([{ "$patch": "replace" }, { "name": "b" }])), json!([{ "name": "b" }]));
}

#[test]
fn without_a_type_lists_are_replaced_and_maps_are_merged() {
    let before = object(json!({ "list": [{ "name": "a" }], "map": { "a": 1 } }));
    let patch = object(json!({ "list": [{ "name": "b" }], "map": { "b": 2 } }));
    let merged = merge(None, before, patch).unwrap();
    assert_eq!(Value::Object(merged), json!({ "list": [{ "name": "b" }], "map": { "a": 1, "b": 2 } }));
}

#[test]
fn what_cannot_be_merged() {
    let refused = |patch: Value| patched(&json!({ "containers": [{ "name": "a" }] }), &patch).unwrap_err();
    let no_key = "map: map[image:i] does not contain declared merge key: name".to_owned();
    assert_eq!(refused(json!({ "containers": [{ "image": "i" }] })), (500, no_key));
    let retained = "invalid patch format of retainKeys".to_owned();
    assert_eq!(refused(json!({ "$retainKeys": ["a"], "b": 1 })), (400, retained));
    let unknown = "unable to find api field in struct PodSpec for the json field \"foo\"".to_owned();
    assert_eq!(refused(json!({ "$setElementOrder/foo": ["a"] })), (500, unknown));
}

/// Kubernetes' own test cases, run in Go and here.
#[test]
#[ignore = "compares with Go: `cargo xtask e2e` runs it"]
fn the_cases_of_apimachinery_come_out_as_in_go() {
    let fixture = include_str!("../../../testdata/strategicpatch_export_test.go");
    let cases = test_cluster::exported("k8s.io/apimachinery/pkg/util/strategicpatch", fixture).unwrap();
    let mut cases = cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of = add_foreign(&cases.next().unwrap(), "mergeItem");
    let mut count = 0;
    let mut problems = Vec::new();
    for mut case in cases {
        count += 1;
        let original = object(case["original"].clone());
        let patch = object(case["patch"].clone());
        let (ours, theirs) = match merge(of, original, patch) {
            Ok(merged) => (Value::Object(merged), case["result"].take()),
            // The message of a rejected request is the same whatever the reason is.
            Err(error) if error == ApiError::rejected() => ("rejected".into(), "rejected".into()),
            Err(error) => (error.message.into(), case["error"].take()),
        };
        if ours != theirs {
            problems.push(format!("{case}\n  Go   {theirs}\n  ours {ours}"));
        }
    }
    assert!(problems.is_empty(), "{} of {count} differ:\n{}", problems.len(), problems.join("\n"));
    assert!(count > 200, "{count} cases");
}
