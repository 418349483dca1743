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
fn elements_with_names_are_compared_by_name_and_others_by_place() {
    let old = json!({ "named": [{ "name": "a", "v": 1 }, { "name": "b", "v": 1 }], "plain": [1, 2] });
    let new = json!({ "named": [{ "name": "b", "v": 2 }, { "name": "a", "v": 1 }], "plain": [1, 3, 4] });
    assert_eq!(told(&old, &new), ["named[b].v 1 2", "plain[001] 2 3", "plain[002] - 4"]);
}

#[test]
fn neither_many_fields_nor_long_values_make_it_long() {
    let many: Map<String, Value> =
        (0..1_000).map(|number| (number.to_string(), "x".repeat(10_000).into())).collect();
    let told = differences(&json!({}), &Value::Object(many));
    assert_eq!((told["fields"].as_array().unwrap().len(), &told["more"]), (FIELDS, &json!(950)));
    assert!(told.to_string().len() < FIELDS * (VALUE + 100));
}

/// A path that grew with every name would be copied for each of the elements: 200 GB here.
#[test]
fn long_names_are_not_copied_for_all_that_is_below_them() {
    let with = |last: u32| json!({ "x".repeat(1 << 20): (0..200_000).chain([last]).collect::<Vec<_>>() });
    let begun = std::time::Instant::now();
    let told = differences(&with(1), &with(2));
    assert_eq!((told["fields"].as_array().unwrap().len(), &told["more"]), (1, &json!(0)));
    let moved = json!({ "x".repeat(1 << 20): (1..200_001).collect::<Vec<_>>() });
    assert_eq!(differences(&with(1), &moved)["more"], 200_001 - FIELDS);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
}
