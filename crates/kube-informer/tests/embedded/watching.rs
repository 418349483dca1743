//! How long a watch lasts, and when its silence means that it is dead.

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
use kube_informer::Options;
use kube_informer::source::StreamingList;
use kube_informer::status::{Phase, RelistReason};

use crate::support::{PATIENCE, Rig, SECOND, asked_to_last, config_map, exact, lists, parameter, pass};

#[tokio::test(start_paused = true)]
async fn bookmarks_keep_a_quiet_watch_alive_and_it_is_renewed_when_its_time_is_over() {
    let rig = Rig::start(EmbeddedApiserver::new(), exact());
    while rig.requests().len() < 4 {
        rig.something_else_changes().await;
        pass(50 * SECOND).await;
    }
    let asked = rig.requests();
    assert!(asked.iter().all(|request| request.is(Verb::Watch, "configmaps")), "{asked:?}");
    assert_eq!(parameter(&asked[0], "sendInitialEvents"), "true");
    let version = |request| parameter(request, "resourceVersion").parse().unwrap_or(0);
    for pair in asked.windows(2) {
        let lasts = asked_to_last(&pair[0]);
        assert!((300 * SECOND..=600 * SECOND).contains(&lasts), "{lasts:?}");
        assert_eq!(pair[1].at - pair[0].at, lasts);
        assert!(version(&pair[1]) > version(&pair[0]) + 5, "bookmarks move the version: {asked:?}");
        assert_eq!(parameter(&pair[1], "sendInitialEvents"), "");
    }
    assert!(rig.status().bookmarks >= 15, "one each minute: {:?}", rig.status());
    assert_eq!(rig.failures(), [""; 0]);
    rig.hears_of("a").await;
}

