//! Waiting until everything is there, and hearing why it is not.

use std::time::Duration;

use informer_core::scope::Scope;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use tokio::time::Instant;

use super::support::{SOON, Servers, rest};
use crate::source::{Fault, SourceError, Status};

fn forbid(server: &crate::source::ScriptedSource) {
    let message = "the server says no".to_owned();
    let refused = Status { code: 403, reason: "Forbidden".into(), message, ..Status::default() };
    for _ in 0..1_000 {
        server.inject(Fault::error(SourceError::answered(refused.clone())).once());
    }
}

#[tokio::test(start_paused = true)]
async fn b_426_synced_when_all_are() {
    let servers = Servers::default();
    servers.with::<Pod>(&["a/x", "a/y"]);
    servers.with::<Secret>(&["a/x"]);
    let factory = servers.factory();
    let (pods, secrets) = (factory.kind::<Pod>().lister(), factory.kind::<Secret>().lister());
    factory.start();
    factory.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!([pods.len(), secrets.len()], [2, 1]);
    factory.wait_for_cache_sync(Duration::ZERO).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_426_the_error_names_every_kind_and_scope_and_why() {
    let servers = Servers::default();
    let factory = servers.builder().kind::<Secret>(|secrets| secrets.namespace("a")).build().unwrap();
    factory.kind::<Pod>().informer();
    factory.kind::<Secret>().informer();
    factory.kind::<ConfigMap>().named("slow", |maps| maps).unwrap().informer();
    forbid(&servers.of::<Secret>());
    servers.of::<ConfigMap>().inject(Fault::stall().once());
    factory.start();
    let error = factory.wait_for_cache_sync(Duration::from_secs(20)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 of 3 informers not synced after 20s\n  secrets not synced after 20s; namespace \"a\" is backing off (HTTP 403): \
         the server says no; grant the verbs list and watch on secrets to the account the program runs as\n  \"slow\": \
         configmaps not synced after 20s; all namespaces is listing"
    );
    let scopes: Vec<_> = error.scopes().map(|scope| &scope.scope).collect();
    assert_eq!(scopes, [&Scope::namespace("a"), &Scope::All]);
}

#[tokio::test(start_paused = true)]
async fn b_426_a_factory_that_was_not_started_is_not_waited_for() {
    let factory = Servers::default().factory();
    let begun = Instant::now();
    factory.wait_for_cache_sync(SOON).await.expect("nothing was asked for");
    factory.kind::<Pod>().informer();
    let error = factory.wait_for_cache_sync(SOON).await.unwrap_err();
    assert_eq!(error.to_string(), "1 of 1 informer not synced: the factory was not started");
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn w_36_who_waits_for_a_turn_is_said_to() {
    let servers = Servers::default();
    let factory = servers.builder().stagger(1, SOON).build().unwrap();
    factory.kind::<Pod>().informer();
    factory.kind::<Secret>().informer();
    servers.of::<Pod>().inject(Fault::stall().once());
    factory.start();
    let error = factory.wait_for_cache_sync(Duration::from_secs(20)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 of 2 informers not synced after 20s\n  pods not synced after 20s; all namespaces is listing\n  secrets not \
         synced: it waits until others have their lists"
    );
}

#[tokio::test(start_paused = true)]
async fn b_426_a_shutdown_ends_the_wait() {
    let servers = Servers::default();
    let factory = servers.factory();
    factory.kind::<Pod>().informer();
    servers.of::<Pod>().inject(Fault::stall().once());
    factory.start();
    let shut_down = async {
        rest().await;
        factory.shutdown().await;
    };
    let (waited, ()) = tokio::join!(factory.wait_for_cache_sync(SOON), shut_down);
    assert!(waited.unwrap_err().to_string().ends_with("pods not synced: the informer has stopped"));
}
