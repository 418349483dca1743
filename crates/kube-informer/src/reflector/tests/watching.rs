use std::sync::Arc;

use futures::future::BoxFuture;

use super::*;
use crate::source::{ByteStream, HttpSources, ListWatch, Request};

fn watched(body: Vec<Piece>) -> Vec<Reply> {
    vec![list("10", None, &[]), Reply::Body(body)]
}

#[tokio::test(start_paused = true)]
async fn b_041_events_and_bookmarks_pass_in_order_and_move_the_version() {
    let play = Play::start(
        &lists(),
        watched(vec![
            event("ADDED", "a@11"),
            event("MODIFIED", "a@12"),
            event("DELETED", "a@13"),
            event("ADDED", "bad@14"),
            event("SURPRISE", "x@15"),
            bookmark("20"),
            Piece::Hang,
        ]),
    );
    assert_eq!(play.first_deltas(6).await, ["=10[]", "+a@11", "~a@12", "-a@13", "?bad@14", "#20"]);
    rest().await;
    let status = play.status();
    assert_eq!((status.events, status.bookmarks), (3, 1));
    assert_eq!(status.last_version, Some("20".into()));
    assert_eq!(status.phase, Phase::Watching);
    assert_eq!(play.failures(), ["configmaps n/bad is left out: the transform refused it: bad"]);
}

/// A scripted server over connections that are pinged.
struct Pinged {
    script: Arc<dyn ListWatch>,
    server: HttpSources,
}

impl ListWatch for Pinged {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        self.script.open(request)
    }

    fn server(&self) -> Option<&HttpSources> {
        Some(&self.server)
    }
}

#[tokio::test(start_paused = true)]
async fn d15_a_silent_watch_is_read_while_the_question_about_it_waits_for_its_allowance() {
    let events = vec![Piece::Pause(SECOND * 45), event("ADDED", "a@11"), Piece::Hang];
    let (mut reflector, play) = reflector(&lists(), watched(events), 1000);
    let server = HttpSources::pinging();
    reflector.source = Arc::new(Pinged { script: reflector.source, server });
    // Others have asked so much that there is nothing left for nearly two minutes.
    for _ in 0..120 {
        play.probes.lock().take(Instant::now());
    }
    let began = Instant::now();
    let task = tokio::spawn(reflector.run());
    assert_eq!(play.first_deltas(2).await, ["=10[]", "+a@11"]);
    assert_eq!(began.elapsed(), SECOND * 45);
    tokio::time::sleep(SECOND * 180).await;
    let asked = play.probes()[0].0;
    assert!((SECOND * 110..=SECOND * 112).contains(&asked), "when it may be: {asked:?}");
    task.abort();
}

#[tokio::test(start_paused = true)]
async fn b_046_b_048_events_that_are_not_taken_in_do_not_move_the_version() {
    let mut replies = watched(vec![
        event("ADDED", "a@11"),
        event("SURPRISE", "x@15"),
        event("ADDED", "bad@14"),
        Piece::Pause(SECOND),
    ]);
    replies.push(Reply::Silence);
    let play = Play::start(&lists(), replies);
    play.first_deltas(3).await;
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(play.watches()[1].resource_version, "11");
}

