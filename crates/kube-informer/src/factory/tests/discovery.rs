//! Asking for informers by name.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::Deployment;
use kube_core::GroupVersionResource;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::support::{Servers, rest, started};

fn resource(name: &str, kind: &str, short: &[&str], verbs: &[&str]) -> Value {
    json!({ "name": name, "singularName": "", "namespaced": true, "kind": kind, "verbs": verbs, "shortNames": short })
}

const ALL: [&str; 3] = ["get", "list", "watch"];

/// A server that serves pods, and deployments in two versions.
fn servers() -> Servers {
    let servers = Servers::default();
    let status = resource("pods/status", "Pod", &[], &["get"]);
    let review = resource("bindings", "Binding", &[], &["create"]);
    let documents = [
        ("/api", json!({ "versions": ["v1"] })),
        (
            "/apis",
            json!({ "groups": [{
                "name": "apps",
                "versions": [{ "groupVersion": "apps/v1beta1", "version": "v1beta1" }, { "groupVersion": "apps/v1", "version": "v1" }],
                "preferredVersion": { "groupVersion": "apps/v1", "version": "v1" },
            }] }),
        ),
        ("/api/v1", json!({ "resources": [resource("pods", "Pod", &["po"], &ALL), status, review] })),
        ("/apis/apps/v1", json!({ "resources": [resource("deployments", "Deployment", &["deploy"], &ALL)] })),
        (
            "/apis/apps/v1beta1",
            json!({ "resources": [resource("deployments", "Deployment", &["deploy"], &ALL)] }),
        ),
    ];
    servers.documents.lock().extend(documents.map(|(path, document)| (path.to_owned(), document)));
    servers
}

#[tokio::test(start_paused = true)]
async fn b_432_a_resource_by_name_is_the_informer_of_its_type() {
    let servers = servers();
    let factory = servers.factory();
    let typed = factory.kind::<Deployment>().informer();
    for name in ["deploy", "Deployment", "deployments.apps", "deployments.v1.apps"] {
        let named = factory.for_resource(name).await.unwrap().informer();
        assert!(Arc::ptr_eq(typed.engine(), named.engine()), "{name}");
    }
    let gvr = GroupVersionResource::gvr("apps", "v1", "deployments");
    assert!(Arc::ptr_eq(typed.engine(), factory.kind_of(&gvr).informer().engine()));
    let beta = factory.for_resource("deployments.v1beta1.apps").await.unwrap().informer();
    assert!(!Arc::ptr_eq(typed.engine(), beta.engine()));
    started(&factory).await;
    assert_eq!(servers.of::<Deployment>().requests().len(), 1);
    assert_eq!(servers.asked.lock().len(), 5, "the server was asked once what it has");
}

#[tokio::test]
async fn b_432_all_resources_that_can_be_watched_in_order_of_preference() {
    let resources = servers().factory().resources().await.unwrap();
    let names: Vec<_> =
        resources.iter().map(|kind| format!("{} {}", kind.api_version(), kind.plural())).collect();
    assert_eq!(names, ["v1 pods", "apps/v1 deployments", "apps/v1beta1 deployments"]);
    assert!(resources.iter().all(|kind| kind.is_namespaced() == Some(true)));
}

#[tokio::test]
async fn b_432_a_name_that_is_not_known_is_asked_about_again() {
    let servers = servers();
    let factory = servers.factory();
    let error = factory.for_resource("widgets").await.unwrap_err();
    assert_eq!(error.to_string(), "the server has no resource \"widgets\"");
    let installed = json!({ "resources": [resource("widgets", "Widget", &[], &ALL)] });
    servers.documents.lock().insert("/api/v1".into(), installed);
    assert_eq!(factory.resolve("widget").await.unwrap().plural(), "widgets");
}

