//! The queue beside a model that is too simple to be wrong, under random operations.

use super::super::core::{Adding, Core, Next, Outcome, Rules};
use super::super::limit::RateLimit;
use std::time::Duration;

const SECOND: i64 = 1_000_000_000;

/// What is known of one item: nothing is optimised here, everything is looked at each time.
#[derive(Clone, Debug)]
struct Item {
    name: u8,
    at: Option<i64>,
    priority: i8,
    is_working: bool,
    again: Option<(i64, i8)>,
    started: Option<i64>,
    /// When it was due, and when it was started before, should it be put back.
    was_at: Option<i64>,
    before: Option<i64>,
    failures: u32,
    /// When the backoff of its last failure ends.
    backoff_until: Option<i64>,
    is_early: bool,
    wait: i64,
}

struct Model {
    min_interval: i64,
    items: Vec<Item>,
    is_closed: bool,
}

/// What a worker has.
struct Working {
    slot: u32,
    name: u8,
    is_aside: bool,
}

impl Model {
    fn item(&mut self, name: u8) -> &mut Item {
        let found = self.items.iter().position(|item| item.name == name);
        let index = found.unwrap_or_else(|| {
            self.items.push(Item {
                name,
                at: None,
                priority: 0,
                is_working: false,
                again: None,
                started: None,
                was_at: None,
                before: None,
                failures: 0,
                backoff_until: None,
                is_early: false,
                wait: 0,
            });
            self.items.len() - 1
        });
        &mut self.items[index]
    }

    fn add(&mut self, now: i64, name: u8, adding: Adding) {
        if self.is_closed {
            return;
        }
        let min_interval = self.min_interval;
        let item = self.item(name);
        let earliest = item.started.map_or(i64::MIN, |started| started + min_interval);
        let at = (now + adding.after).max(earliest);
        if item.is_working {
            let (before, priority) = item.again.unwrap_or((at, item.priority));
            let at = if adding.even_later { at } else { at.min(before) };
            item.again = Some((at, adding.priority.map_or(priority, |wanted| wanted.max(priority))));
            return;
        }
        match item.at {
            None => {
                item.priority = adding.priority.unwrap_or(0);
                item.at = Some(at);
            }
            Some(before) => {
                item.priority = adding.priority.map_or(item.priority, |wanted| wanted.max(item.priority));
                let at = if adding.even_later { at } else { at.min(before) };
                if at < before && item.backoff_until.is_some() {
                    item.is_early = true;
                    item.backoff_until = None;
                }
                item.at = Some(at);
            }
        }
    }

    /// All that may be handed out now: several, if they have the same place.
    fn candidates(&self, now: i64) -> Vec<u8> {
        let due = self.items.iter().filter(|item| !item.is_working && item.at.is_some_and(|at| at <= now));
        let place = |item: &Item| item.at.unwrap() - i64::from(item.priority) * SECOND;
        let Some(first) = due.clone().map(place).min() else { return Vec::new() };
        due.filter(|item| place(item) == first).map(|item| item.name).collect()
    }

    fn take(&mut self, now: i64, name: u8) {
        let item = self.item(name);
        (item.was_at, item.before) = (item.at, item.started);
        (item.is_working, item.at, item.started, item.backoff_until) = (true, None, Some(now), None);
    }

    /// What is due is still handed out, and what was added while it is worked on.
    fn close(&mut self, now: i64) {
        self.is_closed = true;
        for item in self.items.iter_mut().filter(|item| item.at.is_some_and(|at| at > now)) {
            item.at = None;
        }
    }

    fn is_over(&self, now: i64) -> bool {
        self.is_closed
            && self.candidates(now).is_empty()
            && self.items.iter().all(|item| item.again.is_none())
    }

