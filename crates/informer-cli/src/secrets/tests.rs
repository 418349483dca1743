use serde_json::json;

use super::*;
use crate::watch::changes::changes;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn told(mut old: Value, mut new: Value) -> Vec<String> {
    hide_both(&mut old, &mut new);
    changes(&old, &new).iter().map(ToString::to_string).collect()
}

#[test]
fn values_become_sizes() {
    let mut secret = json!({
        "metadata": { "name": "s", "labels": { "app": "web" }, "annotations": {
            LAST_APPLIED: "{\"data\":{\"a\":\"aHVudGVyMg==\"}}", "b": "hunter2" }, "unheardOf": "hunter2" },
        "type": "Opaque",
        "data": { "password": "aHVudGVyMg==", "empty": "" },
        "stringData": { "plain": "hunter2" },
        "unheardOf": { "a": ["hunter2"] },
    });
    hide(&mut secret);
    let wanted = json!({
        "metadata": { "name": "s", "labels": { "app": "web" }, "annotations": {
            LAST_APPLIED: "<29 bytes>", "b": "<7 bytes>" }, "unheardOf": "<7 bytes>" },
        "type": "Opaque",
        "data": { "password": "<7 bytes>", "empty": "<0 bytes>" },
        "stringData": { "plain": "<7 bytes>" },
        "unheardOf": "<hidden>",
    });
    assert_eq!(secret, wanted);
}

#[test]
fn of_a_change_the_sizes_are_told() {
    let old = json!({ "data": { "password": "aHVudGVyMg==", "same": "AAAA", "gone": "AA==" }, "type": "a" });
    let new = json!({ "data": { "password": "aHVudGVyMw==", "same": "AAAA", "new": "AAAA" }, "type": "b" });
    let wanted = [
        "data.new = <3 bytes>",
        "data.password <7 bytes> → <7 bytes, changed>",
        "data.gone gone",
        "type a → b",
    ];
    assert_eq!(told(old, new), wanted);
}

#[test]
fn annotations_that_come_or_go_as_a_whole_are_hidden_too() {
    let bare = json!({ "metadata": { "name": "s" } });
    let applied = json!({ "metadata": { "name": "s", "annotations": { LAST_APPLIED: "hunter2" } } });
    for (old, new) in [(&bare, &applied), (&applied, &bare)] {
        let (mut old, mut new) = (old.clone(), new.clone());
        hide_both(&mut old, &mut new);
        let changes = changes(&old, &new);
        assert_eq!((changes.len(), changes[0].path.as_str()), (1, "metadata.annotations"));
        assert!(!format!("{changes:?}").contains("hunter2"), "{changes:?}");
    }
}

#[test]
fn values_of_another_form_than_they_should_have_are_hidden_whole() {
    for odd in
        [json!("hunter2"), json!(["hunter2"]), json!(7), json!({ "a": { "hunter2": 1 } }), json!({ "a": 7 })]
    {
        for field in ["data", "stringData", "type", "metadata", "other"] {
            for other in [json!(null), json!({}), json!({ "a": "b" })] {
                let (mut old, mut new) = (json!({ field: other }), json!({ field: odd }));
                hide_both(&mut old, &mut new);
                let shown = field == "type" && !odd.is_object() && !odd.is_array() && other.is_null();
                let text = format!("{new} {:?}", changes(&old, &new));
                assert_eq!(text.contains("hunter2"), shown && odd == "hunter2", "{text}");
            }
        }
    }
}

#[test]
fn only_core_secrets_are_secret() {
    assert!(is_secret("", "secrets"));
    assert!(!is_secret("", "configmaps"));
    assert!(!is_secret("example.com", "secrets"));
}
