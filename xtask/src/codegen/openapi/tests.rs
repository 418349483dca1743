use super::*;

fn document(schemas: &Value) -> Value {
    let get = json!({ "description": "list pods", "operationId": "list", "parameters": [{ "description": "of it" }] });
    json!({ "paths": { "/api/v1/pods": { "get": get } }, "components": { "schemas": schemas } })
}

#[test]
fn schemas_are_kept_once_and_descriptions_only_in_them() {
    let pod = json!({
        "description": "a pod", "properties": { "description": { "type": "string" } },
        "x-kubernetes-group-version-kind": [{ "group": "x", "version": "v1", "kind": "Pod" }],
    });
    let documents = BTreeMap::from([
        ("api/v1".to_owned(), document(&json!({ "Options": { "for": 1 }, "Pod": pod }))),
        ("apis/x/v1".to_owned(), document(&json!({ "Options": { "for": 2 }, "Pod": pod }))),
    ]);
    let [(_, schemas), (_, parts)] = pack(&documents).unwrap();
    assert_eq!(schemas, format!("Options\t\t{}\nPod\tx/v1 Pod\t{pod}\n", json!({ "for": 1 })));
    let paths = json!({ "/api/v1/pods": { "get": { "operationId": "list", "parameters": [{}] } } });
    let part = |path: &str, schemas: &Value, own: &Value| {
        format!("{path}\t{}\n", json!({ "paths": paths, "schemas": schemas, "own": own }))
    };
    let first = part("api/v1", &json!(["Options", "Pod"]), &json!({}));
    assert_eq!(parts, first + &part("apis/x/v1", &json!(["Pod"]), &json!({ "Options": { "for": 2 } })));
}

#[test]
fn what_is_packed_can_be_unpacked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("text.zst");
    fs::write(&path, packed("a\tb\n").unwrap()).unwrap();
    assert_eq!(unpacked(&path).unwrap(), "a\tb\n");
}
