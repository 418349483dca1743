use serde_json::json;

use super::*;

fn told(old: &Value, new: &Value) -> Vec<String> {
    changes(old, new).iter().map(ToString::to_string).collect()
}

#[test]
fn a_changed_a_new_and_a_missing_field() {
    let old = json!({ "spec": { "replicas": 1, "paused": true } });
    let new = json!({ "spec": { "replicas": 3, "image": "web:2" } });
    assert_eq!(told(&old, &new), ["spec.image = web:2", "spec.replicas 1 → 3", "spec.paused gone"]);
}

#[test]
fn equal_objects_and_mere_versions_are_no_change() {
    let old = json!({ "metadata": { "resourceVersion": "1", "managedFields": [{ "manager": "a" }] } });
    let new = json!({ "metadata": { "resourceVersion": "2", "managedFields": [{ "manager": "b" }] } });
    assert_eq!(told(&old, &old), Vec::<String>::new());
    assert_eq!(told(&old, &new), Vec::<String>::new());
}

#[test]
fn elements_are_found_by_name_whatever_their_order() {
    let old = json!({ "status": { "conditions": [
        { "type": "Ready", "status": "False" }, { "type": "Scheduled", "status": "True" } ] } });
    let new = json!({ "status": { "conditions": [
        { "type": "Scheduled", "status": "True" }, { "type": "Ready", "status": "True" } ] } });
    assert_eq!(told(&old, &new), ["Ready False → True"]);
}

#[test]
fn what_was_asked_for_comes_first_and_times_last() {
    let old = json!({ "metadata": { "generation": 1, "labels": { "a": "1" } },
        "spec": { "replicas": 1 }, "status": { "ready": 0, "startTime": "x" } });
    let new = json!({ "metadata": { "generation": 2, "labels": { "a": "2" } },
        "spec": { "replicas": 2 }, "status": { "ready": 1, "startTime": "y" } });
    let paths: Vec<_> = changes(&old, &new).into_iter().map(|change| change.path).collect();
    let wanted =
        ["spec.replicas", "status.ready", "metadata.labels.a", "metadata.generation", "status.startTime"];
    assert_eq!(paths, wanted);
}

#[test]
fn names_with_dots_are_quoted_and_long_values_cut() {
    let old = json!({ "metadata": { "annotations": { "example.com/note": "short" } } });
    let new = json!({ "metadata": { "annotations": { "example.com/note": "a\n".repeat(40) } } });
    let note = "a\\n".repeat(14)[..40].to_owned();
    assert_eq!(told(&old, &new), [format!("metadata.annotations[\"example.com/note\"] short → {note}…")]);
}

#[test]
fn a_field_may_change_its_type() {
    assert_eq!(told(&json!({ "data": "x" }), &json!({ "data": { "a": 1 } })), ["data x → {1 fields}"]);
    assert_eq!(told(&json!({ "data": [1] }), &json!({ "data": null })), ["data [1 items] → null"]);
}

#[test]
fn times_counters_and_reasons_are_details() {
    let old = json!({ "metadata": { "generation": 1 }, "status": { "conditions": [
        { "type": "Ready", "status": "False", "reason": "Starting", "lastTransitionTime": "x" } ] } });
    let new = json!({ "metadata": { "generation": 2 }, "status": { "conditions": [
        { "type": "Ready", "status": "True", "reason": "Started", "lastTransitionTime": "y" } ] } });
    let all = changes(&old, &new);
    assert_eq!(all.len(), 4);
    let worth: Vec<_> = all.iter().filter(|change| !change.is_detail()).map(ToString::to_string).collect();
    assert_eq!(worth, ["Ready False → True"]);
}
