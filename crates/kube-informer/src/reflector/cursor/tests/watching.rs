use informer_wire::ObjectKey;

use super::super::super::check::Finding;
use super::*;

fn gone() -> Trouble {
    Trouble::Http(Status { code: 200, reason: "Gone".into(), ..Status::default() })
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
    assert_eq!(script.end(1000), resumed("10"));
    script.cursor.advance(&"11".into());
    // However short, once it has brought something.
    assert_eq!(script.end(1), resumed("11"));
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
    for trouble in [http(401), http(429)] {
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
            assert_eq!(step, after_backoff(watch("10")).told(trouble.clone()));
        }
    }
}

#[test]
fn d15_a_watch_that_lived_is_resumed_at_once_however_it_ends_and_that_ends_the_backoff() {
    for trouble in [refused(), Trouble::CutFrame, http(500), http(401), http(403), http(429)] {
        for newer in [true, false] {
            let mut script = Script::watching_after_list("10");
            script.cursor.take_success();
            script.fail_to_open(refused());
            assert!(!script.cursor.take_success());
            let step = if newer {
                script.cursor.advance(&"11".into());
                script.fail(trouble.clone())
            } else {
                script.fail_late(trouble.clone())
            };
            assert_eq!(step, resumed(if newer { "11" } else { "10" }).told(trouble.clone()));
            assert!(script.cursor.take_success());
            // The next failure is the first one.
            assert_eq!(script.fail_to_open(refused()).wait, Delay::Backoff { at_least: None });
        }
    }
}

#[test]
fn d15_a_list_ends_a_backoff_but_not_list_after_list() {
    let mut script = Script::watching_after_list("10");
    assert!(script.cursor.take_success());
    script.fail(expired());
    script.page("11", None);
    assert!(!script.cursor.take_success(), "no watch has lived since the first list");
    script.fail_late(expired());
    script.cursor.take_success();
    script.page("12", None);
    assert!(script.cursor.take_success());
}

#[test]
fn p_043_a_watch_waits_as_long_as_the_server_asks() {
    let at_least = Some(Duration::from_secs(3));
    let mut script = Script::watching_after_list("10");
    for code in [429, 503] {
        let busy = Trouble::Http(Status { code, retry_after: at_least, ..Status::default() });
        assert_eq!(script.fail(busy).wait, Delay::Backoff { at_least });
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
        assert_eq!(third, relisted(list("10", None), RelistReason::RepeatedErrors).told(trouble));
    }
}

#[test]
fn d15_a_newer_version_in_between_starts_the_count_anew_but_nothing_else_does() {
    let mut script = Script::watching_after_list("10");
    script.fail(http(500));
    script.fail(http(500));
    script.cursor.advance(&"11".into());
    assert_eq!(script.fail(http(500)).action, watch("11"));
    script.cursor.saw_byte();
    script.cursor.advance(&ResourceVersion::empty());
    script.cursor.advance(&"11".into());
    assert_eq!(script.fail_late(http(500)).action, watch("11"));
    assert_eq!(script.fail_late(http(500)).relist, Some(RelistReason::RepeatedErrors));
}

#[test]
fn b_040_d15_a_very_short_watch_waits_and_the_third_in_a_row_relists() {
    let mut script = Script::watching_after_list("10");
    for _ in 0..2 {
        assert_eq!(script.end(999), after_backoff(watch("10")).told(Trouble::VeryShort));
    }
    let third = script.end(0);
    assert_eq!(third, relisted(list("10", None), RelistReason::RepeatedErrors).told(Trouble::VeryShort));
}

#[test]
fn b_040_an_earlier_connection_does_not_excuse_a_very_short_one() {
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"11".into());
    assert_eq!(script.end(1), resumed("11"));
    // The same bookmark again and again is no progress either, nor is an older one: no storm of requests.
    script.cursor.advance(&"11".into());
    assert_eq!(script.end(1), after_backoff(watch("11")).told(Trouble::VeryShort));
}

#[test]
fn b_039_p_041_d15_expired_relists_first_at_the_last_version_and_is_no_failure() {
    for trouble in [expired(), gone()] {
        let mut script = Script::watching_after_list("10");
        let step = script.fail(trouble);
        assert_eq!(step, relisted(list("10", None), RelistReason::Expired));
    }
}

#[test]
fn b_039_expired_after_a_watch_that_ended_in_good_order_relists_and_is_no_failure() {
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"11".into());
    assert_eq!(script.end(60_000), resumed("11"));
    assert_eq!(script.fail(expired()), relisted(list("11", None), RelistReason::Expired));
}

#[test]
fn b_013_d15_history_that_is_gone_after_each_list_is_a_failure() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail(expired()).report, None);
    script.page("20", None);
    assert_eq!(script.fail(expired()).report, Some(expired()));
    script.page("30", None);
    // A watch in between that lived makes it part of normal life again.
    assert_eq!(script.end(60_000), resumed("30"));
    assert_eq!(script.fail(expired()).report, None);
}

