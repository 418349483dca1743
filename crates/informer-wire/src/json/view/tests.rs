use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::*;
use crate::testing::benchmark_pod;

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Slim {
    metadata: Metadata,
    spec: Option<Spec>,
    status: Option<Status>,
    #[serde(alias = "weight")]
    size: Option<i64>,
    any: Option<Json>,
    wrapped: Wrapped,
    pair: Option<(u8, String)>,
    choice: Option<Choice>,
    unit: (),
    letter: Option<char>,
    ratio: Option<f64>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    node_name: Option<String>,
    #[serde(default)]
    containers: Vec<Container>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Container {
    name: String,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Status {
    phase: String,
    #[serde(flatten)]
    rest: HashMap<String, Json>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
struct Wrapped(Option<Box<Slim>>);

#[derive(Debug, PartialEq, Deserialize)]
enum Choice {
    One,
    Two { of: u8 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    a: u8,
}

/// The same as serde_json, error for error.
fn same<V: DeserializeOwned + PartialEq + std::fmt::Debug>(json: &[u8]) -> bool {
    let (ours, theirs) = (view::<V>(json), serde_json::from_slice::<V>(json));
    let text = |error: Error| error.to_string();
    assert_eq!(ours.map_err(text), theirs.map_err(text), "{}", String::from_utf8_lossy(json));
    serde_json::from_slice::<V>(json).is_ok()
}

#[test]
fn reads_what_serde_json_reads() {
    let pod = benchmark_pod(4);
    assert!(same::<Slim>(&pod) && same::<Json>(&pod));
    let slim: Slim = view(&pod).unwrap();
    assert!(!slim.metadata.name.is_empty() && !slim.spec.unwrap().containers.is_empty());
    assert!(slim.status.unwrap().rest.contains_key("conditions"));
    let odd = json!({
        "metadata": { "name": "a\"\u{fc}\n", "labels": { "x": "y" } }, "spec": null, "status": { "phase": "x", "more": [1] },
        "weight": -7, "any": { "b": [true] }, "wrapped": { "size": 3 }, "pair": [1, "x"], "choice": { "Two": { "of": 2 } },
        "unit": null, "letter": "ß", "ratio": 1e3, "ignored": { "deep": [{}, "}", "\\"] },
    });
    assert!(same::<Slim>(odd.to_string().as_bytes()));
    assert!(same::<Slim>(serde_json::to_string_pretty(&odd).unwrap().as_bytes()));
    assert!(same::<Slim>(br#"{"choice":"One","m\u0065tadata":{"n\u0061me":"x"}}"#));
    assert!(
        same::<Slim>(b" {} ")
            && same::<Option<Slim>>(b"null")
            && same::<Vec<u8>>(b"[1,2]")
            && same::<String>(br#""a""#)
    );
    assert!(same::<Strict>(br#"{"a":1}"#));
}

#[test]
fn raw_values_are_given_as_they_are() {
    #[derive(Deserialize)]
    struct Raw {
        spec: Box<serde_json::value::RawValue>,
    }
    let json = br#"{"x":1,"spec":{"a" : [1]}}"#;
    let mut value = ValueReader { json, at: 0, depth: 0 };
    assert_eq!(Raw::deserialize(&mut value).unwrap().spec.get(), r#"{"a" : [1]}"#);
}

#[test]
fn fails_as_serde_json_fails() {
    for json in [
        r#"{"a":1,"b":2}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a":300}"#,
        r#"{"a":"x"}"#,
        r#"{}"#,
        r#"[]"#,
        r#"[1]"#,
        r#"{"a":1} x"#,
        r#"{"a":1"#,
        r#"{"a":1,}"#,
        "",
        "null",
    ] {
        // A struct may be written as a list.
        assert_eq!(same::<Strict>(json.as_bytes()), json == "[1]", "{json}");
    }
    for json in [
        r#"{"metadata":{"name":7}}"#,
        r#"{"spec":{"containers":[{}]}}"#,
        r#"{"x":tru}"#,
        r#"{"x":[1}"#,
        r#"{"letter":"ab"}"#,
        r#"{"choice":"Three"}"#,
        "{\"metadata\":{\"name\":\"\\ud800\"}}",
        "{\"x\":\"\u{1}\"}",
    ] {
        assert!(!same::<Slim>(json.as_bytes()), "{json}");
    }
}

/// Random damage: both agree on every document that is JSON, on its value or its error. What is no JSON does not come to the
/// cache. There only damage within a value that is not asked for may go unnoticed.
#[test]
fn agrees_with_serde_json_on_damaged_documents() {
    let seed = br#"{"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"nodeName":"n","containers":[{"name":"c","x":[1]}]},"size":5,"z":{"a":[{},"\\"]}}"#;
    let not_asked_for = seed.len() - br#"{"a":[{},"\\"]}}"#.len();
    let mut random = fastrand::Rng::with_seed(5);
    let mut good = 0;
    for _ in 0..20_000 {
        let mut json = seed.to_vec();
        let at = random.usize(..json.len());
        match random.u8(..4) {
            0 => json[at] = *random.choice(b"{}[]\",:\\ 0n-e.\n").unwrap(),
            1 => json.insert(at, *random.choice(b"{}[]\",:\\ 0n-e.\n").unwrap()),
            2 => drop(json.remove(at)),
            _ => json.truncate(at),
        }
        let is_noticed = serde_json::from_slice::<Json>(&json).is_ok() || view::<Slim>(&json).is_err();
        if is_noticed {
            good += usize::from(same::<Slim>(&json));
        } else {
            assert!(at >= not_asked_for, "{}", String::from_utf8_lossy(&json));
        }
    }
    assert!((1_000..19_000).contains(&good), "{good}");
}

#[test]
fn a_document_as_deep_as_it_likes_does_not_fill_the_stack() {
    let deep = |n: usize| format!("{}{{}}{}", r#"{"wrapped":"#.repeat(n), "}".repeat(n));
    for n in [125, 126, 127, 128, 129, 200_000] {
        assert_eq!(same::<Slim>(deep(n).as_bytes()), n < 127, "{n}");
    }
}
