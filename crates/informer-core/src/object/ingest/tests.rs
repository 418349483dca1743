use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::object::decoded::{decoder, get};
use crate::object::testing::{HeardCauses, benchmark_pod};
use crate::object::transform::TypedTransform;

fn options(kind: KindInfo) -> (IngestOptions, Arc<HeardCauses>) {
    let seen = Arc::<HeardCauses>::default();
    (IngestOptions::new(kind, seen.clone()), seen)
}

fn pods() -> KindInfo {
    KindInfo::new("", "v1", "Pod", "pods").namespaced(true)
}

fn take(ingest: &Ingest, json: &[u8]) -> Result<Arc<Record>, IngestError> {
    ingest.record(ingest.scan(json)?, None)
}

fn value(record: &Record) -> Value {
    record.body.with_json(|json| serde_json::from_slice(json).unwrap())
}

fn left_out(result: Result<Arc<Record>, IngestError>) -> (Option<String>, String) {
    match result {
        Err(IngestError::LeftOut { key, message, .. }) => (key.map(|key| key.to_string()), message),
        other => panic!("not left out: {other:?}"),
    }
}

#[test]
fn d1_objects_with_managed_fields_are_counted_where_they_were_not_wanted() {
    let bare = br#"{"metadata":{"name":"a","namespace":"b"}}"#;
    let cut = |keep_managed_fields| {
        let ingest = Ingest::new(IngestOptions { keep_managed_fields, ..options(pods()).0 });
        take(&ingest, bare).unwrap();
        take(&ingest, &benchmark_pod(7)).unwrap();
        ingest.origin().managed_fields_cut.load(Ordering::Relaxed)
    };
    assert_eq!((cut(false), cut(true)), (1, 0));
}

#[test]
fn a_list_item_becomes_a_whole_object() {
    let ingest = Ingest::new(options(pods()).0);
    let json = benchmark_pod(7);
    let scanned = ingest.scan(&json).unwrap();
    let (key, uid) = (scanned.key.clone(), scanned.uid.clone());
    let record = ingest.record(scanned, None).unwrap();
    assert_eq!((&record.head.key, &record.head.uid), (&key, &uid));
    let mut expected: Value = serde_json::from_slice(&json).unwrap();
    expected["metadata"].as_object_mut().unwrap().remove("managedFields");
    expected["kind"] = "Pod".into();
    expected["apiVersion"] = "v1".into();
    assert_eq!(value(&record), expected);
    assert!(record.head.owners.iter().any(|owner| owner.controller && &*owner.kind == "ReplicaSet"));
    assert_eq!(get::<Pod>(&record).unwrap().metadata.name.as_deref(), Some(record.key().name()));
    assert_eq!(get::<Value>(&record).unwrap()["kind"], "Pod");
}

#[test]
fn managed_fields_stay_on_request() {
    let ingest = Ingest::new(IngestOptions { keep_managed_fields: true, ..options(pods()).0 });
    assert!(value(&take(&ingest, &benchmark_pod(1)).unwrap())["metadata"]["managedFields"].is_array());
}

#[test]
fn only_what_is_missing_of_the_type_is_added() {
    let ingest = Ingest::new(options(pods()).0);
    for json in [
        r#"{"metadata":{"name":"a"}}"#,
        r#" {"kind":"Pod","metadata":{"name":"a"}}"#,
        r#"{"apiVersion":"v1","metadata":{"name":"a"}}"#,
        r#"{"metadata":{"name":"a"},"kind":"Pod","apiVersion":"v1"}"#,
        r#"{"kind":"","metadata":{"name":"a"},"apiVersion":null}"#,
        r#"{"kind":"Pod","metadata":{"name":"a"},"apiVersion":""}"#,
    ] {
        let record = take(&ingest, json.as_bytes()).unwrap();
        assert_eq!(value(&record), json!({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}), "{json}");
        record.body.with_json(|json| assert_eq!(json.windows(7).filter(|w| w == b"\"kind\":").count(), 1));
    }
}

