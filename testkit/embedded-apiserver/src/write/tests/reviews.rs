//! Reviews of access: everything is allowed, and what is missing says so.

use serde_json::{Value, json};

use crate::testing::Server;

const AUTHORIZATION: &str = "/apis/authorization.k8s.io/v1";

#[tokio::test(start_paused = true)]
async fn everything_is_allowed() {
    let server = Server::new();
    let pods = json!({ "namespace": "default", "verb": "get", "resource": "pods" });
    for (path, spec) in [
        ("selfsubjectaccessreviews", json!({ "resourceAttributes": pods })),
        ("selfsubjectaccessreviews", json!({ "nonResourceAttributes": { "path": "/x", "verb": "get" } })),
        ("subjectaccessreviews", json!({ "user": "a", "resourceAttributes": pods })),
        (
            "namespaces/default/localsubjectaccessreviews",
            json!({ "groups": ["a"], "resourceAttributes": pods }),
        ),
    ] {
        let review = server.post(&format!("{AUTHORIZATION}/{path}"), &json!({ "spec": spec })).await.of(201);
        assert_eq!((&review["status"], &review["spec"]), (&json!({ "allowed": true }), &spec), "{path}");
    }
    for (path, spec, field) in [
        ("selfsubjectaccessreviews", json!({}), "spec.resourceAttributes"),
        ("subjectaccessreviews", json!({ "resourceAttributes": pods }), "spec.user"),
        (
            "namespaces/other/localsubjectaccessreviews",
            json!({ "user": "a", "resourceAttributes": pods }),
            "spec.resourceAttributes.namespace",
        ),
    ] {
        let refused = server.post(&format!("{AUTHORIZATION}/{path}"), &json!({ "spec": spec })).await.of(422);
        assert_eq!(refused["details"]["causes"][0]["field"], field, "{path}");
    }
    let path = format!("{AUTHORIZATION}/selfsubjectrulesreviews");
    let rules = server.post(&path, &json!({ "spec": { "namespace": "default" } })).await.of(201);
    let all = json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }]);
    assert_eq!(rules["status"]["resourceRules"], all);
    let review = server.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({})).await.of(201);
    assert_eq!(review["status"]["userInfo"]["username"], "system:anonymous");
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_is_not_implemented() {
    let server = Server::new();
    let pod = json!({ "metadata": { "name": "p" }, "spec": { "containers": [] } });
    server.post("/api/v1/namespaces/default/pods", &pod).await.of(201);
    let account = json!({ "metadata": { "name": "a" } });
    server.post("/api/v1/namespaces/default/serviceaccounts", &account).await.of(201);
    for (method, path) in [
        ("POST", "/apis/authentication.k8s.io/v1/tokenreviews"),
        ("POST", "/api/v1/namespaces/default/bindings"),
        ("POST", "/api/v1/namespaces/default/serviceaccounts/a/token"),
        ("GET", "/api/v1/namespaces/default/pods/p/log"),
        ("POST", "/api/v1/namespaces/default/pods/p/exec"),
        ("POST", "/api/v1/namespaces/default/pods/p/attach"),
        ("POST", "/api/v1/namespaces/default/pods/p/portforward"),
        ("GET", "/api/v1/namespaces/default/pods/p/proxy"),
        ("PUT", "/api/v1/namespaces/default/pods/p/ephemeralcontainers"),
        ("PUT", "/api/v1/namespaces/default/pods/p/resize"),
    ] {
        let answer = server.send(method, path, "application/json", "{}").await;
        assert_eq!(answer.status, 501, "{method} {path}: {}", answer.text);
        assert_eq!(answer.json()["reason"], Value::from("NotImplemented"));
    }
}
