use super::*;

#[tokio::test(start_paused = true)]
async fn b_004_b_029_the_first_list_is_sent_at_once_and_replaces_the_scope_as_one_delta() {
    let play = Play::start(&lists(), vec![list("10", None, &["a@1", "b@2"])]);
    assert_eq!(play.deltas().await, ["=10[a@1 b@2]"]);
    assert_eq!(play.times()[0], Duration::ZERO);
    let params = &play.lists()[0];
    assert_eq!((params.resource_version.as_str(), params.limit), ("0", Some(500)));
    assert_eq!(play.request(0).label_selector.as_deref(), Some("a=b"));
    sleep_a_bit().await;
    assert_eq!(play.watches()[0].resource_version, "10");
    assert!(!play.watches()[0].send_initial_events);
    assert_eq!(play.status().relists(RelistReason::First), 1);
}

async fn sleep_a_bit() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn b_561_p_021_p_025_pages_become_one_delta() {
    let replies =
        vec![list("10", Some("c1"), &["a@1"]), list("10", Some("c2"), &[]), list("10", None, &["b@2"])];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=10[a@1 b@2]"]);
    let tokens: Vec<_> = play.lists().into_iter().map(|params| params.continue_token).collect();
    assert_eq!(tokens, [None, Some("c1".into()), Some("c2".into())]);
    assert_eq!(play.status().lists, 3);
}