#[test]
fn metadata_only_objects() {
    let ingest = Ingest::new(IngestOptions { metadata_only: true, ..options(pods()).0 });
    let record = take(&ingest, br#"{"metadata":{"name":"a"}}"#).unwrap();
    assert_eq!(value(&record)["kind"], "PartialObjectMetadata");
    assert_eq!(value(&record)["apiVersion"], "meta.k8s.io/v1");
    let partial = get::<Value>(&record).unwrap();
    assert_eq!(partial["metadata"]["name"], "a");
    let (_, message) =
        left_out(take(&ingest, br#"{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}"#));
    assert!(message.contains("Node of v1") && message.contains("PartialObjectMetadata"), "{message}");
}

#[test]
fn of_whole_objects_a_metadata_informer_keeps_the_metadata() {
    let ingest = Ingest::new(IngestOptions { metadata_only: true, ..options(pods()).0 });
    let metadata = r#""metadata":{"name":"a","namespace":"b","labels":{"x":"y"},"managedFields":[{"z":1}]}"#;
    for json in [
        format!(r#"{{"kind":"Pod","apiVersion":"v1",{metadata},"spec":{{"secret":"hunter2"}}}}"#),
        // As an item of a list of a built-in kind.
        format!(r#"{{{metadata},"spec":{{"secret":"hunter2"}}}}"#),
        format!(r#"{{"spec":{{"secret":"hunter2"}},"kind":"","apiVersion":null,{metadata}}}"#),
    ] {
        let record = take(&ingest, json.as_bytes()).unwrap();
        assert_eq!(
            value(&record),
            json!({
                "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
                "metadata": { "name": "a", "namespace": "b", "labels": { "x": "y" } },
            }),
            "{json}"
        );
        assert_eq!(record.key().to_string(), "b/a");
    }
}

#[test]
fn b_003_b_108_what_spoils_one_object_only() {
    let ingest = Ingest::new(options(pods()).0);
    let cases = [
        (r#"{"metadata":{}}"#, None, "no name"),
        (r#"{}"#, None, "no name"),
        (r#"{"metadata":{"name":""}}"#, None, "no name"),
        (r#"{"metadata":{"name":7}}"#, None, "metadata.name is not a text"),
        (r#"{"metadata":[]}"#, None, "metadata is not an object"),
        (
            r#"{"metadata":{"name":"a","namespace":"b","labels":7}}"#,
            Some("b/a"),
            "metadata.labels is not an object",
        ),
        (
            r#"{"kind":"Status","apiVersion":"v1","metadata":{}}"#,
            None,
            "it is a Status of v1, not a Pod of v1",
        ),
        (
            r#"{"kind":"Table","apiVersion":"meta.k8s.io/v1"}"#,
            None,
            "it is a Table of meta.k8s.io/v1, not a Pod",
        ),
        (r#"{"kind":"Pod","apiVersion":"v2","metadata":{"name":"a"}}"#, Some("a"), "it is a Pod of v2"),
        (r#"{"apiVersion":"x/v1","metadata":{"name":"a"}}"#, Some("a"), "(unnamed) of x/v1"),
        ("[]", None, "it is not an object"),
    ];
    for (json, key, expected) in cases {
        let (found, message) = left_out(take(&ingest, json.as_bytes()));
        assert_eq!(found.as_deref(), key, "{json}");
        assert!(message.contains(expected), "{json}: {message}");
    }
    assert!(matches!(take(&ingest, b"{\"metadata\":"), Err(IngestError::NotJson(_))));
}

#[test]
fn cluster_kinds_have_no_namespace() {
    let ingest = Ingest::new(options(KindInfo::new("", "v1", "Node", "nodes").namespaced(false)).0);
    let record = take(&ingest, br#"{"metadata":{"name":"a","namespace":"b"}}"#).unwrap();
    assert_eq!(record.head.key, ObjectKey::cluster("a"));
    let (key, _) = left_out(take(&ingest, br#"{"metadata":{"name":"a","namespace":"b","labels":1}}"#));
    assert_eq!(key.as_deref(), Some("a"));
}

#[test]
fn dropped_fields_are_gone_from_body_and_head() {
    let drop_fields =
        ["spec.containers[*].env", "status", "metadata.labels"].map(|path| path.parse().unwrap()).to_vec();
    let ingest = Ingest::new(IngestOptions { drop_fields, ..options(pods()).0 });
    let record = take(&ingest, &benchmark_pod(3)).unwrap();
    let stored = value(&record);
    assert!(stored["status"].is_null() && stored["spec"]["containers"][0]["env"].is_null());
    assert!(stored["spec"]["containers"][1]["image"].is_string() && stored["metadata"]["labels"].is_null());
    assert!(record.head.labels.is_empty() && stored["metadata"]["managedFields"].is_null());
    assert_eq!(record.head.owners.len(), 1);
}

fn config_maps() -> KindInfo {
    KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true)
}

const MAP: &[u8] = br#"{"metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"5","labels":{"x":"1"}},"data":{"k":"v"}}"#;

fn with_transform(transform: impl Transform + 'static) -> Ingest {
    Ingest::new(IngestOptions { transform: Some(Arc::new(transform)), ..options(config_maps()).0 })
}

#[test]
fn b_226_a_transform_changes_all_but_the_identity() {
    let ingest = with_transform(TypedTransform::new(|map: &mut ConfigMap| {
        map.metadata = k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
            name: Some("other".into()),
            labels: Some([("y".to_owned(), "2".to_owned())].into()),
            ..Default::default()
        };
        map.data = None;
        Ok::<_, String>(())
    }));
    let record = take(&ingest, MAP).unwrap();
    assert_eq!(record.head.key, ObjectKey::namespaced("b", "a"));
    assert_eq!(
        (record.head.uid.to_string(), record.head.resource_version.to_string()),
        ("u".into(), "5".into())
    );
    assert_eq!(record.head.labels.iter().collect::<Vec<_>>(), [("y", "2")]);
    assert_eq!(
        value(&record),
        json!({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"5","labels":{"y":"2"}}})
    );
}

#[test]
fn a_transform_into_less_keeps_the_identity() {
    #[derive(Serialize, Deserialize)]
    struct Slim {
        data: BTreeMap<String, String>,
    }
    let ingest = with_transform(TypedTransform::new(|slim: &mut Slim| {
        slim.data.clear();
        Ok::<_, String>(())
    }));
    let record = take(&ingest, MAP).unwrap();
    assert_eq!(
        value(&record),
        json!({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"5"},"data":{}})
    );
    assert!(record.head.labels.is_empty());
}

#[test]
fn b_120_a_failing_transform_leaves_the_object_out() {
    let refuses = with_transform(TypedTransform::new(|_: &mut ConfigMap| Err("too old")));
    assert_eq!(
        left_out(take(&refuses, MAP)),
        (Some("b/a".into()), "the transform refused it: too old".into())
    );
    let panics =
        with_transform(TypedTransform::new(|_: &mut ConfigMap| -> Result<(), String> { panic!("oops") }));
    assert!(left_out(take(&panics, MAP)).1.contains("panicked: oops"));
    let list = with_transform(TypedTransform::new(|value: &mut Value| {
        *value = json!([1]);
        Ok::<_, String>(())
    }));
    assert!(left_out(take(&list, MAP)).1.contains("made no object"));
    let odd = with_transform(TypedTransform::new(|_: &mut Vec<u8>| Ok::<_, String>(())));
    assert!(left_out(take(&odd, MAP)).1.contains("does not decode for the transform"));
}

#[test]
fn a_wrong_type_is_told_once() {
    let (options, seen) = options(pods());
    let ingest = Ingest::new(IngestOptions { type_check: Some(decoder::<Vec<u8>>()), ..options });
    (0..40).for_each(|i| drop(take(&ingest, &benchmark_pod(i)).unwrap()));
    ingest.first_list_done();
    let seen = seen.heard();
    assert!(matches!(&seen[..], [Cause::WrongType { .. }]), "{seen:?}");
    assert!(ingest.wrong_type().is_some());
}

#[test]
fn a_right_type_is_not_told() {
    let (options, seen) = options(pods());
    let ingest = Ingest::new(IngestOptions { type_check: Some(decoder::<Pod>()), ..options });
    (0..40).for_each(|i| drop(take(&ingest, &benchmark_pod(i)).unwrap()));
    let bad = br#"{"metadata":{"name":"bad"},"spec":7}"#;
    let short = Ingest::new(IngestOptions { type_check: Some(decoder::<Pod>()), ..self::options(pods()).0 });
    take(&short, bad).unwrap();
    assert!(short.wrong_type().is_none());
    short.first_list_done();
    assert!(short.wrong_type().unwrap().starts_with("bad: "));
    ingest.first_list_done();
    assert!(seen.heard().is_empty() && ingest.wrong_type().is_none());
}

#[test]
fn decoded_mode_pins_and_reports_what_does_not_decode() {
    let (options, seen) = options(pods());
    let ingest = Ingest::new(IngestOptions {
        pin: Some(decoder::<Pod>()),
        decode_cache: DecodedCache::new(0),
        ..options
    });
    let good = take(&ingest, &benchmark_pod(1)).unwrap();
    let bad = take(&ingest, br#"{"metadata":{"name":"bad"},"spec":7}"#).unwrap();
    assert!(
        matches!(&seen.heard()[0], Cause::Undecodable { key, .. } if key.name() == "bad"),
        "{:?}",
        seen.heard()
    );
    assert!(Arc::ptr_eq(&get::<Pod>(&good).unwrap(), &get::<Pod>(&good).unwrap()));
    assert_eq!(ingest.origin().decodes.misses(), 0);
    assert!(get::<Pod>(&bad).is_err());
}

#[test]
fn secrets_are_not_quoted_anywhere() {
    let secrets = KindInfo::new("", "v1", "Secret", "secrets").namespaced(true);
    let (options, seen) = options(secrets);
    let transform = TypedTransform::new(|_: &mut ConfigMap| Ok::<_, String>(()));
    let ingest = Ingest::new(IngestOptions {
        pin: Some(decoder::<k8s_openapi::api::core::v1::Secret>()),
        transform: None,
        ..options
    });
    let secret = br#"{"metadata":{"name":"a"},"data":"s3cret"}"#;
    let record = take(&ingest, secret).unwrap();
    ingest.first_list_done();
    let odd = take(&ingest, br#"{"metadata":"s3cret"}"#).unwrap_err();
    let strict = Ingest::new(IngestOptions {
        transform: Some(Arc::new(transform)),
        ..self::options(record.origin.kind.clone()).0
    });
    let refused = take(&strict, secret).unwrap_err();
    let undecodable = get::<ConfigMap>(&record).unwrap_err();
    let text = format!("{:?} {odd:?} {refused:?} {record:?} {undecodable}", seen.heard());
    assert!(!seen.heard().is_empty() && !text.contains("s3cret"), "{text}");
    (0..300).for_each(|_| drop(take(&ingest, secret)));
    assert_eq!(ingest.dictionary_size(), 0);
}

#[test]
fn records_are_counted_while_alive() {
    let ingest = Ingest::new(options(pods()).0);
    let records: Vec<_> = (0..3).map(|i| take(&ingest, &benchmark_pod(i)).unwrap()).collect();
    let alive = || ingest.origin().alive.load(Ordering::Relaxed);
    assert_eq!(alive(), 3);
    assert!(Arc::ptr_eq(records[0].head.labels.shared(), records[1].head.labels.shared()));
    assert!(Arc::ptr_eq(&records[0].head.owners, &records[2].head.owners));
    drop(records);
    assert_eq!(alive(), 0);
}
