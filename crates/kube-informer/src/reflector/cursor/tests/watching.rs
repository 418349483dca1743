use super::*;

fn probing(version: &str) -> Action {
    Action::Watch { version: version.into(), probe: true }
}

fn gone() -> Trouble {
    Trouble::Http(HttpFailure { code: 200, reason: "Gone".into(), ..HttpFailure::default() })
}

#[test]
fn b_032_after_a_list_the_watch_starts_at_its_version() {
    let (mut script, _) = Script::lists();
    assert_eq!(script.page("10", None), at_once(watch("10")).committing("10"));
}

#[test]
fn b_034_p_040_a_clean_end_resumes_at_once_at_the_last_version_and_is_no_failure() {
    let mut script = Script::watching_after_list("10");
    script.cursor.saw_byte();
    assert_eq!(script.end(1000), at_once(watch("10")));
    script.cursor.advance(&"11".into());
    // However short, once it has brought something.
    assert_eq!(script.end(1), at_once(watch("11")));
}

#[test]
fn b_042_the_last_version_is_that_of_the_last_event_not_the_highest() {
    let mut script = Script::watching_after_list("10");
    for version in ["55", "32"] {
        script.cursor.advance(&version.into());
    }
    assert_eq!(script.end(5000).action, watch("32"));
}

#[test]
fn b_067_p_052_a_bookmark_advances_and_one_without_a_version_does_not() {
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"20".into());
    script.cursor.advance(&ResourceVersion::empty());
    assert_eq!(script.last(), "20");
}

#[test]
fn b_035_p_043_p_048_a_server_that_is_away_or_does_not_want_us_is_resumed_without_end() {
    for trouble in [http(401), http(403), http(429)] {
        let mut script = Script::watching_after_list("10");
        for _ in 0..5 {
            let step = script.fail(trouble.clone());
            assert_eq!(step, after_backoff(watch("10")).told(trouble.clone()));
        }
    }
    for trouble in [refused(), Trouble::CutFrame] {
        let mut script = Script::watching_after_list("10");
        for _ in 0..5 {
            let step = script.fail_to_open(trouble.clone());
            assert_eq!(step, after_backoff(probing("10")).told(trouble.clone()));
        }
    }
}

#[test]
fn p_043_a_watch_waits_as_long_as_the_server_asks() {
    let at_least = Some(Duration::from_secs(3));
    let mut script = Script::watching_after_list("10");
    for code in [429, 503] {
        let busy = Trouble::Http(HttpFailure { code, retry_after: at_least, ..HttpFailure::default() });
        assert_eq!(script.fail(busy).wait, Wait::Backoff { at_least });
    }
}

#[test]
fn b_036_b_037_b_038_d15_the_third_error_in_a_row_relists() {
    for trouble in [http(500), http(503), http(400), Trouble::TooBig { limit: 1, key: None }] {
        let mut script = Script::watching_after_list("10");
        for _ in 0..2 {
            assert_eq!(script.fail(trouble.clone()), after_backoff(watch("10")).told(trouble.clone()));
        }
        let third = script.fail(trouble.clone());
        let expected = after_backoff(list("10", None)).because(RelistReason::RepeatedErrors);
        assert_eq!(third, expected.told(trouble));
    }
}

#[test]
fn d15_an_event_or_bookmark_in_between_starts_the_count_anew_but_a_byte_does_not() {
    let mut script = Script::watching_after_list("10");
    script.fail(http(500));
    script.fail(http(500));
    // Even one without a version.
    script.cursor.advance(&ResourceVersion::empty());
    assert_eq!(script.fail(http(500)).action, watch("10"));
    script.cursor.saw_byte();
    assert_eq!(script.fail(http(500)).action, watch("10"));
    assert_eq!(script.fail(http(500)).relist, Some(RelistReason::RepeatedErrors));
}

