use serde_json::{Value, json};

use super::*;

/// What becomes of a document, as text.
fn redacted(document: &str, sensitive: bool) -> String {
    let about = About { sensitive, is_write: false };
    let bytes = redact(document.as_bytes(), about).expect("it is JSON");
    serde_json::from_slice::<Value>(&bytes).expect("it is still JSON");
    String::from_utf8(bytes).expect("text")
}

fn value(document: &Value, sensitive: bool) -> Value {
    serde_json::from_str(&redacted(&document.to_string(), sensitive)).expect("JSON")
}

#[test]
fn what_is_not_secret_stays_byte_for_byte() {
    let document =
        "{ \"kind\":\"Pod\" ,\"z\":1.50e3,\"a\":[ ],\"text\":\"\\u00e9\\n\\\"\", \"z\":null, \"é\":true}\n";
    assert_eq!(redacted(document, false), document);
}

#[test]
fn the_data_of_secrets_is_replaced_wherever_they_stand() {
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": true,
        "metadata": { "name": "a", "uid": "u", "resourceVersion": "5", "labels": { "app": "web" },
            "annotations": { "note": "hush" }, "managedFields": [{ "fieldsV1": { "v:\"hush\"": {} } }] },
        "data": { "password": "aHVzaA==", "empty": "" }, "stringData": { "user": "hush" }, "other": [7, true, "hush"] });
    let expected = json!({ "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": true,
        "metadata": { "name": "a", "uid": "u", "resourceVersion": "5", "labels": { "app": "web" },
            "annotations": { "note": "xxxx" }, "managedFields": [] },
        "data": { "password": "eHh4eHh4", "empty": "" }, "stringData": { "user": "xxxx" }, "other": [0, false, "xxxx"] });
    assert_eq!(value(&secret, false), expected);
    assert_eq!(value(&json!({ "type": "ADDED", "object": secret }), false)["object"], expected);
    assert_eq!(value(&json!({ "kind": "List", "items": [secret] }), false)["items"][0], expected);
    let rows = json!({ "kind": "Table", "rows": [{ "cells": ["a", 2], "object": secret }] });
    assert_eq!(value(&rows, false)["rows"][0]["object"], expected);
    // Items of a list do not say what they are.
    let mut bare = secret.clone();
    bare.as_object_mut().expect("an object").remove("kind");
    let list =
        value(&json!({ "kind": "SecretList", "metadata": { "continue": "next" }, "items": [bare] }), false);
    assert_eq!(list["items"][0]["data"], expected["data"]);
    assert_eq!(list["metadata"]["continue"], "next");
    assert_eq!(value(&bare, true)["data"], expected["data"]);
}

#[test]
fn the_end_of_a_streamed_list_of_secrets_is_kept() {
    let bookmark = json!({ "type": "BOOKMARK", "object": { "kind": "Secret", "apiVersion": "v1",
        "metadata": { "resourceVersion": "9", "annotations": { "k8s.io/initial-events-end": "true" } } } });
    assert_eq!(value(&bookmark, true), bookmark);
}

#[test]
fn everything_of_a_sensitive_kind_is_replaced_but_what_says_which_object_it_is() {
    let object = json!({ "kind": "Vault", "apiVersion": "example.com/v1", "metadata": { "name": "a", "namespace": "b" },
        "spec": { "keys": [{ "id": 1, "value": "hush" }] } });
    let shown = value(&object, true);
    assert_eq!(shown["metadata"], object["metadata"]);
    assert_eq!(shown["spec"], json!({ "keys": [{ "id": 0, "value": "xxxx" }] }));
    let table = json!({ "kind": "Table", "columnDefinitions": [{ "name": "Name" }], "rows": [{ "cells": ["hush"] }] });
    let shown = value(&table, true);
    assert_eq!(
        (&shown["columnDefinitions"], &shown["rows"][0]["cells"]),
        (&table["columnDefinitions"], &json!(["xxxx"]))
    );
}

