mod bounds;
mod discard;
mod model;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::*;
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing::{origin, record};
use crate::store::sharded::ShardedMap;
use crate::store::snapshot::Snapshot;

pub(super) fn added(new: &Arc<Record>) -> Change {
    Change::Added { new: new.clone() }
}

pub(super) fn updated(old: &Arc<Record>, new: &Arc<Record>) -> Change {
    Change::Updated { old: old.clone(), new: new.clone() }
}

pub(super) fn deleted(old: &Arc<Record>, last: Option<&Arc<Record>>) -> Change {
    Change::Deleted { old: old.clone(), last: last.cloned() }
}

pub(super) fn snapshot(objects: &[&Arc<Record>]) -> Snapshot {
    let mut map = <ShardedMap<_>>::default();
    for object in objects {
        map.insert((*object).clone());
    }
    let mut snapshot = Snapshot::new(1);
    if let Some(first) = objects.first() {
        snapshot.add(informer_wire::key::shared_namespace(first.key()).unwrap(), &map);
    }
    snapshot
}

fn all(mailbox: &mut Mailbox) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        let taken = mailbox.take(7);
        if taken.is_empty() {
            return seen;
        }
        seen.extend(taken.iter().map(text));
    }
}

fn text(delivery: &Delivery) -> String {
    let name = |record: &Arc<Record>| format!("{}@{}", record.key(), record.head.resource_version);
    match delivery {
        Delivery::Added { new, initial } => {
            format!("add {}{}", name(new), if *initial { " initial" } else { "" })
        }
        Delivery::Updated { old, new, resync } => {
            format!("update {} {}{}", name(old), name(new), if *resync { " resync" } else { "" })
        }
        Delivery::Deleted { object, final_state_known, .. } => {
            format!("delete {}{}", name(object), if *final_state_known { "" } else { " guessed" })
        }
        Delivery::Merged => "merged".into(),
    }
}

/// A key `a/x` in three versions of one incarnation, and two of the next.
pub(super) fn versions(origin: &Arc<Origin>) -> [Arc<Record>; 5] {
    [("1", "1"), ("1", "2"), ("1", "3"), ("2", "7"), ("2", "8")]
        .map(|(uid, version)| record(origin, "a/x", uid, version))
}

#[test]
fn d3_nothing_told_and_something_there_is_an_add() {
    let [x, x2, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&added(&x));
    mailbox.change(&updated(&x, &x2));
    assert_eq!(all(&mut mailbox), ["add a/x@2"]);
}

#[test]
fn b_114_d3_same_uid_is_one_update_from_what_was_told() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&updated(&x2, &x3));
    assert_eq!(all(&mut mailbox), ["update a/x@1 a/x@3"]);
}

#[test]
fn b_118_d3_other_uid_is_a_delete_of_the_final_state_then_an_add() {
    let [x, x2, x3, y, y2] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&deleted(&x2, Some(&x3)));
    mailbox.change(&added(&y));
    mailbox.change(&updated(&y, &y2));
    assert_eq!(all(&mut mailbox), ["delete a/x@3", "add a/x@8"]);
}

#[test]
fn d3_a_handler_that_keeps_what_it_was_told_is_told_the_end_of_that() {
    let [x, x2, x3, y, _] = versions(&origin());
    let mut mailbox = Mailbox::new(None).keeping(Keep::Told);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&deleted(&x2, Some(&x3)));
    mailbox.change(&added(&y));
    assert_eq!(all(&mut mailbox), ["delete a/x@1 guessed", "add a/x@7"]);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&deleted(&x2, Some(&x3)));
    let taken = mailbox.take(1);
    let Delivery::Deleted { object, told: Some(told), .. } = &taken[0] else { panic!("{taken:?}") };
    assert!(Arc::ptr_eq(object, &x3) && Arc::ptr_eq(told, &x), "both, while there is no successor");
}

#[test]
fn d3_gone_is_a_delete_with_the_final_state_as_seen() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&deleted(&x2, Some(&x3)));
    assert_eq!(all(&mut mailbox), ["delete a/x@3"]);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&deleted(&x2, None));
    assert_eq!(all(&mut mailbox), ["delete a/x@2 guessed"]);
}

#[test]
fn b_114_d3_delete_recreate_delete_while_stuck_is_one_delete_of_the_first_incarnation() {
    let [x, _, x3, y, y2] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&deleted(&x, Some(&x3)));
    mailbox.change(&added(&y));
    mailbox.change(&deleted(&y, Some(&y2)));
    assert_eq!(all(&mut mailbox), ["delete a/x@3"]);
}

