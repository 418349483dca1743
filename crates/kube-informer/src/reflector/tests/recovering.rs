use informer_core::scope::Scope;

use super::*;

fn hang() -> Reply {
    Reply::Body(vec![Piece::Hang])
}

#[tokio::test(start_paused = true)]
async fn b_008_b_015_one_backoff_for_lists_and_watches() {
    let replies = vec![refused(), list("10", None, &[]), refused(), refuse(http(429)), hang()];
    let play = Play::start(&lists(), replies);
    play.deltas().await;
    tokio::time::sleep(10 * SECOND).await;
    // The list in between succeeds, so what fails after it fails for the first time.
    assert_eq!(play.times(), [0, 800, 800, 1600, 3200].map(Duration::from_millis));
}

#[tokio::test(start_paused = true)]
async fn p_043_retry_after_is_obeyed() {
    let busy = Status { retry_after: Some(7 * SECOND), ..http(429) };
    let play = Play::start(&lists(), vec![refuse(busy), list("10", None, &[])]);
    rest().await;
    assert_eq!(play.status().phase, Phase::BackingOff);
    play.deltas().await;
    assert_eq!(play.times()[1], 7 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn d15_404_keeps_the_cache_and_asks_ever_more_rarely_until_the_kind_is_back() {
    let mut replies = vec![list("10", None, &["a@1"])];
    replies.extend((0..8).map(|_| refuse(http(404))));
    replies.push(list("20", None, &[]));
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=10[a@1]"]);
    rest().await;
    assert_eq!(play.status().phase, Phase::Gone);
    assert_eq!(play.deltas().await, ["=20[]"]);
    let times = play.times();
    let waits: Vec<_> = times[1..10].windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (place, wait) in waits.iter().enumerate() {
        let least = (SECOND * 4 / 5 * (1 << place)).min(30 * SECOND);
        assert!((least..2 * least).contains(wait), "{waits:?}");
    }
    assert_eq!(play.status().relists(RelistReason::Gone), 1);
    assert_eq!(play.failures().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn d15_what_fails_once_a_kind_is_back_does_not_wait_as_long_as_its_absence_taught() {
    let mut replies: Vec<_> = (0..8).map(|_| refuse(http(404))).collect();
    replies.extend([refuse(http(503)), list("20", None, &[]), refuse(http(404)), list("21", None, &[])]);
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=20[]"]);
    assert_eq!(play.deltas().await, ["=21[]"]);
    let times = play.times();
    assert!(times[8] - times[7] >= 30 * SECOND, "{times:?}");
    assert!(times[9] - times[8] < 2 * SECOND, "the 503: {times:?}");
    assert!(times[11] - times[10] < 2 * SECOND, "the next 404: {times:?}");
}

#[tokio::test(start_paused = true)]
async fn d15_a_silent_watch_is_dead_after_its_timeout_and_15_s_then_reopened_then_relisted() {
    let replies = vec![list("10", None, &[]), hang(), hang(), list("11", None, &[])];
    let settings = lists().min_watch_timeout(5 * SECOND);
    let play = Play::start(&settings, replies);
    play.deltas().await;
    rest().await;
    let first = Duration::from_secs(u64::from(play.watches()[0].timeout_seconds)) + 15 * SECOND;
    tokio::time::sleep(first).await;
    assert_eq!(play.times()[2], first);
    assert_eq!(play.status().phase, Phase::Stalled);
    assert_eq!(play.watches()[1].resource_version, "10");
    assert_eq!(play.deltas().await, ["=11[]"]);
    assert_eq!(play.status().relists(RelistReason::Dead), 1);
    assert_eq!(play.failures().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_reopened_watch_that_is_not_answered_is_stalled() {
    let replies = vec![list("10", None, &[]), hang(), Reply::Silence, list("11", None, &[])];
    let play = Play::start(&lists().min_watch_timeout(5 * SECOND), replies);
    play.deltas().await;
    rest().await;
    assert_eq!(play.status().phase, Phase::Watching);
    tokio::time::sleep(Duration::from_secs(u64::from(play.watches()[0].timeout_seconds)) + 15 * SECOND).await;
    assert_eq!(play.watches().len(), 2);
    assert_eq!(play.status().phase, Phase::Stalled);
}

#[tokio::test(start_paused = true)]
async fn d15_once_a_bookmark_came_150_s_of_silence_are_enough() {
    let replies = vec![
        list("10", None, &[]),
        Reply::Body(vec![Piece::Pause(60 * SECOND), bookmark("20"), Piece::Hang]),
        Reply::Body(vec![Piece::Pause(5 * SECOND), bookmark("21"), Piece::Hang]),
    ];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(2).await, ["=10[]", "#20"]);
    tokio::time::sleep(150 * SECOND).await;
    rest().await;
    assert_eq!(play.times()[2], 210 * SECOND);
    assert_eq!(play.status().phase, Phase::Stalled);
    assert_eq!(play.deltas().await, ["#21"]);
    rest().await;
    assert_eq!(play.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn d15_the_marker_of_a_streamed_list_is_not_a_periodic_bookmark() {
    let body = vec![marker("10"), Piece::Pause(200 * SECOND), event("ADDED", "a@11"), Piece::Hang];
    let play = Play::start(&Tuning::default(), vec![Reply::Body(body)]);
    assert_eq!(play.first_deltas(2).await, ["=10[]", "+a@11"]);
    assert_eq!(play.requests(), 1);
}

/// A watch that is cut after two seconds, and one that follows it.
fn cut_and_resumed(objects: &[&str], resumed: Vec<Piece>) -> Vec<Reply> {
    let cut = vec![Piece::Pause(2 * SECOND), Piece::Fail(SourceError::transport("reset"))];
    vec![list("100", None, objects), Reply::Body(cut), Reply::Body(resumed)]
}

#[tokio::test(start_paused = true)]
async fn d15_a_resumed_watch_asks_at_once_for_the_newest_object_by_name() {
    let play = Play::start(&lists(), cut_and_resumed(&["a@90", "b@95", "c@20"], vec![Piece::Hang]));
    play.answer_probes(vec![list("100", None, &["b@95"])]);
    play.deltas().await;
    tokio::time::sleep(200 * SECOND).await;
    let probes = play.probes();
    let (at, request) = &probes[0];
    assert_eq!((probes.len(), *at), (1, 2 * SECOND));
    assert_eq!(
        request.query(),
        "limit=1&labelSelector=a%3Db&fieldSelector=metadata.name%3Db%2Cmetadata.namespace%3Dn"
    );
    assert_eq!(request.scope, Scope::namespace("n"));
    assert_eq!((play.requests(), play.status().probes), (3, 1));
    assert_eq!(play.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn d15_rewound_is_a_lower_version_or_the_newest_object_at_one() {
    for (says, why) in [
        (list("60", None, &[]), "the server is behind"),
        (list("60", None, &["a@90"]), "the server is behind, whatever it holds"),
        (list("300", None, &["a@40"]), "the object is older than we have seen it"),
    ] {
        let mut replies = cut_and_resumed(&["a@90"], vec![Piece::Hang]);
        replies.push(list("50", None, &["a@40"]));
        let play = Play::start(&lists(), replies);
        play.answer_probes(vec![says]);
        assert_eq!(play.first_deltas(2).await, ["=100[a@90]", "=50[a@40]"], "{why}");
        assert_eq!(play.times()[3], 2 * SECOND, "{why}");
        assert_eq!(play.lists()[1].resource_version, "", "{why}");
        assert_eq!(play.asked(), 1, "only for the first list: nothing is reused");
        assert_eq!(play.status().relists(RelistReason::Rewound), 1, "{why}");
        assert!(play.failures()[1].contains("gone back in time"), "{:?}", play.failures());
    }
}

#[tokio::test(start_paused = true)]
async fn d15_what_the_resumed_watch_brings_is_no_witness() {
    // The server has passed our version and sends what is new at once: that it has, whatever its history is.
    let resumed = vec![event("ADDED", "b@150"), Piece::Hang];
    let mut replies = cut_and_resumed(&["a@90"], resumed);
    replies.push(list("200", None, &["a@40", "b@150"]));
    let play = Play::start(&lists(), replies);
    play.answer_probes(vec![list("200", None, &["a@40"])]);
    assert_eq!(play.first_deltas(3).await, ["=100[a@90]", "+b@150", "=200[a@40 b@150]"]);
    assert!(play.probes()[0].1.query().contains("metadata.name%3Da"), "{:?}", play.probes());
    assert_eq!(play.status().relists(RelistReason::Rewound), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_an_object_that_is_missing_was_deleted_if_the_watch_says_so_in_time() {
    let deleted = vec![Piece::Pause(SECOND), event("DELETED", "a@150"), bookmark("300"), Piece::Hang];
    let play = Play::start(&lists(), cut_and_resumed(&["a@90"], deleted));
    play.answer_probes(vec![list("200", None, &[])]);
    assert_eq!(play.first_deltas(3).await, ["=100[a@90]", "-a@150", "#300"]);
    assert_eq!(play.status().relists(RelistReason::Rewound), 0);

    let passed_by = vec![Piece::Pause(SECOND), event("ADDED", "b@150"), bookmark("300"), Piece::Hang];
    let mut replies = cut_and_resumed(&["a@90"], passed_by);
    replies.push(list("301", None, &["b@150"]));
    let play = Play::start(&lists(), replies);
    play.answer_probes(vec![list("200", None, &[])]);
    assert_eq!(play.first_deltas(3).await, ["=100[a@90]", "+b@150", "=301[b@150]"]);
    assert_eq!(play.status().relists(RelistReason::Rewound), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_an_event_that_is_not_newer_than_where_the_watch_was_resumed_is_proof() {
    let mut replies = cut_and_resumed(&["a@90"], vec![event("MODIFIED", "a@70"), Piece::Hang]);
    replies.push(list("71", None, &["a@70"]));
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(2).await, ["=100[a@90]", "=71[a@70]"]);
    assert_eq!(play.status().relists(RelistReason::Rewound), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_a_question_without_an_answer_is_asked_three_times() {
    let play = Play::start(&lists(), cut_and_resumed(&[], vec![Piece::Hang]));
    play.answer_probes(vec![refused(), refuse(http(500))]);
    play.deltas().await;
    tokio::time::sleep(200 * SECOND).await;
    let times: Vec<_> = play.probes().into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [2 * SECOND, 3 * SECOND, 4 * SECOND]);
    assert_eq!(play.failures().len(), 1, "that it is not answered is no failure of the informer");
    assert_eq!(play.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_during_a_wait_is_done_after_it() {
    let start = Instant::now();
    let busy = Status { retry_after: Some(7 * SECOND), ..http(429) };
    let play = Play::start(&lists(), vec![refuse(busy), list("10", None, &[])]);
    rest().await;
    play.refresh.notify_one();
    play.deltas().await;
    assert_eq!(start.elapsed(), 7 * SECOND);
    assert_eq!(play.lists()[1].resource_version, "");
}

#[tokio::test(start_paused = true)]
async fn d9_a_source_that_panics_is_reported_and_asked_again_after_a_backoff() {
    let replies = vec![
        Reply::Panic,
        Reply::PanicLater,
        Reply::Body(vec![Piece::Text(r#"{"items":["#.into()), Piece::Panic]),
        list("10", None, &[]),
        Reply::Body(vec![bookmark("11"), Piece::Panic]),
        hang(),
    ];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(2).await, ["=10[]", "#11"]);
    let times = play.times();
    let waits: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(waits[..3], [800, 1600, 3200].map(Duration::from_millis));
    rest().await;
    let failures = play.failures();
    assert_eq!(failures.len(), 4, "{failures:?}");
    let said = "cannot list configmaps in all namespaces: the source panicked: a bug of the source";
    assert_eq!(failures[..3], [said; 3]);
    assert!(failures[3].starts_with("cannot watch configmaps"), "{}", failures[3]);
    assert_eq!(play.watches()[1].resource_version, "11", "resumed where it was");
    assert_eq!(play.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn d9_a_source_that_panics_when_it_is_asked_a_question_has_not_answered() {
    for panic in [Reply::Panic, Reply::PanicLater] {
        let play = Play::start(&lists(), cut_and_resumed(&[], vec![Piece::Hang]));
        play.answer_probes(vec![panic, list("100", None, &[])]);
        play.deltas().await;
        tokio::time::sleep(200 * SECOND).await;
        assert_eq!(play.probes().len(), 2, "asked once more");
        assert_eq!(play.status().phase, Phase::Watching);
    }
}

#[tokio::test(start_paused = true)]
async fn d15_an_account_that_may_only_list_lists_every_30_to_60_s() {
    let mut replies = vec![list("10", None, &[]), refuse(http(403)), refuse(http(403)), refuse(http(403))];
    for round in 0..4 {
        replies.extend([list(&format!("{}", 20 + round), None, &[]), refuse(http(403))]);
    }
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(5).await, ["=10[]", "=20[]", "=21[]", "=22[]", "=23[]"]);
    rest().await;
    assert_eq!(play.status().phase, Phase::Polling);
    let times = play.times();
    assert!(times[4] - times[3] < 5 * SECOND, "perhaps listing is not allowed either: {times:?}");
    for (watch, list) in [(5, 6), (7, 8), (9, 10)] {
        let wait = times[list] - times[watch];
        assert!((30 * SECOND..60 * SECOND).contains(&wait), "{times:?}");
    }
    assert_eq!(play.status().relists(RelistReason::Polling), 5, "the last one is about to be sent");
    assert_eq!(play.failures().len(), 7);
}
