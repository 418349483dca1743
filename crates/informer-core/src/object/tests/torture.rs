//! Random documents and random damage: nothing panics, and cutting agrees with removing from the decoded value.

use std::sync::Arc;

use informer_wire::KindInfo;
use informer_wire::json::{find, without};
use serde_json::{Map, Value, json};

use crate::object::fields::FieldPath;
use crate::object::ingest::{Ingest, IngestOptions};
use crate::object::metadata::scan;
use crate::object::testing::{HeardCauses, benchmark_pod};

fn paths() -> Vec<FieldPath> {
    [
        "spec.containers[*].env",
        "status",
        "metadata.annotations[\"a.b/c\"]",
        "a",
        "a.b",
        "b[*].a",
        "b[*][*]",
        "c.a.b",
    ]
    .map(|path| path.parse().unwrap())
    .to_vec()
}

/// Everything that reads raw bytes, one after the other.
fn read_all(json: &[u8]) {
    let mut parts = Vec::new();
    if let Ok(metadata) = scan(json) {
        parts.extend(metadata.managed_fields);
    }
    find(json, paths().iter().map(FieldPath::steps), &mut parts);
    let kept = without(json, &mut parts);
    if serde_json::from_slice::<Value>(json).is_ok() {
        let parsed = serde_json::from_slice::<Value>(&kept);
        assert!(
            parsed.is_ok(),
            "{parsed:?} in {} from {}",
            String::from_utf8_lossy(&kept),
            String::from_utf8_lossy(json)
        );
    }
    let kind = KindInfo::new("", "v1", "Pod", "pods").namespaced(true);
    let ingest = Ingest::new(IngestOptions::new(kind, Arc::<HeardCauses>::default()));
    if let Ok(record) = ingest.scan(json).and_then(|scanned| ingest.record(scanned, None)) {
        assert!(!record.key().name().is_empty());
        assert!(record.body.with_json(|json| serde_json::from_slice::<serde::de::IgnoredAny>(json).is_ok()));
    }
}

#[test]
fn damaged_documents_never_panic() {
    let mut small: Value = serde_json::from_slice(&benchmark_pod(1)).unwrap();
    small["spec"]["volumes"] = Value::Null;
    let seeds = [
        small.to_string().into_bytes(),
        serde_json::to_vec_pretty(&small["metadata"]).unwrap(),
        br#"{"metadata":{"name":"x","managedFields":[{"a":"\"\\"}],"labels":{"a":"b"}},"a":{"b":[1,2,{"a":"]}"}]}}"#.to_vec(),
        br#"{ "b" : [ { "a" : 1 } , [ 1 , 2 ] , "x" ] , "a" : null }"#.to_vec(),
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..6_000 {
        let mut json = seeds[round % seeds.len()].clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..json.len());
            match random.u8(..6) {
                0 => json[at] ^= 1 << random.u8(..8),
                1 => json.truncate(at.max(1)),
                2 => json[at] = *random.choice(b"{}[]\",:\\ 0n").unwrap(),
                3 => json.insert(at, *random.choice(b"{}[]\",:\\ 0n").unwrap()),
                4 => drop(json.remove(at)),
                _ => {
                    let other = &seeds[random.usize(..seeds.len())];
                    let (from, to) = (random.usize(..other.len()), random.usize(..other.len()));
                    let piece = other[from.min(to)..from.max(to)].to_vec();
                    json.splice(at..at, piece);
                }
            }
            if json.is_empty() {
                json.push(b'{');
            }
        }
        read_all(&json);
    }
}

/// A random document with few names, so that paths often match.
fn document(random: &mut fastrand::Rng, depth: usize) -> Value {
    match random.u8(..if depth == 0 { 4 } else { 14 }) {
        0 => Value::Null,
        1 => json!(random.i32(..)),
        2 => json!(random.choice(["", "a\"b", "\\", "}", "],", "ü\n"]).unwrap()),
        3 => json!(random.bool()),
        4..=8 => (0..random.usize(..4)).map(|_| document(random, depth - 1)).collect(),
        _ => object(random, depth),
    }
}

