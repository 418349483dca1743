use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::Method;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_informer::error::SourceError;
use kube_informer::source::{ByteStream, ListWatch, Request};
use kube_informer::testing::{Fault, ScriptedSource};
use kube_informer::{InformerBuilder, SharedInformer, handler};
use serde_json::{Value, json};

use super::*;
use crate::Endpoint;

/// In the values of all objects of these tests.
const VALUE: &str = "hunter2";

fn server(data: &Value) -> ScriptedSource {
    let server = ScriptedSource::of::<ConfigMap>();
    server.put_json(json!({ "metadata": { "namespace": "shop", "name": "bad" }, "data": data })).unwrap();
    server
}

fn builder(server: ScriptedSource) -> InformerBuilder<ConfigMap> {
    SharedInformer::builder(server)
}

/// What the endpoint says of an informer that has run for a while, and the part of it that is JSON.
async fn said(informer: SharedInformer<ConfigMap>) -> (String, Value) {
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(Duration::from_secs(5)).await.ok();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let endpoint = Endpoint::new(move || vec![informer.status()]);
    let get = |path: &str| endpoint.answer(&Method::GET, path).into_body();
    let document = get("/debug/informers");
    let json = serde_json::from_str::<Value>(&document).unwrap()["informers"][0].clone();
    (document + &get("/readyz"), json)
}

/// The last failure of an informer of which nothing else is told either.
async fn last_failure(informer: SharedInformer<ConfigMap>) -> String {
    let (said, json) = said(informer).await;
    assert!(!said.contains(VALUE), "{said}");
    json["lastFailure"].as_str().unwrap_or_else(|| panic!("nothing failed: {said}")).to_owned()
}

#[tokio::test(start_paused = true)]
async fn of_objects_that_do_not_decode_no_value_is_told() {
    let (said, json) = said(builder(server(&VALUE.into())).build().unwrap()).await;
    assert!(!said.contains(VALUE), "{said}");
    let wanted = format!("shop/bad: {WITHHELD}");
    assert_eq!(json["wrongType"], wanted);
    let wanted =
        format!("no object of configmaps decodes into the informer's type, check the type: {wanted}");
    assert_eq!(json["lastFailure"], wanted);
}

#[tokio::test(start_paused = true)]
async fn of_one_that_does_not_decode_the_name_is_told() {
    let server = server(&VALUE.into());
    server.put_json(json!({ "metadata": { "namespace": "shop", "name": "a-good-one" } })).unwrap();
    let told = last_failure(builder(server).build().unwrap()).await;
    assert_eq!(told, format!("configmaps shop/bad does not decode: {WITHHELD}"));
}

#[tokio::test(start_paused = true)]
async fn of_functions_of_the_program_no_text_is_told() {
    let indexed = builder(server(&json!({}))).build().unwrap();
    let _index = indexed.add_index("owner", |_| Err::<Vec<String>, _>(VALUE));
    let told = last_failure(indexed).await;
    assert_eq!(told, format!("configmaps shop/bad is left out of index \"owner\": {WITHHELD}"));

    let handled = builder(server(&json!({}))).build().unwrap();
    handled.add_event_handler(handler().named("audit").on_add(|_| panic!("{VALUE}"))).unwrap();
    assert_eq!(last_failure(handled).await, format!("handler \"audit\" of configmaps panicked: {WITHHELD}"));

    let transformed = builder(server(&json!({}))).transform(|_| Err(VALUE));
    let told = last_failure(transformed.build().unwrap()).await;
    assert_eq!(told, format!("configmaps shop/bad is left out: {WITHHELD}"));
}

/// An informer whose requests all fail.
fn failing(error: &SourceError) -> SharedInformer<ConfigMap> {
    let server = server(&json!({}));
    for _ in 0..100 {
        server.inject(Fault::error(error.clone()).once());
    }
    builder(server).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_is_told_unless_it_may_be_about_an_object() {
    let broken = SourceError::http(500, "InternalError", format!("cannot convert \"{VALUE}\""));
    let told = last_failure(failing(&broken)).await;
    let wanted = "cannot list configmaps in all namespaces (HTTP 500): Internal Server Error";
    assert_eq!(told, format!("{wanted} {WITHHELD}"));

    // As the last failure, as the last error of its scope, and as why it is not ready.
    let (said, _) = said(failing(&SourceError::http(403, "Forbidden", "not you"))).await;
    assert_eq!(said.matches("not you").count(), 3, "{said}");
    let (said, _) = self::said(failing(&SourceError::transport("connection refused"))).await;
    assert_eq!(said.matches("connection refused").count(), 3, "{said}");
}

struct Panics;

impl ListWatch for Panics {
    fn open(&self, _: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        panic!("{VALUE}")
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_source_that_panics_no_text_is_told() {
    let told = last_failure(SharedInformer::builder(Panics).build().unwrap()).await;
    assert_eq!(told, format!("cannot list configmaps in all namespaces: the source panicked: {WITHHELD}"));
}

#[test]
fn no_cause_but_a_refused_request_keeps_its_text() {
    let (message, key) = (|| VALUE.to_owned(), || "shop/bad".parse().unwrap());
    let causes = [
        Cause::List { status: Some(503), message: message() },
        Cause::Watch { status: Some(500), message: message() },
        Cause::Watch { status: Some(0), message: message() },
        Cause::LeftOut { key: Some(key()), message: message() },
        Cause::LeftOut { key: None, message: message() },
        Cause::WrongType { message: message() },
        Cause::Undecodable { key: key(), message: message() },
        Cause::Drop { key: key(), message: message() },
        Cause::Index { index: Arc::from("i"), key: key(), message: message() },
        Cause::Handler { handler: Arc::from("h"), message: message() },
        Cause::Broken { message: message() },
    ];
    for told in causes.map(shown_cause) {
        assert!(told.message().ends_with(WITHHELD) && !told.message().contains(VALUE), "{told:?}");
    }
    let refused = Cause::List { status: Some(403), message: "not you".to_owned() };
    assert_eq!(shown_cause(refused.clone()), refused);
}
