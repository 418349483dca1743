//! How long a list may take, streamed or not.

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};

use crate::support::{PATIENCE, Rig, SECOND, config_map, exact, lists, parameter, pass};

#[tokio::test(start_paused = true)]
async fn b_060_a_streamed_list_whose_end_never_comes_is_given_up_after_30_s() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    server.inject(ServerFault::drop_end_bookmark().once());
    let rig = Rig::start(server, exact());
    let asked = rig.asked(3).await;
    assert_eq!(rig.millis(&asked), [0, 30_000, 30_000]);
    assert_eq!(parameter(&asked[0], "sendInitialEvents"), "true");
    assert!(asked[1].is(Verb::List, "configmaps"), "{asked:?}");
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    assert_eq!(rig.status().streaming_fallbacks, 1);
    assert_eq!(rig.informer.lister().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_060_a_server_that_ignores_the_wish_for_a_stream_is_given_up_after_30_s() {
    let server = EmbeddedApiserver::new();
    server.create(&config_map("a")).await.unwrap();
    server.inject(ServerFault::ignore_send_initial_events());
    let rig = Rig::start(server, exact());
    let asked = rig.asked(2).await;
    assert_eq!(rig.millis(&asked)[..2], [0, 30_000]);
    assert!(asked[1].is(Verb::List, "configmaps"), "{asked:?}");
    rig.hears_of("b").await;
    assert_eq!(rig.informer.lister().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn p_060_a_server_that_cannot_stream_is_listed_at_once_and_asked_again_after_an_hour() {
    let server = EmbeddedApiserver::builder().streaming_lists(false).build();
    let rig = Rig::start(server, exact());
    let asked = rig.asked(3).await;
    assert_eq!(rig.millis(&asked), [0, 0, 0]);
    assert_eq!((asked[0].status, parameter(&asked[0], "sendInitialEvents")), (Some(422), "true".to_owned()));
    assert!(asked[1].is(Verb::List, "configmaps"), "{asked:?}");
    assert_eq!(rig.failures(), [""; 0]);
    let streams =
        || rig.requests().iter().filter(|asked| parameter(asked, "sendInitialEvents") == "true").count();
    for (minutes, expected) in [(30, 1), (29, 1), (2, 2)] {
        pass(60 * SECOND * minutes).await;
        rig.informer.refresh();
        pass(SECOND).await;
        assert_eq!(streams(), expected, "after {minutes} minutes more");
    }
}

#[tokio::test(start_paused = true)]
async fn d15_a_list_is_dead_after_75_s_without_a_byte() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::stall().on(Verb::List).once());
    let rig = Rig::start(server, lists());
    let asked = rig.asked(3).await;
    assert_eq!(rig.millis(&asked), [0, 75_800, 75_800]);
    assert!(asked[1].is(Verb::List, "configmaps"), "{asked:?}");
    assert_eq!(rig.failures().len(), 1);
    assert!(rig.failures()[0].contains("nothing came for 75s"), "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn d15_slow_pages_are_waited_for() {
    let server = EmbeddedApiserver::new();
    for number in 0..5 {
        server.create(&config_map(&format!("a-{number}"))).await.unwrap();
    }
    let rig = Rig::start(server, lists().tuning(|tuning| tuning.page_size(2)));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    rig.asked(2).await;
    rig.server.inject(ServerFault::delay(74 * SECOND).on(Verb::List));
    rig.informer.refresh();
    // A list, a watch, three pages, a watch.
    let asked = rig.asked(6).await;
    assert_eq!(rig.millis(&asked), [0, 0, 0, 74_000, 148_000, 222_000]);
    assert!(asked[2..5].iter().all(|request| request.is(Verb::List, "configmaps")), "{asked:?}");
    assert_eq!(rig.informer.lister().len(), 5);
    assert_eq!(rig.failures(), [""; 0]);
}