    fn finish(&mut self, now: i64, name: u8, outcome: Outcome) {
        if self.is_closed {
            // Nothing is tried again, and nobody waits for the time of what was added.
            let item = self.item(name);
            item.is_working = false;
            let again = item.again.take();
            item.priority = again.map_or(item.priority, |(_, priority)| priority.max(item.priority));
            item.at = again.map(|_| now);
            return;
        }
        let min_interval = self.min_interval;
        let item = self.item(name);
        item.is_working = false;
        if outcome == Outcome::PutBack {
            item.started = item.before;
            let earliest = item.before.map_or(i64::MIN, |before| before + min_interval);
            item.at = item.was_at.map(|at| at.max(earliest));
            item.priority =
                item.again.take().map_or(item.priority, |(_, priority)| priority.max(item.priority));
            return;
        }
        let earliest = item.started.unwrap() + min_interval;
        let retry = match outcome {
            Outcome::Done | Outcome::GivenUp | Outcome::PutBack => None,
            Outcome::After(wait) => Some(wait),
            Outcome::Failed => {
                if !item.is_early {
                    item.failures += 1;
                    item.wait = (SECOND << (item.failures - 1).min(20)).min(60 * SECOND);
                }
                Some(item.wait)
            }
        };
        if outcome != Outcome::Failed {
            item.failures = 0;
        }
        item.is_early = false;
        let retry = retry.map(|wait| (now + wait).max(earliest));
        let again = item.again.take();
        if let Some((_, priority)) = again {
            item.priority = item.priority.max(priority);
        }
        let again = again.map(|(at, _)| at.max(earliest));
        item.at = [retry, again].into_iter().flatten().min();
        if outcome == Outcome::Failed {
            let is_early = again < retry && again.is_some();
            item.is_early = is_early;
            item.backoff_until = if is_early { None } else { retry };
        }
    }

    fn cancel(&mut self, name: u8) -> bool {
        let item = self.item(name);
        if item.is_working {
            return item.again.take().is_some();
        }
        let was_there = item.at.take().is_some();
        (item.failures, item.is_early, item.backoff_until) = (0, false, None);
        was_there
    }
}

fn walk(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let min_interval = random.choice([0, 0, SECOND / 2, 5 * SECOND]).unwrap();
    let limit = RateLimit::exponential(Duration::from_secs(1), Duration::from_secs(60));
    let mut core = Core::new(Rules { quantum: SECOND, min_interval, limit }, seed);
    let mut model = Model { min_interval, items: Vec::new(), is_closed: false };
    let mut working: Vec<Working> = Vec::new();
    let mut now = 0;
    // Every second one is closed before the end.
    let end = random.usize(100..500);
    for step in 0..300 {
        now += random.choice([0, 0, 1, SECOND / 10, SECOND, 20 * SECOND]).unwrap();
        if step == end {
            while core.ripen(now) {}
            core.close();
            while core.forget_some() {}
            model.close(now);
        }
        let name = random.u8(..12);
        match random.u8(..11) {
            0..4 => {
                let adding = Adding {
                    after: random.choice([0, 0, 0, SECOND, 3 * SECOND, 30 * SECOND]).unwrap(),
                    priority: random.bool().then(|| random.i8(-8..=7)),
                    even_later: random.u8(..8) == 0,
                };
                core.add(now, name, adding);
                model.add(now, name, adding);
            }
            4 => assert_eq!(core.cancel(now, &name), model.cancel(name), "seed {seed}, step {step}"),
            5..8 => {
                let candidates = model.candidates(now);
                match core.next(now) {
                    Next::Work { slot, item, .. } => {
                        assert!(
                            candidates.contains(&item),
                            "seed {seed}, step {step}: {item} of {candidates:?}"
                        );
                        model.take(now, item);
                        working.push(Working { slot, name: item, is_aside: false });
                    }
                    Next::Nothing(until) => {
                        assert!(candidates.is_empty(), "seed {seed}, step {step}: {candidates:?}");
                        assert!(!model.is_over(now), "seed {seed}, step {step}: nothing comes any more");
                        let next = model
                            .items
                            .iter()
                            .filter(|item| !item.is_working)
                            .filter_map(|item| item.at)
                            .min();
                        assert!(
                            next.is_none_or(|next| until.is_some_and(|until| until <= next)),
                            "seed {seed}, step {step}: {until:?} and {next:?}"
                        );
                    }
                    Next::Closed => assert!(model.is_over(now), "seed {seed}, step {step}: it is not over"),
                }
            }
            8 => {
                if let Some(index) = (!working.is_empty()).then(|| random.usize(..working.len())) {
                    core.set_aside(working[index].slot);
                    working[index].is_aside = true;
                }
            }
            _ => {
                if working.is_empty() {
                    continue;
                }
                let Working { slot, name, .. } = working.swap_remove(random.usize(..working.len()));
                let outcome = random.choice([
                    Outcome::Done,
                    Outcome::GivenUp,
                    Outcome::Failed,
                    Outcome::Failed,
                    Outcome::After(2 * SECOND),
                    Outcome::PutBack,
                ]);
                core.finish(now, slot, outcome.unwrap());
                model.finish(now, name, outcome.unwrap());
            }
        }
        let due = model.items.iter().filter(|item| !item.is_working && item.at.is_some_and(|at| at <= now));
        let counts = core.counts();
        assert_eq!(counts.working, working.len(), "seed {seed}, step {step}");
        let active = working.iter().filter(|working| !working.is_aside).count();
        assert_eq!(core.started().count(), active, "seed {seed}, step {step}");
        assert!(
            counts.ready <= due.count(),
            "seed {seed}, step {step}: what is due later is not yet counted"
        );
    }
}

