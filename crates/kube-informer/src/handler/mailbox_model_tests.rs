//! Random changes, sweeps and takes against a plain map: every history is legal and ends at the store.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use super::tests::snapshot;
use super::{Mailbox, SweepKind};
use crate::handler::delivery::Delivery;
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
    let mut mailbox = Mailbox::new(random.bool().then(|| random.usize(0..6)));
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
    mailbox.sweep(snapshot(&store.values().collect::<Vec<_>>()), SweepKind::Initial);
    mailbox.upstream_synced();
    for step in 0..random.usize(0..60) {
        let key = format!("ns/{}", random.usize(0..8));
        match random.u8(0..12) {
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
                mailbox.change(&change);
            }
            7 if random.bool() => {
                // The namespace is removed and added again: all is gone, then it is there as the server has it by then.
                for (key, old) in mem::take(&mut store) {
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
                mailbox.sweep(snapshot(&store.values().collect::<Vec<_>>()), SweepKind::Initial);
            }
            6 => mailbox.sweep(snapshot(&store.values().collect::<Vec<_>>()), SweepKind::Resync),
            _ => mailbox.take(random.usize(1..4)).iter().for_each(|delivery| listener.hear(delivery)),
        }
    }
    loop {
        let taken = mailbox.take(3);
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
