use serde_json::{Value, json};

#[test]
fn nulls_remove_members_and_are_not_added() {
    let merged = |mut value: Value, patch: Value| {
        super::apply(&mut value, patch);
        value
    };
    assert_eq!(
        merged(json!({ "a": 1, "b": { "c": 1 } }), json!({ "a": null, "b": { "d": 2 } })),
        json!({ "b": { "c": 1, "d": 2 } })
    );
    assert_eq!(
        merged(json!({}), json!({ "a": { "b": null }, "c": [{ "d": null }, null] })),
        json!({ "a": {}, "c": [{}, null] })
    );
    assert_eq!(merged(json!({ "a": {} }), json!({ "a": [{ "b": null }] })), json!({ "a": [{ "b": null }] }));
    assert_eq!(merged(json!({ "a": 1 }), json!({ "a": [{ "b": null }] })), json!({ "a": [{}] }));
}