#[test]
fn b_040_d15_a_very_short_watch_waits_and_the_third_in_a_row_relists() {
    let mut script = Script::watching_after_list("10");
    for _ in 0..2 {
        assert_eq!(script.end(999), after_backoff(watch("10")).told(Trouble::VeryShort));
    }
    let third = script.end(0);
    let expected = after_backoff(list("10", None)).because(RelistReason::RepeatedErrors);
    assert_eq!(third, expected.told(Trouble::VeryShort));
}

#[test]
fn b_040_an_earlier_connection_does_not_excuse_a_very_short_one() {
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"11".into());
    assert_eq!(script.end(1), at_once(watch("11")));
    // The same bookmark again and again is no progress either: no storm of requests.
    script.cursor.advance(&"11".into());
    assert_eq!(script.end(1), after_backoff(watch("11")).told(Trouble::VeryShort));
}

#[test]
fn b_039_p_041_d15_expired_relists_first_at_the_last_version_and_is_no_failure() {
    for trouble in [expired(), gone()] {
        let mut script = Script::watching_after_list("10");
        let step = script.fail(trouble);
        assert_eq!(step, after_backoff(list("10", None)).because(RelistReason::Expired));
    }
}

#[test]
fn b_039_expired_after_a_watch_that_ended_in_good_order_relists_at_once() {
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"11".into());
    assert_eq!(script.end(60_000), at_once(watch("11")));
    assert_eq!(script.fail(expired()), at_once(list("11", None)).because(RelistReason::Expired));
}

#[test]
fn d15_too_large_on_a_watch_relists_with_the_most_recent_state() {
    let mut script = Script::watching_after_list("10");
    let expected = after_backoff(list("", Some(500))).because(RelistReason::TooLarge);
    assert_eq!(script.fail(too_large()), expected.told(too_large()));
}

#[test]
fn b_050_d15_a_stream_that_is_not_json_relists() {
    let trouble = Trouble::NotJson("x".into());
    let mut script = Script::watching_after_list("10");
    let expected = after_backoff(list("10", None)).because(RelistReason::NotJson);
    assert_eq!(script.fail(trouble.clone()), expected.told(trouble));
}

#[test]
fn d15_404_on_a_watch_awaits_the_kind_and_relists_when_it_is_back() {
    let mut script = Script::watching_after_list("10");
    let expected = Step::new(Wait::Kind, list("10", None)).told(http(404));
    assert_eq!(script.fail(http(404)), expected.clone().because(RelistReason::Gone));
    assert_eq!(script.fail(http(404)), expected);
    assert_eq!(script.page("12", None).commit, Some("12".into()));
}

#[test]
fn d15_dead_reopens_at_once_and_twice_in_a_row_without_a_byte_relists() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail(silent()), at_once(probing("10")).told(silent()));
    assert_eq!(script.cursor.phase(), Phase::Stalled);
    let expected = after_backoff(list("10", None)).because(RelistReason::Dead);
    assert_eq!(script.fail(silent()), expected.told(silent()));
}

#[test]
fn d15_a_byte_in_between_starts_the_count_of_dead_connections_anew() {
    let mut script = Script::watching_after_list("10");
    script.fail(silent());
    script.cursor.saw_byte();
    assert_eq!(script.cursor.phase(), Phase::Watching);
    assert_eq!(script.fail(silent()).action, probing("10"));
    assert_eq!(script.fail(refused()).action, probing("10"));
    assert_eq!(script.fail(silent()).relist, Some(RelistReason::Dead));
}

#[test]
fn d15_rewound_is_probed_for_only_after_a_lost_connection() {
    for (trouble, expected) in [
        (refused(), true),
        (Trouble::CutFrame, true),
        (silent(), true),
        (http(500), false),
        (http(429), false),
    ] {
        let mut script = Script::watching_after_list("10");
        assert!(!script.cursor.wants_probe());
        script.fail(trouble.clone());
        assert_eq!(script.cursor.wants_probe(), expected, "{trouble}");
    }
}