#[test]
fn whatever_is_done_to_it_the_queue_does_what_the_model_does() {
    for seed in 0..5_000 {
        walk(seed);
    }
}

/// Threads read the clock before they lock the queue, so what is now may go back a little from one call to the next. Nothing is
/// lost, and nothing is with two workers.
#[test]
fn a_clock_that_goes_back_a_little_loses_nothing() {
    for seed in 0..2_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let min_interval = random.choice([0, SECOND / 2]).unwrap();
        let limit = RateLimit::exponential(Duration::from_secs(1), Duration::from_secs(60));
        let mut core = Core::new(Rules { quantum: SECOND, min_interval, limit }, seed);
        let (mut clock, mut working) = (SECOND, Vec::<(u32, u8, i64)>::new());
        // What was added after it was last handed out.
        let mut added = std::collections::BTreeSet::new();
        let take = |core: &mut Core<u8>,
                    now: i64,
                    added: &mut std::collections::BTreeSet<u8>,
                    working: &mut Vec<_>| {
            if let Next::Work { slot, item, .. } = core.next(now) {
                assert!(
                    working.iter().all(|(_, other, _)| *other != item),
                    "seed {seed}: {item} is with two"
                );
                added.remove(&item);
                working.push((slot, item, now));
                return true;
            }
            false
        };
        for _ in 0..200 {
            clock += random.choice([0, 1, SECOND / 10, SECOND]).unwrap();
            let now = clock - random.choice([0, 0, 1, SECOND / 10]).unwrap();
            match random.u8(..4) {
                0 | 1 => {
                    let name = random.u8(..8);
                    core.add(
                        now,
                        name,
                        Adding { priority: random.bool().then(|| random.i8(-8..=7)), ..Adding::default() },
                    );
                    added.insert(name);
                }
                2 => {
                    take(&mut core, now, &mut added, &mut working);
                }
                _ if !working.is_empty() => {
                    let (slot, _, begin) = working.swap_remove(random.usize(..working.len()));
                    core.finish(now.max(begin), slot, Outcome::Done);
                }
                _ => {}
            }
        }
        clock += 60 * SECOND;
        loop {
            for (slot, _, _) in working.drain(..) {
                core.finish(clock, slot, Outcome::Done);
            }
            clock += SECOND;
            if !take(&mut core, clock, &mut added, &mut working) {
                break;
            }
        }
        assert!(added.is_empty(), "seed {seed}: {added:?} never came");
    }
}
