use super::*;

fn lists() -> Settings {
    Settings::default().streaming_list(StreamingList::Never).backoff_jitter(0.0)
}

async fn quiet() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

fn hang() -> Reply {
    Reply::Body(vec![Piece::Hang])
}

#[tokio::test(start_paused = true)]
async fn b_008_b_015_one_backoff_for_lists_and_watches() {
    let replies = vec![refused(), list("10", None, &[]), refused(), refuse(http(429)), hang()];
    let play = Play::start(&lists(), replies);
    play.deltas().await;
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(play.times(), [0, 800, 800, 2400, 5600].map(Duration::from_millis));
}

#[tokio::test(start_paused = true)]
async fn p_043_retry_after_is_obeyed() {
    let busy = HttpFailure { retry_after: Some(7 * SECOND), ..http(429) };
    let play = Play::start(&lists(), vec![refuse(busy), list("10", None, &[])]);
    quiet().await;
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
    quiet().await;
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
    // The probes beside the second watch are answered: the server knows the version.
    let replies = vec![list("10", None, &[]), hang(), hang(), list("10", None, &[]), list("11", None, &[])];
    let settings = lists().min_watch_timeout(5 * SECOND);
    let play = Play::start(&settings, replies);
    play.deltas().await;
    quiet().await;
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
    quiet().await;
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
    quiet().await;
    assert_eq!(play.times()[2], 210 * SECOND);
    assert_eq!(play.status().phase, Phase::Stalled);
    assert_eq!(play.deltas().await, ["#21"]);
    quiet().await;
    assert_eq!(play.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn d15_the_marker_of_a_streamed_list_is_not_a_periodic_bookmark() {
    let body = vec![marker("10"), Piece::Pause(200 * SECOND), event("ADDED", "a@11"), Piece::Hang];
    let play = Play::start(&Settings::default(), vec![Reply::Body(body)]);
    assert_eq!(play.first_deltas(2).await, ["=10[]", "+a@11"]);
    assert_eq!(play.requests(), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_rewound_a_silent_resumed_watch_is_probed_and_too_large_twice_relists_without_reuse() {
    let replies = vec![
        list("100", None, &["a@90"]),
        refused(),
        hang(),
        refuse(too_large()),
        refuse(too_large()),
        list("5", None, &["a@4"]),
    ];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=100[a@90]"]);
    tokio::time::sleep(11 * SECOND).await;
    assert_eq!(play.status().phase, Phase::Stalled);
    assert_eq!(play.deltas().await, ["=5[a@4]"]);
    let probe = &play.lists()[1];
    assert_eq!((probe.resource_version.as_str(), probe.limit), ("100", Some(1)));
    assert_eq!(probe.version_match, Some(VersionMatch::NotOlderThan));
    assert_eq!(play.lists()[3].resource_version, "");
    let times = play.times();
    assert_eq!(times[3] - times[2], 10 * SECOND);
    assert_eq!(times[4] - times[3], 10 * SECOND);
    assert_eq!(play.asked(), 1, "only for the first list");
    assert_eq!(play.status().relists(RelistReason::Rewound), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_a_server_that_knows_the_version_is_probed_once() {
    let replies = vec![list("100", None, &[]), refused(), hang(), list("100", None, &[])];
    let play = Play::start(&lists(), replies);
    play.deltas().await;
    tokio::time::sleep(200 * SECOND).await;
    assert_eq!(play.requests(), 4);
}

#[tokio::test(start_paused = true)]
async fn d15_a_probe_without_an_answer_is_repeated() {
    let replies =
        vec![list("100", None, &[]), refused(), hang(), refused(), refuse(http(500)), list("100", None, &[])];
    let play = Play::start(&lists(), replies);
    play.deltas().await;
    tokio::time::sleep(200 * SECOND).await;
    assert_eq!(play.requests(), 6);
    assert_eq!(play.failures().len(), 1, "a probe that fails is no failure of the informer");
}

#[tokio::test(start_paused = true)]
async fn d15_a_watch_that_speaks_within_10_s_is_not_probed() {
    let speaks = Reply::Body(vec![Piece::Pause(9 * SECOND), bookmark("101"), Piece::Hang]);
    let play = Play::start(&lists(), vec![list("100", None, &[]), refused(), speaks]);
    assert_eq!(play.first_deltas(2).await, ["=100[]", "#101"]);
    tokio::time::sleep(100 * SECOND).await;
    assert_eq!(play.requests(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_during_a_wait_is_done_after_it() {
    let start = Instant::now();
    let busy = HttpFailure { retry_after: Some(7 * SECOND), ..http(429) };
    let play = Play::start(&lists(), vec![refuse(busy), list("10", None, &[])]);
    quiet().await;
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
    tokio::time::sleep(9 * SECOND).await;
    let failures = play.failures();
    assert_eq!(failures.len(), 4, "{failures:?}");
    let said = "cannot list configmaps in all namespaces: the source panicked: a bug of the source";
    assert_eq!(failures[..3], [said; 3]);
    assert!(failures[3].starts_with("cannot watch configmaps"), "{}", failures[3]);
    assert_eq!(play.watches()[1].resource_version, "11", "resumed where it was");
    assert_eq!(play.status().phase, Phase::Watching);
}

#[tokio::test(start_paused = true)]
async fn d9_a_source_that_panics_when_it_is_probed_has_not_answered() {
    for panic in [Reply::Panic, Reply::PanicLater] {
        let replies = vec![list("100", None, &[]), refused(), hang(), panic, list("100", None, &[])];
        let play = Play::start(&lists(), replies);
        play.deltas().await;
        tokio::time::sleep(200 * SECOND).await;
        assert_eq!(play.requests(), 5, "probed once more");
        assert_eq!(play.status().phase, Phase::Watching);
    }
}