#[test]
fn refusals_of_reads_are_told_and_other_errors_about_sensitive_kinds_only_named() {
    let status = |code: u16| {
        json!({ "kind": "Status", "status": "Failure", "reason": "R", "message": "quotes", "code": code,
            "metadata": {}, "details": { "retryAfterSeconds": 5 } })
    };
    assert_eq!(value(&status(403), true), status(403));
    let shown = value(&status(500), true);
    assert_eq!((&shown["code"], &shown["reason"]), (&json!(500), &json!("R")));
    assert_eq!(shown["message"], "xxxxxxxx");
    assert_eq!(value(&status(500), false), status(500));
}

/// What becomes of the answer to a write.
fn of_write(document: &Value, sensitive: bool) -> Value {
    let bytes = redact(document.to_string().as_bytes(), About { sensitive, is_write: true });
    serde_json::from_slice(&bytes.expect("it is JSON")).expect("it is still JSON")
}

/// The answer of kube-apiserver to a patch that makes no object: it quotes what it made, whole.
fn invalid_patch(group: &str, plural: &str, object: &Value) -> Value {
    let quoted = format!("Invalid value: {:?}: illegal base64 data at input byte 3", object.to_string());
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Invalid", "code": 422,
        "message": format!("{plural} \"a\" is invalid: patch: {quoted}"),
        "details": { "name": "a", "group": group, "kind": plural, "retryAfterSeconds": 0,
            "causes": [{ "reason": "FieldValueInvalid", "message": quoted, "field": "patch" }] } })
}

#[test]
fn what_a_server_quotes_when_it_refuses_a_write_is_replaced() {
    let secret =
        json!({ "kind": "Secret", "metadata": { "name": "a" }, "data": { "a": "hush!", "b": "aHVzaA==" } });
    let env = json!([{ "name": "DB_PASSWORD", "value": "hush" }]);
    let applied = json!({ "kubectl.kubernetes.io/last-applied-configuration": env.to_string() });
    let deployment = json!({ "kind": "Deployment", "metadata": { "name": "a", "annotations": applied },
        "spec": { "template": { "spec": { "containers": [{ "env": env }] } } } });
    for (status, sensitive) in [
        (invalid_patch("", "secrets", &secret), true),
        (invalid_patch("apps", "deployments", &deployment), false),
        (invalid_patch("example.com", "vaults", &json!("hush")), false),
    ] {
        let shown = of_write(&status, sensitive);
        let text = shown.to_string();
        assert!(!text.contains("hush") && !text.contains("aHVza"), "{text}");
        // Which fields are wrong and in which way stays, and about how much was said of it.
        let mut expected = status.clone();
        for place in ["/message", "/details/causes/0/message"] {
            let said = expected.pointer_mut(place).expect("it is there");
            *said = mask::letters(said.as_str().expect("a text").len()).into();
        }
        assert_eq!(shown, expected);
    }
}

#[test]
fn texts_that_quote_nothing_stay_where_the_kind_is_not_sensitive() {
    for code in [400_u16, 401, 404, 409, 418, 422, 429, 500, 503] {
        let status = json!({ "kind": "Status", "code": code, "reason": "R", "message": "said so",
            "details": { "causes": [{ "reason": "S", "field": "spec", "message": "said so" }] } });
        let replaced = json!({ "kind": "Status", "code": code, "reason": "R", "message": "xxxxxxxx",
            "details": { "causes": [{ "reason": "S", "field": "spec", "message": "xxxxxxxx" }] } });
        let quotes = matches!(code, 400 | 418 | 422 | 500);
        assert!(!of_write(&status, true).to_string().contains("said so"), "{code}");
        assert_eq!(of_write(&status, false), if quotes { replaced } else { status });
    }
    let without_code = json!({ "kind": "Status", "message": "said so" });
    assert_eq!(of_write(&without_code, false)["message"], "xxxxxxxx");
}

