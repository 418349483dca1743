//! Creates, updates and patches: which fields are kept, which writes are refused, and with which messages.

mod apply;
mod delete;
mod hostile;
mod metadata;
mod operations;
mod reviews;

use serde_json::{Value, json};

use crate::testing::{CONFIGMAPS, MERGE, PODS, Server, names, rv};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const NAMESPACES: &str = "/api/v1/namespaces";

#[tokio::test(start_paused = true)]
async fn the_server_sets_what_is_its_own() {
    let server = Server::new();
    let object = json!({
        "kind": "ConfigMap", "apiVersion": "v1", "data": { "a": "b", "none": null },
        "metadata": {
            "name": "a", "uid": "mine", "creationTimestamp": null, "deletionTimestamp": "2020-01-01T00:00:00Z",
            "managedFields": [{ "manager": "me" }], "selfLink": "/there", "labels": {}, "finalizers": [],
        },
    });
    let created = server.post(CONFIGMAPS, &object).await.of(201);
    let mut keys: Vec<&String> = created["metadata"].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["creationTimestamp", "managedFields", "name", "namespace", "resourceVersion", "uid"]);
    assert_eq!(created["metadata"]["uid"].as_str().unwrap().len(), 36);
    assert_eq!(created["data"], json!({ "a": "b", "none": "" }), "null is the empty text");
    assert_eq!(server.get(&format!("{CONFIGMAPS}/a")).await.of(200), created);
    let other = Server::new().post(CONFIGMAPS, &object).await.of(201);
    assert_eq!(other["metadata"]["uid"], created["metadata"]["uid"], "of the same seed");
}

