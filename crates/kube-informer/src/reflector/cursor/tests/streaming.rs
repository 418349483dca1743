use super::*;

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn b_051_never_means_list() {
    let (_, step) = Script::lists();
    assert!(matches!(step.action, Action::List { .. }));
}

#[test]
fn b_052_a_streamed_list_asks_for_no_version_at_first_and_for_the_last_one_later() {
    let (mut script, step) = Script::streams();
    assert_eq!(step, at_once(stream("")).because(RelistReason::First).charged(Charge::Free));
    script.marker("10").unwrap();
    script.cursor.advance(&"12".into());
    assert_eq!(script.fail(expired()).action, stream("12"));
}

#[test]
fn b_053_b_056_p_060_the_marker_completes_the_list_and_the_stream_goes_on() {
    let (mut script, _) = Script::streams();
    assert_eq!(script.cursor.phase(), Phase::Listing);
    script.marker("10").unwrap();
    assert_eq!(script.last(), "10");
    assert_eq!(script.cursor.phase(), Phase::Watching);
}

#[test]
fn b_043_b_055_p_061_versions_before_the_marker_are_not_resumed_from() {
    let (mut script, _) = Script::streams();
    script.cursor.advance(&"99".into());
    assert_eq!(script.last(), "");
    assert_eq!(script.end(60_000).action, stream(""));
    script.marker("10").unwrap();
    assert_eq!(script.end(60_000), resumed("10"));
}

#[test]
fn b_034_a_stream_that_ends_right_after_the_marker_is_resumed_at_once() {
    let mut script = Script::watching_after_stream("10");
    assert_eq!(script.end(10), resumed("10"));
}

#[test]
fn b_057_expired_or_too_large_is_asked_again_at_once_without_a_version() {
    let cases = [(expired(), at_once(stream(""))), (too_large(), at_once(stream("")).told(too_large()))];
    for (trouble, expected) in cases {
        let mut script = Script::watching_after_stream("10");
        assert_eq!(script.fail(expired()).action, stream("10"));
        assert_eq!(script.fail(trouble), expected);
        script.marker("20").unwrap();
        assert_eq!(script.fail(expired()).action, stream("20"));
    }
}

#[test]
fn b_057_too_large_without_a_version_is_read_with_list() {
    let (mut script, _) = Script::streams();
    let step = script.fail(too_large());
    assert_eq!(step, at_once(list("", Some(500))).falling_back().told(too_large()));
}

#[test]
fn b_057_p_048_a_server_that_is_away_or_busy_is_asked_to_stream_again() {
    for trouble in [http(401), http(429)] {
        let (mut script, _) = Script::streams();
        for _ in 0..5 {
            assert_eq!(script.fail_to_open(trouble.clone()), after_backoff(stream("")).told(trouble.clone()));
        }
    }
    let (mut script, _) = Script::streams();
    for _ in 0..5 {
        assert_eq!(script.fail_to_open(refused()), after_backoff(stream("")).told(refused()));
    }
}

#[test]
fn b_057_p_048_who_may_list_but_not_watch_gets_a_list_and_hears_of_the_watch() {
    let (mut script, _) = Script::streams();
    assert_eq!(script.fail_to_open(http(403)), at_once(list("0", Some(500))).falling_back());
    assert_eq!(script.page("10", None), at_once(watch("10")).committing("10"));
    assert_eq!(script.fail_to_open(http(403)), after_backoff(watch("10")).told(http(403)));
    // For this round only: what is allowed can change.
    script.cursor.accepted();
    assert_eq!(script.fail(expired()).action, stream("10"));
}

