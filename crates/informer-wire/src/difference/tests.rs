use serde_json::json;

use super::*;

const FEW: Limits = Limits { fields: 50, path: 300 };

fn told(old: &Value, new: &Value) -> Vec<String> {
    let text = |value: Option<&Value>| value.map_or_else(|| "-".to_owned(), ToString::to_string);
    let (found, more) = differences(old, new, Limits { fields: usize::MAX, path: usize::MAX });
    assert_eq!(more, 0);
    found.iter().map(|field| format!("{} {} {}", field.path, text(field.old), text(field.new))).collect()
}

#[test]
fn fields_that_are_new_gone_or_other_are_told_by_path() {
    let old = json!({ "metadata": { "resourceVersion": "1", "managedFields": [{ "manager": "a" }], "labels": { "a.b/c": "x" } },
        "spec": { "replicas": 1, "gone": true, "same": [1] } });
    let new = json!({ "metadata": { "resourceVersion": "2", "managedFields": [{ "manager": "b" }], "labels": { "a.b/c": "y" } },
        "spec": { "replicas": 2, "new": "n", "same": [1] } });
    let wanted =
        [r#"metadata.labels["a.b/c"] "x" "y""#, r#"spec.new - "n""#, "spec.replicas 1 2", "spec.gone true -"];
    assert_eq!(told(&old, &new), wanted);
    assert!(told(&old, &old).is_empty());
    assert_eq!(told(&json!({ "metadata": { "managedFields": [] } }), &json!({ "metadata": {} })), [""; 0]);
}

#[test]
fn elements_with_names_are_compared_by_name_and_others_by_place() {
    let old = json!({ "named": [{ "name": "a", "v": 1 }, { "name": "b", "v": 1 }], "plain": [1, 2],
        "mounts": [{ "mountPath": "/a", "n": 1 }, { "mountPath": "/b", "n": 1 }] });
    let new = json!({ "named": [{ "name": "b", "v": 2 }, { "name": "a", "v": 1 }], "plain": [1, 3, 4],
        "mounts": [{ "mountPath": "/b", "n": 1 }, { "mountPath": "/a", "n": 2 }] });
    assert_eq!(told(&old, &new), ["mounts[/a].n 1 2", "named[b].v 1 2", "plain[1] 2 3", "plain[2] - 4"]);
    let (twice, once) = (json!([{ "name": "a" }, { "name": "a" }]), json!([{ "name": "a" }]));
    assert_eq!(told(&twice, &once), [r#"[1] {"name":"a"} -"#]);
}

#[test]
fn many_fields_are_counted_and_long_names_cut() {
    let many: Map<String, Value> = (0..1_000).map(|number| (number.to_string(), 1.into())).collect();
    let (empty, many) = (json!({}), Value::Object(many));
    let (found, more) = differences(&empty, &many, FEW);
    assert_eq!((found.len(), more), (50, 950));
    let long = json!({ "é".repeat(1_000): { "é".repeat(1_000): { "x": 1 } } });
    let (found, _) = differences(&empty, &long, FEW);
    assert!(found[0].path.len() <= 2 * FEW.path + 10, "{}", found[0].path.len());
}

#[test]
fn without_a_limit_paths_are_whole() {
    let long = "é".repeat(1_000);
    let with = |value: u32| json!({ &long: { &long: [{ "name": &long, "x": value }] } });
    assert_eq!(told(&with(1), &with(2)), [format!("{long}.{long}[{long}].x 1 2")]);
}

/// A path that grew with every name would be copied for each of the elements: 200 GB here.
#[test]
fn long_names_are_not_copied_for_all_that_is_below_them() {
    let with = |last: u32| json!({ "x".repeat(1 << 20): (0..200_000).chain([last]).collect::<Vec<_>>() });
    let moved = json!({ "x".repeat(1 << 20): (1..200_001).collect::<Vec<_>>() });
    let (one, two) = (with(1), with(2));
    assert_eq!(differences(&one, &two, FEW).0.len(), 1);
    let (found, more) = differences(&one, &moved, FEW);
    assert_eq!(more, 200_001 - 50);
    assert!(found.iter().all(|field| field.path.len() < 2 * FEW.path));
}
