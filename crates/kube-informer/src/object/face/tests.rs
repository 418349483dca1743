use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::{DynamicObject, PartialObjectMeta};
use serde_json::json;

use super::*;

fn object(json: &serde_json::Value) -> Object<ConfigMap> {
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true);
    Object::from_json(&kind, json.to_string().as_bytes()).unwrap()
}

#[test]
fn metadata_without_decoding() {
    let map = object(&json!({
        "metadata": {
            "name": "a", "namespace": "b", "uid": "u", "resourceVersion": "5", "generation": 2,
            "creationTimestamp": "2024-05-01T10:00:00Z", "deletionTimestamp": "2024-05-01T11:00:00Z",
            "labels": { "x": "1" }, "annotations": { "note": "hi", "none": null }, "finalizers": ["f/1", "f/2"],
            "ownerReferences": [
                { "apiVersion": "v1", "kind": "A", "name": "first", "uid": "1" },
                { "apiVersion": "v1", "kind": "B", "name": "second", "uid": "2", "controller": true },
            ],
        },
        "data": 7,
    }));
    assert_eq!((map.name(), map.namespace(), map.generation()), ("a", Some("b"), Some(2)));
    assert_eq!(map.creation_timestamp().unwrap().to_string(), "2024-05-01T10:00:00Z");
    assert_eq!(map.deletion_timestamp().unwrap().to_string(), "2024-05-01T11:00:00Z");
    assert_eq!(map.finalizers().collect::<Vec<_>>(), ["f/1", "f/2"]);
    assert_eq!((map.owners().len(), &*map.controller_owner().unwrap().name), (2, "second"));
    assert_eq!(map.annotations().unwrap()["note"], "hi");
    assert_eq!(format!("{map} {map:?}"), "ConfigMap b/a ConfigMap b/a");
    let error = map.get().unwrap_err();
    assert_eq!((error.key(), error.kind().kind()), (Some(map.key()), "ConfigMap"));
    assert!(error.is_undecodable());
    assert!(error.to_string().starts_with("ConfigMap b/a does not decode: invalid type"), "{error}");
}

#[test]
fn uids_of_owners_are_read_without_unpacking_and_are_those_of_the_json() {
    let map = object(&json!({ "metadata": { "name": "a", "ownerReferences": [
        { "apiVersion": "v1", "kind": "A", "name": "first", "uid": "5f0c1d2e-0000-4000-a000-00000000000a" },
        { "apiVersion": "v1", "kind": "B", "name": "second" },
        { "apiVersion": "v1", "kind": "C", "name": "third", "uid": "3" },
    ] } }));
    let path = FieldPath::to_read("metadata.ownerReferences[*].uid").unwrap();
    assert!(path.leads_to_owner_uids());
    let from_json = field_values::values_at::<String>(&map.raw_json(), &path).unwrap();
    assert_eq!(from_json.len(), 2);
    assert_eq!(map.owner_uids::<String>().unwrap(), from_json);
    assert_eq!(map.values_at::<String>(&path).unwrap(), from_json);
    let error = map.values_at::<u32>(&path).unwrap_err().to_string();
    assert!(error.contains("invalid type"), "{error}");
}

#[test]
fn sameness_has_names() {
    let version = |uid: &str, version: &str| {
        object(&json!({ "metadata": { "name": "a", "uid": uid, "resourceVersion": version } }))
    };
    let base = version("u", "1");
    assert!(base.same_object(&version("u", "2")) && !base.same_version(&version("u", "2")));
    assert!(base.same_version(&version("u", "1").as_kind::<DynamicObject>()));
    assert!(!base.same_object(&version("w", "1")));
    assert!(
        !version("", "1").same_object(&version("", "1")) && !version("", "1").same_version(&version("", "1"))
    );
    assert!(!version("u", "").same_version(&version("u", "")));
}

#[test]
fn faces_of_one_object() {
    let map = object(&json!({ "metadata": { "name": "a" }, "data": { "k": "v" } }));
    assert_eq!(map.get().unwrap().data.as_ref().unwrap()["k"], "v");
    let dynamic = map.as_kind::<DynamicObject>().get().unwrap();
    assert_eq!(
        (dynamic.types.as_ref().unwrap().kind.as_str(), &dynamic.data["data"]["k"]),
        ("ConfigMap", &json!("v"))
    );
    let partial = map.as_kind::<PartialObjectMeta<ConfigMap>>().get().unwrap();
    assert_eq!(partial.metadata.name.as_deref(), Some("a"));
    let raw: serde_json::Value = serde_json::from_slice(&map.raw_json()).unwrap();
    assert_eq!(
        raw,
        json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": { "name": "a" }, "data": { "k": "v" } })
    );
    assert!(map.packed_size() > 0 && map.packed_size() <= map.raw_json().len());
}

#[test]
fn objects_from_typed_values() {
    let mut secret = Secret::default();
    let error = Object::new(&secret).unwrap_err().to_string();
    assert_eq!(error, "this makes no object of secrets: it has no name");
    secret.metadata.name = Some("a".into());
    secret.data = Some([("k".to_owned(), k8s_openapi::ByteString(b"v".to_vec()))].into());
    let object = Object::new(&secret).unwrap();
    assert_eq!(*object.get().unwrap(), secret);
    let partial = PartialObjectMeta::<Secret> { metadata: secret.metadata, ..Default::default() };
    assert_eq!(Object::new(&partial).unwrap().name(), "a");
}

#[test]
fn objects_are_send_and_sync_whatever_their_type() {
    fn check<T: Send + Sync>() {}
    check::<Object<std::rc::Rc<()>>>();
}
