//! What a mailbox holds, and how much it does at a time, while a handler does not keep up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::{Log, Mailbox, STEP, STEP_OF_CHANGE, SweepKind};
use super::{added, all, deleted, snapshot, updated};
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing::{origin, record};

/// So many objects of a namespace, all at one version.
fn objects(origin: &Arc<Origin>, namespace: &str, count: usize, version: usize) -> Vec<Arc<Record>> {
    let object = |n: usize| record(origin, &format!("{namespace}/{n}"), &n.to_string(), &version.to_string());
    (0..count).map(object).collect()
}

fn of(objects: &[Arc<Record>]) -> crate::store::snapshot::Snapshot {
    snapshot(&objects.iter().collect::<Vec<_>>())
}

/// A namespace of 50 objects is added and removed 300 times, beside another one that stays.
#[test]
fn b_323_d16_first_lists_that_a_stuck_handler_has_not_heard_of_are_bounded_by_keys() {
    for first in [SweepKind::Initial, SweepKind::Resync] {
        for (every_event, heard) in [(None, 0), (None, 3), (Some(120), 0), (Some(120), 3)] {
            let origin = origin();
            let mut mailbox = Mailbox::new(every_event);
            let stays = objects(&origin, "stays", 20, 1);
            mailbox.sweep(of(&stays), first);
            let mut told = 0;
            for round in 0..300 {
                let comes = objects(&origin, "comes", 50, round);
                mailbox.sweep(of(&comes), SweepKind::Initial);
                // Now and then it hears a little, so that a sweep is loaded in part.
                told += if round % 40 == 7 { mailbox.take(heard).len() } else { 0 };
                // Some change before they go.
                for (n, old) in comes.iter().enumerate() {
                    let new = record(&origin, &old.key().to_string(), &n.to_string(), &format!("{round}0"));
                    let now = if n % 3 == 0 { &new } else { old };
                    if n % 3 == 0 {
                        mailbox.change(&updated(old, now));
                    }
                    mailbox.change(&deleted(now, None));
                }
                drop((comes, mailbox.discards()));
                let alive = origin.alive.load(Ordering::Relaxed);
                let log = mailbox.log.as_ref().map_or(0, |log| 3 * log.limit);
                assert!(alive <= 3 * 70 + log, "{alive} versions of 70 objects after round {round}");
            }
            assert!(mailbox.merge.sweeps.len() <= 2, "{} sweeps", mailbox.merge.sweeps.len());
            let left = all(&mut mailbox);
            let of_those_that_stay = left.iter().filter(|text| text.contains("stays/")).count();
            assert!(heard > 0 || of_those_that_stay == 20, "{left:?}");
            assert!(heard == 0 || of_those_that_stay + told >= 20);
            drop((mailbox.discards(), stays));
            assert_eq!(origin.alive.load(Ordering::Relaxed), 0);
        }
    }
}

#[test]
fn a_namespace_without_objects_leaves_nothing_in_a_mailbox() {
    for every_event in [None, Some(10)] {
        let mut mailbox = Mailbox::new(every_event);
        (0..100).for_each(|_| mailbox.sweep(of(&[]), SweepKind::Initial));
        assert!(mailbox.merge.sweeps.is_empty() && mailbox.log.iter().all(|log| log.entries.is_empty()));
    }
}

const LIMIT: usize = 30_000;

fn waits(mailbox: &Mailbox) -> usize {
    mailbox.log.as_ref().map_or(0, |log: &Log| log.entries.len())
}

#[test]
fn a_log_that_overflows_is_merged_in_steps() {
    let origin = origin();
    let mut mailbox = Mailbox::new(Some(LIMIT));
    let mut stored = objects(&origin, "ns", 1_000, 1);
    mailbox.sweep(of(&stored), SweepKind::Initial);
    let mut change = |mailbox: &mut Mailbox, number: usize| {
        let old = &mut stored[number % 1_000];
        let new =
            record(&origin, &old.key().to_string(), &old.head.uid.to_string(), &(number + 2).to_string());
        mailbox.change(&updated(old, &new));
        *old = new;
        drop(mailbox.discards());
    };
    (0..LIMIT).for_each(|number| change(&mut mailbox, number));
    assert_eq!(waits(&mailbox), LIMIT + 1, "and the sweep");
    for number in LIMIT..LIMIT + 1_000 {
        let before = waits(&mailbox);
        change(&mut mailbox, number);
        assert_eq!(waits(&mailbox), before + 1 - STEP_OF_CHANGE);
    }
    let (mut heard, mut adds) = (Vec::new(), 0);
    loop {
        let before = waits(&mailbox);
        let taken = mailbox.take(32);
        assert!(before - waits(&mailbox) <= STEP);
        adds += taken.iter().filter(|delivery| delivery.is_initial()).count();
        if taken.is_empty() {
            break;
        }
        heard.extend(taken.iter().map(super::text));
    }
    assert_eq!((heard[0].as_str(), adds), ("merged", 1_000));
    // Each key has one add, and what came after that merged into few updates, the last of them to what is stored.
    assert!(heard.len() < 10_000, "{}", heard.len());
    for object in &stored {
        let last = heard.iter().rfind(|text| text.contains(&format!("{}@", object.key()))).unwrap();
        assert!(last.contains(&format!("@{}", object.head.resource_version)), "{last}");
    }
    assert!(!mailbox.is_merging());
    assert_eq!((mailbox.backlog(), mailbox.pending()), (0, 0));
}

#[test]
fn a_log_that_cancels_out_as_a_whole_says_that_there_may_be_more() {
    let origin = origin();
    let mut mailbox = Mailbox::new(Some(4 * STEP));
    let came_and_went = objects(&origin, "ns", 2 * STEP, 1);
    for object in &came_and_went {
        mailbox.change(&added(object));
        mailbox.change(&deleted(object, None));
    }
    let stays = record(&origin, "ns/stays", "s", "9");
    mailbox.change(&added(&stays));
    assert_eq!(mailbox.take(1).iter().map(super::text).collect::<Vec<_>>(), ["merged"]);
    let mut heard = Vec::new();
    let mut empty = 0;
    while mailbox.is_merging() {
        let taken = mailbox.take(10);
        empty += usize::from(taken.is_empty());
        heard.extend(taken.iter().map(super::text));
    }
    assert!(empty > 0, "nothing could be taken, although something waited");
    heard.extend(all(&mut mailbox));
    assert_eq!(heard, ["add ns/stays@9"]);
}
