//! What needs no other server to be known.

use serde_json::{Value, json};

use super::super::*;

fn writer<'a>(kind: &'a Kind, nothing: &'a Set, manager: &'a str, now: &'a str) -> Writer<'a> {
    Writer { kind, api_version: "v1", subresource: "", ignored: nothing, manager, now }
}

fn configmap(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x", "uid": "u" }, "data": data })
}

fn names(object: &Value) -> Vec<&str> {
    let managers = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    managers.filter_map(|manager| manager["manager"].as_str()).collect()
}

#[test]
fn changes_and_conflicts() {
    let kind = Kind::builtin("", "ConfigMap");
    let nothing = Set::default();
    let mut object = configmap(&json!({ "a": "1", "b": "2" }));
    writer(&kind, &nothing, "one", "2026-01-01T00:00:01Z").updated(None, &mut object);
    let fields = json!({ "f:data": { ".": {}, "f:a": {}, "f:b": {} } });
    assert_eq!(object["metadata"]["managedFields"][0]["fieldsV1"], fields);
    let config = configmap(&json!({ "a": "2", "c": "3" }));
    let two = writer(&kind, &nothing, "two", "2026-01-01T00:00:02Z");
    let refused = two.applied(Some(&object), &config, false).unwrap_err();
    assert_eq!(refused.message, "Apply failed with 1 conflict: conflict with \"one\" using v1: .data.a");
    assert_eq!((refused.code, refused.reason), (409, "Conflict"));
    let applied = two.applied(Some(&object), &config, true).unwrap();
    assert_eq!(applied["data"], json!({ "a": "2", "b": "2", "c": "3" }));
    assert_eq!(names(&applied), ["two", "one"]);
    let config = configmap(&json!({ "a": "2" }));
    let without = two.applied(Some(&applied), &config, false).unwrap();
    assert_eq!(without["data"], json!({ "a": "2", "b": "2" }));
}

#[test]
fn a_write_without_effect_keeps_the_times() {
    let kind = Kind::builtin("", "ConfigMap");
    let nothing = Set::default();
    let config = configmap(&json!({ "a": "1" }));
    let first = writer(&kind, &nothing, "one", "2026-01-01T00:00:01Z").applied(None, &config, false).unwrap();
    let mut second = first.clone();
    let keep_times = |first: &Value, second: &mut Value| {
        entries::keep_times(first.as_object().unwrap(), second.as_object_mut().unwrap());
    };
    second["metadata"]["managedFields"][0]["time"] = "2026-01-01T00:00:02Z".into();
    keep_times(&first, &mut second);
    assert_eq!(first, second);
    second["data"]["a"] = "2".into();
    second["metadata"]["managedFields"][0]["time"] = "2026-01-01T00:00:02Z".into();
    keep_times(&first, &mut second);
    assert_eq!(second["metadata"]["managedFields"][0]["time"], "2026-01-01T00:00:02Z");
}

#[test]
fn the_oldest_of_many_managers_become_one() {
    let kind = Kind::builtin("", "ConfigMap");
    let nothing = Set::default();
    let mut object = configmap(&json!({}));
    writer(&kind, &nothing, "zero", "2026-01-01T00:00:00Z").updated(None, &mut object);
    for number in 1..=12 {
        let manager = format!("m{number}");
        let now = format!("2026-01-01T00:00:{number:02}Z");
        let mut changed = object.clone();
        changed["data"][&manager] = "x".into();
        writer(&kind, &nothing, &manager, &now).updated(Some(&object), &mut changed);
        object = changed;
    }
    let names = names(&object);
    assert_eq!((names.len(), names[0], names[9]), (10, "ancient-changes", "m12"));
}

#[test]
fn managers_are_named_by_the_request_or_by_its_user_agent() {
    assert_eq!(manager_name(Some("me"), "kubectl/v1"), "me");
    assert_eq!(manager_name(None, "kubectl/v1 (linux)"), "kubectl");
    assert_eq!(manager_name(Some(""), "a\u{7}b c"), "ab c");
    assert_eq!(manager_name(None, &"ä".repeat(100)), "ä".repeat(64));
}

#[test]
fn field_sets_are_read_and_written_in_their_order() {
    let fields = json!({ "f:a": { ".": {}, "k:{\"port\":80,\"protocol\":\"TCP\"}": { "f:x": {} }, "v:\"s\"": {}, "i:3": {} }, "f:b": {} });
    let set = Set::parse(&fields).unwrap();
    assert_eq!(set.encoded(), fields);
    let paths: Vec<String> = set.paths().iter().map(|path| element::printed(path)).collect();
    assert_eq!(paths, [".a", ".b", ".a[=\"s\"]", ".a[3]", ".a[port=80,protocol=\"TCP\"].x"]);
    assert!(Set::parse(&json!({ "x:future": {} })).unwrap().is_empty());
    assert!(Set::parse(&json!({ "f": {} })).is_err());
}