const FORBIDDEN: &str =
    r#"pods "a" is forbidden: User "b" cannot create resource "pods" in API group "" in the namespace "c""#;

#[test]
fn of_a_403_stays_what_an_authorizer_says() {
    let status = |code: u16, reason: &str, message: &str| {
        json!({ "kind": "Status", "code": code, "reason": reason, "message": message,
            "details": { "name": "a", "causes": [{ "reason": "FieldValueForbidden", "field": "spec", "message": "hush" }] } })
    };
    let shown = of_write(&status(403, "Forbidden", FORBIDDEN), false);
    assert_eq!((&shown["message"], &shown["reason"]), (&json!(FORBIDDEN), &json!("Forbidden")));
    assert_eq!(shown["details"]["causes"][0]["message"], "xxxx", "causes are of admission");
    assert!(of_write(&status(403, "Forbidden", FORBIDDEN), true).to_string().contains("xxxx"));
    let webhook = r#"admission webhook "a.example.com" denied the request: {"password":"hush"}"#;
    let policy =
        "pods \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: hush";
    let security = r#"pods "a" is forbidden: violates PodSecurity "restricted:latest": hush"#;
    let both = format!("{FORBIDDEN}: {webhook}");
    for (code, message) in [
        (403, webhook),
        (403, policy),
        (403, security),
        (403, &both),
        (403, "hush"),
        (401, policy),
        (404, webhook),
        (409, webhook),
        (413, policy),
        (503, webhook),
    ] {
        for sensitive in [false, true] {
            let shown = of_write(&status(code, "no: hush", message), sensitive);
            assert!(!shown.to_string().contains("hush"), "{code} {message}: {shown}");
            assert_eq!(shown["code"], code);
            // Of sensitive kinds that is told of refusals alone.
            let is_told = !sensitive || code < 500;
            assert_eq!(shown["details"]["causes"][0]["field"] == "spec", is_told, "{shown}");
        }
    }
    // A message that is no text is of no authorizer.
    let odd = json!({ "kind": "Status", "code": 403, "message": { "a": "hush" } });
    assert!(!of_write(&odd, false).to_string().contains("hush"));
    // To a read nobody has sent an object.
    assert_eq!(value(&status(403, "R", policy), false), status(403, "R", policy));
}

#[test]
fn who_set_which_fields_is_left_out_for_the_values_among_their_names() {
    let set = json!([{ "manager": "kubectl", "fieldsV1": { "f:args": { ".": {}, "v:\"hunter2\"": {} },
        "f:env": { "k:{\"name\":\"hunter2\"}": {} } } }]);
    let pod =
        |set: &Value| json!({ "kind": "Pod", "metadata": { "name": "a", "managedFields": set }, "spec": {} });
    assert_eq!(value(&pod(&set), false), pod(&json!([])));
    let list = |set: &Value| json!({ "kind": "PodList", "items": [pod(set)] });
    assert_eq!(value(&list(&set), false), list(&json!([])));
    // A field of the same name that is something else.
    let other = json!({ "kind": "Table", "managedFields": { "type": "array" } });
    assert_eq!(value(&other, false), other);
}

#[test]
fn what_names_an_object_has_no_token_in_it() {
    let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    for document in [
        json!({ "a": [{ "name": jwt }] }),
        json!({ "metadata": { "selfLink": format!("/a?{jwt}") } }),
        json!({ "name": "sent Bearer 0123456789abcdef" }),
        json!({ "name": "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----" }),
        json!({ "ref": { "kind": "Secret", "name": jwt } }),
    ] {
        let shown = value(&document, false).to_string();
        let found = [jwt, "0123456789abcdef", "abc"].into_iter().find(|secret| shown.contains(secret));
        assert_eq!(found, None, "{shown}");
    }
}

