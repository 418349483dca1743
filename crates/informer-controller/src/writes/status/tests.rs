use super::*;

fn object(status: &Value, fields: Option<&Value>) -> Value {
    let mut object = json!({ "metadata": {}, "status": status });
    if let Some(fields) = fields {
        object["metadata"]["managedFields"] = json!([
            { "manager": "me", "operation": "Update", "subresource": "status", "fieldsV1": {} },
            { "manager": "me", "operation": "Apply", "fieldsV1": { "f:spec": {} } },
            { "manager": "me", "operation": "Apply", "subresource": "status", "fieldsV1": { "f:status": fields } },
        ]);
    }
    object
}

#[test]
fn without_managers_the_whole_status_is_compared() {
    let is = |current: Value, applied: Value| is_applied(&object(&current, None), "me", &applied);
    assert!(is(json!({ "replicas": 3 }), json!({ "replicas": 3 })));
    assert!(
        !is(json!({ "replicas": 3, "ready": 1 }), json!({ "replicas": 3 })),
        "ready may be ours, to be removed"
    );
    assert!(!is(json!({ "replicas": 3 }), json!({ "replicas": 4 })));
    assert!(is(Value::Null, json!({})));
    assert!(!is(Value::Null, json!({ "replicas": 0 })));
}

#[test]
fn with_managers_only_what_is_ours_is_compared() {
    let ready = json!({ "type": "Ready", "status": "True", "reason": "R" });
    let other = json!({ "type": "Other", "status": "False" });
    let current = json!({ "replicas": 3, "theirs": 1, "conditions": [other, ready], "zones": ["a", "b"], "args": ["x"] });
    let fields = json!({
        "f:replicas": {}, "f:args": {}, "f:zones": { "v:\"b\"": {} },
        "f:conditions": { "k:{\"type\":\"Ready\"}": { ".": {}, "f:type": {}, "f:status": {}, "f:reason": {} } },
    });
    let object = object(&current, Some(&fields));
    let applied = json!({ "replicas": 3, "conditions": [ready], "zones": ["b"], "args": ["x"] });
    assert!(is_applied(&object, "me", &applied));
    assert!(!is_applied(&object, "another", &applied));
    for (path, value) in [
        ("/replicas", json!(4)),
        ("/conditions/0/status", json!("False")),
        ("/conditions/0/type", json!("Other")),
        ("/zones/0", json!("a")),
        ("/zones", json!(["b", "c"])),
        ("/args/0", json!("y")),
        ("/args", json!([])),
    ] {
        let mut changed = applied.clone();
        *changed.pointer_mut(path).unwrap() = value;
        assert!(!is_applied(&object, "me", &changed), "{path}");
    }
    // A field less is one to be removed, a field more one to be taken, though its value is the same.
    let (mut less, mut more) = (applied.clone(), applied);
    less.as_object_mut().unwrap().remove("replicas");
    more["theirs"] = json!(1);
    assert!(!is_applied(&object, "me", &less) && !is_applied(&object, "me", &more));
}
