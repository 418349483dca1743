use serde_json::json;

use super::*;

fn node(schema: Value) -> Node {
    serde_json::from_value(schema).unwrap()
}

fn schemas(spec: &Value) -> Schemas {
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    Schemas::read(&json!({ "spec": { "versions": [
        { "name": "v1", "storage": true, "schema": { "openAPIV3Schema": schema } },
    ] } }))
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// The messages about a value, with their fields.
fn messages(schema: Value, value: &Value) -> Vec<String> {
    let causes = values::validate(value, &node(schema), "a", None).causes("");
    causes.into_iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
}

#[test]
fn unknown_fields_and_nulls_go_and_defaults_come() {
    let schemas = schemas(&json!({ "type": "object", "properties": {
        "a": { "type": "string", "default": "x" },
        "n": { "type": "string", "nullable": true },
        "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        "list": { "type": "array", "items": { "type": "object", "properties": { "d": { "type": "integer", "default": 1 } } } },
    } }));
    let mut thing =
        object(&json!({ "kind": "Thing", "metadata": { "name": "x", "any": 1 }, "top": 1, "spec": {
        "a": null, "n": null, "b": 1, "open": { "x": null }, "list": [{ "u": 1 }],
    } }));
    let unknown = schemas.admit("v1", &mut thing).unwrap();
    assert_eq!(unknown, ["spec.b", "spec.list[0].u", "top"]);
    let expected = json!({ "kind": "Thing", "metadata": { "name": "x", "any": 1 }, "spec": {
        "a": "x", "n": null, "open": { "x": null }, "list": [{ "d": 1 }],
    } });
    assert_eq!(Value::Object(thing), expected);
}

#[test]
fn what_a_field_is_not_is_told_in_the_words_of_the_real_server() {
    let one = |schema: Value, value: Value| messages(schema, &value).join("; ");
    assert_eq!(
        one(json!({ "type": "string" }), json!(5)),
        r#"a: Invalid value: "integer": a in body must be of type string: "integer""#
    );
    assert_eq!(
        one(json!({ "type": "string", "enum": ["x"] }), json!("y")),
        r#"a: Unsupported value: "y": supported values: "x""#
    );
    assert_eq!(
        one(json!({ "type": "integer", "maximum": 3 }), json!(4)),
        "a: Invalid value: 4: a in body should be less than or equal to 3"
    );
    assert_eq!(
        one(json!({ "type": "array", "maxItems": 1 }), json!([1, 2])),
        "a: Too many: 2: must have at most 1 item"
    );
    assert_eq!(one(json!({ "type": "object", "required": ["x"] }), json!({})), "a.x: Required value");
    assert_eq!(
        one(json!({ "type": "integer", "oneOf": [{ "minimum": 2 }, { "minimum": 1 }] }), json!(3)),
        "<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). Found 2 valid alternatives"
    );
}

/// Of alternatives that all fail, the one that failed latest is told.
#[test]
fn the_closest_alternative_is_told() {
    let schema = json!({ "type": "object", "anyOf": [
        { "required": ["x"] },
        { "properties": { "y": { "minimum": 5 } } },
    ] });
    let told = messages(schema, &json!({ "y": 1 }));
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[1], "a.y: Invalid value: 1: a.y in body should be greater than or equal to 5");
}

#[test]
fn what_is_unchanged_may_be_wrong() {
    let of = node(json!({ "type": "object", "properties": {
        "a": { "type": "string", "maxLength": 1 }, "b": { "type": "string", "maxLength": 1 },
    } }));
    let old = json!({ "a": "long", "b": "x" });
    let wrong = |new: &Value| values::validate(new, &of, "", Some(Old::part(&old))).causes("").len();
    assert_eq!(wrong(&json!({ "a": "long", "b": "y" })), 0);
    assert_eq!(wrong(&json!({ "a": "longer", "b": "y" })), 1);
    assert_eq!(wrong(&json!({ "a": "long", "b": "long" })), 1);
}

