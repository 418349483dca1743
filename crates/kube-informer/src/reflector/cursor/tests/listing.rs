use super::*;

#[test]
fn b_004_the_first_round_starts_at_once_and_is_free() {
    let (_, step) = Script::lists();
    assert_eq!((step.wait, step.charge), (Delay::No, Charge::Free));
    assert_eq!(step.relist, Some(RelistReason::First));
}

#[test]
fn b_016_first_list_asks_for_version_0() {
    let (_, step) = Script::lists();
    assert_eq!(step.action, list("0", Some(500)));
}

#[test]
fn b_017_later_lists_ask_for_the_last_version_seen() {
    let mut script = Script::watching_after_list("10");
    script.cursor.advance(&"12".into());
    let step = script.fail(Trouble::NotJson("x".into()));
    assert_eq!(step.action, list("12", None));
}

#[test]
fn b_018_after_expired_or_too_large_the_most_recent_state_is_asked_for_until_a_list_succeeds() {
    for trouble in [expired(), too_large()] {
        let mut script = Script::watching_after_list("10");
        assert_eq!(script.fail(expired()).action, list("10", None));
        assert_eq!(script.fail(trouble).action, list("", Some(500)));
        // The round with "" fails as well: the next one asks for "" again, after a wait.
        assert_eq!(script.fail(http(500)), after_backoff(list("", Some(500))).told(http(500)));
        assert_eq!(script.page("20", None), at_once(watch("20")).committing("20"));
        assert_eq!(script.fail(expired()).action, list("20", None));
    }
}

#[test]
fn b_019_the_retry_with_no_version_is_immediate_and_once_a_round() {
    let mut script = Script::watching_after_list("10");
    script.fail(expired());
    assert_eq!(script.fail(expired()), at_once(list("", Some(500))));
    assert_eq!(script.fail(expired()), after_backoff(list("", Some(500))).told(expired()));
    // Also for the first list, whose version 0 no server should refuse.
    let (mut first, _) = Script::lists();
    assert_eq!(first.fail(expired()), at_once(list("", Some(500))));
}

#[test]
fn b_021_p_010_too_large_asks_for_the_most_recent_state_rather_than_looping() {
    let (mut script, step) = Script::lists();
    assert_eq!(step.action, list("0", Some(500)));
    script.page("20", None);
    for version in ["20", "30", "40"] {
        assert_eq!(script.fail(expired()).action, list(version, None));
        assert_eq!(script.fail(too_large()), at_once(list("", Some(500))).told(too_large()));
        let next = (version.parse::<u32>().unwrap() + 10).to_string();
        assert_eq!(script.page(&next, None).commit, Some(next.as_str().into()));
    }
}

#[test]
fn b_022_an_explicit_page_size_is_always_sent() {
    let settings = Tuning::default().streaming_list(StreamingList::Never).page_size(4);
    let mut script = Script::new(&settings);
    assert_eq!(script.cursor.begin(script.now).action, list("0", Some(4)));
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, list("10", Some(4)));
    assert_eq!(script.fail(expired()).action, list("", Some(4)));
}

#[test]
fn b_022_without_one_a_concrete_version_is_not_paged() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail(expired()).action, list("10", None));
}

#[test]
fn b_023_pages_of_version_0_are_remembered() {
    let (mut script, _) = Script::lists();
    assert_eq!(script.page("10", Some("c1")), at_once(next_page("c1", Some(500))).charged(Charge::Free));
    assert_eq!(script.page("10", None), at_once(watch("10")).committing("10"));
    assert_eq!(script.fail(expired()).action, list("10", Some(500)));
}

#[test]
fn b_023_pages_of_another_version_are_not_remembered() {
    let mut script = Script::watching_after_list("10");
    script.fail(expired());
    assert_eq!(script.fail(expired()).action, list("", Some(500)));
    script.page("20", Some("c1"));
    script.page("20", None);
    assert_eq!(script.fail(expired()).action, list("20", None));
}

#[test]
fn b_024_the_most_recent_state_is_read_in_pages() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail(expired()).action, list("10", None));
    assert_eq!(script.fail(expired()).action, list("", Some(500)));
}

#[test]
fn b_560_pages_are_of_500_and_asked_for_one_after_the_other() {
    let (mut script, step) = Script::lists();
    assert_eq!(step.action, list("0", Some(500)));
    for token in ["c1", "c2", "c3"] {
        let step = script.page("10", Some(token));
        assert_eq!(step, at_once(next_page(token, Some(500))).charged(Charge::Free));
    }
    assert_eq!(script.page("10", None), at_once(watch("10")).committing("10"));
}

