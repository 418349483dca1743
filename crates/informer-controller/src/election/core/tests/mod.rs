//! Single decisions, and many candidates on a server that loses and delays everything.

mod model;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn at(seconds: f64) -> Time {
    Duration::from_secs_f64(1000.0 + seconds)
}

fn core() -> Core {
    Core::new("me".to_owned(), Timing::default(), 7, at(0.0))
}

fn record(version: u64, holder: &str, transitions: u64) -> Record {
    Record {
        version: ResourceVersion::new(&version.to_string()),
        holder: holder.to_owned(),
        duration: 15 * SECOND,
        transitions,
        mark: version.to_string(),
        body: Value::Null,
    }
}

/// What is done, in short.
fn said(actions: &[Action]) -> Vec<String> {
    let one = |action: &Action| match action {
        Action::Read => "read".to_owned(),
        Action::Write { over, what, transitions } => {
            let over = over.as_ref().map_or("nothing".to_owned(), |record| format!("{}", record.version));
            format!("{what:?} {transitions} over {over}").to_lowercase()
        }
        Action::Abandon => "abandon".to_owned(),
        Action::Lead { term, sent, until } => format!("lead {term} {:?}", *until - *sent),
        Action::Renewed { sent, until } => format!("renewed {:?}", *until - *sent),
        Action::Lost => "lost".to_owned(),
        Action::Done { released } => format!("done {released}"),
    };
    actions.iter().map(one).collect()
}

#[track_caller]
fn expect(core: &mut Core, event: Event, seconds: f64, expected: &[&str]) {
    assert_eq!(said(&core.step(event, at(seconds))), expected);
}

/// One that leads since 0 s, by the record of version 1 and term 0.
fn leader() -> Core {
    let mut core = core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(None), 0.0, &["take 0 over nothing"]);
    expect(&mut core, Event::Wrote(record(1, "me", 0)), 0.5, &["lead 0 10s"]);
    core
}

#[test]
fn b_582_a_missing_lease_is_created_and_renewed_and_valid_from_when_it_was_sent() {
    let mut core = leader();
    assert_eq!(core.holds_until(), Some(at(10.0)));
    assert_eq!(core.wake_at(), Some(at(2.0)));
    expect(&mut core, Event::Tick, 1.9, &[]);
    expect(&mut core, Event::Tick, 2.0, &["renew 0 over 1"]);
    expect(&mut core, Event::Wrote(record(2, "me", 0)), 6.0, &["renewed 10s", "renew 0 over 2"]);
    assert_eq!(core.holds_until(), Some(at(12.0)));
}

#[test]
fn b_581_the_holder_is_waited_for_since_it_was_seen_to_renew_whatever_the_record_says() {
    let mut core = core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(Some(record(1, "other", 4))), 1.0, &[]);
    expect(&mut core, Event::Watched(Some(record(2, "other", 4))), 3.0, &[]);
    // Written by a third party; the holder has renewed nothing.
    let annotated = Record { version: ResourceVersion::new("3"), ..record(2, "other", 4) };
    expect(&mut core, Event::Watched(Some(annotated)), 6.0, &[]);
    // Nothing is heard any more, so it is asked for.
    expect(&mut core, Event::Tick, 10.0, &["read"]);
    let annotated = Record { version: ResourceVersion::new("3"), ..record(2, "other", 4) };
    expect(&mut core, Event::Read(Some(annotated)), 10.0, &[]);
    expect(&mut core, Event::Tick, 14.0, &["read"]);
    expect(&mut core, Event::Failed, 17.8, &["read"]);
    expect(&mut core, Event::Read(Some(record(2, "other", 4))), 17.9, &[]);
    expect(&mut core, Event::Tick, 18.0, &["take 5 over 2"]);
}

#[test]
fn a_released_lease_is_taken_at_once() {
    let mut core = core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(Some(record(1, "other", 4))), 0.0, &[]);
    expect(&mut core, Event::Watched(Some(record(2, "", 4))), 1.0, &["take 5 over 2"]);
    // Another one was faster.
    expect(&mut core, Event::Conflict, 1.1, &["read"]);
    expect(&mut core, Event::Read(Some(record(3, "third", 5))), 1.2, &[]);
    expect(&mut core, Event::Watched(Some(record(4, "", 5))), 1.3, &["take 6 over 4"]);
    expect(&mut core, Event::Wrote(record(5, "me", 6)), 1.4, &["lead 6 10s"]);
}

