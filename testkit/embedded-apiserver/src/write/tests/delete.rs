//! Deletions of objects, collections, namespaces and definitions.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Value, json};

use crate::options::ApiOptions;
use crate::testing::{CONFIGMAPS, DEFINITIONS, PODS, Server, names, rv, tell};

const NAMESPACES: &str = "/api/v1/namespaces";

async fn running_pod(server: &Server, name: &str) -> Value {
    let pod = json!({ "metadata": { "name": name }, "spec": { "nodeName": "n1" } });
    server.post(PODS, &pod).await.of(201)
}

async fn delete_with(server: &Server, path: &str, options: &Value) -> crate::testing::Answer {
    server.send("DELETE", path, "application/json", &options.to_string()).await
}

#[tokio::test(start_paused = true)]
async fn a_running_pod_has_time_that_only_becomes_less() {
    let server = Server::new();
    let created = running_pod(&server, "p").await;
    let path = format!("{PODS}/p");
    let marked = server.delete(&path).await.of(200);
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 30);
    assert_eq!(marked["metadata"]["generation"], 2);
    tokio::time::advance(Duration::from_secs(5)).await;
    let shorter = delete_with(&server, &path, &json!({ "gracePeriodSeconds": 10 })).await.of(200);
    assert_eq!(shorter["metadata"]["deletionGracePeriodSeconds"], 10);
    assert_ne!(shorter["metadata"]["deletionTimestamp"], marked["metadata"]["deletionTimestamp"]);
    assert_eq!(shorter["metadata"]["generation"], 2, "counted once");
    let longer = delete_with(&server, &path, &json!({ "gracePeriodSeconds": 20 })).await.of(200);
    assert_eq!(longer, shorter);
    assert_eq!(server.delete(&path).await.of(200), shorter);
    let message =
        server.post(PODS, &json!({ "metadata": { "name": "p" } })).await.refused(409, "AlreadyExists");
    assert_eq!(message, "object is being deleted: pods \"p\" already exists");
    let gone = delete_with(&server, &path, &json!({ "gracePeriodSeconds": 0 })).await.of(200);
    assert_eq!((rv(&gone), server.get(&path).await.status), (server.api().version(), 404));

    let mut watch =
        server.watch(&format!("{PODS}?watch=1&resourceVersion={}&timeoutSeconds=1", rv(&created))).await;
    assert_eq!(watch.told().await, ["MODIFIED p", "MODIFIED p", "MODIFIED p", "DELETED p"]);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_has_ended_goes_at_once() {
    let server = Server::new();
    running_pod(&server, "p").await;
    server.merge(&format!("{PODS}/p/status"), &json!({ "status": { "phase": "Succeeded" } })).await.of(200);
    server.delete(&format!("{PODS}/p")).await.of(200);
    server.get(&format!("{PODS}/p")).await.refused(404, "NotFound");
    running_pod(&server, "q").await;
    let eviction = json!({ "metadata": { "name": "q" } });
    assert_eq!(server.post(&format!("{PODS}/q/eviction"), &eviction).await.of(201)["status"], "Success");
    assert!(server.get(&format!("{PODS}/q")).await.of(200)["metadata"]["deletionTimestamp"].is_string());
}

