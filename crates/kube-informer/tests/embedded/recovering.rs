//! How long is waited after a failure, and what is made sure of after it.

use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube_informer::source::{HttpSource, StreamingList};
use kube_informer::status::{Phase, RelistReason};
use kube_informer::{Kind, Options, SharedInformer};
use serde_json::json;

use crate::support::{PATIENCE, Rig, SECOND, config_map, exact, lists, parameter, pass};

#[tokio::test(start_paused = true)]
async fn p_043_retry_after_is_obeyed_in_a_status_and_in_plain_text() {
    for fault in [ServerFault::too_many_requests(Some(7)), ServerFault::overloaded(Some(7))] {
        let server = EmbeddedApiserver::new();
        server.inject(fault.on(Verb::List).once());
        let rig = Rig::start(server, lists());
        let asked = rig.asked(2).await;
        assert_eq!((asked[0].status, rig.millis(&asked)[1]), (Some(429), 7_000));
        rig.informer.wait_synced(PATIENCE).await.unwrap();
        assert_eq!(rig.failures().len(), 1, "{:?}", rig.failures());
    }
}

#[tokio::test(start_paused = true)]
async fn b_006_waits_double_up_to_30_s() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::status(503).on(Verb::List).first(8));
    let rig = Rig::start(server, lists());
    let asked = rig.asked(9).await;
    let times = rig.millis(&asked[..9]);
    let waits: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(waits, [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
    rig.informer.wait_synced(PATIENCE).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b_006_with_the_defaults_a_server_is_asked_about_once_a_second_for_the_first_ten() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::status(503).on(Verb::List));
    let rig =
        Rig::start(server, Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never)));
    pass(10 * SECOND).await;
    let early = rig.requests().len();
    assert!((8..=17).contains(&early), "{early}");
    pass(600 * SECOND).await;
    let late = rig.requests().len() - early;
    assert!(late <= 30, "{late}");
}

#[tokio::test(start_paused = true)]
async fn b_007_d15_a_watch_that_lived_makes_the_next_failure_a_first_one() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::status(500).on(Verb::List).first(4));
    let rig = Rig::start(server, lists());
    // Four lists that fail, one that does not, and a watch, which lasts for five minutes or more.
    assert_eq!(rig.millis(&rig.asked(6).await), [0, 800, 2_400, 5_600, 12_000, 12_000]);
    rig.server.inject(ServerFault::refuse().on(Verb::Watch).once());
    let asked = rig.asked(8).await;
    assert!(asked[6].at - asked[5].at >= 300 * SECOND);
    assert_eq!((asked[7].at - asked[6].at).as_millis(), 800);
    rig.hears_of("a").await;
}

#[tokio::test(start_paused = true)]
async fn d15_a_resumed_watch_asks_once_for_the_newest_object() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("older")).await.unwrap();
    server.create(&config_map("newest")).await.unwrap();
    server.inject(ServerFault::refuse().on(Verb::Watch).once());
    let rig = Rig::start(server, lists());
    let asked = rig.asked(3).await;
    assert_eq!(rig.millis(&asked), [0, 0, 800]);
    pass(200 * SECOND).await;
    let probes = rig.probes();
    assert_eq!(rig.millis(&probes), [800]);
    assert_eq!(parameter(&probes[0], "fieldSelector"), "metadata.name=newest,metadata.namespace=default");
    assert_eq!(rig.requests().len(), 3);
    assert_eq!(rig.failures().len(), 1, "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn d15_a_restored_backup_is_noticed_at_once_and_read_as_it_is() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("kept")).await.unwrap();
    let backup = server.version();
    for number in 0..5 {
        server.create(&config_map(&format!("undone-{number}"))).await.unwrap();
    }
    let rig = Rig::start(server, lists());
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    rig.asked(2).await;
    rig.server.inject(ServerFault::refuse().on(Verb::Watch).once());
    rig.server.rewind(backup).unwrap();
    // The list, the watch that ended, the one that is refused, the one that waits for what will never come, the list.
    let asked = rig.asked(5).await;
    assert!(asked[4].is(Verb::List, "configmaps"), "{asked:?}");
    assert_eq!(asked[4].at, asked[3].at);
    assert_eq!(parameter(&asked[4], "resourceVersion"), "");
    assert_eq!(rig.probes().len(), 1);
    rig.hears_of("later").await;
    let lister = rig.informer.lister();
    let mut keys: Vec<_> = lister.keys().iter().map(ToString::to_string).collect();
    keys.sort();
    assert_eq!(keys, ["default/kept", "default/later"]);
    assert_eq!(rig.status().relists(RelistReason::Rewound), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_a_kind_that_is_not_served_is_asked_for_every_30_to_60_s_until_it_is() {
    let server = EmbeddedApiserver::new();
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let widgets = ApiResource::from_gvk_with_plural(&kind, "widgets");
    let source = HttpSource::new(server.client(), DynamicObject::info(&widgets)).unwrap();
    let built = SharedInformer::<DynamicObject>::builder_with(source, &widgets).options(|_| exact()).build();
    let informer = built.unwrap();
    let running = tokio::spawn({
        let informer = informer.clone();
        async move { informer.run(std::future::pending()).await }
    });
    let asked = server.journal().until(10, |request| request.resource == "widgets.example.com").await;
    assert_eq!(informer.status().phase, Phase::Gone);
    let waits: Vec<Duration> = asked.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    for (place, wait) in waits.iter().enumerate() {
        let least = (SECOND * 4 / 5 * (1 << place)).min(30 * SECOND);
        assert!((least..2 * least).contains(wait), "{waits:?}");
    }
    let definition: CustomResourceDefinition = serde_json::from_value(json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    }))
    .unwrap();
    server.create(&definition).await.unwrap();
    informer.wait_synced(60 * SECOND).await.unwrap();
    running.abort();
}
