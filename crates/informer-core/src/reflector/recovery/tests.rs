use super::*;

fn http(code: u16, reason: &str, message: &str) -> Trouble {
    Trouble::Http(Status { code, reason: reason.into(), message: message.into(), ..Status::default() })
}

fn too_large() -> Trouble {
    Trouble::Http(Status {
        code: 504,
        reason: "Timeout".into(),
        causes: vec!["ResourceVersionTooLarge".into()],
        ..Status::default()
    })
}

#[test]
fn d15_a_failure_without_an_answer_resumes() {
    assert_eq!(Trouble::Transport("connection refused".into()).remedy(), Remedy::Reconnect);
}

#[test]
fn d15_a_cut_frame_resumes() {
    assert_eq!(Trouble::CutFrame.remedy(), Remedy::Reconnect);
}

#[test]
fn d15_429_and_401_resume() {
    for code in [429, 401] {
        assert_eq!(http(code, "", "").remedy(), Remedy::Resume, "{code}");
    }
}

#[test]
fn d15_5xx_and_other_errors_resume_a_few_times() {
    for code in [500, 502, 503, 504, 400, 406, 408, 422, 0] {
        assert_eq!(http(code, "", "").remedy(), Remedy::ResumeFewTimes, "{code}");
    }
    // A time-out of the server is not a version from the future.
    assert_eq!(http(504, "Timeout", "request did not complete").remedy(), Remedy::ResumeFewTimes);
}

#[test]
fn d15_403_and_405_may_mean_that_only_lists_are_allowed() {
    for code in [403, 405] {
        assert_eq!(http(code, "", "").remedy(), Remedy::ListOnly, "{code}");
    }
}

#[test]
fn d15_a_very_short_watch_resumes_a_few_times() {
    assert_eq!(Trouble::VeryShort.remedy(), Remedy::ResumeFewTimes);
}

#[test]
fn d15_documents_that_are_not_usable_resume_a_few_times() {
    for trouble in [
        Trouble::TooBig { limit: 1, key: None },
        Trouble::NotAList("x".into()),
        Trouble::MixedPages,
        Trouble::EndedEarly { objects: 3 },
    ] {
        assert_eq!(trouble.remedy(), Remedy::ResumeFewTimes, "{trouble}");
    }
}

#[test]
fn b_020_d15_410_expired_and_gone_relist_in_any_place() {
    for trouble in [http(410, "", ""), http(200, "Expired", ""), http(0, "Gone", "")] {
        assert_eq!(trouble.remedy(), Remedy::Relist(RelistReason::Expired), "{trouble:?}");
    }
}

#[test]
fn d15_a_too_large_version_relists() {
    assert_eq!(too_large().remedy(), Remedy::Relist(RelistReason::TooLarge));
    let old = http(504, "Timeout", "Timeout: Too large resource version: 9, current: 5");
    assert_eq!(old.remedy(), Remedy::Relist(RelistReason::TooLarge));
}

#[test]
fn d15_a_frame_that_is_not_json_relists() {
    assert_eq!(Trouble::NotJson("<html>".into()).remedy(), Remedy::Relist(RelistReason::NotJson));
}

#[test]
fn d15_404_awaits_the_kind() {
    assert_eq!(http(404, "NotFound", "").remedy(), Remedy::AwaitKind);
}

#[test]
fn d15_silence_reopens() {
    assert_eq!(Trouble::Silent(Duration::from_secs(315)).remedy(), Remedy::Reopen);
}

#[test]
fn b_057_which_answers_say_that_streaming_is_not_possible() {
    for code in [400, 405, 406, 415, 422, 499] {
        assert!(http(code, "", "").rejects_streaming(), "{code}");
    }
    for code in [0, 200, 399, 401, 403, 404, 408, 410, 429, 500, 503] {
        assert!(!http(code, "", "").rejects_streaming(), "{code}");
    }
    assert!(!http(400, "Expired", "").rejects_streaming());
    assert!(!too_large().rejects_streaming());
    assert!(!Trouble::Transport(String::new()).rejects_streaming());
}

#[test]
fn b_013_only_expiry_is_routine() {
    assert!(http(410, "", "").is_routine());
    assert!(http(200, "Expired", "").is_routine());
    for trouble in [http(500, "", ""), too_large(), Trouble::CutFrame, Trouble::Silent(Duration::ZERO)] {
        assert!(!trouble.is_routine(), "{trouble}");
    }
}

#[test]
fn a_failure_tells_its_status_and_the_wait_asked_for() {
    let busy =
        Trouble::Http(Status { code: 429, retry_after: Some(Duration::from_secs(3)), ..Status::default() });
    assert_eq!((busy.http_status(), busy.retry_after()), (Some(429), Some(Duration::from_secs(3))));
    assert_eq!(http(0, "", "").http_status(), None);
    assert_eq!((Trouble::CutFrame.http_status(), Trouble::CutFrame.retry_after()), (None, None));
}

#[test]
fn every_trouble_says_what_happened() {
    let key = ObjectKey::namespaced("n", "big");
    for (trouble, text) in [
        (Trouble::Transport("refused".into()), "refused"),
        (Trouble::Http(Status { message: "no".into(), ..Status::default() }), "no"),
        (Trouble::CutFrame, "middle of a document"),
        (Trouble::NotJson("at 3".into()), "not JSON: at 3"),
        (Trouble::TooBig { limit: 9, key: Some(key) }, "n/big is larger than the limit of 9"),
        (Trouble::TooBig { limit: 9, key: None }, "limit of 9"),
        (Trouble::NotAList("a Table".into()), "a Table"),
        (Trouble::MixedPages, "different versions"),
        (Trouble::VeryShort, "ended at once"),
        (Trouble::EndedEarly { objects: 0 }, "before the mark"),
        (Trouble::EndedEarly { objects: 3 }, "objects so far: 3"),
        (Trouble::Silent(Duration::from_secs(75)), "75s"),
        (
            Trouble::NoEnd { objects: 3, within: Duration::from_secs(30) },
            "too few new objects (3) and no mark of its end within 30s",
        ),
        (Trouble::TooLong(Duration::from_secs(300)), "not at its end after 300s"),
        (Trouble::Rewound, "gone back in time"),
    ] {
        assert!(trouble.to_string().contains(text), "{trouble}");
    }
}
