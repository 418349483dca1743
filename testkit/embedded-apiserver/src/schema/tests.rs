use serde_json::{Value, json};

use super::types::{all, named};
use super::*;
use crate::openapi;

fn read(kind: &str, object: &str) -> Decoded {
    let (api_version, kind) = kind.split_once(' ').unwrap();
    let of = named(api_version, kind).unwrap();
    decode(of, Flavour::Text, &mut serde_json::Deserializer::from_str(object)).unwrap()
}

#[test]
fn every_type_of_the_documents_can_be_read() {
    let types = all();
    assert!(types.len() > 700, "{}", types.len());
    let untyped = |of: &Struct| of.fields.values().filter(|field| matches!(field.shape, Shape::Any)).count();
    // `RawExtension` and what JSON schemas have.
    let any: usize = types.iter().map(|of| untyped(of)).sum();
    assert!((10..60).contains(&any), "{any}");
    assert!(types.iter().all(|of| of.go_name.matches('.').count() == 1));
}

/// Go reads what may be a schema or something else by itself: it notices no unknown fields there.
#[test]
fn schemas_in_schemas_are_read_as_schemas() {
    let crd = |schema: &str| {
        let definition =
            format!(r#"{{"spec":{{"versions":[{{"schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#);
        read("apiextensions.k8s.io/v1 CustomResourceDefinition", &definition)
    };
    let schema = |decoded: Decoded| {
        let object = Value::Object(decoded.object);
        object.pointer("/spec/versions/0/schema/openAPIV3Schema").cloned().unwrap_or_default()
    };
    let good = crd(r#"{"items":{"type":"a","zz":1,"default":null,"nullable":null,"required":[]},"zz":1,
        "additionalProperties":{"properties":{"a":{"zz":1}},"allOf":[{"zz":1}],"enum":[null]},"not":null}"#);
    assert_eq!(good.strict, [r#"unknown field "spec.versions[0].schema.openAPIV3Schema.zz""#]);
    let expected = json!({ "items": { "type": "a" },
        "additionalProperties": { "properties": { "a": {} }, "allOf": [{}], "enum": [null] } });
    assert_eq!(schema(good), expected);
    assert_eq!(
        schema(crd(r#"{"items":5,"additionalProperties":false}"#)),
        json!({ "additionalProperties": false })
    );
    assert_eq!(schema(crd(r#"{"items":[{"type":"a"}]}"#)), json!({ "items": [{ "type": "a" }] }));
    assert_eq!(schema(crd(r#"{"items":[],"additionalProperties":null}"#)), json!({}));
    for (bad, why) in [
        (
            r#"{"properties":{"a":{"items":{"maxLength":1.5}}}}"#,
            "json: cannot unmarshal number 1.5 into Go struct field \
             JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.maxLength of type int64",
        ),
        (
            r#"{"additionalProperties":{"items":{"type":5}}}"#,
            "json: cannot unmarshal number into Go struct field \
             JSONSchemaProps.spec.versions.schema.openAPIV3Schema.additionalProperties.items.type of type string",
        ),
        (
            r#"{"dependencies":{"x":[5]}}"#,
            "json: cannot unmarshal number into Go struct field \
             JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string",
        ),
        (r#"{"additionalProperties":[]}"#, "boolean or JSON schema expected"),
    ] {
        assert_eq!(crd(bad).problem.as_deref(), Some(why), "{bad}");
    }
}

#[test]
fn what_go_writes_is_known_of_every_type() {
    for (name, always) in go_types::all() {
        let zeros: Value = serde_json::from_str(always).unwrap();
        assert!(zeros.is_object(), "{name} {always}");
    }
    // No part of an object that is stored: lists, what requests and answers are made of, and what is not written as a struct.
    let is_other = |name: &str| {
        name.ends_with("List") || name.contains(".apimachinery.") || name.contains("apiextensions.v1.JSON")
    };
    let names = openapi::schemas().map(|packed| packed.name);
    let unknown: Vec<_> = names.filter(|name| !is_other(name) && written(name).is_none()).collect();
    assert!(unknown.is_empty(), "nothing is known of {unknown:?}");
    let of = named("apps/v1", "Deployment").unwrap();
    let template = json!({ "metadata": {}, "spec": { "containers": null } });
    let spec = json!({ "selector": null, "strategy": {}, "template": template });
    assert_eq!(Value::Object(of.always.clone()), json!({ "metadata": {}, "spec": spec, "status": {} }));
}

#[test]
fn every_builtin_kind_of_this_release_has_a_type() {
    let registry = crate::kinds::Registry::new();
    let without: Vec<String> = registry
        .all()
        .iter()
        .filter(|resource| of(resource).is_none())
        .map(|resource| format!("{} {}", resource.api_version(), resource.kind))
        .collect();
    let with = registry.all().len() - without.len();
    assert!(with > 90, "{with} have one, these have none: {without:?}");
    assert!(!without.iter().any(|kind| kind.starts_with("v1 ") || kind.starts_with("apps/")), "{without:?}");
}

#[test]
fn how_lists_are_merged_depends_on_the_type_not_on_the_name() {
    let rule = |kind: &str, path: &[&str]| {
        let (api_version, kind) = kind.split_once(' ').unwrap();
        let mut of = named(api_version, kind).unwrap();
        let (last, before) = path.split_last().unwrap();
        for name in before {
            let mut shape = &of.fields[*name].shape;
            while let Shape::List(items) = shape {
                shape = items;
            }
            let Shape::Struct(inner) = shape else { panic!("{name} is no struct") };
            of = inner.get();
        }
        let field = &of.fields[*last];
        (field.strategy.clone(), field.merge_key.clone())
    };
    let merged = |key: &str| ("merge".to_owned(), key.to_owned());
    let replaced = (String::new(), String::new());
    assert_eq!(rule("v1 Pod", &["spec", "containers"]), merged("name"));
    assert_eq!(rule("v1 Pod", &["spec", "containers", "ports"]), merged("containerPort"));
    assert_eq!(rule("v1 Pod", &["spec", "volumes"]), merged("name"));
    assert_eq!(rule("v1 Pod", &["spec", "imagePullSecrets"]), merged("name"));
    assert_eq!(rule("v1 Pod", &["status", "containerStatuses"]), replaced);
    assert_eq!(rule("v1 Service", &["spec", "ports"]), merged("port"));
    assert_eq!(rule("v1 Node", &["spec", "taints"]), replaced);
    assert_eq!(rule("v1 ServiceAccount", &["imagePullSecrets"]), replaced);
    assert_eq!(rule("discovery.k8s.io/v1 EndpointSlice", &["ports"]), replaced);
    assert_eq!(rule("v1 ConfigMap", &["metadata", "finalizers"]), merged(""));
}

#[test]
fn what_is_unknown_is_dropped_and_named_in_the_order_of_the_text() {
    let read = read(
        "v1 Pod",
        r#"{"spec":{"b":1,"containers":[{"name":"c","imag":"i","name":"d"}],"b":2},"a":{"x":1,"x":2}}"#,
    );
    let containers = json!([{ "name": "d", "resources": {} }]);
    let expected = json!({ "metadata": {}, "spec": { "containers": containers }, "status": {} });
    assert_eq!(Value::Object(read.object), expected);
    let unknown = |path: &str| format!("unknown field \"{path}\"");
    let duplicate = "duplicate field \"spec.containers[0].name\"".to_owned();
    assert_eq!(read.strict, [unknown("spec.b"), unknown("spec.containers[0].imag"), duplicate, unknown("a")]);
    assert_eq!(read.problem, None);
}

#[test]
fn nulls_are_left_out_of_structs_and_are_zero_in_lists_and_maps() {
    let read = read(
        "v1 Pod",
        r#"{"metadata":{"labels":{"a":null},"annotations":{}},"spec":{"nodeName":null,"containers":[null,{"args":[null]}]}}"#,
    );
    let zero = json!({ "name": "", "resources": {} });
    let containers = json!([zero, { "args": [""], "name": "", "resources": {} }]);
    let expected =
        json!({ "metadata": { "labels": { "a": "" } }, "spec": { "containers": containers }, "status": {} });
    assert_eq!(Value::Object(read.object), expected);
}

#[test]
fn the_first_value_of_a_wrong_type_is_named_unless_a_text_cannot_be_parsed() {
    let problem = |json: &str| read("v1 Pod", json).problem.unwrap();
    let wrong = r#"{"spec":{"nodeName":5,"priority":"x"}}"#;
    let message = "json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string";
    assert_eq!(problem(wrong), message);
    let both = r#"{"spec":{"nodeName":5},"metadata":{"creationTimestamp":"x"}}"#;
    assert!(problem(both).starts_with("parsing time \"x\""), "{}", problem(both));
}

#[test]
fn times_and_base64() {
    assert_eq!(scalar::time("2026-01-01T02:00:00.5+02:00", false).unwrap(), "2026-01-01T00:00:00Z");
    assert_eq!(scalar::time("2026-01-01T00:00:00.123456Z", true).unwrap(), "2026-01-01T00:00:00.123456Z");
    scalar::time("2026-01-01T00:00:00Z", true).unwrap_err();
    for (text, byte) in [("!!", 0), ("YQ", 0), ("YWJjZ", 4), ("YQ=a", 3), ("YQ===", 4)] {
        let message = format!("illegal base64 data at input byte {byte}");
        assert_eq!(scalar::base64(text).unwrap_err(), message, "{text}");
    }
    for good in ["", "YQ==", "YW\nJj", "YWI="] {
        scalar::base64(good).unwrap();
    }
}

#[test]
fn quantities_are_brought_to_their_canonical_form() {
    for (text, canonical) in [
        ("0", "0"),
        ("-0", "0"),
        ("1", "1"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("0.5", "500m"),
        ("-1500m", "-1500m"),
        ("1000m", "1"),
        ("1e3", "1e3"),
        ("15e2", "1500"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("0.0000000001", "1n"),
        ("10E", "10E"),
        ("16Ei", "9223372036854775807"),
    ] {
        assert_eq!(quantity::canonical(text).as_deref(), Ok(canonical), "{text}");
    }
    for bad in ["", "abc", "1x", "1ki", "1.2.3", "1ee", "--1", "1 Gi"] {
        quantity::canonical(bad).unwrap_err();
    }
}