#[test]
fn b_583_what_is_not_renewed_in_time_is_lost_whatever_comes_later() {
    let mut core = leader();
    expect(&mut core, Event::Tick, 2.0, &["renew 0 over 1"]);
    expect(&mut core, Event::Tick, 7.0, &["abandon", "read"]);
    expect(&mut core, Event::Read(Some(record(2, "me", 0))), 9.9, &["renew 0 over 2"]);
    assert_eq!(core.wake_at(), Some(at(10.0)));
    expect(&mut core, Event::Wrote(record(3, "me", 0)), 10.0, &["lost", "done false"]);
    assert_eq!((core.holds_until(), core.wake_at()), (None, None));
}

/// The clock counts suspend. It has no date that could be set; what a date may be is never read.
#[test]
fn a_clock_that_leaps_ends_the_leadership_at_the_next_look() {
    let mut core = leader();
    expect(&mut core, Event::Tick, 2.0, &["renew 0 over 1"]);
    // Asleep for an hour; the answer had come before.
    expect(&mut core, Event::Wrote(record(2, "me", 0)), 3600.0, &["lost", "done false"]);
}

#[test]
fn the_leader_hears_of_another_holder_and_of_a_deleted_lease() {
    let mut core = leader();
    expect(&mut core, Event::Watched(Some(record(2, "other", 1))), 1.0, &["lost", "done false"]);
    let mut core = leader();
    expect(&mut core, Event::Watched(None), 1.0, &["read"]);
    expect(&mut core, Event::Read(None), 1.0, &["lost", "done false"]);
}

#[test]
fn a_deleted_lease_is_not_taken_from_a_holder_that_trusts_in_it() {
    let mut core = core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(Some(record(8, "other", 4))), 0.0, &[]);
    expect(&mut core, Event::Watched(None), 1.0, &["read"]);
    expect(&mut core, Event::Read(None), 1.0, &[]);
    expect(&mut core, Event::Tick, 12.0, &["read"]);
    expect(&mut core, Event::Read(None), 14.9, &[]);
    // The term goes on.
    expect(&mut core, Event::Tick, 15.0, &["take 5 over nothing"]);
}

#[test]
fn b_582_a_conflict_is_looked_into_and_a_foreign_annotation_costs_nothing() {
    let mut core = leader();
    expect(&mut core, Event::Tick, 2.0, &["renew 0 over 1"]);
    expect(&mut core, Event::Conflict, 2.1, &["read"]);
    let annotated = Record { version: ResourceVersion::new("2"), ..record(1, "me", 0) };
    expect(&mut core, Event::Read(Some(annotated)), 2.2, &["renew 0 over 2"]);
    // A server that knows nothing else is asked now and then.
    expect(&mut core, Event::Conflict, 2.3, &[]);
    expect(&mut core, Event::Tick, 4.2, &[]);
    expect(&mut core, Event::Tick, 4.8, &["read"]);
}

#[test]
fn own_writes_that_the_watch_brings_late_are_nothing_new() {
    let mut core = leader();
    expect(&mut core, Event::Tick, 2.0, &["renew 0 over 1"]);
    expect(&mut core, Event::Wrote(record(3, "me", 0)), 2.1, &["renewed 10s"]);
    expect(&mut core, Event::Watched(Some(record(1, "me", 0))), 2.2, &[]);
    expect(&mut core, Event::Tick, 4.0, &["renew 0 over 3"]);
}

#[test]
fn to_confirm_is_a_renewal_that_is_sent_later() {
    let mut core = leader();
    expect(&mut core, Event::Confirm, 1.0, &["renew 0 over 1"]);
    // That one was sent before this was asked.
    expect(&mut core, Event::Confirm, 1.1, &[]);
    expect(&mut core, Event::Wrote(record(2, "me", 0)), 1.2, &["renewed 10s", "renew 0 over 2"]);
    expect(&mut core, Event::Wrote(record(3, "me", 0)), 1.3, &["renewed 10s"]);
}