#[tokio::test(start_paused = true)]
async fn b_034_p_040_a_clean_end_resumes_at_once_without_a_report() {
    let mut replies = watched(vec![event("ADDED", "a@11")]);
    replies.push(Reply::Body(vec![event("ADDED", "b@12"), Piece::Hang]));
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(3).await, ["=10[]", "+a@11", "+b@12"]);
    assert_eq!(play.times(), [Duration::ZERO; 3]);
    assert_eq!(play.watches()[1].resource_version, "11");
    assert_eq!(play.status().reconnects, 1);
    assert_eq!(play.failures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn b_049_the_length_of_a_watch_counts_from_the_request() {
    // The head of the answer takes a second, the body is empty: not a very short watch.
    let mut replies = watched(vec![Piece::Pause(SECOND)]);
    replies.push(Reply::Silence);
    let play = Play::start(&lists(), replies);
    play.deltas().await;
    tokio::time::sleep(SECOND).await;
    rest().await;
    assert_eq!(play.times()[2], SECOND);
    assert_eq!(play.failures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn b_040_very_short_watches_are_reported_waited_for_and_then_relisted() {
    let mut replies = watched(vec![]);
    replies.extend([Reply::Body(vec![]), Reply::Body(vec![]), list("11", None, &[])]);
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(2).await, ["=10[]", "=11[]"]);
    assert_eq!(play.times()[2..5], [800, 2400, 2400].map(Duration::from_millis));
    assert_eq!(play.failures().len(), 3);
    assert_eq!(play.status().relists(RelistReason::RepeatedErrors), 1);
}

#[tokio::test(start_paused = true)]
async fn b_001_b_012_p_043_error_events_are_reported_and_the_watch_resumes() {
    let mut replies = watched(vec![event("ADDED", "a@11"), error_event(500)]);
    replies.push(Reply::Body(vec![event("ADDED", "b@12"), Piece::Hang]));
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(3).await, ["=10[]", "+a@11", "+b@12"]);
    assert_eq!(play.times()[2], Duration::ZERO, "at once: it had brought something");
    let failures = play.failures();
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].starts_with("cannot watch configmaps in all namespaces (HTTP 500)"),
        "{}",
        failures[0]
    );
}

#[tokio::test(start_paused = true)]
async fn b_013_b_039_p_041_an_expired_watch_relists_at_the_last_version_without_a_report() {
    let mut replies = watched(vec![event("ADDED", "a@11"), error_event(410)]);
    replies.push(list("30", None, &["a@11"]));
    let play = Play::start(&lists(), replies);
    assert_eq!(play.first_deltas(3).await, ["=10[]", "+a@11", "=30[a@11]"]);
    let params = &play.lists()[1];
    assert_eq!(params.resource_version, "11");
    assert_eq!(params.version_match, Some(VersionMatch::NotOlderThan));
    assert_eq!(play.failures(), [""; 0]);
    assert_eq!(play.status().relists(RelistReason::Expired), 1);
}

