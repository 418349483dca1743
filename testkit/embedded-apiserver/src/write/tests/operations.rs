//! JSON patches: where they differ from RFC 6902, and what is refused.

use serde_json::{Value, json};

use crate::testing::{CONFIGMAPS, Server};

const JSON_PATCH: &str = "application/json-patch+json";

/// Applies a patch to a ConfigMap of its own. The ConfigMap afterwards, or the code of the refusal.
async fn patched(patch: &str) -> Result<Value, u16> {
    let server = Server::new();
    let metadata = json!({ "name": "x", "finalizers": ["example.com/a", "example.com/b"] });
    server
        .post(CONFIGMAPS, &json!({ "metadata": metadata, "data": { "a": "1", "html": "<" } }))
        .await
        .of(201);
    let path = format!("{CONFIGMAPS}/x");
    let answer = server.send("PATCH", &path, JSON_PATCH, patch).await;
    let stored = server.get(&path).await.of(200);
    match answer.status {
        200 => {
            assert_eq!(answer.json(), stored);
            Ok(stored)
        }
        code => Err(code),
    }
}

async fn finalizers(patch: &str) -> Result<Vec<String>, u16> {
    let list = patched(patch).await?["metadata"]["finalizers"].take();
    let short =
        |item: &Value| item.as_str().unwrap_or_default().trim_start_matches("example.com/").to_owned();
    Ok(list.as_array().into_iter().flatten().map(short).collect())
}

#[tokio::test(start_paused = true)]
async fn missing_and_null_are_the_same_but_a_parent_has_to_be_there() {
    for patch in [
        r#"[{"op":"test","path":"/metadata/labels","value":null}]"#,
        r#"[{"op":"test","path":"/metadata/labels"}]"#,
        r#"[{"op":"replace","path":"/metadata/labels","value":{"a":"b"}}]"#,
        r#"[{"op":"copy","from":"/data/nope","path":"/data/b"}]"#,
        "null",
        "[]",
    ] {
        assert!(patched(patch).await.is_ok(), "{patch}");
    }
    for patch in [
        r#"[{"op":"test","path":"/metadata/labels","value":{}}]"#,
        r#"[{"op":"test","path":"/metadata/labels/a","value":null}]"#,
        r#"[{"op":"replace","path":"/metadata/labels/a","value":"b"}]"#,
        r#"[{"op":"add","path":"/metadata/labels/a","value":"b"}]"#,
        r#"[{"op":"test","path":"/data/a","value":null}]"#,
        r#"[{"op":"remove","path":"/data/nope"}]"#,
        r#"[{"op":"move","from":"/data/nope","path":"/data/b"}]"#,
        r#"[{"op":"add","path":"","value":{}}]"#,
        r#"[{"op":"foo","path":"/data/a"}]"#,
        r"[{}]",
        r"[null]",
    ] {
        assert_eq!(patched(patch).await, Err(422), "{patch}");
    }
}

#[tokio::test(start_paused = true)]
async fn indices_count_from_either_end() {
    let add =
        |at: &str| format!(r#"[{{"op":"add","path":"/metadata/finalizers/{at}","value":"example.com/c"}}]"#);
    for (at, expected) in [
        ("-", "a b c"),
        ("2", "a b c"),
        ("-1", "a b c"),
        ("0", "c a b"),
        ("-3", "c a b"),
        ("1", "a c b"),
        ("+1", "a c b"),
        ("01", "a c b"),
    ] {
        assert_eq!(finalizers(&add(at)).await.unwrap().join(" "), expected, "{at}");
    }
    for at in ["3", "-4", "x", "", "99999999999999999999"] {
        assert_eq!(finalizers(&add(at)).await, Err(422), "{at}");
    }
    let remove = |at: &str| format!(r#"[{{"op":"remove","path":"/metadata/finalizers/{at}"}}]"#);
    assert_eq!(finalizers(&remove("-1")).await.unwrap(), ["a"]);
    assert_eq!(finalizers(&remove("0")).await.unwrap(), ["b"]);
    for at in ["2", "-3", "-"] {
        assert_eq!(finalizers(&remove(at)).await, Err(422), "{at}");
    }
    let moved = r#"[{"op":"move","from":"/metadata/finalizers/0","path":"/metadata/finalizers/-"}]"#;
    assert_eq!(finalizers(moved).await.unwrap(), ["b", "a"]);
}

#[tokio::test(start_paused = true)]
async fn a_test_compares_what_is_written() {
    for (path, value, passes) in [
        ("/data/a", r#""1""#, true),
        ("/data/a", r#""\u0031""#, false),
        ("/data/a", "1", false),
        ("/data/html", r#""<""#, false),
        ("/data/html", r#""\u003c""#, true),
        ("/data", r#"{ "html" : "\u003c", "a" : "1" }"#, true),
        ("/data", r#"{"a":"1"}"#, false),
        ("/data", "[]", false),
        ("/metadata/finalizers", r#"["example.com/a","example.com/b"]"#, true),
        ("/metadata/finalizers", r#"["example.com/b","example.com/a"]"#, false),
    ] {
        let patch = format!(r#"[{{"op":"test","path":"{path}","value":{value}}}]"#);
        let expected = if passes { None } else { Some(422) };
        assert_eq!(patched(&patch).await.err(), expected, "{patch}");
    }
}

#[tokio::test(start_paused = true)]
async fn documents_that_are_no_patches() {
    let server = Server::new();
    server.configmap("x").await;
    let send = async |patch: &str| server.send("PATCH", &format!("{CONFIGMAPS}/x"), JSON_PATCH, patch).await;
    for (patch, why) in [
        ("{}", "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        ("[3]", "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
        (r#"[{"op":1}]"#, "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"),
        ("[", "unexpected end of JSON input"),
    ] {
        let message = send(patch).await.refused(400, "BadRequest");
        assert_eq!(message, format!("error decoding patch: {why}"), "{patch}");
    }
    let many = Value::from(vec![json!({ "op": "test", "path": "/nope", "value": null }); 10_001]);
    let message = send(&many.to_string()).await.refused(413, "RequestEntityTooLarge");
    assert!(
        message.ends_with("The allowed maximum operations in a JSON patch is 10000, got 10001"),
        "{message}"
    );
    let fewer = Value::from(many.as_array().unwrap()[1..].to_vec());
    send(&fewer.to_string()).await.of(200);
}
