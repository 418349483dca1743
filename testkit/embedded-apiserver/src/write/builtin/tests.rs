use serde_json::{Value, json};

use crate::testing::{CONFIGMAPS, PODS, Server};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const EVENTS: &str = "/api/v1/namespaces/default/events";
const NEW_EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";

#[tokio::test(start_paused = true)]
async fn texts_of_a_secret_become_data_and_its_type_stays() {
    let server = Server::new();
    let secret = json!({ "metadata": { "name": "x" }, "stringData": { "a": "hello", "b": "" }, "data": { "a": "eA==" } });
    let made = server.post(SECRETS, &secret).await.of(201);
    assert_eq!((&made["type"], &made["data"]), (&json!("Opaque"), &json!({ "a": "aGVsbG8=", "b": "" })));
    assert_eq!(made.get("stringData"), None);
    let path = format!("{SECRETS}/x");
    let changed = server.merge(&path, &json!({ "stringData": { "c": "x" } })).await.of(200);
    assert_eq!(changed["data"], json!({ "a": "aGVsbG8=", "b": "", "c": "eA==" }));
    let message = server.merge(&path, &json!({ "type": "a/b" })).await.refused(422, "Invalid");
    assert_eq!(message, "Secret \"x\" is invalid: type: Invalid value: \"a/b\": field is immutable");
    let large = json!({ "metadata": { "name": "y" }, "stringData": { "a": "x".repeat((1 << 20) + 1) } });
    server.post(SECRETS, &large).await.refused(422, "Invalid");
}

#[tokio::test(start_paused = true)]
async fn what_is_immutable_stays_but_for_its_metadata() {
    let server = Server::new();
    for collection in [SECRETS, CONFIGMAPS] {
        let object = json!({ "metadata": { "name": "x" }, "immutable": true, "data": { "a": "eA==" } });
        server.post(collection, &object).await.of(201);
        let path = format!("{collection}/x");
        for (patch, fields) in [
            (json!({ "data": { "a": "eQ==" } }), "data"),
            (json!({ "immutable": false }), "immutable"),
            (json!({ "immutable": null, "data": null }), "immutable data"),
        ] {
            let status = server.merge(&path, &patch).await.of(422);
            let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
            let found: Vec<&str> = causes.iter().filter_map(|cause| cause["field"].as_str()).collect();
            assert_eq!(found.join(" "), fields, "{patch}");
        }
        server.merge(&path, &json!({ "metadata": { "labels": { "a": "b" } } })).await.of(200);
    }
}