#[test]
fn b_584_it_is_released_in_spite_of_conflicts_and_only_if_it_is_ours() {
    let mut core = leader();
    expect(&mut core, Event::Release, 1.0, &["release 0 over 1"]);
    expect(&mut core, Event::Conflict, 1.1, &["read"]);
    expect(&mut core, Event::Read(Some(record(2, "me", 0))), 1.2, &["release 0 over 2"]);
    expect(&mut core, Event::Wrote(record(3, "", 0)), 1.3, &["done true"]);

    let mut core = leader();
    expect(&mut core, Event::Tick, 2.0, &["renew 0 over 1"]);
    expect(&mut core, Event::Release, 2.1, &[]);
    expect(&mut core, Event::Wrote(record(2, "me", 0)), 2.2, &["release 0 over 2"]);
    expect(&mut core, Event::Failed, 2.3, &[]);
    expect(&mut core, Event::Tick, 5.0, &["read"]);
    expect(&mut core, Event::Read(Some(record(4, "other", 1))), 5.0, &["done false"]);
}

#[test]
fn a_candidate_that_stops_gives_back_what_it_may_have_won_and_never_leads() {
    let mut core = core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Stop, 0.0, &["done false"]);

    let mut core = self::core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(None), 0.0, &["take 0 over nothing"]);
    expect(&mut core, Event::Stop, 0.1, &[]);
    expect(&mut core, Event::Wrote(record(1, "me", 0)), 0.2, &["release 0 over 1"]);
    expect(&mut core, Event::Wrote(record(2, "", 0)), 0.3, &["done true"]);

    // Whether it has won is not known, and nobody answers.
    let mut core = self::core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(None), 0.0, &["take 0 over nothing"]);
    expect(&mut core, Event::Stop, 0.1, &[]);
    expect(&mut core, Event::Tick, 5.0, &["abandon", "read"]);
    expect(&mut core, Event::Tick, 10.1, &["done false"]);
}

#[test]
fn b_580_times_that_do_not_fit_together_are_refused() {
    let check = |lease, renew, retry| {
        let seconds = Duration::from_secs_f64;
        let timing = Timing {
            lease_duration: seconds(lease),
            renew_deadline: seconds(renew),
            retry_period: seconds(retry),
        };
        timing.check().err().map(|error| error.to_string())
    };
    assert_eq!(check(15.0, 10.0, 2.0), None);
    for (times, part) in [
        ((10.0, 10.0, 2.0), "not longer than the renew deadline"),
        ((15.0, 2.4, 2.0), "1.2 times the retry period"),
        ((15.0, 10.0, 0.0), "is zero"),
        ((0.9, 0.5, 0.1), "less than a second"),
    ] {
        let error = check(times.0, times.1, times.2).unwrap_or_default();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn without_a_namespace_it_asks_less_and_less_often_and_at_once_when_there_is_a_lease() {
    let mut core = core();
    expect(&mut core, Event::Tick, 0.0, &["read"]);
    expect(&mut core, Event::Read(None), 0.0, &["take 0 over nothing"]);
    let (mut now, mut waits) = (0.0, Vec::new());
    for _ in 0..7 {
        expect(&mut core, Event::NoNamespace, now, &[]);
        let next = (core.wake_at().unwrap() - at(0.0)).as_secs_f64();
        waits.push(next - now);
        now = next;
        // Rounded up, so that it is not a little too early.
        expect(&mut core, Event::Tick, now + 1e-6, &["take 0 over nothing"]);
    }
    let least = [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0];
    assert!(
        waits.iter().zip(least).all(|(wait, least)| (least - 0.1..=1.2 * least).contains(wait)),
        "{waits:?}"
    );
    expect(&mut core, Event::NoNamespace, now + 0.1, &[]);
    expect(&mut core, Event::Watched(Some(record(1, "", 3))), now + 0.2, &["take 4 over 1"]);
}
