//! JSON patches and merge patches on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, serve_widgets};

const DIFFERENCES: Differences = &[];

/// Each is applied to an object of its own.
const PATCHES: &[&str] = &[
    // Missing and null are the same.
    r#"[{"op":"test","path":"/metadata/missing","value":null}]"#,
    r#"[{"op":"test","path":"/metadata/missing"}]"#,
    r#"[{"op":"test","path":"/metadata/labels","value":null}]"#,
    r#"[{"op":"test","path":"/metadata/missing/deep","value":null}]"#,
    r#"[{"op":"test","path":"/metadata/missing","value":"x"}]"#,
    r#"[{"op":"test","path":"/data/a"}]"#,
    r#"[{"op":"test","path":"/data/a","value":null}]"#,
    r#"[{"op":"replace","path":"/metadata/labels","value":{"a":"b"}}]"#,
    r#"[{"op":"replace","path":"/data/new","value":"x"}]"#,
    r#"[{"op":"replace","path":"/metadata/labels/a","value":"x"}]"#,
    r#"[{"op":"add","path":"/metadata/labels/a","value":"x"}]"#,
    r#"[{"op":"add","path":"/data/a/b","value":"x"}]"#,
    r#"[{"op":"add","path":"/data/new"}]"#,
    r#"[{"op":"remove","path":"/data/nope"}]"#,
    r#"[{"op":"remove","path":"/nope/nope"}]"#,
    r#"[{"op":"remove","path":"/data/a"}]"#,
    r#"[{"op":"remove","path":"/data"}]"#,
    // What kube-rs' finalizer() sends.
    r#"[{"op":"test","path":"/metadata/labels","value":null},{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]"#,
    r#"[{"op":"test","path":"/metadata/finalizers/0","value":"example.com/a"},{"op":"remove","path":"/metadata/finalizers/0","value":"example.com/a"}]"#,
    // What is compared, and how.
    r#"[{"op":"test","path":"/data/a","value":"1"}]"#,
    r#"[{"op":"test","path":"/data/a","value":1}]"#,
    r#"[{"op":"test","path":"/data/a","value":"\u0031"}]"#,
    r#"[{"op":"test","path":"/data/html","value":"<&>"}]"#,
    r#"[{"op":"test","path":"/data/html","value":"\u003c\u0026\u003e"}]"#,
    r#"[{"op":"test","path":"/data","value":{"html":"\u003c\u0026\u003e", "a" : "1", "x~/y":"2"}}]"#,
    r#"[{"op":"test","path":"/data","value":{"a":"1"}}]"#,
    r#"[{"op":"test","path":"/data","value":[]}]"#,
    r#"[{"op":"test","path":"/metadata/finalizers","value":["example.com/a","example.com/b"]}]"#,
    r#"[{"op":"test","path":"/metadata/finalizers","value":["example.com/b","example.com/a"]}]"#,
    r#"[{"op":"test","path":"/metadata/finalizers","value":{}}]"#,
    r#"[{"op":"test","path":"","value":{}}]"#,
    // Places in lists.
    r#"[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/0","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/2","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/3","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/-1","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/-3","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/-4","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/+1","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/01","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/x","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/","value":"example.com/c"}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/99999999999999999999","value":"example.com/c"}]"#,
    r#"[{"op":"replace","path":"/metadata/finalizers/-1","value":"example.com/c"}]"#,
    r#"[{"op":"replace","path":"/metadata/finalizers/2","value":"example.com/c"}]"#,
    r#"[{"op":"replace","path":"/metadata/finalizers/-","value":"example.com/c"}]"#,
    r#"[{"op":"replace","path":"/metadata/finalizers/-3","value":"example.com/c"}]"#,
    r#"[{"op":"remove","path":"/metadata/finalizers/-1"}]"#,
    r#"[{"op":"remove","path":"/metadata/finalizers/-3"}]"#,
    r#"[{"op":"remove","path":"/metadata/finalizers/2"}]"#,
    r#"[{"op":"remove","path":"/metadata/finalizers/-"}]"#,
    r#"[{"op":"test","path":"/metadata/finalizers/-1","value":"example.com/b"}]"#,
    r#"[{"op":"test","path":"/metadata/finalizers/5","value":null}]"#,
    // Moves and copies.
    r#"[{"op":"move","from":"/data/a","path":"/data/b"}]"#,
    r#"[{"op":"move","from":"/data/nope","path":"/data/b"}]"#,
    r#"[{"op":"move","from":"/data/a","path":"/nope/b"}]"#,
    r#"[{"op":"move","from":"/data","path":"/data/b"}]"#,
    r#"[{"op":"move","path":"/data/b"}]"#,
    r#"[{"op":"move","from":"/metadata/finalizers/0","path":"/metadata/finalizers/-"}]"#,
    r#"[{"op":"move","from":"/metadata/finalizers/0","path":"/metadata/finalizers/1"}]"#,
    r#"[{"op":"copy","from":"/data/a","path":"/data/b"}]"#,
    r#"[{"op":"copy","from":"/data/nope","path":"/data/b"}]"#,
    r#"[{"op":"copy","from":"/nope/nope","path":"/data/b"}]"#,
    r#"[{"op":"copy","path":"/data/b"}]"#,
    r#"[{"op":"copy","from":"/data/a"}]"#,
    r#"[{"op":"copy","from":"/metadata/finalizers/7","path":"/data/b"}]"#,
    // Escapes and paths of other forms.
    r#"[{"op":"test","path":"/data/x~0~1y","value":"2"}]"#,
    r#"[{"op":"remove","path":"/data/x~0~1y"}]"#,
    r#"[{"op":"remove","path":"/data/x~/y"}]"#,
    r#"[{"op":"add","path":"x/data/a","value":"3"}]"#,
    r#"[{"op":"add","path":"data","value":{"a":"3"}}]"#,
    r#"[{"op":"add","path":"","value":{"a":"3"}}]"#,
    r#"[{"op":"remove","path":""}]"#,
    r#"[{"op":"replace","path":"","value":3}]"#,
    r#"[{"op":"replace","path":"","value":[]}]"#,
    r#"[{"op":"replace","path":"","value":{}}]"#,
    // All or nothing.
    r#"[{"op":"add","path":"/data/new","value":"x"},{"op":"test","path":"/data/new","value":"y"}]"#,
    r#"[{"op":"add","path":"/data/new","value":"x"},{"op":"test","path":"/data/new","value":"x"},{"op":"remove","path":"/data/new"}]"#,
    // Documents that are no patches.
    "null",
    "[]",
    "[null]",
    "{}",
    "[3]",
    "[[]]",
    "3",
    r#""x""#,
    "[",
    "",
    "x",
    r#"[{"op":"test"}"#,
    r#"[{}]"#,
    r#"[{"op":1}]"#,
    r#"[{"op":"add"}]"#,
    r#"[{"op":"add","path":1}]"#,
    r#"[{"op":"add","path":null}]"#,
    r#"[{"op":"move","from":{},"path":"/data/b"}]"#,
    r#"[{"op":"foo","path":"/data"}]"#,
    r#"[{"op":"ADD","path":"/data/b","value":"x"}]"#,
    // Objects that cannot be.
    r#"[{"op":"add","path":"/metadata/finalizers","value":3}]"#,
    r#"[{"op":"add","path":"/metadata/finalizers/0","value":3}]"#,
    r#"[{"op":"add","path":"/metadata/labels","value":{"a":3}}]"#,
    r#"[{"op":"add","path":"/metadata/labels","value":[]}]"#,
    r#"[{"op":"add","path":"/metadata/labels","value":{"a":null}}]"#,
    r#"[{"op":"add","path":"/metadata/name","value":"y"}]"#,
    r#"[{"op":"add","path":"/metadata/name","value":3}]"#,
    r#"[{"op":"remove","path":"/metadata/name"}]"#,
    r#"[{"op":"add","path":"/metadata/namespace","value":"other"}]"#,
    r#"[{"op":"remove","path":"/metadata/namespace"}]"#,
    r#"[{"op":"remove","path":"/metadata"}]"#,
    r#"[{"op":"replace","path":"/metadata","value":3}]"#,
    r#"[{"op":"add","path":"/kind","value":"Pod"}]"#,
    r#"[{"op":"add","path":"/apiVersion","value":"v2"}]"#,
    r#"[{"op":"remove","path":"/kind"}]"#,
];