#[test]
fn d3_came_and_went_unheard_is_nothing_and_counts_for_sync() {
    let [x, x2, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&[&x]), SweepKind::Initial);
    mailbox.upstream_synced();
    assert!(!mailbox.is_synced());
    mailbox.change(&deleted(&x, Some(&x2)));
    assert!(all(&mut mailbox).is_empty());
    assert!(mailbox.is_synced());
}

#[test]
fn d3_back_with_the_same_uid_is_an_update_from_what_was_told() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&deleted(&x, Some(&x2)));
    mailbox.change(&added(&x3));
    assert_eq!(all(&mut mailbox), ["update a/x@1 a/x@3"]);
}

#[test]
fn d3_an_old_uid_that_returns_after_another_is_deleted_and_added() {
    let [x, x2, x3, y, y2] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&deleted(&x, Some(&x2)));
    mailbox.change(&added(&y));
    mailbox.change(&deleted(&y, Some(&y2)));
    mailbox.change(&added(&x3));
    assert_eq!(all(&mut mailbox), ["delete a/x@2", "add a/x@3"]);
}

/// A namespace is removed and added again while the handler has heard of nothing, or of none of it.
#[test]
fn d16_a_key_that_is_in_two_sweeps_is_told_once_and_as_it_is_now() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&[&x]), SweepKind::Initial);
    mailbox.change(&deleted(&x, None));
    mailbox.sweep(snapshot(&[&x2]), SweepKind::Initial);
    mailbox.change(&updated(&x2, &x3));
    assert_eq!(all(&mut mailbox), ["add a/x@3 initial"]);

    mailbox.sweep(snapshot(&[&x3]), SweepKind::Resync);
    mailbox.change(&deleted(&x3, None));
    mailbox.sweep(snapshot(&[&x]), SweepKind::Initial);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&deleted(&x2, None));
    assert_eq!(all(&mut mailbox), ["delete a/x@3 guessed"]);
}

#[test]
fn d16_a_key_that_left_unheard_and_is_back_is_what_differs() {
    let origin = origin();
    let [x, x2, ..] = versions(&origin);
    let read_again = record(&origin, "a/x", "1", "1");
    for (back, told) in [(&x, vec![]), (&read_again, vec![]), (&x2, vec!["update a/x@1 a/x@2"])] {
        let mut mailbox = Mailbox::new(None);
        mailbox.change(&deleted(&x, None));
        mailbox.sweep(snapshot(&[back]), SweepKind::Initial);
        assert_eq!(all(&mut mailbox), told);
    }
}

#[test]
fn b_113_d3_a_key_keeps_the_place_it_got_first() {
    let origin = origin();
    let [x, x2, ..] = versions(&origin);
    let other = record(&origin, "a/other", "9", "5");
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&added(&x));
    mailbox.change(&added(&other));
    mailbox.change(&updated(&x, &x2));
    assert_eq!(all(&mut mailbox), ["add a/x@2", "add a/other@5"]);
}

#[test]
fn b_113_d3_a_sweep_waits_for_what_was_pending_before_it() {
    let origin = origin();
    let [x, ..] = versions(&origin);
    let [gone, late] = ["a/gone", "a/late"].map(|key| record(&origin, key, key, "5"));
    for (kind, told) in
        [(SweepKind::Initial, "add a/x@1 initial"), (SweepKind::Resync, "update a/x@1 a/x@1 resync")]
    {
        let mut mailbox = Mailbox::new(None);
        mailbox.change(&deleted(&gone, None));
        mailbox.sweep(snapshot(&[&x]), kind);
        mailbox.change(&added(&late));
        assert_eq!(all(&mut mailbox), ["delete a/gone@5 guessed", told, "add a/late@5"]);
    }
}

#[test]
fn b_276_resync_tells_every_object_again() {
    let [x, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&[&x]), SweepKind::Resync);
    assert_eq!(all(&mut mailbox), ["update a/x@1 a/x@1 resync"]);
}

#[test]
fn b_109_b_164_resync_of_a_key_with_a_change_waiting_is_that_change() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&updated(&x, &x2));
    mailbox.sweep(snapshot(&[&x2]), SweepKind::Resync);
    assert_eq!(all(&mut mailbox), ["update a/x@1 a/x@2"]);
    mailbox.sweep(snapshot(&[&x2]), SweepKind::Resync);
    mailbox.change(&updated(&x2, &x3));
    assert_eq!(all(&mut mailbox), ["update a/x@2 a/x@3"], "never an older value after a newer one");
}