#[test]
fn credentials_are_found_however_short_and_whatever_follows_them() {
    for (text, expected) in [
        ("Authorization: Basic YTpi", "Authorization: Basic xxxx"),
        ("Basic dXNlcjpwdw==, and more", "Basic xxxxxxxxxxxxxxxx, and more"),
        ("Bearer 12|token", "Bearer xxxxxxxx"),
        (
            "-H 'Authorization: Bearer 12|abcdefghijklmnopqrst'",
            "-H 'Authorization: Bearer xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
        ),
        ("join with abcdef.0123456789abcdef.", "join with xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx."),
        ("https://a/abcdef.0123456789abcdef/b", "https://a/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/b"),
    ] {
        let shown = without_credentials(text);
        assert_eq!(shown.as_deref(), Some(expected));
        let again = without_credentials(expected);
        assert_eq!(again.as_deref().unwrap_or(expected), expected, "nothing is taken out twice");
    }
    for text in [
        "basic things",
        "Basic: none",
        "Bearer realm=\"https://a1\"",
        "the bearer of news",
        "my-broker.17a2b3c4d5e6f708",
        "a.abcdef.0123456789abcdef0.b",
    ] {
        assert_eq!(without_credentials(text), None, "{text}");
    }
}

#[test]
fn tokens_are_replaced_by_name_and_by_form() {
    let jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    for (document, secret) in [
        (json!({ "kind": "TokenRequest", "status": { "token": "hush" } }), "hush"),
        (json!({ "users": [{ "user": { "client-key-data": "hush", "id-token": "hush" } }] }), "hush"),
        (json!({ "tokens": ["hush", "hush"] }), "hush"),
        (json!({ "values": { "rootPassword": 12_345_678 } }), "12345678"),
        (json!({ "passwords": [[12_345_678]] }), "12345678"),
        (json!({ "env": [{ "name": "PIN_SECRET", "value": 12_345_678 }] }), "12345678"),
        (json!({ "env": [{ "name": "DB_PASSWORD", "value": "hush" }] }), "hush"),
        (json!({ "env": [{ "value": "hush", "name": "DB_PASSWORD" }] }), "hush"),
        (json!({ "httpHeaders": [{ "name": "Authorization", "value": "hush" }] }), "hush"),
        (
            json!({ "metadata": { "annotations": { "kubectl.kubernetes.io/last-applied-configuration": "hush" } } }),
            "hush",
        ),
        (json!({ "data": { "config": format!("users:\n- token: {jwt}\n") } }), jwt),
        (json!({ "args": ["join", "--token=abcdef.0123456789abcdef"] }), "0123456789abcdef"),
        (json!({ "message": "sent Bearer abcdefghijklmnop1234" }), "abcdefghijklmnop1234"),
        (json!({ "pem": "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----" }), "hush"),
    ] {
        let shown = value(&document, false).to_string();
        assert!(document.to_string().contains(secret) && !shown.contains(secret), "{shown}");
    }
}

#[test]
fn names_that_only_look_like_secrets_are_kept() {
    for document in [
        json!({ "metadata": { "name": "broker.17a2b3c4d5e6f708", "namespace": "abcdef.0123456789abcdef" } }),
        json!({ "automountServiceAccountToken": true, "serviceAccountToken": { "path": "token" } }),
        json!({ "volumes": [{ "secret": { "secretName": "a", "defaultMode": 420 } }] }),
        json!({ "env": [{ "name": "DB_PASSWORD", "valueFrom": { "secretKeyRef": { "name": "db", "key": "pw" } } }] }),
        json!({ "image": "registry.example.com/team/app:1.2", "text": "basic things" }),
        json!({ "metadata": { "continue": "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ.abcd.efgh" } }),
    ] {
        assert_eq!(value(&document, false), document);
    }
}

