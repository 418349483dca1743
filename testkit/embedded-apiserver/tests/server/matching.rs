//! Which requests a fault affects, and how often.

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Api;

use crate::support::config_map;

/// Sends `count` lists; whether each of them fails.
async fn fail(server: &EmbeddedApiserver, count: usize) -> Vec<bool> {
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let mut failed = Vec::new();
    for _ in 0..count {
        failed.push(maps.list(&Default::default()).await.is_err());
    }
    failed
}

#[tokio::test]
async fn always_unless_it_says_otherwise() {
    let server = EmbeddedApiserver::new();
    let cases = [
        (ServerFault::status(500), [true, true, true, true]),
        (ServerFault::status(500).once(), [true, false, false, false]),
        (ServerFault::status(500).first(2), [true, true, false, false]),
        (ServerFault::status(500).nth(3), [false, false, true, false]),
        (ServerFault::status(500).chance(0.0, 1), [false, false, false, false]),
        (ServerFault::status(500).chance(1.0, 1), [true, true, true, true]),
    ];
    for (fault, expected) in cases {
        let injected = server.inject(fault.clone());
        assert_eq!(fail(&server, 4).await, expected, "{fault:?}");
        assert_eq!(injected.struck(), expected.iter().filter(|failed| **failed).count() as u64);
        injected.remove();
        assert_eq!(fail(&server, 1).await, [false]);
    }
}

#[tokio::test]
async fn chance_is_the_same_for_the_same_seed() {
    let mut seen = Vec::new();
    for seed in [5, 5, 6] {
        let server = EmbeddedApiserver::new();
        server.inject(ServerFault::status(500).chance(0.5, seed));
        seen.push(fail(&server, 64).await);
    }
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[0], seen[2]);
    let failed = seen[0].iter().filter(|failed| **failed).count();
    assert!((10..54).contains(&failed), "{failed}");
}

#[tokio::test]
async fn only_what_it_is_narrowed_down_to() {
    let server = EmbeddedApiserver::new();
    let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
    let all_maps: Api<ConfigMap> = Api::all(server.client());
    let secrets: Api<Secret> = Api::default_namespaced(server.client());
    let deployments: Api<Deployment> = Api::default_namespaced(server.client());
    let cases = [
        (ServerFault::status(500), [true; 5]),
        (ServerFault::status(500).on(Verb::List), [true, true, true, true, false]),
        (ServerFault::status(500).on(Verb::Get).on(Verb::Watch), [false, false, false, false, true]),
        (ServerFault::status(500).resource("configmaps"), [true, true, false, false, true]),
        (ServerFault::status(500).resource("deployments"), [false, false, false, true, false]),
        (ServerFault::status(500).resource("deployments.apps"), [false, false, false, true, false]),
        (ServerFault::status(500).resource("deployments.extensions"), [false; 5]),
        (ServerFault::status(500).namespace("default"), [true, false, true, true, true]),
        (ServerFault::status(500).namespace(""), [false, true, false, false, false]),
        (ServerFault::status(500).name("x"), [false, false, false, false, true]),
        (
            ServerFault::status(500).when(|request| request.path.ends_with("secrets")),
            [false, false, true, false, false],
        ),
        (ServerFault::close(), [false; 5]),
        (ServerFault::expired_continue(), [false; 5]),
    ];
    server.create(&config_map("x")).await.unwrap();
    for (fault, expected) in cases {
        let injected = server.inject(fault.clone());
        let failed = [
            maps.list(&Default::default()).await.is_err(),
            all_maps.list(&Default::default()).await.is_err(),
            secrets.list(&Default::default()).await.is_err(),
            deployments.list(&Default::default()).await.is_err(),
            maps.get("x").await.is_err(),
        ];
        assert_eq!(failed, expected, "{fault:?}");
        injected.remove();
    }
}

#[tokio::test]
async fn faults_that_strike_once_make_a_sequence() {
    let server = EmbeddedApiserver::new();
    let codes = [500, 410, 503];
    let faults = codes.map(|code| server.inject(ServerFault::status(code).once()));
    assert_eq!(fail(&server, 4).await, [true, true, true, false]);
    let answered: Vec<_> = server.journal().requests().iter().map(|request| request.status).collect();
    assert_eq!(answered, [Some(500), Some(410), Some(503), Some(200)]);
    assert!(faults.iter().all(|fault| fault.struck() == 1));
}

#[tokio::test]
async fn quiet_clients_are_spared_and_not_in_the_journal() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::refuse());
    let maps: Api<ConfigMap> = Api::default_namespaced(server.quiet_client());
    maps.create(&Default::default(), &config_map("x")).await.unwrap();
    assert_eq!(maps.list(&Default::default()).await.unwrap().items.len(), 1);
    assert!(server.journal().requests().is_empty());
    server.clear_faults();
    assert_eq!(fail(&server, 1).await, [false]);
    assert_eq!(server.journal().count(|request| request.is(Verb::List, "configmaps")), 1);
}

#[tokio::test]
#[should_panic(expected = "200 is no status of an error")]
async fn success_is_no_fault() {
    let _ = ServerFault::status(200);
}
