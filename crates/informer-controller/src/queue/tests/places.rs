//! A flood leaves nothing behind, and no call does much.

use super::super::core::{Adding, Core, Next, Outcome, Rules, STEP};
use super::super::limit::RateLimit;

const FLOOD: u32 = 100_000;

fn core() -> Core<u32> {
    Core::new(Rules { quantum: 1, min_interval: 0, limit: RateLimit::default() }, 7)
}

fn later() -> Adding {
    Adding { after: 1_000, ..Adding::default() }
}

#[test]
fn what_is_added_and_taken_back_while_nobody_works_leaves_nothing_behind() {
    let mut core = core();
    core.add(0, 0, Adding::default());
    for now in 0..i64::from(FLOOD) {
        core.add(now, 1, Adding::default());
        assert!(core.cancel(now, &1));
        core.add(now, 2, later());
        assert!(core.cancel(now, &2));
    }
    assert!(core.capacity() < 1_000, "{}", core.capacity());
    assert_eq!(core.counts().ready, 1);
}

#[test]
fn a_flood_gives_its_memory_back() {
    let mut core = core();
    for adding in [Adding::default(), later()] {
        for item in 0..FLOOD {
            core.add(0, item, adding);
        }
        assert!(core.capacity() >= FLOOD as usize);
        while core.ripen(1_000) {}
        while let Next::Work { slot, .. } = core.next(1_000) {
            core.finish(1_000, slot, Outcome::Done);
        }
        assert!(core.capacity() < 10_000, "{}", core.capacity());
    }
}

#[test]
fn what_becomes_due_at_once_takes_its_place_in_steps_and_all_of_it_comes() {
    let mut core = core();
    for item in 0..FLOOD {
        core.add(0, item, later());
    }
    let mut handed_out = vec![false; FLOOD as usize];
    let mut due = 0;
    while let Next::Work { slot, item, .. } = core.next(1_000) {
        let now_due = core.counts().ready;
        assert!(now_due <= due + STEP, "{now_due} after {due}");
        due = now_due;
        assert!(!std::mem::replace(&mut handed_out[item as usize], true), "{item} comes twice");
        core.finish(1_000, slot, Outcome::Done);
    }
    assert!(handed_out.into_iter().all(|is_out| is_out));
}

#[test]
fn what_is_not_due_at_the_end_is_forgotten_in_steps() {
    let mut core = core();
    for item in 0..FLOOD {
        core.add(0, item, later());
    }
    core.close();
    let mut left = core.counts().later;
    while core.forget_some() {
        assert_eq!(left - core.counts().later, STEP);
        left = core.counts().later;
    }
    assert_eq!(core.counts().later, 0);
    assert_eq!(core.next(1_000), Next::Closed);
}

#[test]
fn who_leaves_a_line_leaves_the_others_in_their_order() {
    let mut core = core();
    for item in 0..7 {
        core.add(i64::from(item), item, Adding::default());
    }
    // The first, the last and two neighbours; one with a higher priority is a stray of its new line.
    for item in [0, 6, 3, 4] {
        assert!(core.cancel(7, &item));
    }
    core.add(7, 8, Adding { priority: Some(1), ..Adding::default() });
    core.add(7, 2, Adding { priority: Some(1), ..Adding::default() });
    let mut order = Vec::new();
    while let Next::Work { slot, item, .. } = core.next(7) {
        order.push(item);
        core.finish(7, slot, Outcome::Done);
    }
    assert_eq!(order, [2, 1, 5, 8]);
}
