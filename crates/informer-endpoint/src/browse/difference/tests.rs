use serde_json::Map;

use super::*;

fn told(old: &Value, new: &Value) -> Vec<String> {
    let told = differences(old, new);
    let text = |value: &Value| value.as_str().map_or("-".to_owned(), str::to_owned);
    let field =
        |field: &Value| format!("{} {} {}", text(&field["path"]), text(&field["old"]), text(&field["new"]));
    told["fields"].as_array().unwrap().iter().map(field).collect()
}

#[test]
fn fields_that_are_new_gone_or_other_are_told_by_path() {
    let old = json!({ "metadata": { "resourceVersion": "1", "labels": { "a.b/c": "x" } }, "spec": { "replicas": 1, "gone": true, "same": [1] } });
    let new = json!({ "metadata": { "resourceVersion": "2", "labels": { "a.b/c": "y" } }, "spec": { "replicas": 2, "new": "n", "same": [1] } });
    let mut found = told(&old, &new);
    found.sort();
    assert_eq!(
        found,
        ["metadata.labels[\"a.b/c\"] x y", "spec.gone true -", "spec.new - n", "spec.replicas 1 2"]
    );
    assert!(told(&old, &old).is_empty());
}

#[test]
fn neither_many_fields_nor_long_values_make_it_long() {
    let many: Map<String, Value> =
        (0..1_000).map(|number| (number.to_string(), "x".repeat(10_000).into())).collect();
    let told = differences(&json!({}), &Value::Object(many));
    assert_eq!((told["fields"].as_array().unwrap().len(), &told["more"]), (SHOWN.fields, &json!(950)));
    assert!(told.to_string().len() < SHOWN.fields * (VALUE + 100));
}
