//! Reviews of access on both servers: the real one allows everything too.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare};

const DIFFERENCES: Differences =
    &[("metadata: Invalid value: ", "the metadata in the message has managedFields in the real server")];

const AUTHORIZATION: &str = "POST /apis/authorization.k8s.io/v1";

fn cases() -> Vec<Case> {
    let pods = json!({ "namespace": "{ns}", "verb": "get", "resource": "pods" });
    let other = json!({ "namespace": "other", "verb": "get", "resource": "pods" });
    let path = json!({ "path": "/x", "verb": "get" });
    let specs = [
        json!({ "resourceAttributes": pods }),
        json!({ "nonResourceAttributes": path }),
        json!({}),
        json!({ "resourceAttributes": pods, "nonResourceAttributes": path }),
        json!({ "user": "a", "resourceAttributes": pods }),
        json!({ "groups": ["a"], "resourceAttributes": pods }),
        json!({ "user": "a", "nonResourceAttributes": path }),
        json!({ "user": "a" }),
        json!({ "user": "", "groups": [], "resourceAttributes": pods }),
        json!({ "user": "a", "resourceAttributes": other }),
        json!({ "user": "a", "resourceAttributes": { "verb": "get", "resource": "pods" } }),
    ];
    let of_self = ["user", "groups"];
    let mut cases = Vec::new();
    for spec in specs {
        let review = json!({ "spec": spec });
        // The fields of others are unknown in a review of oneself.
        if of_self.iter().all(|name| spec.get(*name).is_none()) {
            cases.push(case(
                "self",
                [(&*format!("{AUTHORIZATION}/selfsubjectaccessreviews"), review.clone())],
            ));
        }
        cases.push(case("subject", [(&*format!("{AUTHORIZATION}/subjectaccessreviews"), review.clone())]));
        let local = format!("{AUTHORIZATION}/namespaces/{{ns}}/localsubjectaccessreviews");
        cases.push(case("local", [(&*local, review)]));
    }
    let review = |metadata: Value| json!({ "metadata": metadata, "spec": { "resourceAttributes": pods } });
    let local = |metadata: Value| json!({ "metadata": metadata, "spec": { "user": "a", "resourceAttributes": pods } });
    cases.push(
        case(
            "metadata",
            [
                (&*format!("{AUTHORIZATION}/selfsubjectaccessreviews"), review(json!({ "name": "x" }))),
                (&*format!("{AUTHORIZATION}/selfsubjectaccessreviews?dryRun=All"), review(json!({}))),
                (
                    &*format!("{AUTHORIZATION}/namespaces/{{ns}}/localsubjectaccessreviews"),
                    local(json!({ "namespace": "{ns}" })),
                ),
                (
                    &*format!("{AUTHORIZATION}/namespaces/{{ns}}/localsubjectaccessreviews"),
                    local(json!({ "namespace": "other" })),
                ),
                (
                    &*format!("{AUTHORIZATION}/namespaces/{{ns}}/localsubjectaccessreviews"),
                    local(json!({ "name": "x" })),
                ),
                (&*format!("{AUTHORIZATION}/selfsubjectaccessreviews"), Value::Null),
                (
                    &*format!("{AUTHORIZATION}/selfsubjectaccessreviews"),
                    json!({ "apiVersion": "v1", "kind": "Pod" }),
                ),
            ],
        )
        .refused(),
    );
    cases.push(case(
        "rules",
        [
            (
                &*format!("{AUTHORIZATION}/selfsubjectrulesreviews"),
                json!({ "spec": { "namespace": "{ns}" } }),
            ),
            (&*format!("{AUTHORIZATION}/selfsubjectrulesreviews"), json!({ "spec": {} })),
            (
                &*format!("{AUTHORIZATION}/selfsubjectrulesreviews"),
                json!({ "spec": { "namespace": "nowhere" } }),
            ),
        ],
    ));
    cases
}

#[tokio::test]
async fn reviews_are_answered_as_by_the_real_server() -> Result<()> {
    let Some(servers) = Servers::start("reviews_are_answered_as_by_the_real_server").await? else {
        return Ok(());
    };
    compare(&servers, cases(), DIFFERENCES).await?;
    // Who asks is another user on each server; the shape is the same.
    let mut shapes = Vec::new();
    for client in [&servers.real, &servers.embedded] {
        let path = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";
        let mut review = crate::support::ask(client, path).await?;
        assert!(review.body["status"]["userInfo"]["username"].is_string(), "{review:?}");
        assert!(review.body["status"]["userInfo"]["groups"].is_array(), "{review:?}");
        review.body["status"]["userInfo"] = Value::Null;
        assert!(review.body["metadata"]["creationTimestamp"].take().is_string());
        shapes.push((review.status, review.body));
    }
    assert_eq!(shapes[1], shapes[0]);
    servers.stop().await
}