#[test]
fn b_025_b_563_p_024_history_lost_between_pages_means_one_list_in_one_piece_at_the_version_asked_for() {
    let settings = Tuning::default().streaming_list(StreamingList::Never).page_size(4);
    let mut script = Script::new(&settings);
    script.cursor.begin(script.now);
    script.page("10", None);
    assert_eq!(script.fail(expired()).action, list("10", Some(4)));
    assert_eq!(script.page("11", Some("c1")), at_once(next_page("c1", Some(4))).charged(Charge::Free));
    assert_eq!(script.fail(expired()), at_once(list("10", None)));
    assert_eq!(script.page("12", None), at_once(watch("12")).committing("12"));
}

#[test]
fn p_024_the_whole_list_that_expires_too_ends_in_a_failed_round() {
    let (mut script, _) = Script::lists();
    script.page("10", Some("c1"));
    assert_eq!(script.fail(expired()), at_once(list("0", None)));
    // A server that sends pages although none were asked for.
    assert_eq!(script.page("11", Some("c2")), at_once(next_page("c2", None)).charged(Charge::Free));
    assert_eq!(script.fail(expired()), at_once(list("", Some(500))));
    assert_eq!(script.page("12", Some("c3")), at_once(next_page("c3", Some(500))).charged(Charge::Free));
    assert_eq!(script.fail(expired()), at_once(list("", None)));
    assert_eq!(script.fail(expired()), after_backoff(list("", Some(500))).told(expired()));
}

#[test]
fn p_024_pages_of_two_versions_are_never_mixed() {
    let (mut script, _) = Script::lists();
    script.page("10", Some("c1"));
    assert_eq!(script.page("11", None), at_once(list("0", None)).told(Trouble::MixedPages));
    script.page("12", Some("c2"));
    assert_eq!(script.page("13", None), after_backoff(list("0", Some(500))).told(Trouble::MixedPages));
}

#[test]
fn p_024_too_large_between_pages_is_a_lost_version_not_lost_pages() {
    let (mut script, _) = Script::lists();
    script.page("10", Some("c1"));
    assert_eq!(script.fail(too_large()), at_once(list("", Some(500))).told(too_large()));
}

#[test]
fn p_025_only_the_absence_of_a_token_ends_the_list() {
    let (mut script, _) = Script::lists();
    for token in ["c1", "c2", "c3"] {
        assert_eq!(
            script.page("10", Some(token)),
            at_once(next_page(token, Some(500))).charged(Charge::Free)
        );
    }
    // P-022: an empty token is none.
    assert_eq!(script.page("10", Some("")), at_once(watch("10")).committing("10"));
}

#[test]
fn b_562_p_026_further_pages_drop_the_version_and_keep_the_limit() {
    let mut script = Script::watching_after_list("10");
    script.cursor.page_size = Some(7);
    script.fail(expired());
    let Action::List { params, fresh, .. } = script.page("11", Some("c1")).step.action else {
        panic!("expected a list")
    };
    assert!(!fresh);
    assert_eq!((params.resource_version.as_str(), params.version_match), ("", None));
    assert_eq!((params.limit, params.continue_token.as_deref()), (Some(7), Some("c1")));
}

#[test]
fn pages_that_go_round_in_a_circle_are_a_failed_list() {
    let (mut script, _) = Script::lists();
    script.page("10", Some("c1"));
    let step = script.page("10", Some("c1")).step;
    assert_eq!((step.wait, step.action), (Delay::Backoff { at_least: None }, list("0", Some(500))));
    assert!(step.report.unwrap().to_string().contains("circle"));
}

#[test]
fn pages_that_go_round_in_a_larger_circle_are_a_failed_list() {
    for circle in [2, 3, 7, 50] {
        let (mut script, _) = Script::lists();
        let tokens = (0..20).map(|page| format!("straight-{page}"));
        let tokens = tokens.chain((0..circle).cycle().map(|page| format!("round-{page}")));
        let steps = tokens.take(1_000).map(|token| script.page("10", Some(&token)).step);
        let failed = steps.enumerate().find(|(_, step)| step.report.is_some());
        let (pages, step) = failed.expect("it is noticed");
        assert!(pages < 20 + 3 * 50, "{pages}");
        assert_eq!((step.wait, step.action), (Delay::Backoff { at_least: None }, list("0", Some(500))));
    }
}

#[test]
fn d15_a_page_that_brought_nothing_new_is_paid_for() {
    let (mut script, _) = Script::lists();
    let step = script.cursor.page(script.now, &"10".into(), Some("c1".into()), false);
    assert_eq!(step, Some(at_once(next_page("c1", Some(500)))));
}

#[test]
fn a_list_of_many_pages_is_no_circle() {
    let (mut script, _) = Script::lists();
    for page in 0..10_000 {
        assert_eq!(
            script.page("10", Some(&page.to_string())),
            at_once(next_page(&page.to_string(), Some(500))).charged(Charge::Free)
        );
    }
    assert_eq!(script.page("10", None).commit, Some("10".into()));
}