#[tokio::test(start_paused = true)]
async fn d15_where_nothing_happens_at_all_no_bookmark_comes_and_the_version_is_asked_for() {
    let rig = Rig::start(EmbeddedApiserver::new(), lists());
    let asked = rig.asked(3).await;
    assert_eq!(asked[2].at - asked[1].at, asked_to_last(&asked[1]));
    assert!(asked[2].is(Verb::Watch, "configmaps"), "{asked:?}");
    pass(SECOND).await;
    let probes = rig.probes();
    assert_eq!((probes.len(), probes[0].at), (1, asked[2].at), "{probes:?}");
    assert_eq!((rig.status().bookmarks, rig.failures().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn d15_a_silent_watch_is_dead_15_s_after_its_time_and_reopened_at_the_same_version() {
    let server = EmbeddedApiserver::new();
    let stalled = server.inject(ServerFault::stall_after(0).on(Verb::Watch).once());
    let rig = Rig::start(server, lists());
    let asked = rig.asked(3).await;
    assert_eq!(asked[2].at - asked[1].at, asked_to_last(&asked[1]) + 15 * SECOND);
    assert!(asked[2].is(Verb::Watch, "configmaps"), "{asked:?}");
    assert_eq!(parameter(&asked[1], "resourceVersion"), parameter(&asked[2], "resourceVersion"));
    assert_eq!(stalled.struck(), 1);
    assert_eq!(rig.failures().len(), 1);
    assert!(rig.failures()[0].contains("nothing came for"), "{:?}", rig.failures());
    rig.hears_of("a").await;
    assert_eq!(rig.status().phase, Phase::Watching);
    assert_eq!(rig.status().relists(RelistReason::Dead), 0);
}

#[tokio::test(start_paused = true)]
async fn d15_two_silent_watches_are_followed_by_a_list() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::stall_after(0).on(Verb::Watch).first(2));
    let rig = Rig::start(server, lists().tuning(|tuning| tuning.lookup_after(PATIENCE)));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    // Nobody is told of it, and nobody asks for it alone.
    let missed = rig.server.create(&config_map("missed")).await.unwrap();
    rig.informer.wait_for(&missed, PATIENCE).await.unwrap();
    assert_eq!(rig.status().relists(RelistReason::Dead), 1);
    assert_eq!(rig.failures().len(), 2, "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn d15_after_a_bookmark_150_s_of_silence_are_enough() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::stall_after(1).on(Verb::Watch).once());
    let rig = Rig::start(server, lists().tuning(|tuning| tuning.min_watch_timeout(3_000 * SECOND)));
    rig.asked(2).await;
    rig.something_else_changes().await;
    pass(70 * SECOND).await;
    rig.hears_of("the-last").await;
    let last_event = rig.status().last_event.expect("that was one");
    let asked = rig.asked(3).await;
    assert_eq!(rig.status().bookmarks, 1);
    assert_eq!(asked[2].at - last_event, 150 * SECOND);
    assert!(asked[2].is(Verb::Watch, "configmaps"), "{asked:?}");
    rig.hears_of("a").await;
    assert_eq!(rig.status().relists(RelistReason::Dead), 0);
}

/// The client of these tests speaks HTTP/1.1, which has no pings.
#[tokio::test(start_paused = true)]
async fn d15_without_pings_a_silent_watch_is_moved_within_45_s_and_nothing_is_lost() {
    let server = EmbeddedApiserver::new();
    let stalled = server.inject(ServerFault::stall_after(0).on(Verb::Watch).first(10));
    let rig =
        Rig::start(server, lists().tuning(|tuning| tuning.idle_watch(30 * SECOND).lookup_after(PATIENCE)));
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    let missed = rig.server.create(&config_map("missed")).await.unwrap();
    let asked = rig.asked(12).await;
    assert!(asked[1..].iter().all(|request| request.is(Verb::Watch, "configmaps")), "{asked:?}");
    for pair in asked[1..].windows(2) {
        let waited = pair[1].at - pair[0].at;
        assert!((30 * SECOND..=45 * SECOND).contains(&waited), "{waited:?}");
    }
    let heard = rig.status().last_byte.unwrap();
    assert!(heard >= asked[11].at, "that a watch is accepted is a sign of life");
    // The eleventh watch is not stalled.
    rig.informer.wait_for(&missed, SECOND).await.unwrap();
    assert_eq!(stalled.struck(), 10);
    assert_eq!((rig.status().phase, rig.failures().len()), (Phase::Watching, 0));
    assert_eq!(rig.status().relists(RelistReason::Dead), 0);
}

#[tokio::test(start_paused = true)]
async fn d15_two_hundred_idle_watches_without_pings_cost_about_five_requests_a_second() {
    let namespaces: Vec<_> = (0..200).map(|number| format!("team-{number}")).collect();
    let rig = Rig::start_with(EmbeddedApiserver::new(), |builder| {
        builder.options(|_| {
            Options::default()
                .namespaces(namespaces)
                .tuning(|tuning| tuning.streaming_list(StreamingList::Never))
        })
    });
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    pass(60 * SECOND).await;
    let before = rig.server.journal().matching(|_| true).len();
    pass(600 * SECOND).await;
    let requests = rig.server.journal().matching(|_| true).len() - before;
    // Each of them every 37.5 s in the mean, and a question for all of them whether the server went back in time.
    assert!((4.5..=6.0).contains(&(requests as f64 / 600.0)), "{requests} in ten minutes");
    assert!(rig.failures().is_empty(), "{:?}", rig.failures());
}

#[tokio::test(start_paused = true)]
async fn d15_without_pings_a_server_that_answers_nothing_is_shown_as_stalled_and_given_up() {
    let server = EmbeddedApiserver::new();
    let rig = Rig::start(server, lists().tuning(|tuning| tuning.idle_watch(30 * SECOND)));
    rig.asked(2).await;
    let stalled = rig.server.inject(ServerFault::stall());
    rig.asked(3).await;
    pass(2 * SECOND).await;
    assert_eq!(rig.status().phase, Phase::Stalled);
    pass(15 * SECOND).await;
    assert_eq!(rig.failures().len(), 1, "{:?}", rig.failures());
    stalled.remove();
    rig.hears_of("a").await;
    assert_eq!(rig.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn b_040_watches_that_end_at_once_are_asked_for_ever_more_slowly_and_then_listed() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::close().on(Verb::Watch).first(3));
    let rig = Rig::start(server, lists());
    let asked = rig.asked(6).await;
    assert_eq!(rig.millis(&asked), [0, 0, 800, 2_400, 2_400, 2_400]);
    assert!(asked[4].is(Verb::List, "configmaps"), "{asked:?}");
    assert_eq!(rig.status().relists(RelistReason::RepeatedErrors), 1);
    rig.hears_of("a").await;
}

#[tokio::test(start_paused = true)]
async fn b_013_history_that_is_gone_is_read_anew_at_once_without_a_report() {
    let server = EmbeddedApiserver::new();
    server.inject(ServerFault::close_after(1).on(Verb::Watch).once());
    server.inject(ServerFault::expired_event().on(Verb::Watch).nth(2));
    let rig = Rig::start(server, lists());
    rig.informer.wait_synced(PATIENCE).await.unwrap();
    rig.hears_of("a").await;
    let asked = rig.asked(5).await;
    assert!(asked[3].is(Verb::List, "configmaps"), "{asked:?}");
    assert_eq!(parameter(&asked[3], "resourceVersion"), rig.server.version().to_string());
    assert_eq!(parameter(&asked[3], "resourceVersionMatch"), "NotOlderThan");
    assert_eq!(asked[3].at, asked[2].at);
    assert_eq!(rig.status().relists(RelistReason::Expired), 1);
    assert_eq!(rig.failures(), [""; 0]);
    rig.hears_of("b").await;
}