#[test]
fn b_013_d15_history_that_is_gone_after_each_streamed_list_is_a_failure_too() {
    let mut script = Script::watching_after_stream("10");
    for (version, report) in [("20", None), ("30", Some(expired())), ("40", Some(expired()))] {
        // The stream ends at its mark, and the watch that takes it up is refused.
        script.end(5_000);
        assert_eq!(script.fail_to_open(expired()).report, report, "{version}");
        script.marker(version).unwrap();
    }
    // One that lived in between makes it part of normal life again.
    script.now += Duration::from_secs(1);
    script.end(5_000);
    assert_eq!(script.fail_to_open(expired()).report, None);
}

#[test]
fn d15_what_cannot_be_taken_in_is_not_missing() {
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    let a = ObjectKey::cluster("a");
    let missing = Finding::Missing { key: a.clone(), version: "20".into() };
    assert_eq!(script.cursor.checked(script.now, missing), None);
    script.cursor.left_out(&a);
    assert_eq!(script.cursor.arrived(script.now, bookmark("30")), None);
}

#[test]
fn d15_a_refresh_in_the_middle_of_a_rewind_does_not_hide_it() {
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    script.cursor.checked(script.now, Finding::Rewound).unwrap();
    script.fail_to_open(http(503));
    assert_eq!(script.cursor.refresh(script.now).relist, Some(RelistReason::Refresh));
    assert!(script.cursor.is_after_rewind());
    script.page("5", None);
    script.cursor.refresh(script.now);
    assert!(!script.cursor.is_after_rewind());
}

#[test]
fn d15_too_large_on_a_watch_relists_with_the_most_recent_state() {
    let mut script = Script::watching_after_list("10");
    let expected = relisted(list("", Some(500)), RelistReason::TooLarge);
    assert_eq!(script.fail(too_large()), expected.told(too_large()));
}

#[test]
fn b_050_d15_a_stream_that_is_not_json_relists() {
    let trouble = Trouble::NotJson("x".into());
    let mut script = Script::watching_after_list("10");
    let expected = relisted(list("10", None), RelistReason::NotJson);
    assert_eq!(script.fail(trouble.clone()), expected.told(trouble));
}

#[test]
fn p_043_a_relist_waits_as_long_as_the_server_asks() {
    let at_least = Some(Duration::from_secs(3));
    let trouble = Trouble::Http(Status { code: 410, retry_after: at_least, ..Status::default() });
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail(trouble).wait, Delay::Backoff { at_least });
}

#[test]
fn d15_404_on_a_watch_awaits_the_kind_and_relists_when_it_is_back() {
    let mut script = Script::watching_after_list("10");
    let expected = NextStep::new(Delay::Kind, list("10", None)).told(http(404));
    assert_eq!(script.fail(http(404)), expected.clone().because(RelistReason::Gone));
    assert_eq!(script.fail(http(404)), expected);
    assert_eq!(script.page("12", None).commit, Some("12".into()));
}

#[test]
fn d15_dead_reopens_at_once_and_twice_in_a_row_without_a_byte_relists() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail_late(silent()), at_once(watch("10")).told(silent()));
    assert_eq!(script.cursor.phase(), Phase::Stalled);
    let expected = relisted(list("10", None), RelistReason::Dead);
    assert_eq!(script.fail_late(silent()), expected.told(silent()));
}

#[test]
fn d15_a_byte_in_between_starts_the_count_of_dead_connections_anew() {
    let mut script = Script::watching_after_list("10");
    script.fail_late(silent());
    script.cursor.saw_byte();
    assert_eq!(script.cursor.phase(), Phase::Watching);
    assert_eq!(script.fail_late(silent()).action, watch("10"));
    assert_eq!(script.fail_to_open(refused()).action, watch("10"));
    assert_eq!(script.fail_late(silent()).relist, Some(RelistReason::Dead));
}

#[test]
fn d15_the_server_is_asked_whether_it_went_back_whenever_a_watch_is_resumed() {
    for trouble in [refused(), Trouble::CutFrame, silent(), http(500), http(429)] {
        let mut script = Script::watching_after_list("10");
        assert!(!script.cursor.wants_check(), "not right after a list");
        script.fail(trouble);
        assert!(script.cursor.wants_check());
    }
    let mut script = Script::watching_after_stream("10");
    assert!(!script.cursor.wants_check());
    script.end(5000);
    assert!(script.cursor.wants_check(), "also after an end in good order");
}

fn rewound() -> NextStep {
    relisted(without_reuse(list("", Some(500))), RelistReason::Rewound).told(Trouble::Rewound)
}