#[test]
fn a_resync_while_another_runs_is_left_out() {
    let [x, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&[&x]), SweepKind::Resync);
    mailbox.sweep(snapshot(&[&x]), SweepKind::Resync);
    assert_eq!(all(&mut mailbox).len(), 1);
}

#[test]
fn b_167_b_273_synced_once_the_initial_adds_have_returned() {
    let origin = origin();
    let [x, x2, ..] = versions(&origin);
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&[&x]), SweepKind::Initial);
    mailbox.change(&updated(&x, &x2));
    assert!(!mailbox.is_synced(), "the informer has not filled");
    mailbox.upstream_synced();
    let taken = mailbox.take(10);
    assert_eq!(taken.iter().map(text).collect::<Vec<_>>(), ["add a/x@2 initial"]);
    assert!(!mailbox.is_synced(), "the call has not returned");
    assert!(mailbox.take(10).is_empty());
    assert!(mailbox.is_synced());
}

#[test]
fn b_273_not_synced_while_an_initial_object_is_told_behind_an_earlier_end() {
    let [x, x2, _, y, _] = versions(&origin());
    for back in [&y, &x2] {
        let mut mailbox = Mailbox::new(None);
        mailbox.change(&deleted(&x, Some(&x)));
        mailbox.sweep(snapshot(&[back]), SweepKind::Initial);
        mailbox.upstream_synced();
        assert!(!mailbox.take(10).is_empty());
        assert!(!mailbox.is_synced(), "the calls have not returned");
        assert!(mailbox.take(10).is_empty() && mailbox.is_synced());
    }
}

#[test]
fn b_273_not_synced_while_an_initial_object_waits_that_a_change_took_out_of_its_sweep() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&deleted(&x, None));
    mailbox.sweep(snapshot(&[&x2]), SweepKind::Initial);
    mailbox.change(&updated(&x2, &x3));
    mailbox.upstream_synced();
    assert!(!mailbox.is_synced(), "nothing was told");
    assert_eq!(mailbox.take(10).iter().map(text).collect::<Vec<_>>(), ["update a/x@1 a/x@3"]);
    assert!(!mailbox.is_synced(), "the call has not returned");
    assert!(mailbox.take(10).is_empty() && mailbox.is_synced());
}

#[test]
fn an_initial_object_whose_earlier_end_is_untold_follows_it() {
    let [x, x2, _, y, _] = versions(&origin());
    let mut mailbox = Mailbox::new(None);
    mailbox.change(&deleted(&x, Some(&x2)));
    mailbox.sweep(snapshot(&[&y]), SweepKind::Initial);
    assert_eq!(all(&mut mailbox), ["delete a/x@2", "add a/x@7"]);
}

/// The namespace of `a/x` is removed while a resync of it waits, and added again.
#[test]
fn d16_a_key_that_left_during_a_sweep_and_is_back_is_what_differs() {
    let origin = origin();
    let [x, x2, _, y, _] = versions(&origin);
    for (back, told) in [
        (&x, vec!["update a/x@1 a/x@1 resync"]),
        (&x2, vec!["update a/x@1 a/x@2"]),
        (&y, vec!["delete a/x@1 guessed", "add a/x@7"]),
    ] {
        let mut mailbox = Mailbox::new(None);
        mailbox.sweep(snapshot(&[&x]), SweepKind::Resync);
        mailbox.change(&deleted(&x, None));
        mailbox.sweep(snapshot(&[back]), SweepKind::Initial);
        assert_eq!(all(&mut mailbox), told);
    }
}

#[test]
fn every_event_keeps_all_in_order_up_to_the_limit() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(Some(3));
    mailbox.change(&added(&x));
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&updated(&x2, &x3));
    assert_eq!(all(&mut mailbox), ["add a/x@1", "update a/x@1 a/x@2", "update a/x@2 a/x@3"]);
}

#[test]
fn every_event_keeps_changes_to_objects_that_a_sweep_has_not_reached() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(Some(3));
    mailbox.sweep(snapshot(&[&x]), SweepKind::Initial);
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&updated(&x2, &x3));
    assert_eq!(all(&mut mailbox), ["add a/x@1 initial", "update a/x@1 a/x@2", "update a/x@2 a/x@3"]);
}

#[test]
fn every_event_over_the_limit_merges_and_says_so_until_caught_up() {
    let [x, x2, x3, ..] = versions(&origin());
    let mut mailbox = Mailbox::new(Some(2));
    mailbox.change(&added(&x));
    mailbox.change(&updated(&x, &x2));
    mailbox.change(&updated(&x2, &x3));
    assert_eq!(all(&mut mailbox), ["merged", "add a/x@3"]);
    assert_eq!(mailbox.merged(), 2, "two of the three had no call of their own");
    mailbox.change(&updated(&x3, &x));
    mailbox.change(&updated(&x, &x2));
    assert_eq!(all(&mut mailbox), ["update a/x@3 a/x@1", "update a/x@1 a/x@2"]);
    assert_eq!(mailbox.merged(), 2);
}

