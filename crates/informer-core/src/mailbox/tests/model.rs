//! Random changes, sweeps and takes against a plain map: every history is legal and ends at the store.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use informer_wire::key::KeyRef;

use super::super::{Mailbox, Sweep, SweepKind};
use super::snapshot;
use crate::mailbox::delivery::Delivery;
use crate::mailbox::pending::Keep;
use crate::object::record::Record;
use crate::object::testing::{origin, record};
use crate::store::change::Change;

/// What one handler believes, checked against every delivery.
#[derive(Default)]
struct Listener {
    knows: HashMap<String, Arc<Record>>,
}

impl Listener {
    fn hear(&mut self, delivery: &Delivery) {
        match delivery {
            Delivery::Added { new, .. } => {
                let before = self.knows.insert(new.key().to_string(), new.clone());
                assert!(before.is_none(), "{} added twice", new.key());
            }
            Delivery::Updated { old, new, resync } => {
                let before = self.knows.insert(new.key().to_string(), new.clone()).expect("known");
                assert!(same(&before, old), "old is not what was told: {before:?} {old:?}");
                assert!(old.same_incarnation(new));
                assert_eq!(*resync, same(old, new));
            }
            Delivery::Deleted { object, .. } => {
                let before = self.knows.remove(&object.key().to_string()).expect("known");
                assert!(before.same_incarnation(object));
            }
            Delivery::Merged => {}
        }
    }
}

/// When each key became pending: a key keeps the place it got, and a sweep has one place for all its keys.
#[derive(Default)]
struct Places {
    next: usize,
    of: HashMap<String, usize>,
    heard: usize,
}

impl Places {
    /// These become pending now, unless they are already. To be called before the mailbox hears of it.
    fn give<'a>(&mut self, objects: impl Iterator<Item = &'a Arc<Record>>, mailbox: &Mailbox) {
        for key in objects.map(|object| object.key()) {
            let swept = |sweep: &Sweep| {
                sweep.awaits(key) && !matches!(sweep.overrides.get(&KeyRef::from(key)), Some(None))
            };
            let merge = &mailbox.merge;
            if !merge.pending.contains_key(&KeyRef::from(key)) && !merge.sweeps.iter().any(swept) {
                self.of.insert(key.to_string(), self.next);
            }
        }
        self.next += 1;
    }

    /// Deliveries that left their places just now. An add that follows a delete of the same key shares its place.
    fn check(&mut self, taken: &[Delivery]) {
        let mut deleted = None;
        for delivery in taken {
            let key = match delivery {
                Delivery::Added { new, .. } if deleted == Some(new.key()) => continue,
                Delivery::Added { new, .. } | Delivery::Updated { new, .. } => new.key(),
                Delivery::Deleted { object, .. } => {
                    deleted = Some(object.key());
                    object.key()
                }
                Delivery::Merged => continue,
            };
            let place = self.of.remove(&key.to_string()).expect("has a place");
            assert!(place >= self.heard, "{key} of place {place} was overtaken by place {}", self.heard);
            self.heard = place;
        }
    }
}

/// The very same, or read again without a difference.
fn same(one: &Arc<Record>, other: &Arc<Record>) -> bool {
    Arc::ptr_eq(one, other) || (one.same_version(other) && one.same_content(other))
}

#[test]
fn any_interleaving_is_a_legal_history_that_ends_at_the_store() {
    for seed in 0..4_000 {
        let outcome = std::panic::catch_unwind(|| run_seed(seed));
        assert!(outcome.is_ok(), "seed {seed}");
    }
}

