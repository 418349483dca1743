//! Sends the same requests to the real server and to the embedded one: valid and invalid paths, methods and options.

use anyhow::Result;
use kube_client::Client;
use serde_json::json;

use crate::support::{DEFINITIONS, Servers, ask, ask_with, eventually};

/// Requests with the same answer from both servers: status, type and body.
const REQUESTS: &[&str] = &[
    // Paths that are not served.
    "GET /nowhere",
    "GET /API/v1/pods",
    "GET /openapi",
    "GET /apis/no.such.group",
    "GET /apis/no.such.group/v1",
    "GET /apis/no.such.group/v1/foos",
    "GET /api/v2",
    "GET /api/v2/pods",
    "GET /apis/apps/v9",
    "GET /apis/apps/v9/deployments",
    "GET /api/v1/foos",
    "GET /api/v1/Pods",
    "GET /apis/apps/v1/foos",
    "GET /apis/apps/v1/namespaces/default",
    "GET /apis/apps/v1/namespaces/default/pods",
    "GET /api/v1/pods/x",
    "GET /api/v1/bindings",
    "GET /api/v1/namespaces/default/nodes",
    "GET /api/v1/namespaces/default/nodes/x",
    "GET /api/v1/namespaces/default/foos/x",
    "GET /api/v1/namespaces/default/pods/x/foo",
    "GET /api/v1/namespaces/default/pods/x/status/y",
    "GET /healthz/nope",
    // Custom resources.
    "GET /apis/example.com",
    "GET /apis/example.com/v2",
    "GET /apis/example.com/v2/widgets",
    "GET /apis/example.com/v0",
    "GET /apis/example.com/v1/foos",
    "GET /apis/example.com/v1/widgets",
    "GET /apis/example.com/v1/widgets/x",
    "GET /apis/example.com/v1/namespaces/default/widgets/",
    "GET /apis/example.com/v1/namespaces/default/widgets/x",
    "GET /apis/example.com/v1/namespaces/default/widgets/x/status",
    "GET /apis/example.com/v1/namespaces/default/widgets/x/foo",
    "GET /apis/example.com/v1/namespaces/default/widgets/%2e%2e",
    "GET /apis/example.com/v1/namespaces/default/widgets?fieldSelector=spec.foo=x",
    "GET /apis/example.com/v1/namespaces/default/widgets?fieldSelector=spec.color=x",
    "GET /apis/example.com/v1/namespaces/default/widgets?limit=x",
    "POST /apis/example.com/v1/widgets",
    "DELETE /apis/example.com/v1/widgets",
    "PUT /apis/example.com/v1/namespaces/default/widgets",
    "DELETE /apis/example.com/v1/namespaces/default/widgets/x/status",
    "FOO /apis/example.com/v1/namespaces/default/widgets/x",
    // Paths with `..`, empty segments and escapes.
    "GET //api/v1/pods",
    "GET /api//v1/pods",
    "GET /api/v1//pods",
    "GET /api/v1/namespaces/default/pods/../configmaps",
    "GET /api/v1/namespaces/default/pods/%2e%2e",
    "GET /api/v1/namespaces/default/pods/%2e%2e/configmaps",
    "GET /api/v1/namespaces/default/pods/.",
    "GET /api/v1/namespaces/default/pods/a%2fb",
    "GET /api/v1/namespaces/default/pods/a%25b",
    "GET /api/v1/namespaces/default/pods/a%20b",
    "GET /api/v1/namespaces/a%2fb/pods",
    "GET /api/v1/namespaces/..%2f/pods",
    "GET /api/v1/namespaces/%2e%2e",
    "DELETE /api/v1/namespaces/default/pods/..%2f..",
    // Methods.
    "POST /api/v1/namespaces/default/pods/x",
    "PUT /api/v1/namespaces/default/pods",
    "PATCH /api/v1/namespaces/default/pods",
    "POST /api/v1/pods",
    "DELETE /api/v1/pods",
    "DELETE /api/v1/namespaces",
    "OPTIONS /api/v1/namespaces/default/pods",
    "FOO /api/v1/namespaces/default/pods",
    "GET /api/v1/namespaces/default/bindings",
    "GET /api/v1/namespaces/default/finalize",
    "DELETE /api/v1/namespaces/default/pods/x/status",
    "POST /api/v1",
    "POST /version",
    "POST /healthz",
    "GET /livez",
    "GET /readyz?exclude=foo",
    "GET /healthz/ping",
    // Watches by the deprecated path.
    "GET /api/v1/watch/foos",
    "GET /api/v1/watch/bindings",
    "GET /api/v1/watch/componentstatuses",
    "GET /api/v1/watch/namespaces/default/status",
    "GET /api/v1/watch/namespaces/default/pods/x/status",
    "POST /api/v1/watch/pods",
    "GET /api/v1/watch/namespaces/default/configmaps?timeoutSeconds=1",
    "GET /api/v1/watch/namespaces/default/configmaps/x?timeoutSeconds=1&watch=0",
    "GET /api/v1/componentstatuses?watch=1",
    // Lists and their options.
    "GET /api/v1/pods/",
    "GET /api/v1/namespaces/default/pods/",
    "GET /api/v1/namespaces/default/configmaps?foo=bar&watch=0",
    "GET /api/v1/namespaces/default/configmaps?limit=x",
    "GET /api/v1/namespaces/default/configmaps?limit=",
    "GET /api/v1/namespaces/default/configmaps?limit=-1",
    "GET /api/v1/namespaces/default/configmaps?limit=+1",
    "GET /api/v1/namespaces/default/configmaps?limit=%2B1",
    "GET /api/v1/namespaces/default/configmaps?limit=1_000",
    "GET /api/v1/namespaces/default/configmaps?limit=1;watch=1",
    "GET /api/v1/namespaces/default/configmaps?limit=99999999999999999999",
    "GET /api/v1/namespaces/default/configmaps?timeoutSeconds=1.5",
    "GET /api/v1/namespaces/default/configmaps?timeout=x",
    "GET /api/v1/namespaces/default/configmaps?timeout=5",
    "GET /api/v1/namespaces/default/configmaps?timeout=5x",
    "GET /api/v1/namespaces/default/configmaps?timeout=1m5s",
    "GET /api/v1/namespaces/default/configmaps?labelSelector=%zz",
    "GET /api/v1/namespaces/default/configmaps?resourceVersion=abc",
    "GET /api/v1/namespaces/default/configmaps?resourceVersion=-1",
    "GET /api/v1/namespaces/default/configmaps?resourceVersion=18446744073709551616",
    "GET /api/v1/namespaces/default/configmaps?watch=1&resourceVersion=abc",
    "GET /api/v1/namespaces/default/configmaps/x?resourceVersion=abc",
    "GET /api/v1/namespaces/default/configmaps?resourceVersionMatch=Foo",
    "GET /api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&sendInitialEvents=1&continue=x",
    "GET /api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&resourceVersion=0",
    "GET /api/v1/namespaces/default/configmaps?resourceVersionMatch=NotOlderThan&resourceVersion=0&continue=x",
    "GET /api/v1/namespaces/default/configmaps?watch=1&resourceVersionMatch=NotOlderThan",
    "GET /api/v1/namespaces/default/configmaps?watch=1&sendInitialEvents=true",
    "GET /api/v1/namespaces/default/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact",
    "GET /api/v1/namespaces/default/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=Foo&continue=x",
    "GET /api/v1/namespaces/default/configmaps?watch=1&resourceVersionMatch=Exact&resourceVersion=5",
    "DELETE /api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact",
    "DELETE /api/v1/namespaces/default/configmaps?limit=x",
    // Field selectors.
    "GET /api/v1/pods?fieldSelector=spec.foo=x",
    "GET /api/v1/pods?fieldSelector=spec.host=x,status.podIPs=y,spec.hostNetwork=true",
    "GET /api/v1/configmaps?fieldSelector=spec.foo=x",
    "GET /api/v1/nodes?fieldSelector=metadata.namespace=x",
    "GET /api/v1/nodes?fieldSelector=spec.unschedulable=true",
    "GET /api/v1/events?fieldSelector=foo=x",
    "GET /api/v1/events?fieldSelector=source=x,involvedObject.kind=y",
    "GET /apis/events.k8s.io/v1/events?fieldSelector=regarding.kind=x,reportingController=y",
    "GET /apis/events.k8s.io/v1/events?fieldSelector=involvedObject.kind=x",
    "GET /apis/apps/v1/deployments?fieldSelector=spec.foo=x",
    "GET /apis/apps/v1/deployments?fieldSelector=metadata.namespace=x",
    "GET /apis/batch/v1/jobs?fieldSelector=spec.foo=x",
    "GET /apis/batch/v1/jobs?fieldSelector=status.successful=1",
    "GET /apis/batch/v1/cronjobs?fieldSelector=spec.foo=x",
    "GET /apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.foo=x",
    "GET /apis/certificates.k8s.io/v1/certificatesigningrequests?fieldSelector=spec.signerName=x",
    "GET /apis/certificates.k8s.io/v1/certificatesigningrequests?fieldSelector=spec.foo=x",
    "GET /apis/storage.k8s.io/v1/storageclasses?fieldSelector=metadata.namespace=x",
    // Discovery.
    "GET /apis/apps",
    "GET /apis/apps/",
];