#[test]
fn d15_who_may_list_but_not_watch_lists_now_and_then() {
    for trouble in [http(403), http(405)] {
        let mut script = Script::watching_after_stream("10");
        for _ in 0..2 {
            assert_eq!(script.fail_to_open(trouble.clone()).action, watch("10"));
        }
        // Perhaps lists are not allowed either: that is no reason to ask rarely.
        let list_instead = after_backoff(list("10", None)).because(RelistReason::Polling);
        assert_eq!(script.fail_to_open(trouble.clone()), list_instead.told(trouble.clone()));
        assert_eq!(script.fail_to_open(http(403)), after_backoff(list("10", None)).told(http(403)));
        // Each time it is tried whether watching is allowed by now.
        assert_eq!(script.page("20", None), at_once(watch("20")).committing("20"));
        assert_eq!(script.cursor.phase(), Phase::Polling);
        let poll = NextStep::new(Delay::Poll, list("20", None)).because(RelistReason::Polling);
        assert_eq!(script.fail_to_open(trouble.clone()), poll.told(trouble.clone()));
        script.page("30", None);
        script.cursor.accepted();
        assert_eq!(script.cursor.phase(), Phase::Watching);
        assert_eq!(script.fail_late(trouble.clone()), resumed("30").told(trouble));
    }
}

#[test]
fn b_057_p_048_who_may_do_neither_hears_so_once_a_round() {
    let (mut script, _) = Script::streams();
    assert_eq!(script.fail_to_open(http(403)), at_once(list("0", Some(500))).falling_back());
    for _ in 0..5 {
        assert_eq!(script.fail_to_open(http(403)), after_backoff(list("0", Some(500))).told(http(403)));
    }
    // Once a list is allowed, the next one may be streamed.
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, stream("10"));
}

#[test]
fn b_057_b_060c_p_060_a_rejection_falls_back_to_list_for_an_hour_and_is_no_failure() {
    for code in [400, 405, 406, 422] {
        let (mut script, _) = Script::streams();
        assert_eq!(script.fail_to_open(http(code)), at_once(list("0", Some(500))).falling_back());
        script.page("10", None);
        script.now += HOUR - Duration::from_millis(1);
        assert_eq!(script.fail(expired()).action, list("10", None), "{code}");
        script.now += Duration::from_millis(1);
        script.page("20", None);
        assert_eq!(script.fail(expired()).action, stream("20"), "{code}");
    }
}

#[test]
fn b_057_always_streaming_does_not_remember() {
    let mut script = Script::new(&Tuning::default().streaming_list(StreamingList::Always));
    assert_eq!(script.cursor.begin(script.now).action, stream(""));
    assert_eq!(script.fail_to_open(http(422)), at_once(list("0", Some(500))).falling_back());
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, stream("10"));
}

#[test]
fn b_057_any_other_error_falls_back_to_list_for_this_round_only() {
    let others = [
        http(500),
        http(503),
        http(504),
        Trouble::NotJson("x".into()),
        Trouble::TooBig { limit: 1, key: None },
    ];
    for trouble in others {
        let (mut script, _) = Script::streams();
        let step = script.fail(trouble.clone());
        assert_eq!(step, at_once(list("0", Some(500))).falling_back().told(trouble));
        script.page("10", None);
        assert_eq!(script.fail(expired()).action, stream("10"));
    }
}

#[test]
fn b_057_a_failed_list_after_that_ends_the_round_and_the_next_one_streams() {
    let (mut script, _) = Script::streams();
    script.fail(http(500));
    assert_eq!(script.fail(http(500)), after_backoff(stream("")).told(http(500)));
}

#[test]
fn b_058_p_060_a_stream_that_ends_before_the_marker_is_retried_and_the_third_time_list_is_used() {
    type End = fn(&mut Script) -> NextStep;
    let early = Trouble::EndedEarly { objects: 0 };
    let ends: [(End, Trouble); 4] = [
        (|script| script.end(60_000), early.clone()),
        (|script| script.end(1), early),
        (|script| script.fail(Trouble::CutFrame), Trouble::CutFrame),
        (|script| script.fail(refused()), refused()),
    ];
    for (end, trouble) in ends {
        let (mut script, _) = Script::streams();
        for _ in 0..2 {
            assert_eq!(end(&mut script), after_backoff(stream("")).told(trouble.clone()));
        }
        let third = end(&mut script);
        assert_eq!(third, after_backoff(list("0", Some(500))).falling_back().told(trouble));
        // For this round only, and counted anew in the next.
        script.page("10", None);
        assert_eq!(script.fail(expired()).action, stream("10"));
        assert_eq!(end(&mut script).action, stream("10"));
    }
}