#[test]
fn references_to_secrets_say_which_one_is_meant() {
    let owner = json!({ "apiVersion": "v1", "kind": "Secret", "name": "a", "uid": "u", "controller": true,
        "blockOwnerDeletion": true });
    let involved = json!({ "kind": "Secret", "namespace": "b", "name": "a", "uid": "u", "apiVersion": "v1",
        "resourceVersion": "5", "fieldPath": "data" });
    for document in [
        json!({ "kind": "ConfigMap", "metadata": { "name": "c", "ownerReferences": [owner] } }),
        json!({ "kind": "Event", "involvedObject": involved }),
        json!({ "kind": "Gateway", "spec": { "tls": { "certificateRefs": [{ "kind": "Secret", "group": "", "name": "a" }] } } }),
        json!({ "kind": "HelmRelease", "spec": { "valuesFrom": [{ "kind": "Secret", "name": "a" }] } }),
    ] {
        assert_eq!(value(&document, false), document);
    }
    // Whatever else there is may be what is secret.
    let odd =
        json!({ "kind": "Secret", "name": "a", "value": "hush", "uid": { "a": "hush" }, "optional": true });
    let expected =
        json!({ "kind": "Secret", "name": "a", "value": "xxxx", "uid": { "a": "xxxx" }, "optional": false });
    assert_eq!(value(&json!({ "a": odd }), false)["a"], expected);
    for contents in ["metadata", "data", "stringData"] {
        let secret = json!({ "kind": "Secret", contents: {}, "fieldPath": "hush" });
        assert_eq!(value(&secret, false)["fieldPath"], "xxxx", "{contents}");
    }
    // A kind that was called sensitive may keep its contents anywhere.
    assert_eq!(value(&json!({ "kind": "Secret", "uid": "hush" }), true)["uid"], "xxxx");
}

#[test]
fn about_as_many_bytes_stand_in_the_place_of_a_secret() {
    for (length, class) in
        [(0, 0), (1, 1), (3, 4), (4, 4), (5, 8), (1000, 1024), (65_536, 65_536), (1_000_000, 65_536)]
    {
        let shown = value(&json!({ "token": "s".repeat(length) }), false);
        assert_eq!(shown["token"].as_str().map(str::len), Some(class), "{length}");
    }
    // Data stays base64.
    for (length, class) in [(0, 0), (4, 4), (12, 16), (1000, 1024), (1_000_000, 65_536)] {
        let shown = value(&json!({ "kind": "Secret", "data": { "a": "s".repeat(length) } }), false);
        assert_eq!(shown["data"]["a"].as_str().map(str::len), Some(class), "{length}");
    }
}

#[test]
fn what_is_not_json_is_not_looked_through() {
    for document in [&b"hush"[..], b"{\"a\":1", b"{\"a\":1}}", b"{\"a\":\"\xff\"}", b""] {
        assert_eq!(redact(document, About::default()), None, "{document:?}");
    }
    let deep = "[".repeat(5_000) + &"]".repeat(5_000);
    assert_eq!(redact(deep.as_bytes(), About::default()), None);
}

#[test]
fn a_name_that_is_given_twice_hides_no_secret() {
    let twice = r#"{"kind":"ConfigMap","kind":"Secret","data":{"a":"hush"},"data":{"a":"hush"}}"#;
    assert!(!redacted(twice, false).contains("hush"));
    let escaped = r#"{"k\u0069nd":"Secr\u0065t","d\u0061ta":{"a":"hush"}}"#;
    assert!(!redacted(escaped, false).contains("hush"));
}

#[test]
fn credentials_are_found_among_letters_of_any_script() {
    let text = "schlüssel→Bearer 0123456789abcdef鍵 и abcdef.0123456789abcdef™";
    let expected = "schlüssel→Bearer xxxxxxxxxxxxxxxx鍵 и xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx™";
    assert_eq!(without_credentials(text).as_deref(), Some(expected));
    assert_eq!(without_credentials("schlüssel→Bearer 鍵™"), None);
}