#[tokio::test(start_paused = true)]
async fn b_050_p_044_d15_a_cut_or_failed_stream_resumes_at_once() {
    for piece in [Piece::Text("{\"type\":\"ADD".into()), Piece::Fail(SourceError::transport("reset"))] {
        let mut replies = watched(vec![event("ADDED", "a@11"), piece]);
        replies.push(Reply::Body(vec![event("ADDED", "b@12"), Piece::Hang]));
        let play = Play::start(&lists(), replies);
        assert_eq!(play.first_deltas(3).await, ["=10[]", "+a@11", "+b@12"]);
        assert_eq!(play.watches()[1].resource_version, "11");
        assert_eq!(play.times()[2], Duration::ZERO);
        assert_eq!(play.failures().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn d15_cuts_of_a_healthy_server_are_never_waited_for_however_many_there_are() {
    let cut = || Reply::Body(vec![Piece::Pause(10 * SECOND), Piece::Fail(SourceError::transport("reset"))]);
    let mut replies = vec![list("10", None, &[])];
    replies.extend((0..10).map(|_| cut()));
    let play = Play::start(&Tuning::default().streaming_list(StreamingList::Never), replies);
    play.deltas().await;
    tokio::time::sleep(105 * SECOND).await;
    let times = play.times();
    assert_eq!(times.len(), 12);
    for pair in times[1..].windows(2) {
        let stale = pair[1] - pair[0] - 10 * SECOND;
        assert!(stale <= Duration::from_millis(20), "{times:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn d15_watches_that_end_together_are_resumed_and_lists_read_again_at_different_moments() {
    let expired = || Reply::Body(vec![Piece::Pause(10 * SECOND), error_event(410)]);
    let (mut least, mut most) = (Duration::MAX, Duration::ZERO);
    for seed in 0..20 {
        let settings = Tuning::default().streaming_list(StreamingList::Never);
        let (mut reflector, mut play) =
            reflector(&settings, vec![list("10", None, &[]), expired(), list("20", None, &[])], 1000);
        reflector.rng = fastrand::Rng::with_seed(seed);
        play.task = tokio::spawn(reflector.run());
        play.first_deltas(2).await;
        let wait = play.times()[2] - 10 * SECOND;
        (least, most) = (least.min(wait), most.max(wait));
    }
    assert!(most <= SECOND / 2 && most - least > SECOND / 3, "{least:?} to {most:?}");
}

#[tokio::test(start_paused = true)]
async fn d15_history_that_is_gone_for_ever_is_read_ever_again_rarely_and_reported() {
    let mut replies = Vec::new();
    for round in 0..40 {
        replies.push(list(&format!("{}", 10 + round), None, &[]));
        replies.push(refuse(http(410)));
    }
    let play = Play::with_room(&lists(), replies, 1000);
    tokio::time::sleep(100 * SECOND).await;
    let lists = play.lists().len();
    assert!((10..=16).contains(&lists), "{lists} lists in 100 s");
    assert!(play.failures().len() >= lists - 2, "{:?}", play.failures());
    assert_eq!(play.status().last_error.unwrap().cause.http_status(), Some(410));
}

#[tokio::test(start_paused = true)]
async fn d15_a_scope_that_has_sent_too_many_requests_waits_and_says_so() {
    let brings_one = |version: u32| Reply::Body(vec![bookmark(&version.to_string())]);
    let mut replies = vec![list("10", None, &[])];
    replies.extend((11..60).map(brings_one));
    let play = Play::start(&lists(), replies);
    play.deltas().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(play.requests(), 11, "the first list is free, ten watches are not");
    assert_eq!(play.status().phase, Phase::Throttled);
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(play.requests(), 21);
}

#[tokio::test(start_paused = true)]
async fn b_005_b_014_dropping_the_future_ends_everything() {
    let (unpolled, play) = reflector(&lists(), vec![list("10", None, &[])], 10);
    drop(unpolled.run());
    assert_eq!((play.requests(), play.status().phase), (0, Phase::Stopped));

    let play = Play::start(&lists(), watched(vec![Piece::Hang]));
    play.deltas().await;
    rest().await;
    assert_eq!(play.open_connections(), 1);
    play.task.abort();
    rest().await;
    assert_eq!((play.open_connections(), play.requests()), (0, 2));
    assert_eq!(play.status().phase, Phase::Stopped);
}

#[tokio::test(start_paused = true)]
async fn b_059_a_closed_queue_ends_the_reflector() {
    let play =
        Play::start(&lists(), watched(vec![Piece::Pause(SECOND), event("ADDED", "a@11"), Piece::Hang]));
    play.deltas().await;
    play.queue.close();
    play.task.await.unwrap();
    assert_eq!(play.status.get().phase, Phase::Stopped);
}

#[tokio::test(start_paused = true)]
async fn b_050_d2_a_full_queue_stops_reading_and_does_not_make_the_watch_look_dead() {
    let body =
        vec![event("ADDED", "a@11"), event("ADDED", "b@12"), Piece::Pause(314 * SECOND), bookmark("20")];
    let settings = lists();
    let play = Play::with_room(&settings, watched(body), 1);
    tokio::time::sleep(1000 * SECOND).await;
    assert_eq!(play.requests(), 2, "the list waits in the queue, the watch behind it");
    assert_eq!(play.first_deltas(4).await, ["=10[]", "+a@11", "+b@12", "#20"]);
    assert_eq!(play.failures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn b_042_a_bookmark_that_goes_back_does_not_take_the_version_back() {
    let mut replies = watched(vec![
        event("ADDED", "a@11"),
        event("DELETED", "a@13"),
        bookmark("10"),
        bookmark("12"),
        Piece::Pause(SECOND),
    ]);
    replies.push(Reply::Silence);
    let play = Play::start(&lists(), replies);
    play.first_deltas(5).await;
    assert_eq!(play.status().last_version, Some("13".into()));
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(play.watches()[1].resource_version, "13");
}