#[test]
fn p_063_a_stream_that_was_given_up_after_objects_is_listed_at_once_and_not_streamed_for_an_hour() {
    let early = Trouble::EndedEarly { objects: 1 };
    let (mut script, _) = Script::streams();
    assert_eq!(script.give_up(1), at_once(list("0", Some(500))).falling_back().told(early.clone()));
    script.page("10", None);
    script.now += HOUR - Duration::from_millis(1);
    assert_eq!(script.fail(expired()).action, list("10", None));
    script.now += Duration::from_millis(1);
    script.page("20", None);
    assert_eq!(script.fail(expired()).action, stream("20"));
    // A relist as well: from a state not older than the last one seen.
    assert_eq!(script.give_up(1), at_once(list("20", None)).falling_back().told(early));
}

#[test]
fn p_063_always_streaming_lists_once_after_a_stream_that_was_given_up() {
    let mut script = Script::new(&Tuning::default().streaming_list(StreamingList::Always));
    script.cursor.begin(script.now);
    assert_eq!(script.give_up(5_000).action, list("0", Some(500)));
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, stream("10"));
}

#[test]
fn b_060_d15_no_marker_within_the_deadline_falls_back_to_list_for_an_hour() {
    let (mut script, _) = Script::streams();
    let no_end = Trouble::NoEnd { objects: 3, within: Duration::from_secs(30) };
    assert_eq!(script.fail(no_end.clone()), at_once(list("0", Some(500))).falling_back().told(no_end));
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, list("10", None));
}

#[test]
fn b_060_no_answer_at_all_within_the_deadline_says_nothing_about_streaming() {
    let (mut script, _) = Script::streams();
    let no_end = Trouble::NoEnd { objects: 0, within: Duration::from_secs(30) };
    let expected = at_once(list("0", Some(500))).falling_back();
    assert_eq!(script.fail_to_open(no_end.clone()), expected.told(no_end));
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, stream("10"));
}

#[test]
fn d15_404_on_a_streamed_list_awaits_the_kind() {
    let (mut script, _) = Script::streams();
    assert_eq!(script.fail_to_open(http(404)), NextStep::new(Delay::Kind, stream("")).told(http(404)));
}

#[test]
fn d4_a_streamed_list_older_than_what_was_seen_is_read_once_more_without_reuse() {
    let mut script = Script::watching_after_stream("100");
    assert_eq!(script.fail(too_large()).action, stream(""));
    let again = script.marker("50").unwrap_err();
    let expected = at_once(without_reuse(stream(""))).because(RelistReason::Rewound);
    assert_eq!(*again, expected.told(Trouble::Rewound));
    assert_eq!(script.cursor.phase(), Phase::Rewound);
    script.marker("50").unwrap();
    assert_eq!(script.last(), "50");
}

#[test]
fn a_marker_without_a_version_does_not_complete_the_list() {
    let (mut script, _) = Script::streams();
    let step = script.marker("").unwrap_err();
    assert_eq!(step.action, list("0", Some(500)));
    assert!(step.report.unwrap().to_string().contains("resourceVersion"));
}

#[test]
fn refresh_streams_the_most_recent_state_without_reuse() {
    let mut script = Script::watching_after_stream("10");
    let step = script.cursor.refresh(script.now);
    let expected = at_once(without_reuse(stream(""))).because(RelistReason::Refresh);
    assert_eq!(step, expected.charged(Charge::Probe));
    // A version that is the same or older is what it is.
    script.marker("9").unwrap();
    assert_eq!(script.last(), "9");
}

#[test]
fn b_010_how_often_a_streamed_list_may_end_early_can_be_set() {
    for most in [1, 2, 5] {
        let mut script = Script::new(&Tuning::default().early_ends_to_list(most));
        script.cursor.begin(script.now);
        assert!((1..most).all(|_| script.end(1).action == stream("")), "{most}");
        assert_eq!(script.end(1).action, list("0", Some(500)), "{most}");
    }
}
