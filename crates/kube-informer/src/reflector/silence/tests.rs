use futures::{FutureExt as _, StreamExt as _};

use super::*;
use crate::reflector::connection::Connection;
use crate::source::{ListWatch, Request};

const IDLE: Duration = Duration::from_secs(30);
const IDLE_AND_A_HALF: Duration = Duration::from_secs(45);

/// Never answers.
struct Mute;

impl ListWatch for Mute {
    fn open(&self, _: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        pending().boxed()
    }
}

/// Accepts every request and brings nothing.
struct Accepts;

impl ListWatch for Accepts {
    fn open(&self, _: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        async { Ok(futures::stream::pending().boxed()) }.boxed()
    }
}

fn watch(source: &dyn ListWatch) -> Watch {
    let verb = Verb::List(ListParams::default());
    let request = Request {
        scope: informer_core::scope::Scope::All,
        verb,
        label_selector: None,
        field_selector: None,
        metadata_only: false,
        drop_managed_fields: false,
        sensitive: false,
        silence: None,
    };
    Watch::on(Connection::open(source, request))
}

/// What is to be done next, and how many seconds from now.
async fn next(vigil: &mut Vigil) -> (Turn, u64) {
    let from = Instant::now();
    let turn = vigil.turn().await;
    (turn, from.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn d15_where_the_transport_pings_the_server_is_asked_and_a_bookmark_has_to_follow() {
    let mut vigil = Vigil::new(Some(true), true, IDLE, 0.9);
    assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
    vigil.asked(async { Answer::Listed }.boxed());
    assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: false }, 0)));
    assert!(matches!(next(&mut vigil).await, (Turn::Replace, 65)));
    vigil.replacing(watch(&Accepts));
    assert!(matches!(next(&mut vigil).await, (Turn::Replaced(_), 0)));
}

#[tokio::test(start_paused = true)]
async fn d15_a_question_without_an_answer_is_shown_and_then_the_watch_is_moved() {
    let mut vigil = Vigil::new(Some(true), true, IDLE, 0.0);
    assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
    vigil.asked(pending().boxed());
    assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: true }, 1)));
    assert!(matches!(next(&mut vigil).await, (Turn::Replace, 14)));
}

#[tokio::test(start_paused = true)]
async fn d15_who_may_not_list_is_left_in_peace() {
    let mut vigil = Vigil::new(Some(true), true, IDLE, 0.0);
    assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
    vigil.asked(async { Answer::Refused }.boxed());
    assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: false }, 0)));
    assert!(vigil.turn().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn d15_a_server_that_is_busy_is_asked_again_later() {
    let mut vigil = Vigil::new(Some(true), true, IDLE, 0.0);
    assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
    vigil.asked(async { Answer::Busy }.boxed());
    assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: false }, 0)));
    assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
    vigil.later();
    assert!(matches!(next(&mut vigil).await, (Turn::Replace, 30)));
}

#[tokio::test(start_paused = true)]
async fn d15_without_pings_a_silent_watch_is_moved_after_30_to_45_seconds() {
    for (chance, seconds) in [(0.0, 30), (0.5, 37), (1.0, 45)] {
        let mut vigil = Vigil::new(Some(false), true, IDLE, chance);
        let (turn, after) = next(&mut vigil).await;
        assert!(matches!(turn, Turn::Replace));
        assert_eq!(after, seconds);
    }
}

#[tokio::test(start_paused = true)]
async fn d15_a_new_watch_that_is_not_answered_is_shown_and_then_given_up() {
    let mut vigil = Vigil::new(Some(false), true, IDLE, 0.0);
    assert!(matches!(next(&mut vigil).await, (Turn::Replace, 30)));
    vigil.replacing(watch(&Mute));
    assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: true }, 1)));
    assert!(matches!(next(&mut vigil).await, (Turn::Dead(IDLE_AND_A_HALF), 14)));
}

#[tokio::test(start_paused = true)]
async fn d15_a_watch_that_was_never_answered_is_dead_after_45_seconds_if_nothing_else_is_answered_either() {
    // Pings may be answered by another.
    for pings in [false, true] {
        let mut vigil = Vigil::new(Some(pings), false, IDLE, 0.0);
        assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
        vigil.asked(pending().boxed());
        assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: true }, 1)));
        assert!(matches!(next(&mut vigil).await, (Turn::Dead(IDLE_AND_A_HALF), 14)));
    }
}

#[tokio::test(start_paused = true)]
async fn d15_where_the_server_answers_others_the_first_bookmark_has_to_bring_the_answer_of_the_watch() {
    for pings in [false, true] {
        let mut vigil = Vigil::new(Some(pings), false, IDLE, 0.0);
        assert!(matches!(next(&mut vigil).await, (Turn::Ask, 30)));
        vigil.asked(async { Answer::Listed }.boxed());
        assert!(matches!(next(&mut vigil).await, (Turn::Show { stalled: false }, 0)));
        let (turn, after) = next(&mut vigil).await;
        assert!(matches!(turn, Turn::Dead(silence) if silence == Duration::from_secs(95)));
        assert_eq!(after, 65);
    }
}

#[tokio::test(start_paused = true)]
async fn d15_a_source_that_says_nothing_looks_after_itself_and_the_longest_time_is_never() {
    for mut vigil in [Vigil::new(None, true, IDLE, 0.0), Vigil::new(Some(false), true, Duration::MAX, 1.0)] {
        let waited = timeout(Duration::from_secs(86_400), vigil.turn()).await;
        assert!(waited.is_err());
    }
}

#[test]
fn what_an_answer_says() {
    assert_eq!(judge(Ok(futures::stream::empty().boxed())), Answer::Listed);
    assert_eq!(judge(Err(SourceError::http(403, "Forbidden", "no"))), Answer::Refused);
    assert_eq!(judge(Err(SourceError::http(429, "TooManyRequests", "later"))), Answer::Busy);
    assert_eq!(judge(Err(SourceError::transport("gone"))), Answer::Nothing);
}