#[tokio::test(start_paused = true)]
async fn preconditions_and_options_are_checked() {
    let server = Server::new();
    let created = server.configmap("a").await;
    let uid = created["metadata"]["uid"].as_str().unwrap();
    let version = rv(&created);
    let path = format!("{CONFIGMAPS}/a");
    let message = delete_with(&server, &path, &json!({ "preconditions": { "uid": "x" } }))
        .await
        .refused(409, "Conflict");
    assert_eq!(
        message,
        format!(
            "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (x) does not match the UID in \
             record ({uid}). The object might have been deleted and then recreated"
        )
    );
    let answer = delete_with(&server, &path, &json!({ "preconditions": { "resourceVersion": "1" } })).await;
    assert!(answer.refused(409, "Conflict").contains(&format!("record ({version})")));
    let answer = delete_with(&server, &path, &json!({ "propagationPolicy": "Foo" })).await;
    assert!(answer.refused(422, "Invalid").contains("\"Foreground\", \"Background\", \"Orphan\", \"nil\""));
    let answer = server.delete(&format!("{path}?gracePeriodSeconds=x")).await;
    assert_eq!(answer.refused(400, "BadRequest"), "strconv.ParseInt: parsing \"x\": invalid syntax");
    server.send("DELETE", &path, "application/json", "x").await.refused(400, "BadRequest");
    let options = json!({ "propagationPolicy": "Background", "preconditions": { "uid": uid } });
    let status = delete_with(&server, &path, &options).await.of(200);
    let details = json!({ "name": "a", "kind": "configmaps", "uid": uid });
    let success = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details });
    assert_eq!(status, success);
    server.delete(&path).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn options_of_a_wrong_type_delete_nothing() {
    let server = Server::new();
    server.configmap("a").await;
    let before = server.api().version();
    let wrong = [
        (r#"{"dryRun":"All"}"#, "string into Go struct field DeleteOptions.dryRun of type []string"),
        (r#"{"dryRun":[1]}"#, "number into Go struct field DeleteOptions.dryRun of type string"),
        (
            r#"{"preconditions":{"uid":5}}"#,
            "number into Go struct field Preconditions.preconditions.uid of type string",
        ),
        (
            r#"{"preconditions":{"resourceVersion":5}}"#,
            "Preconditions.preconditions.resourceVersion of type string",
        ),
        (
            r#"{"preconditions":"x"}"#,
            "string into Go struct field DeleteOptions.preconditions of type v1.Preconditions",
        ),
        (
            r#"{"gracePeriodSeconds":"0"}"#,
            "string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
        (
            r#"{"gracePeriodSeconds":1.5}"#,
            "number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
        (
            r#"{"propagationPolicy":5}"#,
            "number into Go struct field DeleteOptions.propagationPolicy of type string",
        ),
        (
            r#"{"orphanDependents":"true"}"#,
            "string into Go struct field DeleteOptions.orphanDependents of type bool",
        ),
        (r#"{"kind":"Pod","apiVersion":"v1"}"#, "no kind \"Pod\" is registered for version \"v1\""),
        (r#"{"kind":5}"#, "number into Go struct field .kind of type string"),
        ("[]", "couldn't get version/kind; json parse error: json: cannot unmarshal array"),
        ("{", "couldn't get version/kind; json parse error: unexpected end of JSON input"),
    ];
    for (body, why) in wrong {
        for path in [format!("{CONFIGMAPS}/a"), CONFIGMAPS.to_owned()] {
            let message =
                server.send("DELETE", &path, "application/json", body).await.refused(400, "BadRequest");
            assert!(message.contains(why), "{path} {body}: {message}");
        }
    }
    let both = json!({ "propagationPolicy": "Nope", "orphanDependents": false, "dryRun": ["x"] });
    let status = delete_with(&server, &format!("{CONFIGMAPS}/a"), &both).await.of(422);
    assert_eq!(status["details"]["causes"].as_array().map(Vec::len), Some(3), "{status}");
    assert_eq!(server.api().version(), before, "nothing was written");
    // What the query says is overridden by a body, as in the real server.
    delete_with(&server, &format!("{CONFIGMAPS}/a?dryRun=x"), &json!({ "gracePeriodSeconds": null }))
        .await
        .of(200);
    server.get(&format!("{CONFIGMAPS}/a")).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn finalizers_hold_an_object_and_none_are_added() {
    let server = Server::new();
    let object = json!({ "metadata": { "name": "f", "finalizers": ["a/b"] } });
    server.post(CONFIGMAPS, &object).await.of(201);
    let path = format!("{CONFIGMAPS}/f");
    let marked = server.delete(&path).await.of(200);
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(server.delete(&path).await.of(200), marked, "twice is once");
    let message = server.merge(&path, &json!({ "metadata": { "finalizers": ["a/b", "c/d"] } })).await;
    assert_eq!(
        message.refused(422, "Invalid"),
        "ConfigMap \"f\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is \
         being deleted, found new finalizers []string{\"c/d\"}"
    );
    let still = server
        .merge(&path, &json!({ "metadata": { "labels": { "x": "y" }, "deletionTimestamp": null } }))
        .await;
    assert_eq!(still.of(200)["metadata"]["deletionTimestamp"], marked["metadata"]["deletionTimestamp"]);
    let mut freed = server.get(&path).await.of(200);
    freed["metadata"]["finalizers"] = json!([]);
    server.put(&path, &freed).await.of(200);
    server.get(&path).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn collections_are_deleted_by_selector_and_limit() {
    let server = Server::new();
    for (name, label) in [("a", "x"), ("b", "y"), ("c", "x"), ("d", "x")] {
        let object = json!({ "metadata": { "name": name, "labels": { "l": label } } });
        server.post(CONFIGMAPS, &object).await.of(201);
    }
    let deleted = server.delete(&format!("{CONFIGMAPS}?labelSelector=l=x&limit=2")).await.of(200);
    assert_eq!(
        (&deleted["kind"], names(&deleted)),
        (&json!("ConfigMapList"), vec!["a".to_owned(), "c".to_owned()])
    );
    assert_eq!(names(&server.get(CONFIGMAPS).await.of(200)), ["b", "d"]);
    server.delete(NAMESPACES).await.refused(405, "MethodNotAllowed");
}

#[tokio::test(start_paused = true)]
async fn a_namespace_goes_with_all_that_is_in_it() {
    let server = Server::new();
    let namespace = server.post(NAMESPACES, &json!({ "metadata": { "name": "n" } })).await.of(201);
    assert_eq!(namespace["spec"]["finalizers"], json!(["kubernetes"]));
    assert_eq!(namespace["status"]["phase"], "Active");
    assert_eq!(namespace["metadata"]["labels"]["kubernetes.io/metadata.name"], "n");
    let inside = |plural: &str| format!("{NAMESPACES}/n/{plural}");
    let pod = json!({ "metadata": { "name": "p" }, "spec": { "nodeName": "n1" } });
    server.post(&inside("pods"), &pod).await.of(201);
    let held = json!({ "metadata": { "name": "held", "finalizers": ["a/b"] } });
    server.post(&inside("configmaps"), &held).await.of(201);
    let query = format!("?watch=1&resourceVersion={}&timeoutSeconds=1", rv(&namespace));
    let mut watch = server.watch(&format!("{NAMESPACES}{query}")).await;

    let marked = server.delete(&format!("{NAMESPACES}/n")).await.of(200);
    assert_eq!(marked["status"]["phase"], "Terminating");
    assert!(names(&server.get(&inside("pods")).await.of(200)).is_empty());
    assert_eq!(names(&server.get(&inside("configmaps")).await.of(200)), ["held"]);
    assert_eq!(server.delete(&format!("{NAMESPACES}/n")).await.of(200), marked);
    let answer = server.post(&inside("configmaps"), &json!({ "metadata": { "name": "x" } })).await;
    assert_eq!(
        answer.refused(403, "Forbidden"),
        "configmaps \"x\" is forbidden: unable to create new content in namespace n because it is being terminated"
    );
    assert_eq!(answer.json()["details"]["causes"][0]["reason"], "NamespaceTerminating");
    server.merge(&inside("configmaps/held"), &json!({ "metadata": { "finalizers": null } })).await.of(200);
    server.get(&format!("{NAMESPACES}/n")).await.refused(404, "NotFound");
    assert_eq!(watch.told().await, ["MODIFIED n", "DELETED n"]);
    let answer = server.post(&inside("configmaps"), &json!({ "metadata": { "name": "x" } })).await;
    assert_eq!(answer.refused(404, "NotFound"), "namespaces \"n\" not found");
}

#[tokio::test(start_paused = true)]
async fn the_namespaces_of_a_new_server_are_as_if_it_had_created_them() {
    for managed_fields in [true, false] {
        let server = Server::with(ApiOptions { managed_fields, ..ApiOptions::default() });
        let namespace = json!({ "metadata": { "name": "n" } });
        server.post(&format!("{NAMESPACES}?fieldManager=kube-apiserver"), &namespace).await.of(201);
        let shown = async |name: &str| {
            let mut found = server.get(&format!("{NAMESPACES}/{name}")).await.of(200);
            let metadata = found["metadata"].as_object_mut().unwrap();
            assert!(metadata.remove("uid").is_some() && metadata.remove("resourceVersion").is_some());
            found.to_string().replace(&format!("\"{name}\""), "NAME")
        };
        assert_eq!(shown("default").await, shown("n").await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_namespace_that_others_write_to_can_be_deleted() {
    let server = Arc::new(Server::new());
    for round in 0..100 {
        let path = format!("{NAMESPACES}/n{round}");
        server.post(NAMESPACES, &json!({ "metadata": { "name": format!("n{round}") } })).await.of(201);
        let other = server.clone();
        let its_path = path.clone();
        let writes = tokio::spawn(async move {
            for step in 0..20 {
                let labels = json!({ "metadata": { "labels": { "step": step.to_string() } } });
                let status = other.merge(&its_path, &labels).await.status;
                assert!(matches!(status, 200 | 404), "{status}");
            }
        });
        server.delete(&path).await.of(200);
        writes.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn namespaces_of_the_system_stay_and_others_can_be_finalised() {
    let server = Server::new();
    let all = names(&server.get(NAMESPACES).await.of(200));
    assert_eq!(all, ["default", "kube-node-lease", "kube-public", "kube-system"]);
    let message = server.delete(&format!("{NAMESPACES}/default")).await.refused(403, "Forbidden");
    assert_eq!(message, "namespaces \"default\" is forbidden: this namespace may not be deleted");

    server.post(NAMESPACES, &json!({ "metadata": { "name": "n" } })).await.of(201);
    let held = json!({ "metadata": { "name": "held", "finalizers": ["a/b"] } });
    server.post(&format!("{NAMESPACES}/n/configmaps"), &held).await.of(201);
    server.delete(&format!("{NAMESPACES}/n")).await.of(200);
    let path = format!("{NAMESPACES}/n/finalize");
    let released = server
        .put(&path, &json!({ "metadata": { "name": "n" }, "spec": { "finalizers": [] } }))
        .await
        .of(200);
    assert_eq!(released["spec"], json!({}));
    server.get(&format!("{NAMESPACES}/n")).await.refused(404, "NotFound");
}

#[tokio::test(start_paused = true)]
async fn a_namespace_with_a_finalizer_of_its_own_goes_when_that_is_removed() {
    let server = Server::new();
    let namespace = json!({ "metadata": { "name": "n", "finalizers": ["example.com/x"] } });
    let created = server.post(NAMESPACES, &namespace).await.of(201);
    let path = format!("{NAMESPACES}/n");
    let query = format!("?watch=1&resourceVersion={}&timeoutSeconds=1", rv(&created));
    let mut watch = server.watch(&format!("{NAMESPACES}{query}")).await;
    server.delete(&path).await.of(200);
    server.merge(&path, &json!({ "metadata": { "labels": { "a": "b" } } })).await.of(200);
    assert_eq!(server.get(&path).await.status, 200, "it is still held");
    server.merge(&path, &json!({ "metadata": { "finalizers": null } })).await.of(200);
    server.get(&path).await.refused(404, "NotFound");
    assert_eq!(watch.told().await, ["MODIFIED n", "MODIFIED n", "MODIFIED n", "DELETED n"]);
}

#[tokio::test(start_paused = true)]
async fn what_objects_are_stored_as_cannot_be_changed() {
    let server = Server::new();
    let version = json!({ "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": { "type": "object" } } });
    let mut definition = json!({
        "metadata": { "name": "cats.example.com" },
        "spec": { "group": "example.com", "scope": "Namespaced", "versions": [version],
            "names": { "plural": "cats", "kind": "Cat" } },
    });
    server.post(DEFINITIONS, &definition).await.of(201);
    let path = format!("{DEFINITIONS}/cats.example.com");
    let change = json!({ "spec": { "scope": "Cluster", "names": { "kind": "Dog" } } });
    let message = server.merge(&path, &change).await.refused(422, "Invalid");
    assert_eq!(
        message,
        "CustomResourceDefinition.apiextensions.k8s.io \"cats.example.com\" is invalid: [spec.scope: Invalid value: \
         \"Cluster\": field is immutable, spec.names.kind: Invalid value: \"Dog\": field is immutable]"
    );
    server.merge(&path, &json!({ "spec": { "names": { "shortNames": ["ct"] } } })).await.of(200);

    definition["metadata"] = json!({ "name": "roles.rbac.authorization.k8s.io",
        "annotations": { "api-approved.kubernetes.io": "yes" } });
    definition["spec"]["group"] = "rbac.authorization.k8s.io".into();
    definition["spec"]["names"]["plural"] = "roles".into();
    let message = server.post(DEFINITIONS, &definition).await.refused(422, "Invalid");
    assert!(message.ends_with("\"roles\": a resource of that name is built in"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_definition_is_served_at_once_and_takes_its_objects_along() {
    let server = Server::new();
    let definition = |served: &[&str]| {
        let versions: Vec<Value> = served
            .iter()
            .map(|name| {
                json!({ "name": name, "served": true, "storage": name == &served[0],
                    "schema": { "openAPIV3Schema": { "type": "object" } }, "subresources": { "status": {} } })
            })
            .collect();
        json!({
            "metadata": { "name": "cats.example.com" },
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": { "plural": "cats", "kind": "Cat" }, "versions": versions,
            },
        })
    };
    let cats = |version: &str| format!("/apis/example.com/{version}/namespaces/default/cats");
    let cat =
        |name: &str| json!({ "apiVersion": "example.com/v1", "kind": "Cat", "metadata": { "name": name } });
    assert_eq!(server.get(&cats("v1")).await.status, 404);
    server.post(DEFINITIONS, &definition(&["v1"])).await.of(201);
    let created = server.post(&cats("v1"), &cat("tom")).await.of(201);
    server.post(DEFINITIONS, &definition(&["v1"])).await.refused(409, "AlreadyExists");
    assert_eq!(names(&server.get(&cats("v1")).await.of(200)), ["tom"], "the refused one has done nothing");

    let path = format!("{DEFINITIONS}/cats.example.com");
    let mut watch = server.watch(&format!("{}?watch=1&resourceVersion={}", cats("v1"), rv(&created))).await;
    let mut changed = server.get(&path).await.of(200);
    changed["spec"] = definition(&["v1", "v2"])["spec"].clone();
    server.put(&path, &changed).await.of(200);
    assert_eq!(watch.next().await, None, "watches end when a definition changes");
    let mut watch = server.watch(&format!("{}?watch=1&resourceVersion={}", cats("v1"), rv(&created))).await;
    server.merge(&path, &json!({ "spec": { "group": "example.com" } })).await.of(200);
    assert!(watch.next().now_or_never().is_none(), "but not if it does not");
    let list = server.get(&cats("v2")).await.of(200);
    assert_eq!(
        (names(&list), &list["items"][0]["apiVersion"]),
        (vec!["tom".to_owned()], &json!("example.com/v2"))
    );

    let mut watch = server.watch(&format!("{}?watch=1&resourceVersion={}", cats("v2"), rv(&created))).await;
    server.delete(&path).await.of(200);
    assert_eq!(watch.told().await, ["DELETED tom"], "and then it ends");
    assert_eq!(server.get(&cats("v1")).await.status, 404);
    let again = server.post(DEFINITIONS, &definition(&["v1"])).await.of(201);
    assert!(names(&server.get(&cats("v1")).await.of(200)).is_empty());
    let query = format!("{}?watch=1&resourceVersion={}", cats("v1"), rv(&created));
    let old = server.watch(&query).await.next().await.unwrap();
    assert_eq!(
        (tell(&old).as_str(), &old["object"]["code"]),
        ("ERROR", &json!(410)),
        "its past is forgotten"
    );
    assert!(rv(&again) > rv(&created));
}

#[tokio::test(start_paused = true)]
async fn a_deleted_definition_waits_for_its_objects_and_for_finalizers_of_its_own() {
    let server = Server::new();
    let version = json!({ "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": { "type": "object" } } });
    let definition = json!({
        "metadata": { "name": "cats.example.com", "finalizers": ["example.com/mine"] },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "cats", "kind": "Cat" }, "versions": [version],
        },
    });
    server.post(DEFINITIONS, &definition).await.of(201);
    let path = format!("{DEFINITIONS}/cats.example.com");
    let cats = "/apis/example.com/v1/namespaces/default/cats";
    let cat = |name: &str, finalizers: &[&str]| {
        let metadata = json!({ "name": name, "finalizers": finalizers });
        json!({ "apiVersion": "example.com/v1", "kind": "Cat", "metadata": metadata })
    };
    server.post(cats, &cat("held", &["example.com/a"])).await.of(201);
    server.post(cats, &cat("free", &[])).await.of(201);
    let terminating = |definition: &Value| {
        let conditions = definition["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let condition = conditions.into_iter().find(|condition| condition["type"] == "Terminating");
        let condition = condition.unwrap_or_default();
        format!("{} {}", condition["status"].as_str().unwrap(), condition["reason"].as_str().unwrap())
    };
    let dry = server.delete(&format!("{path}?dryRun=All")).await.of(200);
    assert_eq!(terminating(&dry), "True InstanceDeletionPending");
    assert_eq!(names(&server.get(cats).await.of(200)), ["free", "held"]);

    let marked = server.delete(&path).await.of(200);
    assert_eq!(terminating(&marked), "True InstanceDeletionPending");
    assert_eq!(terminating(&server.get(&path).await.of(200)), "True InstanceDeletionInProgress");
    assert_eq!(names(&server.get(cats).await.of(200)), ["held"]);
    server.post(cats, &cat("late", &[])).await.refused(403, "Forbidden");
    server.delete(&path).await.of(200);
    server.post(DEFINITIONS, &definition).await.refused(409, "AlreadyExists");

    server.merge(&format!("{cats}/held"), &json!({ "metadata": { "finalizers": null } })).await.of(200);
    let kept = server.get(&path).await.of(200);
    assert_eq!(terminating(&kept), "False InstanceDeletionCompleted");
    assert_eq!(kept["metadata"]["finalizers"], json!(["example.com/mine"]));
    server.merge(&path, &json!({ "metadata": { "finalizers": null } })).await.of(200);
    server.get(&path).await.refused(404, "NotFound");
    assert_eq!(server.get(cats).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_whose_name_is_made_up_is_labelled_with_it() {
    let server = Server::new();
    let made = server.post(NAMESPACES, &json!({ "metadata": { "generateName": "n-" } })).await.of(201);
    assert_eq!(made["metadata"]["labels"]["kubernetes.io/metadata.name"], made["metadata"]["name"]);
}