#[tokio::test(start_paused = true)]
async fn b_563_p_024_nothing_of_the_pages_before_a_410_is_used() {
    let replies = vec![list("10", Some("c1"), &["old@1"]), refuse(http(410)), list("12", None, &["new@2"])];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=12[new@2]"]);
    assert_eq!(play.lists()[2].limit, None);
    assert_eq!(play.failures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn b_011_b_028_a_failed_list_is_reported_changes_nothing_and_is_tried_again() {
    let cut = Reply::Body(vec![Piece::Text(r#"{"items":[{"meta"#.into())]);
    let play = Play::start(&lists(), vec![cut, refuse(http(403)), list("10", None, &[])]);
    assert_eq!(play.deltas().await, ["=10[]"]);
    let failures = play.failures();
    assert_eq!(failures.len(), 2);
    assert!(failures[0].starts_with("cannot list configmaps in all namespaces: "), "{}", failures[0]);
    assert!(failures[1].contains("HTTP 403"), "{}", failures[1]);
    let error = play.status().last_error.unwrap();
    assert_eq!((error.cause.message(), error.cause.http_status()), ("code 403", Some(403)));
    assert_eq!(play.times()[1..3], [800, 2400].map(Duration::from_millis));
}

#[tokio::test(start_paused = true)]
async fn d15_a_list_is_dead_after_75_s_without_a_byte() {
    let slow = Reply::Body(vec![
        Piece::Pause(74 * SECOND),
        Piece::Text(r#"{"items":[],"#.into()),
        Piece::Pause(74 * SECOND),
        Piece::Text(r#""metadata":{"resourceVersion":"10"}}"#.into()),
    ]);
    let play = Play::start(&lists(), vec![Reply::Silence, Reply::Body(vec![Piece::Hang]), slow]);
    assert_eq!(play.deltas().await, ["=10[]"]);
    let times = play.times();
    assert!(times[1] > 75 * SECOND && times[1] < 77 * SECOND);
    assert!(times[2] - times[1] > 75 * SECOND);
    assert_eq!(play.failures().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_taken_in_is_absent_from_the_list_and_reported() {
    let play = Play::start(&lists(), vec![list("10", None, &["a@1", "bad@2", "c@3"])]);
    assert_eq!(play.deltas().await, ["=10[a@1 c@3]"]);
    assert_eq!(play.failures(), ["configmaps n/bad is left out: the transform refused it: bad"]);
}

#[tokio::test(start_paused = true)]
async fn b_052_b_056_p_060_a_streamed_list_is_one_request_that_goes_on_as_the_watch() {
    let body = Reply::Body(vec![
        event("ADDED", "a@5"),
        event("ADDED", "b@99"),
        event("MODIFIED", "a@6"),
        event("ADDED", "bad@7"),
        event("ADDED", "c@3"),
        event("DELETED", "c@8"),
        marker("10"),
        event("ADDED", "d@11"),
        Piece::Hang,
    ]);
    let play = Play::start(&Tuning::default(), vec![body]);
    assert_eq!(play.first_deltas(2).await, ["=10[a@6 b@99]", "+d@11"]);
    assert_eq!(play.requests(), 1);
    let params = &play.watches()[0];
    assert!(params.send_initial_events);
    assert_eq!(params.resource_version, "");
    assert!((300..=600).contains(&params.timeout_seconds));
    assert_eq!(play.status().phase, Phase::Watching);
    assert_eq!(play.status().last_version, Some("11".into()));
    assert_eq!(play.failures(), ["configmaps n/bad is left out: the transform refused it: bad"]);
}

#[tokio::test(start_paused = true)]
async fn p_060_a_rejected_stream_falls_back_to_list_without_a_failure() {
    let play = Play::start(&Tuning::default(), vec![refuse(http(422)), list("10", None, &["a@1"])]);
    assert_eq!(play.deltas().await, ["=10[a@1]"]);
    assert_eq!(play.times()[1], Duration::ZERO);
    assert_eq!(play.status().streaming_fallbacks, 1);
    assert_eq!(play.failures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn b_060_d15_a_stream_without_100_new_objects_in_30_s_falls_back_however_busy_it_is() {
    let busy = (0..100).map(|number| event("MODIFIED", &format!("a@{}", number + 2)));
    let body = [Piece::Pause(29 * SECOND), event("ADDED", "a@1")].into_iter();
    let body = body.chain(busy).chain([Piece::Pause(20 * SECOND), marker("200")]).collect();
    let play = Play::start(&Tuning::default(), vec![Reply::Body(body), list("10", None, &["a@2"])]);
    assert_eq!(play.deltas().await, ["=10[a@2]"]);
    assert_eq!(play.times()[1], 30 * SECOND);
    assert_eq!(play.open_connections(), 1, "the stream was dropped, the watch is open");
    let said = "the streamed list brought too few new objects (1) and no mark of its end within 30s; LIST is used instead";
    assert_eq!(play.failures(), [format!("cannot list configmaps in all namespaces: {said}")]);
    assert_eq!(play.status().last_error.unwrap().cause.message(), said);
}

#[tokio::test(start_paused = true)]
async fn b_060_d15_a_stream_that_goes_on_bringing_objects_is_read_to_its_end() {
    let mut body = Vec::new();
    for number in 0..400 {
        body.push(event("ADDED", &format!("o{number}@1")));
        body.push(Piece::Pause(SECOND * 29 / 100));
    }
    body.extend([marker("10"), Piece::Hang]);
    let play = Play::start(&Tuning::default(), vec![Reply::Body(body)]);
    play.deltas().await;
    assert_eq!((play.requests(), play.failures().len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn d15_a_list_that_drips_for_ever_is_given_up() {
    let mut drips = vec![Piece::Text(r#"{"items":["#.into())];
    drips.extend((0..200).flat_map(|_| [Piece::Pause(60 * SECOND), Piece::Text(" ".into())]));
    let play = Play::start(&lists(), vec![Reply::Body(drips), list("10", None, &[])]);
    assert_eq!(play.deltas().await, ["=10[]"]);
    assert_eq!(play.times()[1], 300 * SECOND + Duration::from_millis(800));
    assert_eq!(
        play.failures(),
        ["cannot list configmaps in all namespaces: the list was not at its end after 300s"]
    );
}

#[tokio::test(start_paused = true)]
async fn b_058_p_060_what_came_before_an_early_end_is_discarded() {
    let cut = || Reply::Body(vec![event("ADDED", "old@1"), Piece::Fail(SourceError::transport("reset"))]);
    let replies = vec![cut(), cut(), cut(), list("10", None, &["a@1"])];
    let play = Play::start(&Tuning::default(), replies);
    assert_eq!(play.deltas().await, ["=10[a@1]"]);
    assert_eq!(play.failures().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn p_060_p_063_a_large_kind_that_is_written_is_listed_at_once_and_at_the_next_relist_too() {
    let given_up = Reply::Body(vec![event("ADDED", "old@1"), event("ADDED", "older@2")]);
    let expired = Reply::Body(vec![error_event(410)]);
    let replies = vec![given_up, list("10", None, &["a@1"]), expired, list("12", None, &["b@11"])];
    let play = Play::start(&exact(), replies);
    assert_eq!(play.first_deltas(2).await, ["=10[a@1]", "=12[b@11]"]);
    let said = "the streamed list ended before the mark of its end (objects so far: 2); LIST is used instead";
    assert_eq!(play.failures(), [format!("cannot list configmaps in all namespaces: {said}")]);
    assert_eq!(play.times()[..4], [Duration::ZERO; 4], "nothing is waited for");
    assert_eq!((play.lists().len(), play.status().streaming_fallbacks), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn d4_a_rewound_server_is_read_again_without_reuse() {
    let replies = vec![
        list("100", None, &["a@90"]),
        refuse(too_large()),
        list("50", None, &["a@40"]),
        list("50", None, &["a@40"]),
    ];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(2).await, ["=100[a@90]", "=50[a@40]"]);
    assert_eq!(play.lists().len(), 3);
    assert_eq!(play.asked(), 2, "not asked while reading for the last time");
    assert_eq!(play.status().relists(RelistReason::Rewound), 1);
}

#[tokio::test(start_paused = true)]
async fn refresh_reads_again_without_reuse_while_listing_and_while_watching() {
    let replies = vec![
        Reply::Silence,
        list("10", None, &["a@1"]),
        Reply::Body(vec![Piece::Hang]),
        list("11", None, &["a@1"]),
    ];
    let play = Play::start(&lists(), replies);
    sleep_a_bit().await;
    play.refresh.notify_one();
    assert_eq!(play.deltas().await, ["=10[a@1]"]);
    sleep_a_bit().await;
    assert_eq!(play.open_connections(), 1, "the silent list was given up, the watch is open");
    play.refresh.notify_one();
    assert_eq!(play.deltas().await, ["=11[a@1]"]);
    assert_eq!(play.lists()[2].resource_version, "");
    assert_eq!(play.asked(), 0);
    assert_eq!(play.status().relists(RelistReason::Refresh), 2);
    assert_eq!(play.failures(), [""; 0]);
}

/// The same, ten seconds late.
fn late(reply: Reply) -> Reply {
    let Reply::Body(mut pieces) = reply else { panic!("only an answer can be late") };
    pieces.insert(0, Piece::Pause(10 * SECOND));
    Reply::Body(pieces)
}

/// Asks for a refresh ten times, a second apart.
async fn keep_refreshing(play: &Play) {
    for _ in 0..10 {
        play.refresh.notify_one();
        tokio::time::sleep(SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn refreshes_asked_for_while_one_is_read_do_not_disturb_it_and_become_one() {
    let hang = || Reply::Body(vec![Piece::Hang]);
    let replies = vec![
        list("10", None, &[]),
        hang(),
        late(list("11", None, &["a@1"])),
        late(list("12", None, &["a@2"])),
        hang(),
    ];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=10[]"]);
    keep_refreshing(&play).await;
    assert_eq!(play.first_deltas(2).await, ["=11[a@1]", "=12[a@2]"]);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!((play.requests(), play.open_connections()), (5, 1), "and no further one");
    assert_eq!(play.status().relists(RelistReason::Refresh), 2);
}

#[tokio::test(start_paused = true)]
async fn refreshes_asked_for_while_one_is_streamed_do_not_disturb_it_and_become_one() {
    let stream = |version: &str| Reply::Body(vec![event("ADDED", "a@1"), marker(version), Piece::Hang]);
    let play = Play::start(&Tuning::default(), vec![stream("10"), late(stream("11")), late(stream("12"))]);
    assert_eq!(play.deltas().await, ["=10[a@1]"]);
    keep_refreshing(&play).await;
    assert_eq!(play.first_deltas(2).await, ["=11[a@1]", "=12[a@1]"]);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!((play.requests(), play.open_connections()), (3, 1), "and no further one");
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_fails_and_is_tried_again_does_for_those_asked_for_before_that() {
    let replies = vec![
        list("10", None, &[]),
        Reply::Body(vec![Piece::Hang]),
        refuse(http(500)),
        list("11", None, &[]),
        Reply::Body(vec![Piece::Hang]),
    ];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.deltas().await, ["=10[]"]);
    play.refresh.notify_one();
    sleep_a_bit().await;
    assert_eq!(play.status().phase, Phase::BackingOff);
    play.refresh.notify_one();
    assert_eq!(play.deltas().await, ["=11[]"]);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!((play.requests(), play.lists().len()), (5, 3));
    assert_eq!(play.status().relists(RelistReason::Refresh), 1);
}

#[tokio::test(start_paused = true)]
async fn a_long_list_gives_other_tasks_a_turn() {
    let names: Vec<String> = (0..640).map(|number| format!("o{number}@1")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (reflector, play) = reflector(&lists(), vec![list("10", None, &names)], 1000);
    let mut run = Box::pin(reflector.run());
    let mut turns = 0;
    while play.requests() < 2 && turns < 100 {
        assert!(futures::poll!(run.as_mut()).is_pending());
        turns += 1;
    }
    // Ten of 64 objects and one for what follows; tokio's own budget may add one or two.
    assert!((11..=13).contains(&turns), "{turns}");
}

#[tokio::test(start_paused = true)]
async fn b_030_p_062_what_a_relist_lacks_its_replacement_lacks() {
    let expired = Reply::Body(vec![error_event(410)]);
    let replies = vec![list("10", None, &["a@1", "b@2"]), expired, list("20", None, &["b@2"])];
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(2).await, ["=10[a@1 b@2]", "=20[b@2]"]);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_has_to_wait_does_not_end_the_watch_before_its_turn() {
    let late = vec![Piece::Pause(SECOND / 2), event("ADDED", "a@11"), Piece::Hang];
    let play = Play::start(
        &lists(),
        vec![list("10", None, &[]), Reply::Body(late), list("20", None, &[]), Reply::Silence],
    );
    assert_eq!(play.deltas().await, ["=10[]"]);
    while play.probes.lock().take(Instant::now()).is_zero() {}
    play.refresh.notify_one();
    assert_eq!(play.deltas().await, ["+a@11"], "the watch goes on");
    assert_eq!((play.requests(), play.status().phase), (2, Phase::Watching));
    assert_eq!(play.deltas().await, ["=20[]"], "the list is read when it may be");
    assert!(play.times()[2] >= SECOND, "{:?}", play.times());
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_has_to_wait_outlives_the_watch() {
    let short = vec![bookmark("12"), Piece::Pause(SECOND / 2)];
    let play = Play::start(
        &lists(),
        vec![
            list("10", None, &[]),
            Reply::Body(short),
            Reply::Silence,
            list("20", None, &[]),
            Reply::Silence,
        ],
    );
    assert_eq!(play.first_deltas(2).await, ["=10[]", "#12"]);
    while play.probes.lock().take(Instant::now()).is_zero() {}
    play.refresh.notify_one();
    assert_eq!(play.deltas().await, ["=20[]"]);
    assert_eq!((play.watches().len(), play.lists().len()), (3, 2));
}