#[test]
fn d15_a_server_that_went_back_is_read_anew_with_nothing_reused() {
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    for finding in [Finding::Same, Finding::Unknown] {
        assert_eq!(script.cursor.checked(script.now, finding), None);
    }
    assert_eq!(script.cursor.checked(script.now, Finding::Rewound), Some(rewound()));
    assert_eq!(script.cursor.phase(), Phase::Rewound);
    assert!(script.cursor.is_after_rewind());
    assert_eq!(script.page("3", None), at_once(watch("3")).committing("3"));
}

fn bookmark(version: &str) -> News<'static> {
    // Leaked, so that a test can be one line; tests end.
    let version: &'static ResourceVersion = Box::leak(Box::new(version.into()));
    News { key: None, deleted: false, version }
}

fn event<'a>(key: &'a ObjectKey, version: &str) -> News<'a> {
    News { key: Some(key), ..bookmark(version) }
}

fn delete<'a>(key: &'a ObjectKey, version: &str) -> News<'a> {
    News { deleted: true, ..event(key, version) }
}

#[test]
fn d15_an_event_that_is_not_newer_than_the_version_a_watch_was_opened_at_is_proof() {
    let a = ObjectKey::cluster("a");
    for (news, proof) in [
        (event(&a, "9"), true),
        (event(&a, "10"), true),
        (event(&a, "11"), false),
        (delete(&a, "10"), true),
        (bookmark("9"), true),
        // Servers without a cache send it.
        (bookmark("10"), false),
        (bookmark("11"), false),
        (bookmark(""), false),
        (event(&a, "abc"), false),
    ] {
        let mut script = Script::watching_after_list("10");
        assert_eq!(script.cursor.arrived(script.now, news), proof.then(rewound), "{news:?}");
    }
    // The version that counts is the one the watch was opened at, not the last one seen.
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"20".into());
    assert_eq!(script.cursor.arrived(script.now, event(&a, "15")), None);
    // A streamed list goes on as a watch that was opened at no version.
    let mut script = Script::watching_after_stream("10");
    assert_eq!(script.cursor.arrived(script.now, event(&a, "5")), None);
}

#[test]
fn d15_the_delete_of_an_object_that_is_missing_has_to_come_before_the_watch_passes_it_by() {
    let (a, b) = (ObjectKey::cluster("a"), ObjectKey::cluster("b"));
    let missing = || Finding::Missing { key: ObjectKey::cluster("a"), version: "20".into() };
    let resumed = || {
        let mut script = Script::watching_after_list("10");
        script.fail(refused());
        assert_eq!(script.cursor.checked(script.now, missing()), None);
        assert_eq!(script.cursor.arrived(script.now, event(&b, "15")), None);
        script
    };
    let mut script = resumed();
    assert_eq!(script.cursor.arrived(script.now, delete(&a, "16")), None);
    assert_eq!(script.cursor.arrived(script.now, event(&b, "25")), None);

    for passing in [event(&b, "20"), event(&b, "21"), bookmark("20"), delete(&b, "30")] {
        let mut script = resumed();
        assert_eq!(script.cursor.arrived(script.now, passing), Some(rewound()), "{passing:?}");
    }
    // The watch has been further than that when the answer comes.
    let mut script = Script::watching_after_list("10");
    script.fail(refused());
    script.cursor.advance(&"21".into());
    assert_eq!(script.cursor.checked(script.now, missing()), Some(rewound()));
}

#[test]
fn what_is_found_out_after_the_watch_is_over_does_not_matter() {
    let (mut script, _) = Script::lists();
    assert!(!script.cursor.wants_check());
    assert_eq!(script.cursor.checked(script.now, Finding::Rewound), None);
}

#[test]
fn b_010_how_often_a_watch_is_resumed_can_be_set() {
    for most in [1, 2, 5] {
        let mut script = Script::watching_with(Tuning::default().errors_to_relist(most), "10");
        assert!((1..most).all(|_| script.fail(http(500)).relist.is_none()), "errors");
        assert_eq!(script.fail(http(500)).relist, Some(RelistReason::RepeatedErrors));

        let mut script = Script::watching_with(Tuning::default().silences_to_relist(most), "10");
        assert!((1..most).all(|_| script.fail(silent()).relist.is_none()), "silences");
        assert_eq!(script.fail(silent()).relist, Some(RelistReason::Dead));
    }
}

#[test]
fn b_042_a_bookmark_moves_the_version_on_and_never_back() {
    let mut script = Script::watching_after_list("10");
    for (version, last) in
        [("15", "15"), ("12", "15"), ("", "15"), ("15", "15"), ("16", "16"), ("abc", "abc")]
    {
        script.cursor.bookmarked(&version.into());
        assert_eq!(script.last(), last, "after {version}");
    }
}