#[test]
fn a_list_without_a_version_is_a_failed_list() {
    for none in ["", "0"] {
        let (mut script, _) = Script::lists();
        let Paged { commit, step } = script.page(none, None);
        assert_eq!(commit, None);
        assert_eq!((step.wait, step.action), (Delay::Backoff { at_least: None }, list("0", Some(500))));
        assert!(step.report.unwrap().to_string().contains("resourceVersion"));
    }
}

#[test]
fn b_028_p_048_a_failed_list_is_reported_and_tried_again_after_a_wait() {
    for trouble in [refused(), Trouble::CutFrame, http(500), http(401), http(403), http(422), silent()] {
        let (mut script, _) = Script::lists();
        assert_eq!(script.fail(trouble.clone()), after_backoff(list("0", Some(500))).told(trouble));
        assert_eq!(script.cursor.phase(), Phase::Listing);
    }
}

#[test]
fn p_043_a_list_waits_as_long_as_the_server_asks() {
    let at_least = Some(Duration::from_secs(7));
    let busy = Trouble::Http(Status { code: 429, retry_after: at_least, ..Status::default() });
    let (mut script, _) = Script::lists();
    assert_eq!(script.fail(busy).wait, Delay::Backoff { at_least });
}

#[test]
fn d15_404_on_a_list_awaits_the_kind() {
    let (mut script, _) = Script::lists();
    assert_eq!(script.fail(http(404)), NextStep::new(Delay::Kind, list("0", Some(500))).told(http(404)));
}

#[test]
fn d4_a_list_older_than_what_was_seen_is_read_once_more_without_reuse() {
    let mut script = Script::watching_after_list("100");
    assert_eq!(script.fail(too_large()).action, list("", Some(500)));
    let again = script.page("50", None);
    let expected = at_once(without_reuse(list("", Some(500)))).because(RelistReason::Rewound);
    assert_eq!(again, expected.told(Trouble::Rewound));
    assert_eq!(script.cursor.phase(), Phase::Rewound);
    // A failure on the way does not bring reuse back.
    assert_eq!(script.fail(http(500)).action, without_reuse(list("", Some(500))));
    assert_eq!(script.page("51", None), at_once(watch("51")).committing("51"));
    assert_eq!(script.last(), "51");
    assert_eq!(script.cursor.phase(), Phase::Watching);
    assert_eq!(script.fail(expired()).action, list("51", None));
}

#[test]
fn d4_a_list_of_the_same_version_is_fine() {
    let mut script = Script::watching_after_list("100");
    script.fail(expired());
    assert_eq!(script.page("100", None).commit, Some("100".into()));
}

#[test]
fn refresh_reads_the_most_recent_state_without_reuse_from_any_place() {
    let expected = at_once(without_reuse(list("", Some(500))));
    let expected = expected.because(RelistReason::Refresh).charged(Charge::Probe);
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.cursor.refresh(script.now), expected);
    // In the middle of a list.
    script.page("10", Some("c1"));
    assert_eq!(script.cursor.refresh(script.now), expected);
    assert_eq!(script.page("10", None), at_once(watch("10")).committing("10"));
}

/// The scope is at 10, and a lookup has shown the server at 20.
#[test]
fn d15_the_most_recent_state_cannot_be_older_than_what_was_looked_up_before() {
    let mut script = Script::watching_after_list("10");
    script.cursor.settle(script.now);
    script.cursor.requesting("20".into());
    let again = at_once(without_reuse(list("", Some(500)))).because(RelistReason::Rewound);
    assert_eq!(script.page("15", None), again.told(Trouble::Rewound));
    assert_eq!(script.marker("15"), Ok(true));

    let mut script = Script::watching_after_list("10");
    for (version, rewound) in [("15", true), ("20", false), ("8", true)] {
        script.cursor.refresh(script.now);
        script.cursor.requesting("20".into());
        assert_eq!(script.marker(version), Ok(rewound), "a refresh takes nothing over, so it is read once");
    }
}

#[test]
fn d15_a_list_that_is_older_than_what_was_looked_up_is_read_again_in_its_most_recent_state() {
    let mut script = Script::watching_after_list("10");
    assert_eq!(script.fail(expired()).action, list("10", None));
    script.cursor.requesting("20".into());
    assert_eq!(script.page("15", Some("more")), at_once(list("", Some(500))), "before its other pages");
    script.cursor.requesting("20".into());
    assert_eq!(script.marker("25"), Ok(false), "it came from a cache that lagged behind");

    let mut script = Script::watching_after_stream("10");
    assert_eq!(script.fail(expired()).action, stream("10"));
    script.cursor.requesting("20".into());
    assert_eq!(script.marker("15"), Err(Box::new(at_once(stream("")))));
    script.cursor.requesting("20".into());
    let again = at_once(without_reuse(stream(""))).because(RelistReason::Rewound);
    assert_eq!(script.marker("15"), Err(Box::new(again.told(Trouble::Rewound))));
}