#[tokio::test]
async fn b_432_a_group_that_does_not_answer_spoils_nothing_but_is_named() {
    let servers = servers();
    servers.documents.lock().remove("/apis/apps/v1beta1");
    servers.documents.lock().insert("/apis/apps/v1".into(), json!({ "kind": "Status" }));
    let factory = servers.factory();
    assert_eq!(factory.resolve("po").await.unwrap().kind(), "Pod");
    let error = factory.resolve("deploy").await.unwrap_err().to_string();
    assert!(
        error.starts_with(
            "the server has no resource \"deploy\"; could not be asked: apps/v1: /apis/apps/v1 is no document of discovery"
        ),
        "{error}"
    );
    assert!(error.ends_with("apps/v1beta1: /apis/apps/v1beta1 is away"), "{error}");
}

#[tokio::test]
async fn b_432_a_server_that_does_not_answer_is_said_to() {
    let error = Servers::default().factory().for_resource("pods").await.unwrap_err();
    assert_eq!(error.to_string(), "the server's resources cannot be read (HTTP 503): /api is away");
    let script = crate::source::ScriptedSource::of::<Deployment>();
    let factory =
        crate::factory::SharedInformerFactory::with_sources(move |_: &crate::kind::KindInfo| script.clone());
    let error = factory.build().unwrap().for_resource("pods").await.unwrap_err().to_string();
    assert!(error.ends_with("the source of this factory's objects knows nothing of /api"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn b_432_a_group_that_hangs_is_given_up_and_named() {
    let servers = servers();
    *servers.hangs.lock() = Some("/apis/apps/v1".into());
    let factory = servers.factory();
    let asked = Instant::now();
    assert_eq!(factory.resolve("deployments.v1beta1.apps").await.unwrap().version(), "v1beta1");
    assert_eq!(asked.elapsed().as_secs(), 30);
    let error = factory.resolve("statefulsets").await.unwrap_err().to_string();
    assert!(error.ends_with("apps/v1: /apis/apps/v1 was not answered within 30s"), "{error}");
    *servers.hangs.lock() = Some("/api".into());
    let resources = factory.resources().await.unwrap();
    assert!(resources.iter().all(|kind| kind.group() == "apps") && resources.len() == 2, "{resources:?}");
}

#[tokio::test(start_paused = true)]
async fn b_432_what_is_known_is_answered_while_the_server_is_asked() {
    let servers = servers();
    let factory = servers.factory();
    factory.resolve("pods").await.unwrap();
    *servers.hangs.lock() = Some("/apis".into());
    let asks = factory.clone();
    let asking = tokio::spawn(async move { asks.resolve("widgets").await });
    rest().await;
    let asked = Instant::now();
    assert_eq!(factory.resolve("deploy").await.unwrap().kind(), "Deployment");
    assert!(asked.elapsed().is_zero() && !asking.is_finished());
    assert!(asking.await.unwrap().is_err());
}

#[tokio::test]
async fn several_names_are_asked_about_once() {
    let servers = servers();
    let factory = servers.factory();
    let asked = || std::mem::take(&mut *servers.asked.lock()).len();
    let plurals = async |names: &[&str]| {
        let kinds = factory.resolve_all(names).await.unwrap();
        kinds.into_iter().map(|kind| kind.ok().map(|kind| kind.plural().to_owned())).collect::<Vec<_>>()
    };
    let (pods, deployments) = (Some("pods".to_owned()), Some("deployments".to_owned()));
    assert_eq!(plurals(&["po", "web-0", "deploy", "web-1"]).await, [pods.clone(), None, deployments, None]);
    assert_eq!(asked(), 5, "one run for all");
    assert_eq!(plurals(&["pods", "Pod"]).await, [pods.clone(), pods.clone()]);
    assert_eq!(asked(), 0);
    // What was known stays known if its group is away now, and what is not may be in that group.
    servers.documents.lock().remove("/api/v1");
    let kinds = factory.resolve_all(&["pods".to_owned(), "evnts".to_owned()]).await.unwrap();
    assert_eq!(asked(), 5);
    let [Ok(kind), Err(error)] = kinds.as_slice() else { panic!("{kinds:?}") };
    assert_eq!((kind.plural(), error.unavailable()), ("pods", &["v1: /api/v1 is away".to_owned()][..]));
    servers.documents.lock().clear();
    assert!(factory.resolve_all(&["evnts"]).await.unwrap_err().source_error().is_some());
}