/// The kind of a whole object cannot be seen to change; other fields of that name are fields.
#[test]
fn only_the_kind_of_an_object_has_no_history() {
    let of = node(
        json!({ "type": "object", "properties": { "kind": { "type": "string", "maxLength": 1 }, "n": { "type": "integer" } } }),
    );
    let old = json!({ "kind": "long", "n": 1 });
    let new = json!({ "kind": "long", "n": 2 });
    let wrong = |old| values::validate(&new, &of, "", Some(old)).causes("").len();
    assert_eq!((wrong(Old::root(&old)), wrong(Old::part(&old))), (1, 0));
}

/// As many items as a body can have.
#[test]
fn long_lists_take_no_more_than_their_length() {
    let schemas = schemas(&json!({ "type": "object", "properties": {
        "set": { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string", "maxLength": 1 } },
        "map": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {
            "type": "object", "required": ["k"], "properties": { "k": { "type": "integer", "maximum": -1 } } } },
    } }));
    let texts: Vec<String> = (0..100_000).map(|index| format!("x{index}")).collect();
    let items: Vec<Value> = (0..100_000).map(|index| json!({ "k": index })).collect();
    let new = object(&json!({ "spec": { "set": texts, "map": items } }));
    let mut old = new.clone();
    old["spec"]["map"].as_array_mut().unwrap().reverse();
    let started = std::time::Instant::now();
    // Any resource in that version.
    let resource = crate::kinds::Registry::new().find("", "v1", "configmaps").unwrap();
    let wrong = |old| schemas.validate(&resource, Checked::All, &new, old, Vec::new()).causes.len();
    assert_eq!(wrong(None), 200_000);
    // The list is as before, and so are the items of the map, wherever they are.
    assert_eq!(wrong(Some(&old)), 0);
    // It takes seconds; with a comparison of each item with each other, many minutes.
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
}

#[test]
fn items_of_sets_and_maps_occur_once() {
    let of = node(json!({ "type": "object", "properties": {
        "set": { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } },
        "map": { "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                 "items": { "type": "object" } },
    } }));
    let mut causes = Vec::new();
    let twice = json!({ "set": ["a", "b", "a", "a"], "map": [{ "k": 1, "v": 1 }, { "k": 1 }] });
    lists::check(&object(&twice), &of, "", &mut causes);
    let told: Vec<_> = causes.iter().map(|cause| (&*cause.field, &*cause.message)).collect();
    assert_eq!(told, [("map[1]", "Duplicate value: {\"k\":1}"), ("set[2]", "Duplicate value: \"a\"")]);
}

#[test]
fn a_schema_has_types_where_fields_are_specified_and_nowhere_else() {
    let causes = check_definition(
        &json!({ "type": "object", "properties": {
            "a": {}, "b": { "type": "string", "default": 5, "anyOf": [{ "type": "string" }] },
        } }),
        "s",
        false,
    );
    let fields: Vec<_> = causes.iter().map(|cause| &*cause.field).collect();
    assert_eq!(fields, ["s.properties[a].type", "s.properties[b].anyOf[0].type"]);
    let default = json!({ "type": "object", "properties": { "b": { "type": "string", "default": 5 } } });
    assert_eq!(check_definition(&default, "s", false)[0].field, "s.properties[b].default");
}

#[test]
fn a_schema_with_what_only_this_server_lacks_is_not_called_wrong() {
    let large = json!({ "type": "object", "properties": {
        "a": { "type": "array", "items": { "type": "string", "pattern": r"^\p{L}{1,1000}$" } },
    } });
    let unreadable =
        json!({ "type": "object", "properties": { "a": { "type": "string", "maxLength": "five" } } });
    for (schema, what) in [(large, "regular expressions as large as"), (unreadable, "cannot read the schema")]
    {
        assert_eq!(check_definition(&schema, "s", false), []);
        let lacking = lacking(&schema).unwrap_or_default();
        assert!(lacking.contains(what) && lacking.contains("this server"), "{lacking}");
    }
}
