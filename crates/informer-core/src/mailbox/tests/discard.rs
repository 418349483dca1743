//! What a mailbox no longer needs is handed over to be freed, since the mailbox itself is locked.

use std::sync::atomic::Ordering;

use super::super::{Keep, Mailbox, SweepKind};
use super::{added, deleted, snapshot, updated, versions};
use crate::object::testing::{origin, record};

/// What a sweep has told is freed as it goes along, and never by the mailbox itself, which is locked.
#[test]
fn a_sweep_frees_its_snapshot_in_steps_and_outside_of_the_mailbox() {
    for every_event in [None, Some(10)] {
        let origin = origin();
        let records: Vec<_> = (0..5_000).map(|n| record(&origin, &format!("a/{n}"), "1", "1")).collect();
        let mut mailbox = Mailbox::new(every_event);
        mailbox.sweep(snapshot(&records.iter().collect::<Vec<_>>()), SweepKind::Initial);
        drop(records);
        let alive = || origin.alive.load(Ordering::Relaxed);
        loop {
            let before = alive();
            let taken = mailbox.take(32);
            let discards = mailbox.discards();
            assert_eq!(alive(), before, "taking frees nothing");
            let done = taken.is_empty();
            drop((taken, discards));
            assert!(before - alive() <= 300, "{} objects are freed at once", before - alive());
            if done {
                break;
            }
        }
        assert_eq!(alive(), 0);
    }
}

/// Intermediate versions of a log that went over its limit, and what was told of an incarnation that ended.
#[test]
fn what_is_merged_away_is_freed_outside_of_the_mailbox() {
    for keep in [Keep::Final, Keep::Told] {
        let origin = origin();
        let mut mailbox = Mailbox::new(Some(5)).keeping(keep);
        let mut alive = Vec::new();
        {
            let [x, x2, x3, y, y2] = versions(&origin);
            for change in [
                updated(&x, &x2),
                updated(&x2, &x3),
                deleted(&x3, None),
                added(&y),
                updated(&y, &y2),
                deleted(&y2, None),
            ] {
                mailbox.change(&change);
                alive.push(mailbox.discards());
            }
        }
        let held: usize = alive.iter().map(Vec::len).sum();
        assert!(held > 0, "they are handed over to be dropped");
        let before = origin.alive.load(Ordering::Relaxed);
        let taken = mailbox.take(10);
        assert_eq!(origin.alive.load(Ordering::Relaxed), before);
        drop(alive);
        assert!(origin.alive.load(Ordering::Relaxed) < before, "nobody else holds them");
        drop((taken, mailbox));
        assert_eq!(origin.alive.load(Ordering::Relaxed), 0);
    }
}