#[test]
fn b_323_backlog_counts_keys_and_what_a_sweep_has_left() {
    let origin = origin();
    let [x, x2, ..] = versions(&origin);
    let other = record(&origin, "a/other", "9", "5");
    for every_event in [None, Some(10)] {
        let mut mailbox = Mailbox::new(every_event);
        mailbox.sweep(snapshot(&[&x]), SweepKind::Initial);
        mailbox.change(&added(&other));
        assert_eq!(mailbox.backlog(), 2);
        mailbox.change(&deleted(&other, None));
        mailbox.clear();
        assert_eq!(mailbox.backlog(), 0);
        mailbox.change(&updated(&x, &x2));
        mailbox.change(&added(&other));
        assert_eq!((mailbox.backlog(), mailbox.pending()), (2, 2));
    }
}

#[test]
fn backlog_of_a_sweep_is_what_it_has_left() {
    let origin = origin();
    let objects: Vec<_> = (0..500).map(|i| record(&origin, &format!("a/{i}"), &i.to_string(), "1")).collect();
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&objects.iter().collect::<Vec<_>>()), SweepKind::Initial);
    assert_eq!(mailbox.backlog(), 500);
    assert_eq!(mailbox.take(10).len(), 10);
    assert_eq!(mailbox.backlog(), 490);
}

#[test]
fn not_synced_while_loaded_initial_objects_wait() {
    let origin = origin();
    let objects: Vec<_> = (0..3).map(|i| record(&origin, &format!("a/{i}"), &i.to_string(), "1")).collect();
    let mut mailbox = Mailbox::new(None);
    mailbox.sweep(snapshot(&objects.iter().collect::<Vec<_>>()), SweepKind::Initial);
    mailbox.upstream_synced();
    for _ in 0..3 {
        assert_eq!(mailbox.take(1).len(), 1);
        // The sweep itself is over by the last part; what is loaded and in flight still counts.
        assert!(!mailbox.is_synced());
    }
    assert!(mailbox.take(1).is_empty());
    assert!(mailbox.is_synced());
}

/// A stuck handler and many updates: per pending key at most two versions stay alive.
#[test]
fn b_323_b_324_a_stuck_handler_keeps_two_versions_a_key() {
    const KEYS: usize = 1_000;
    const UPDATES: usize = 100_000;
    let origin = origin();
    let fresh = |key: usize, version: usize| {
        record(&origin, &format!("ns/{key}"), &format!("uid-{key}"), &version.to_string())
    };
    let mut store: Vec<_> = (0..KEYS).map(|key| fresh(key, 1)).collect();
    let mut mailbox = Mailbox::new(None);
    for update in 0..UPDATES {
        let key = update % KEYS;
        let new = fresh(key, update + 2);
        mailbox.change(&updated(&store[key], &new));
        store[key] = new;
    }
    let alive = origin.alive.load(Ordering::Relaxed);
    assert_eq!(alive, 2 * KEYS, "one told version and the stored one per key");
    assert_eq!(mailbox.backlog(), KEYS);
}

/// The same when objects end and come back as others, whichever version of an end is kept.
#[test]
fn b_324_a_stuck_handler_keeps_two_versions_of_a_key_that_is_taken_again() {
    for keep in [Keep::Final, Keep::Told] {
        let origin = origin();
        let mut mailbox = Mailbox::new(None).keeping(keep);
        let mut stored = record(&origin, "a/x", "0", "0");
        for round in 1..100 {
            let version = |version: usize| (10 * round + version).to_string();
            let uid = stored.head.uid.to_string();
            let next = record(&origin, "a/x", &uid, &version(1));
            mailbox.change(&updated(&stored, &next));
            stored = next;
            let last = record(&origin, "a/x", &uid, &version(2));
            mailbox.change(&deleted(&stored, Some(&last)));
            drop(last);
            stored = record(&origin, "a/x", &round.to_string(), &version(3));
            mailbox.change(&added(&stored));
            drop(mailbox.discards());
            assert_eq!(
                origin.alive.load(Ordering::Relaxed),
                2,
                "one of the end, and the stored one: {keep:?}"
            );
        }
        assert_eq!(mailbox.backlog(), 1);
    }
}