fn run_seed(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let origin = origin();
    let every_event = random.bool().then(|| random.usize(0..6));
    // In some of them mostly namespaces come and go.
    let churns = random.u8(0..4) == 0;
    let mut mailbox = Mailbox::new(every_event).keeping(if random.bool() { Keep::Told } else { Keep::Final });
    let mut places = Places::default();
    // Every event in stream order is another order.
    let take = |mailbox: &mut Mailbox, places: &mut Places, most| {
        let placed = mailbox.ready.len();
        let taken = mailbox.take(most);
        if every_event.is_none() {
            places.check(taken.get(placed..).unwrap_or_default());
        }
        taken
    };
    let mut store: HashMap<String, Arc<Record>> = HashMap::new();
    let mut listener = Listener::default();
    let mut version = 0;
    let mut fresh = |key: &str, uid: &str| {
        version += 1;
        record(&origin, key, uid, &version.to_string())
    };
    for key in 0..random.usize(0..8) {
        let key = format!("ns/{key}");
        store.insert(key.clone(), fresh(&key, "0"));
    }
    places.give(store.values(), &mailbox);
    mailbox.sweep(snapshot(&store.values().collect::<Vec<_>>()), SweepKind::Initial);
    mailbox.upstream_synced();
    for step in 0..random.usize(0..60) {
        drop(mailbox.discards());
        if every_event.is_none() {
            // What the store and the handler know, and of the mailbox a snapshot, two versions a key, and one more snapshot.
            let alive = origin.alive.load(Ordering::Relaxed);
            assert!(alive <= 8 * 6, "{alive} versions of 8 keys");
        }
        let key = format!("ns/{}", random.usize(0..8));
        match if churns && random.u8(0..3) > 0 { 7 } else { random.u8(0..12) } {
            0..=5 => {
                let change = match store.get(&key).cloned() {
                    Some(old) if random.bool() => {
                        let new = fresh(&key, &old.head.uid.to_string());
                        store.insert(key, new.clone());
                        Change::Updated { old, new }
                    }
                    Some(old) => {
                        store.remove(&key);
                        let last = random.bool().then(|| fresh(&key, &old.head.uid.to_string()));
                        Change::Deleted { old, last }
                    }
                    None => {
                        // Sometimes an earlier uid comes back, as after a selector change or a restored backup.
                        let uid = if random.bool() { "0".to_owned() } else { step.to_string() };
                        let new = fresh(&key, &uid);
                        store.insert(key, new.clone());
                        Change::Added { new }
                    }
                };
                let (Change::Added { new: object }
                | Change::Updated { new: object, .. }
                | Change::Deleted { old: object, .. }) = &change;
                places.give([object].into_iter(), &mailbox);
                mailbox.change(&change);
            }
            7 if churns || random.bool() => {
                // The namespace is removed and added again: all is gone, then it is there as the server has it by then.
                for (key, old) in mem::take(&mut store) {
                    places.give([&old].into_iter(), &mailbox);
                    mailbox.change(&Change::Deleted { old: old.clone(), last: None });
                    let (uid, now) = (old.head.uid.to_string(), old.head.resource_version.to_string());
                    let back = match random.u8(0..5) {
                        0 => continue,
                        1 => fresh(&key, &uid),
                        2 => fresh(&key, &step.to_string()),
                        _ => record(&origin, &key, &uid, &now),
                    };
                    store.insert(key, back);
                }
                places.give(store.values(), &mailbox);
                mailbox.sweep(snapshot(&store.values().collect::<Vec<_>>()), SweepKind::Initial);
            }
            6 => {
                if !mailbox.sweeping() {
                    places.give(store.values(), &mailbox);
                }
                mailbox.sweep(snapshot(&store.values().collect::<Vec<_>>()), SweepKind::Resync);
            }
            _ => {
                let taken = take(&mut mailbox, &mut places, random.usize(1..4));
                taken.iter().for_each(|delivery| listener.hear(delivery));
            }
        }
    }
    loop {
        let taken = take(&mut mailbox, &mut places, 3);
        if taken.is_empty() {
            break;
        }
        taken.iter().for_each(|delivery| listener.hear(delivery));
    }
    assert!(mailbox.is_synced());
    assert_eq!(mailbox.backlog(), 0);
    assert_eq!(listener.knows.len(), store.len());
    for (key, record) in store {
        assert!(same(&listener.knows[&key], &record), "{key}");
    }
}