#[tokio::test(start_paused = true)]
async fn selectors_stay() {
    let server = Server::new();
    let spec = |app: &str| json!({ "selector": { "matchLabels": { "app": app } }, "template": { "metadata": { "labels": { "app": app } } } });
    for (kind, field) in [
        ("deployments", "spec.selector"),
        ("replicasets", "spec.selector"),
        ("daemonsets", "spec.selector"),
        ("statefulsets", "spec"),
    ] {
        let collection = format!("/apis/apps/v1/namespaces/default/{kind}");
        server.post(&collection, &json!({ "metadata": { "name": "x" }, "spec": spec("x") })).await.of(201);
        let path = format!("{collection}/x");
        let status = server.merge(&path, &json!({ "spec": spec("y") })).await.of(422);
        assert_eq!(status["details"]["causes"][0]["field"], field, "{kind}");
        let more = json!({ "spec": { "template": { "metadata": { "labels": { "more": "x" } } } } });
        assert_eq!(server.merge(&path, &more).await.of(200)["metadata"]["generation"], 2, "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_finds_its_pods() {
    let server = Server::new();
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let made = json!({ "metadata": { "generateName": "x-" }, "spec": { "template": { "spec": {} } } });
    let job = server.post(jobs, &made).await.of(201);
    let uid = &job["metadata"]["uid"];
    let name = &job["metadata"]["name"];
    let key = "batch.kubernetes.io/controller-uid";
    assert_eq!(job["spec"]["selector"]["matchLabels"], json!({ key: uid }));
    let labels = &job["spec"]["template"]["metadata"]["labels"];
    assert_eq!((&labels[key], &labels["job-name"]), (uid, name));
    assert_eq!(&job["metadata"]["labels"], labels);
    let own = json!({ "manualSelector": true, "selector": { "matchLabels": { "a": "b" } }, "template": {} });
    let job = server.post(jobs, &json!({ "metadata": { "name": "y" }, "spec": own })).await.of(201);
    assert_eq!(job["spec"]["selector"], json!({ "matchLabels": { "a": "b" } }));
}

#[tokio::test(start_paused = true)]
async fn both_apis_of_events_have_the_same_objects() {
    let server = Server::new();
    let mut old = server.watch(&format!("{EVENTS}?watch=1")).await;
    let mut new = server.watch(&format!("{NEW_EVENTS}?watch=1")).await;
    let event = json!({
        "metadata": { "name": "x" }, "involvedObject": { "kind": "Pod", "name": "p" }, "message": "M", "count": 3,
        "source": { "component": "c" }, "reportingComponent": "r",
    });
    server.post(EVENTS, &event).await.of(201);
    let read = server.get(&format!("{NEW_EVENTS}/x")).await.of(200);
    assert_eq!(read["apiVersion"], "events.k8s.io/v1");
    for (name, value) in [
        ("regarding", &event["involvedObject"]),
        ("note", &event["message"]),
        ("deprecatedCount", &event["count"]),
        ("deprecatedSource", &event["source"]),
        ("reportingController", &event["reportingComponent"]),
        ("eventTime", &Value::Null),
    ] {
        assert_eq!(read.get(name), Some(value), "{name}");
    }
    assert_eq!(read.get("involvedObject"), None);
    let changed = server.merge(&format!("{NEW_EVENTS}/x"), &json!({ "note": "other" })).await.of(200);
    assert_eq!((&changed["note"], changed.get("message")), (&json!("other"), None));
    for (path, field) in [(EVENTS, "involvedObject.name"), (NEW_EVENTS, "regarding.name")] {
        for (value, count) in [("p", 1), ("q", 0)] {
            let list = server.get(&format!("{path}?fieldSelector={field}={value}")).await.of(200);
            assert_eq!(list["items"].as_array().map(Vec::len), Some(count), "{path} {value}");
        }
    }
    server.delete(&format!("{NEW_EVENTS}/x")).await.of(200);
    server.get(&format!("{EVENTS}/x")).await.refused(404, "NotFound");
    for (watch, field) in [(&mut old, "message"), (&mut new, "note")] {
        let mut texts = Vec::new();
        for _ in 0..3 {
            let event = watch.next().await.unwrap();
            texts.push(format!(
                "{} {}",
                event["type"].as_str().unwrap(),
                event["object"][field].as_str().unwrap()
            ));
        }
        assert_eq!(texts, ["ADDED M", "MODIFIED other", "DELETED other"]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_class_of_a_pod_stays() {
    let server = Server::new();
    let pod =
        json!({ "metadata": { "name": "p" }, "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    server.post(PODS, &pod).await.of(201);
    let path = format!("{PODS}/p/status");
    let replaced = json!({ "metadata": { "name": "p" }, "status": { "phase": "Running" } });
    assert_eq!(
        server.put(&path, &replaced).await.of(200)["status"],
        json!({ "phase": "Running", "qosClass": "BestEffort" })
    );
    for status in [json!({ "qosClass": null }), json!({ "qosClass": "" }), json!(null)] {
        let answer = server.merge(&path, &json!({ "status": status })).await.of(200);
        assert_eq!(answer["status"]["qosClass"], "BestEffort", "{status}");
    }
    let message = server.merge(&path, &json!({ "status": { "qosClass": "Guaranteed" } })).await;
    assert_eq!(
        message.refused(422, "Invalid"),
        "Pod \"p\" is invalid: status.qosClass: Invalid value: \"Guaranteed\": field is immutable"
    );
}