/// Merge patches, each applied to an object of its own.
const MERGES: &[&str] = &[
    "null",
    "[]",
    "3",
    r#""x""#,
    "{",
    "",
    "{}",
    r#"{"data":null}"#,
    r#"{"data":{"a":null,"nope":null,"b":"3"}}"#,
    r#"{"metadata":{"finalizers":null}}"#,
    r#"{"metadata":{"finalizers":["example.com/c"]}}"#,
    r#"{"metadata":{"labels":{"a":null,"b":"c"}}}"#,
    r#"{"metadata":{"name":"y"}}"#,
    r#"{"metadata":{"name":null}}"#,
    r#"{"metadata":{"namespace":"other"}}"#,
    r#"{"metadata":null}"#,
    r#"{"metadata":[]}"#,
    r#"{"kind":"Pod"}"#,
    r#"{"apiVersion":"v2"}"#,
    r#"{"metadata":{"labels":{"a":3}}}"#,
];

fn cases() -> Vec<Case> {
    let metadata = json!({ "name": "x", "finalizers": ["example.com/a", "example.com/b"] });
    let data = json!({ "a": "1", "html": "<&>" });
    let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data });
    let mut widget = map.clone();
    (widget["apiVersion"], widget["kind"]) = (json!("compare.example.com/v1"), json!("Widget"));
    // A key that no ConfigMap may have.
    widget["data"]["x~/y"] = json!("2");
    let mut cases = Vec::new();
    for (collection, object) in [("maps", map), ("widgets", widget)] {
        let post = format!("POST {collection}");
        let kinds = [("JSON", PATCHES), ("MERGE", MERGES)];
        for (kind, patches) in kinds {
            for patch in patches {
                let request = format!("{kind} {collection}/x");
                let get = format!("GET {collection}/x");
                let steps = [(&*post, object.clone()), (&*request, json!(patch)), (&*get, Value::Null)];
                cases.push(case(format!("{kind} {patch}"), steps));
            }
        }
        let many =
            |count: usize| Value::from(vec![json!({ "op": "test", "path": "/data/a", "value": "1" }); count]);
        for count in [10_000, 10_001] {
            let request = format!("JSON {collection}/x");
            cases.push(case("many operations", [(&*post, object.clone()), (&*request, many(count))]));
        }
        let request = format!("JSON {collection}/nope");
        cases.push(case("of what is missing", [(&*request, json!([]))]).refused());
    }
    // Of a ConfigMap without apiVersion the real server finds all fields unknown.
    let widget =
        json!({ "apiVersion": "compare.example.com/v1", "kind": "Widget", "metadata": { "name": "x" } });
    cases.push(case(
        "a custom resource without kind and version",
        [
            ("POST widgets", widget),
            ("JSON widgets/x", json!([{ "op": "remove", "path": "/apiVersion" }])),
            ("MERGE widgets/x", json!({ "kind": null, "apiVersion": null })),
            ("MERGE widgets/x", json!({ "kind": "Pod", "apiVersion": "v1" })),
        ],
    ));
    cases
}

#[tokio::test]
async fn patches_do_what_they_do_on_the_real_server() -> Result<()> {
    let Some(servers) = Servers::start("patches_do_what_they_do_on_the_real_server").await? else {
        return Ok(());
    };
    serve_widgets(&servers).await?;
    compare(&servers, cases(), DIFFERENCES).await?;
    servers.stop().await
}