#[test]
fn d15_the_doubt_survives_a_clean_end_and_is_settled_by_a_byte_or_a_probe() {
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    assert_eq!(script.end(5000), at_once(probing("10")));
    script.cursor.saw_byte();
    assert_eq!(script.end(5000), at_once(watch("10")));

    script.fail(refused());
    assert_eq!(script.cursor.probed(script.now, ProbeOutcome::Known), None);
    assert!(!script.cursor.wants_probe());
    assert_eq!(script.end(5000), at_once(watch("10")));
}

#[test]
fn b_004_history_that_expired_while_away_is_read_at_once_but_not_right_after_a_list() {
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    let expected = at_once(list("10", None)).because(RelistReason::Expired);
    assert_eq!(script.fail(gone()), expected);
    script.page("20", None);
    assert_eq!(script.fail(gone()).wait, Wait::Backoff { at_least: None }, "or it would go round and round");
}

#[test]
fn d15_a_watch_that_ended_in_good_order_without_a_byte_is_followed_by_a_probe() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.end(5000), at_once(probing("10")));
}

#[test]
fn d15_rewound_too_large_twice_relists_with_nothing_reused() {
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    assert_eq!(script.cursor.probed(script.now, ProbeOutcome::TooLarge), None);
    assert_eq!(script.cursor.phase(), Phase::Stalled);
    assert!(script.cursor.wants_probe());
    assert_eq!(script.cursor.probed(script.now, ProbeOutcome::NoAnswer), None);
    let step = script.cursor.probed(script.now, ProbeOutcome::TooLarge).unwrap();
    assert_eq!(step, at_once(without_reuse(list("", Some(500)))).because(RelistReason::Rewound));
    assert_eq!(script.cursor.phase(), Phase::Rewound);
    assert_eq!(script.page("3", None), at_once(watch("3")).committing("3"));
}

#[test]
fn d15_a_byte_or_a_known_version_in_between_starts_the_count_of_probes_anew() {
    for settle in [
        |script: &mut Script| script.cursor.saw_byte(),
        |script: &mut Script| {
            assert_eq!(script.cursor.probed(script.now, ProbeOutcome::Known), None);
        },
    ] {
        let mut script = Script::watching_after_list("10");
        script.fail(refused());
        script.cursor.probed(script.now, ProbeOutcome::TooLarge);
        settle(&mut script);
        assert_eq!(script.cursor.phase(), Phase::Watching);
        script.fail(refused());
        assert_eq!(script.cursor.probed(script.now, ProbeOutcome::TooLarge), None);
    }
}

#[test]
fn what_a_probe_says_after_the_watch_is_over_does_not_matter() {
    let (mut script, _) = Script::lists();
    assert!(!script.cursor.wants_probe());
    assert_eq!(script.cursor.probed(script.now, ProbeOutcome::TooLarge), None);
}

#[test]
fn b_010_how_often_a_watch_is_resumed_can_be_set() {
    for most in [1, 2, 5] {
        let mut script = Script::watching_with(Settings::default().errors_to_relist(most), "10");
        assert!((1..most).all(|_| script.fail(http(500)).relist.is_none()), "errors");
        assert_eq!(script.fail(http(500)).relist, Some(RelistReason::RepeatedErrors));

        let mut script = Script::watching_with(Settings::default().silences_to_relist(most), "10");
        assert!((1..most).all(|_| script.fail(silent()).relist.is_none()), "silences");
        assert_eq!(script.fail(silent()).relist, Some(RelistReason::Dead));

        let mut script = Script::watching_with(Settings::default().answers_to_rewound(most), "10");
        script.fail(refused());
        let mut probe = || script.cursor.probed(script.now, ProbeOutcome::TooLarge);
        assert!((1..most).all(|_| probe().is_none()), "answers");
        assert_eq!(probe().unwrap().relist, Some(RelistReason::Rewound));
    }
}
