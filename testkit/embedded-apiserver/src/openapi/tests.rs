use serde_json::{Value, json};

use crate::testing::{DEFINITIONS, Server};

/// The addresses in the index.
async fn addresses(server: &Server) -> Vec<String> {
    let index = server.get("/openapi/v3").await.of(200);
    let paths = index["paths"].as_object().unwrap().values();
    paths.map(|entry| entry["serverRelativeURL"].as_str().unwrap().to_owned()).collect()
}

/// Refers to nothing that the document does not have.
fn check_references(document: &Value, value: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let pointer = reference.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            members.values().for_each(|value| check_references(document, value));
        }
        Value::Array(items) => items.iter().for_each(|item| check_references(document, item)),
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn every_document_of_the_index_is_served_and_complete() {
    let server = Server::new();
    let addresses = addresses(&server).await;
    assert!(addresses.len() > 50, "{addresses:?}");
    for address in addresses {
        let document = server.get(&address).await.of(200);
        assert_eq!(document["openapi"], "3.0.0", "{address}");
        check_references(&document, &document);
    }
    let document = server.get("/openapi/v3/apis/apps/v1").await.of(200);
    let deployment = &document["components"]["schemas"]["io.k8s.api.apps.v1.Deployment"];
    assert_eq!(deployment["x-kubernetes-group-version-kind"][0]["kind"], "Deployment");
    assert!(deployment["description"].as_str().unwrap().contains("declarative updates"));
    assert_eq!(server.get("/openapi/v3/apis/no.such/v1").await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_custom_group_has_a_document_that_changes_with_its_schema() {
    let server = Server::new();
    let before = addresses(&server).await;
    let schema = json!({
        "type": "object", "properties": { "spec": { "type": "object", "description": "What is wanted." } },
    });
    let version =
        json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    let names = json!({ "plural": "widgets", "kind": "Widget" });
    let definition = json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": { "group": "example.com", "scope": "Namespaced", "names": names, "versions": [version] },
    });
    server.post(DEFINITIONS, &definition).await.of(201);
    let with_it = addresses(&server).await;
    let added: Vec<&String> = with_it.iter().filter(|address| !before.contains(address)).collect();
    let [address] = added.as_slice() else { panic!("{added:?}") };
    let document = server.get(address).await.of(200);
    check_references(&document, &document);
    let widget = &document["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(widget["properties"]["spec"]["description"], "What is wanted.");
    assert!(widget["properties"]["metadata"]["allOf"][0]["$ref"].as_str().unwrap().ends_with("ObjectMeta"));
    let patch = &document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"];
    assert!(patch["parameters"].to_string().contains("fieldValidation"), "{patch}");
}