fn object(random: &mut fastrand::Rng, depth: usize) -> Value {
    let names = ["a", "b", "c", "managedFields", "a.b/c", "x\"y"];
    let members = (0..random.usize(..9))
        .map(|_| ((*random.choice(names).unwrap()).to_owned(), document(random, depth.saturating_sub(1))));
    Value::Object(members.collect::<Vec<_>>().into_iter().collect())
}

/// The same as the paths of the test, done to the decoded document.
fn remove(value: &mut Value, path: &[&str]) {
    match (value, path) {
        (Value::Array(list), ["*"]) => list.clear(),
        (Value::Array(list), ["*", rest @ ..]) => list.iter_mut().for_each(|item| remove(item, rest)),
        (Value::Object(members), [name]) if *name != "*" => drop(members.remove(*name)),
        (Value::Object(members), [name, rest @ ..]) if *name != "*" => {
            if let Some(member) = members.get_mut(*name) {
                remove(member, rest);
            }
        }
        _ => {}
    }
}

#[test]
fn cutting_is_removing() {
    let cases: [(&str, &[&str]); 8] = [
        ("a", &["a"]),
        ("a.b", &["a", "b"]),
        ("b[*].a", &["b", "*", "a"]),
        ("b[*][*]", &["b", "*", "*"]),
        ("c.a.b", &["c", "a", "b"]),
        ("c[\"a.b/c\"]", &["c", "a.b/c"]),
        ("a[\"x\\\"y\"]", &["a", "x\"y"]),
        ("managedFields[*]", &["managedFields", "*"]),
    ];
    let mut random = fastrand::Rng::with_seed(3);
    let mut cuts = 0;
    for round in 0..5_000 {
        let original = object(&mut random, 4);
        let json = if round % 2 == 0 {
            original.to_string()
        } else {
            serde_json::to_string_pretty(&original).unwrap()
        };
        let chosen: Vec<_> = (0..random.usize(1..4)).map(|_| cases[random.usize(..cases.len())]).collect();
        let paths: Vec<FieldPath> = chosen.iter().map(|(path, _)| path.parse().unwrap()).collect();
        let mut parts = Vec::new();
        find(json.as_bytes(), paths.iter().map(FieldPath::steps), &mut parts);
        cuts += parts.len();
        let kept = without(json.as_bytes(), &mut parts);
        let mut expected = original;
        chosen.iter().for_each(|(_, steps)| remove(&mut expected, steps));
        let found: Value =
            serde_json::from_slice(&kept).unwrap_or_else(|error| panic!("{error} after {paths:?} in {json}"));
        assert_eq!(found, expected, "{paths:?} in {json}");
    }
    assert!(cuts > 1_000, "only {cuts} parts were cut: the documents do not fit the paths");
}

#[test]
fn managed_fields_are_cut_wherever_they_stand() {
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..2_000 {
        let mut metadata = Map::new();
        metadata.insert("name".into(), "x".into());
        if random.bool() {
            metadata.insert("a".into(), document(&mut random, 3));
        }
        if random.bool() {
            metadata.insert("z".into(), document(&mut random, 3));
        }
        metadata.insert("managedFields".into(), document(&mut random, 3));
        let mut value = json!({ "metadata": metadata, "spec": document(&mut random, 3) });
        let json =
            if round % 2 == 0 { value.to_string() } else { serde_json::to_string_pretty(&value).unwrap() };
        let mut parts = scan(json.as_bytes()).unwrap().managed_fields;
        let kept = without(json.as_bytes(), &mut parts);
        value["metadata"].as_object_mut().unwrap().remove("managedFields");
        assert_eq!(serde_json::from_slice::<Value>(&kept).unwrap(), value, "{json}");
    }
}
