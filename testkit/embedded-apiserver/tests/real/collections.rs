//! Deletes of collections, and of definitions with their objects, on both servers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::support::Servers;
use crate::support::compare::{Case, Differences, case, compare, serve_widgets};

const DIFFERENCES: Differences = &[];

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for collection in ["maps", "widgets"] {
        let object = |name: &str, label: &str, held: bool| {
            let mut object = match collection {
                "maps" => json!({}),
                _ => json!({ "apiVersion": "compare.example.com/v1", "kind": "Widget" }),
            };
            object["metadata"] = json!({ "name": name, "labels": { "a": label } });
            if held {
                object["metadata"]["finalizers"] = json!(["example.com/a"]);
            }
            object
        };
        let (post, get) = (format!("POST {collection}"), format!("GET {collection}"));
        for (request, body) in [
            ("", Value::Null),
            ("?labelSelector=a=1", Value::Null),
            ("?labelSelector=a!=1", Value::Null),
            ("?labelSelector=a=nope", Value::Null),
            ("?labelSelector=a b", Value::Null),
            ("?fieldSelector=metadata.name=x", Value::Null),
            ("?fieldSelector=spec.nope=x", Value::Null),
            ("?limit=1", Value::Null),
            ("?limit=2&labelSelector=a=1", Value::Null),
            ("?dryRun=All", Value::Null),
            ("?dryRun=All&labelSelector=a=1", Value::Null),
            ("?dryRun=x", Value::Null),
            ("?propagationPolicy=Nope", Value::Null),
            ("?gracePeriodSeconds=0", Value::Null),
            ("?gracePeriodSeconds=x", Value::Null),
            ("", json!({})),
            ("", json!({ "dryRun": ["All"] })),
            ("", json!({ "preconditions": { "uid": "other" } })),
            ("", json!({ "preconditions": { "resourceVersion": "1" } })),
            ("", json!({ "propagationPolicy": "Background" })),
            ("", json!("{")),
        ] {
            cases.push(case(
                format!("DELETE {collection}{request} {body}"),
                [
                    (&post, object("x", "1", false)),
                    (&post, object("y", "2", false)),
                    (&post, object("z", "1", true)),
                    (&format!("DELETE {collection}{}", request.replace(' ', "%20")), body),
                    (&get, Value::Null),
                    (&format!("DELETE {collection}"), Value::Null),
                    (&get, Value::Null),
                    (&format!("MERGE {collection}/z"), json!({ "metadata": { "finalizers": null } })),
                    (&get, Value::Null),
                ],
            ));
        }
    }
    cases
}

#[tokio::test]
async fn collections_are_deleted_as_on_the_real_server() -> Result<()> {
    let Some(servers) = Servers::start("collections_are_deleted_as_on_the_real_server").await? else {
        return Ok(());
    };
    serve_widgets(&servers).await?;
    compare(&servers, cases(), DIFFERENCES).await?;
    servers.stop().await
}