/// Requests with different answers, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("GET /api/v1/namespaces//pods", "an empty namespace is no namespace, rather than all of them"),
    (
        "GET /api/v1/namespaces/%2e%2e/pods",
        "a bad namespace is a bad request, rather than an error of the storage",
    ),
    ("GET /api/v1/watch", "leads nowhere, rather than to an error of the router"),
    (
        "HEAD /apis/example.com/v1/namespaces/default/widgets",
        "HEAD is not served for custom resources either",
    ),
    ("GET /apis/batch/v1", "`storageVersionHash` is of no use to anybody but the real server"),
    ("POST /apis", "only GET"),
];

/// Creates a custom resource with a version that is not served.
async fn serve_widgets(client: &Client) -> Result<()> {
    let version = |name: &str, served: bool, storage: bool| {
        let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let color = json!({ "type": "object", "properties": { "color": { "type": "string" } } });
        json!({
            "name": name, "served": served, "storage": storage, "subresources": { "status": {} },
            "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": color, "status": open } } },
            "selectableFields": [{ "jsonPath": ".spec.color" }],
        })
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [version("v1beta1", true, false), version("v1", true, true), version("v0", false, false)],
        },
    });
    let made = ask_with(client, &format!("POST {DEFINITIONS}"), &definition).await?;
    assert_eq!(made.status, 201, "{made:?}");
    let is_served = async || {
        let objects = ask(client, "GET /apis/example.com/v1/namespaces/default/widgets").await?;
        let group = ask(client, "GET /apis/example.com").await?;
        Ok(objects.status == 200 && group.status == 200)
    };
    eventually(is_served).await
}

#[tokio::test]
async fn odd_requests_are_answered_as_the_real_server_answers_them() -> Result<()> {
    let Some(servers) = Servers::start("odd_requests_are_answered_as_the_real_server_answers_them").await?
    else {
        return Ok(());
    };
    let Servers { real, embedded, .. } = &servers;
    serve_widgets(real).await?;
    serve_widgets(embedded).await?;

    let mut problems = Vec::new();
    for request in REQUESTS {
        let (expected, found) = (ask(real, request).await?, ask(embedded, request).await?);
        if expected != found {
            problems.push(format!("{request}\n  real     {expected:?}\n  embedded {found:?}"));
        }
    }
    for (request, why) in DIFFERENCES {
        if ask(real, request).await? == ask(embedded, request).await? {
            problems.push(format!("{request} is no longer answered otherwise ({why})"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    servers.stop().await
}