#[tokio::test(start_paused = true)]
async fn bodies_that_are_no_such_object() {
    let server = Server::new();
    let unrecognized = "the object provided is unrecognized (must be of type ConfigMap): ";
    let no_kind = "couldn't get version/kind; json parse error: ";
    let form = r#"struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#;
    for (body, why) in [
        (
            "garbage",
            &*format!(
                "{unrecognized}{no_kind}invalid character 'g' looking for beginning of value (67617262616765)"
            ),
        ),
        ("{\"a\":1", &format!("{unrecognized}{no_kind}unexpected end of JSON input ({{\"a\":1)")),
        ("", &format!("{unrecognized}{no_kind}unexpected end of JSON input (<empty>)")),
        (
            "[]",
            &format!(
                "{unrecognized}{no_kind}json: cannot unmarshal array into Go value of type {form} (5b5d)"
            ),
        ),
        (
            r#"{"kind":"Pod"}"#,
            "Pod in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown \
             conversion",
        ),
        (
            r#"{"kind":"ConfigMap","apiVersion":"v2"}"#,
            "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind \"ConfigMap\" is registered for \
             version \"v2\" in scheme \"pkg/runtime/scheme.go:111\"",
        ),
        (
            r#"{"metadata":{"labels":{"x":1}}}"#,
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct \
             field ObjectMeta.metadata.labels of type string",
        ),
        (
            r#"{"metadata":{"name":"a","namespace":"other"}}"#,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
    ] {
        let answer = server.send("POST", CONFIGMAPS, "application/json", body).await;
        assert_eq!(answer.refused(400, "BadRequest"), why, "{body}");
    }
    for media_type in ["application/vnd.kubernetes.protobuf", "application/yaml", "text/plain"] {
        let answer = server.send("POST", CONFIGMAPS, media_type, "{}").await;
        answer.refused(415, "UnsupportedMediaType");
    }
    let large = format!("{{\"data\":{{\"a\":\"{}\"}}}}", "x".repeat(3 << 20));
    let answer = server.send("POST", CONFIGMAPS, "application/json", &large).await;
    assert_eq!(answer.refused(413, "RequestEntityTooLarge"), "Request entity too large: limit is 3145728");
    assert!(names(&server.get(CONFIGMAPS).await.of(200)).is_empty(), "nothing was written");
}

#[tokio::test(start_paused = true)]
async fn names_and_labels_that_are_not_allowed() {
    let server = Server::new();
    let subdomain = "a lowercase RFC 1123 subdomain must consist of";
    for (path, name, why) in [
        (CONFIGMAPS, "A_b", subdomain),
        (CONFIGMAPS, "../x", subdomain),
        (CONFIGMAPS, "a/b", subdomain),
        (CONFIGMAPS, "a..b", subdomain),
        (CONFIGMAPS, "-a", subdomain),
        (NAMESPACES, "a.b", "must not contain dots"),
        ("/apis/rbac.authorization.k8s.io/v1/clusterroles", "a:b/c", "may not contain '/'"),
    ] {
        let answer = server.post(path, &json!({ "metadata": { "name": name } })).await;
        let message = answer.refused(422, "Invalid");
        let expected = format!("{name:?} is invalid: metadata.name: Invalid value: {name:?}: {why}");
        assert!(message.contains(&expected), "{message}");
        assert_eq!(answer.json()["details"]["causes"][0]["field"], "metadata.name");
    }
    let role = json!({ "metadata": { "name": "system:a:b" } });
    server.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role).await.of(201);
    let object = json!({ "metadata": { "name": "a", "labels": { "x y": "a b" } } });
    let answer = server.post(CONFIGMAPS, &object).await;
    let message = answer.refused(422, "Invalid");
    assert!(
        message.starts_with("ConfigMap \"a\" is invalid: [metadata.labels: Invalid value: \"x y\""),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_changes_nothing() {
    let server = Server::new();
    server.configmap("a").await;
    let before = server.api().version();
    let tried = server
        .post(&format!("{CONFIGMAPS}?dryRun=All"), &json!({ "metadata": { "name": "b" } }))
        .await
        .of(201);
    assert_eq!((tried["metadata"].get("resourceVersion"), &tried["metadata"]["name"]), (None, &json!("b")));
    let path = format!("{CONFIGMAPS}/a?dryRun=All");
    assert_eq!(server.merge(&path, &json!({ "data": { "x": "y" } })).await.of(200)["data"]["x"], "y");
    assert_eq!(server.delete(&path).await.of(200)["status"], "Success");
    let exists =
        server.post(&format!("{CONFIGMAPS}?dryRun=All"), &json!({ "metadata": { "name": "a" } })).await;
    exists.refused(409, "AlreadyExists");
    // Only what is stored must not have a version yet.
    let versioned = json!({ "metadata": { "name": "b", "resourceVersion": "7", "selfLink": "/x" } });
    let tried = server.post(&format!("{CONFIGMAPS}?dryRun=All"), &versioned).await.of(201);
    assert_eq!(
        (&tried["metadata"]["resourceVersion"], tried["metadata"].get("selfLink")),
        (&json!("7"), None)
    );
    server.post(CONFIGMAPS, &versioned).await.refused(500, "");
    assert_eq!((server.api().version(), names(&server.get(CONFIGMAPS).await.of(200)).len()), (before, 1));
    let answer = server.delete(&format!("{CONFIGMAPS}/a?dryRun=Foo")).await;
    let why = "dryRun: Unsupported value: [\"Foo\"]: supported values: \"All\"";
    assert_eq!(answer.refused(422, "Invalid"), format!("DeleteOptions.meta.k8s.io \"\" is invalid: {why}"));
}

#[tokio::test(start_paused = true)]
async fn updates_are_refused_that_are_of_another_object() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/a");
    let created = server.configmap("a").await;
    let uid = created["metadata"]["uid"].as_str().unwrap();
    for (metadata, code, reason, why) in [
        (
            json!({ "name": "b" }),
            400,
            "BadRequest",
            "the name of the object (b) does not match the name on the URL (a)",
        ),
        (
            json!({}),
            400,
            "BadRequest",
            "the name of the object (a based on URL) was undeterminable: name must be provided",
        ),
        (
            json!({ "name": "a", "resourceVersion": "x" }),
            500,
            "",
            "strconv.ParseUint: parsing \"x\": invalid syntax",
        ),
        (
            json!({ "name": "a", "uid": "other" }),
            409,
            "Conflict",
            &format!(
                "Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid object, Code: 4, Key: \
                 /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
                 precondition: other, UID in object meta: {uid}"
            ),
        ),
    ] {
        let answer = server.put(&path, &json!({ "metadata": metadata })).await;
        assert_eq!(answer.refused(code, reason), why);
    }
    let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    let object = json!({ "metadata": { "name": "l", "resourceVersion": "5" }, "spec": {} });
    server.put(lease, &object).await.of(201);
    server.put(lease, &object).await.refused(409, "Conflict");
}

#[tokio::test(start_paused = true)]
async fn patches_that_cannot_be_applied() {
    let server = Server::new();
    let path = format!("{CONFIGMAPS}/a");
    server.configmap("a").await;
    let json_patch = "application/json-patch+json";
    let rejected = "the server rejected our request due to an error in our request";
    for (media_type, patch, code, reason, why) in [
        (
            MERGE,
            "x",
            400,
            "BadRequest",
            "error decoding patch: invalid character 'x' looking for beginning of value",
        ),
        (
            MERGE,
            "[]",
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (
            json_patch,
            "{}",
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (json_patch, r#"[{"op":"test","path":"/data/a","value":"q"}]"#, 422, "Invalid", rejected),
        (json_patch, r#"[{"op":"foo","path":"/data"}]"#, 422, "Invalid", rejected),
        (json_patch, r#"[{"op":"replace","path":"","value":7}]"#, 422, "Invalid", rejected),
        ("application/json", "{}", 415, "UnsupportedMediaType", "415: Unsupported Media Type"),
        (
            MERGE,
            r#"{"metadata":{"name":"b"}}"#,
            400,
            "BadRequest",
            "the name of the object (b) does not match the name on the URL (a)",
        ),
    ] {
        let answer = server.send("PATCH", &path, media_type, patch).await;
        assert_eq!(answer.refused(code, reason), why, "{patch}");
    }
    let answer = server.send("PATCH", &path, "application/apply-patch+yaml", "{}").await;
    assert!(answer.refused(422, "Invalid").contains("is required for apply patch"));
    server.send("PATCH", &path, MERGE, r#"{"kind":"Pod"}"#).await.refused(422, "Invalid");
}

#[tokio::test(start_paused = true)]
async fn json_patches_and_strategic_patches() {
    let server = Server::new();
    let container = |name: &str, image: &str| json!({ "name": name, "image": image });
    let deployment = json!({
        "metadata": { "name": "d", "finalizers": ["x/y"] },
        "spec": {
            "strategy": { "rollingUpdate": { "maxSurge": 1 } },
            "selector": { "matchLabels": { "a": "b" } },
            "strategy": { "type": "RollingUpdate" },
            "template": { "spec": { "containers": [container("one", "i:1"), container("two", "i:1")] } },
        },
    });
    let created = server.post(DEPLOYMENTS, &deployment).await.of(201);
    assert_eq!((&created["spec"]["replicas"], &created["metadata"]["generation"]), (&json!(1), &json!(1)));
    let path = format!("{DEPLOYMENTS}/d");
    let patch = json!([
        { "op": "add", "path": "/metadata/labels", "value": { "x": "y" } },
        { "op": "replace", "path": "/spec/replicas", "value": 3 },
    ]);
    let patched =
        server.send("PATCH", &path, "application/json-patch+json", &patch.to_string()).await.of(200);
    assert_eq!((&patched["spec"]["replicas"], &patched["metadata"]["labels"]["x"]), (&json!(3), &json!("y")));
    assert_eq!(patched["metadata"]["generation"], 2);

    let strategic = async |patch: Value| {
        let patch = patch.to_string();
        let media_type = "application/strategic-merge-patch+json; a=b";
        server.send("PATCH", &path, media_type, &patch).await.of(200)
    };
    let patched = strategic(json!({ "spec": { "template": { "spec": {
        "$setElementOrder/containers": [{ "name": "two" }, { "name": "three" }],
        "containers": [
            { "name": "two", "image": "i:2", "env": [{ "name": "A", "value": "1" }] },
            { "name": "one", "$patch": "delete" },
            { "name": "three" },
        ],
    } } } }))
    .await;
    let containers = |object: &Value| {
        let containers = object["spec"]["template"]["spec"]["containers"].as_array().unwrap();
        let told = |container: &Value| {
            json!([
                container["name"],
                container.get("image"),
                container.get("env"),
                container["imagePullPolicy"]
            ])
        };
        containers.iter().map(told).collect::<Vec<_>>()
    };
    let env = json!([{ "name": "A", "value": "1" }]);
    let two = json!(["two", "i:2", env, "IfNotPresent"]);
    assert_eq!(containers(&patched), [two, json!(["three", null, null, "IfNotPresent"])]);
    let patched = strategic(json!({
        "metadata": { "finalizers": ["z/z"], "labels": { "x": null, "n": "m" } },
        "spec": { "template": { "spec": { "containers": [{ "$patch": "replace" }, { "name": "new" }] } } },
    }))
    .await;
    assert_eq!(patched["metadata"]["finalizers"], json!(["z/z", "x/y"]));
    assert_eq!(patched["metadata"]["labels"], json!({ "n": "m" }));
    assert_eq!(containers(&patched), [json!(["new", null, null, "IfNotPresent"])]);
    let version = rv(&patched);
    assert_eq!(
        rv(&strategic(json!({ "metadata": { "labels": { "n": "m" } } })).await),
        version,
        "nothing changes"
    );
    let patched = strategic(json!({
        "metadata": { "$deleteFromPrimitiveList/finalizers": ["x/y"] },
        "spec": { "strategy": { "$patch": "replace", "type": "Recreate" } },
    }))
    .await;
    assert_eq!(patched["metadata"]["finalizers"], json!(["z/z"]));
    assert_eq!(patched["spec"]["strategy"], json!({ "type": "Recreate" }));
}

#[tokio::test(start_paused = true)]
async fn a_scale_too_is_refused_first_for_the_type_of_its_patch() {
    let server = Server::new();
    for path in [format!("{DEPLOYMENTS}/d"), format!("{DEPLOYMENTS}/d/scale")] {
        let path = format!("{path}?fieldManager=%07");
        server.send("PATCH", &path, "text/plain", "{}").await.refused(415, "UnsupportedMediaType");
        server.send("PATCH", &path, "application/merge-patch+json", "{}").await.refused(422, "Invalid");
    }
}

#[tokio::test(start_paused = true)]
async fn scales_are_read_and_written() {
    let server = Server::new();
    let spec = json!({ "replicas": 2, "selector": { "matchLabels": { "a": "b", "c": "d" } } });
    server.post(DEPLOYMENTS, &json!({ "metadata": { "name": "d" }, "spec": spec })).await.of(201);
    let path = format!("{DEPLOYMENTS}/d/scale");
    let mut scale = server.get(&path).await.of(200);
    assert_eq!((&scale["kind"], &scale["apiVersion"]), (&json!("Scale"), &json!("autoscaling/v1")));
    assert_eq!(scale["spec"], json!({ "replicas": 2 }));
    assert_eq!(scale["status"], json!({ "replicas": 0, "selector": "a=b,c=d" }));
    scale["spec"]["replicas"] = json!(5);
    let scaled = server.put(&path, &scale).await.of(200);
    assert_eq!(scaled["spec"]["replicas"], 5);
    server.put(&path, &scale).await.refused(409, "Conflict");
    assert_eq!(
        server.merge(&path, &json!({ "spec": { "replicas": 7 } })).await.of(200)["spec"]["replicas"],
        7
    );
    let deployment = server.get(&format!("{DEPLOYMENTS}/d")).await.of(200);
    assert_eq!(
        (&deployment["spec"]["replicas"], &deployment["metadata"]["generation"]),
        (&json!(7), &json!(3))
    );
    assert_eq!(deployment["spec"]["selector"]["matchLabels"]["c"], "d");
    let many = json!({ "spec": { "replicas": 3_000_000_000_u32 } });
    server.merge(&path, &many).await.refused(422, "Invalid");
    let message = server.put(&path, &many).await.refused(400, "BadRequest");
    assert!(message.ends_with("ScaleSpec.spec.replicas of type int32"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn pods_are_bound_once() {
    let server = Server::new();
    server.post(PODS, &json!({ "metadata": { "name": "p" }, "spec": { "containers": [] } })).await.of(201);
    let binding = json!({ "metadata": { "name": "p" }, "target": { "kind": "Node", "name": "n1" } });
    let path = format!("{PODS}/p/binding");
    assert_eq!(server.post(&path, &binding).await.of(201)["status"], "Success");
    let message = server.post(&path, &binding).await.refused(409, "Conflict");
    assert_eq!(
        message,
        "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n1\""
    );
    let pod = server.get(&format!("{PODS}/p")).await.of(200);
    assert_eq!((&pod["spec"]["nodeName"], &pod["metadata"]["generation"]), (&json!("n1"), &json!(1)));
    server.post(&path, &json!({ "target": {} })).await.refused(500, "");
}

#[tokio::test(start_paused = true)]
async fn status_is_written_apart_where_it_is_a_subresource() {
    let server = Server::new();
    let pod =
        json!({ "metadata": { "name": "p" }, "spec": { "priority": 1 }, "status": { "phase": "Running" } });
    assert_eq!(server.post(PODS, &pod).await.of(201)["status"]["phase"], "Pending");
    let mut both = server.get(&format!("{PODS}/p")).await.of(200);
    both["spec"]["priority"] = json!(2);
    both["status"]["phase"] = json!("Running");
    both["metadata"]["labels"] = json!({ "x": "y" });
    let written = server.put(&format!("{PODS}/p/status"), &both).await.of(200);
    assert_eq!((&written["spec"]["priority"], &written["status"]["phase"]), (&json!(1), &json!("Running")));
    assert_eq!(written["metadata"]["labels"]["x"], "y", "labels of built-in kinds go along");
    assert_eq!(written["metadata"]["generation"], 1);
    // A node is created with the status that its kubelet sends.
    let node = json!({ "metadata": { "name": "n1" }, "status": { "nodeInfo": { "osImage": "linux" } } });
    assert_eq!(server.post("/api/v1/nodes", &node).await.of(201)["status"]["nodeInfo"]["osImage"], "linux");
    server.get(&format!("{CONFIGMAPS}/a/status")).await.refused(404, "NotFound");
    server.get(&format!("{PODS}/p/log")).await.refused(501, "NotImplemented");
}

#[tokio::test(start_paused = true)]
async fn every_change_is_made_though_all_are_made_at_once() {
    let server = Server::new();
    server.configmap("a").await;
    let path = format!("{CONFIGMAPS}/a");
    let patches = (0..50).map(|n| {
        let server = &server;
        let path = &path;
        async move { server.merge(path, &json!({ "data": { format!("k{n}"): "v" } })).await.of(200) }
    });
    futures::future::join_all(patches).await;
    let object = server.get(&path).await.of(200);
    assert_eq!(object["data"].as_object().unwrap().len(), 50);
}
