//! The store against a plain map: random batches over two scopes, hundreds of seeds; `INFORMER_SEEDS` for
//! more.
//!
//! The model decides by its own, simpler reading of the rules; the seed is in every message.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use informer_wire::version::is_concrete;
use informer_wire::{ObjectKey, ResourceVersion};

use crate::delta::{Delta, DeltaChange};
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing::{origin, record_with, seeds};
use crate::scope::{Scope, ScopeId};
use crate::store::change::Change;
use crate::store::index::IndexFunction;
use crate::store::index_build::IndexBuild;
use crate::store::index_reader::IndexReader;
use crate::store::snapshot::Snapshot;
use crate::store::testing::{Bench, run};
use crate::store::writer::{Applied, Writer};

type Model = BTreeMap<ObjectKey, Arc<Record>>;

const NAMESPACES: [&str; 2] = ["x", "y"];
const COLOURS: [&str; 4] = ["red", "blue", "green", "bad"];

struct World {
    random: fastrand::Rng,
    origin: Arc<Origin>,
    writer: Writer,
    index: Option<IndexReader<String>>,
    model: Model,
    versions: [ResourceVersion; 2],
    synced: [bool; 2],
    /// The numbers of the scopes.
    ids: [ScopeId; 2],
    /// Keys that were looked up, and as of when.
    barriers: [BTreeMap<ObjectKey, ResourceVersion>; 2],
    rewinds: [u64; 2],
    clock: u64,
    keys: usize,
}

/// All label values, failing on `bad`.
fn colours(record: &Arc<Record>) -> Result<Vec<String>, String> {
    let values: Vec<_> = record.head.labels.iter().map(|(_, value)| value.to_owned()).collect();
    if values.iter().any(|value| value == "bad") { Err("bad".into()) } else { Ok(values) }
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let keys = [3, 20, 150][random.usize(..3)];
        Self {
            random,
            origin: origin(),
            writer: Bench::of(NAMESPACES.map(Scope::namespace).to_vec()).writer,
            index: None,
            model: Model::new(),
            versions: [ResourceVersion::empty(), ResourceVersion::empty()],
            synced: [false; 2],
            ids: [0, 1],
            barriers: Default::default(),
            rewinds: [0; 2],
            clock: 1_000,
            keys,
        }
    }

    /// An object of a scope: mostly newer than all before, sometimes old, sometimes without a usable version.
    fn object(&mut self, scope: usize) -> Arc<Record> {
        self.clock += 1;
        let version = match self.random.u32(..20) {
            0 => String::new(),
            1 => "odd".to_owned(),
            2..6 => (self.clock - self.random.u64(..30)).to_string(),
            _ => self.clock.to_string(),
        };
        let uid = ["u", "u", "u", "v", ""][self.random.usize(..5)];
        let namespace = match self.random.u32(..30) {
            0 => "elsewhere",
            _ => NAMESPACES[scope],
        };
        let key = format!("{namespace}/o{}", self.random.usize(..self.keys));
        let mut labels = Vec::new();
        for label in ["a", "b"] {
            if self.random.bool() {
                labels.push((label, COLOURS[self.random.usize(..4)]));
            }
        }
        record_with(&self.origin, &key, uid, &version, &labels, "")
    }

    fn delta(&mut self) -> Delta {
        let kind = self.random.u32(..27);
        self.delta_of(kind)
    }

    fn delta_of(&mut self, kind: u32) -> Delta {
        let scope = self.random.usize(..2);
        let change = match kind {
            0..12 => DeltaChange::Added(self.object(scope)),
            12..16 => DeltaChange::Updated(self.object(scope)),
            16..20 => DeltaChange::Deleted(self.object(scope)),
            20 => {
                let object = self.object(scope);
                let version = object.head.resource_version.clone();
                DeltaChange::LeftOut { key: object.key().clone(), version }
            }
            21 | 22 => {
                self.clock += 1;
                DeltaChange::Bookmark(ResourceVersion::new(&self.clock.to_string()))
            }
            23 | 24 => {
                let object = self.object(scope);
                let version = ResourceVersion::new(&(self.clock + self.random.u64(..20)).to_string());
                let found = self.random.bool().then(|| object.clone());
                let rewinds = self.rewinds[scope] + u64::from(self.random.u32(..10) == 0);
                DeltaChange::Looked { key: object.key().clone(), version, object: found, rewinds }
            }
            _ => {
                let known: Vec<_> = self.model.values().cloned().collect();
                let mut objects = Vec::new();
                for old in known {
                    if old.key().namespace() == Some(NAMESPACES[scope]) && self.random.u32(..3) > 0 {
                        objects.push(old);
                    }
                }
                for _ in 0..self.random.usize(..self.keys) {
                    objects.push(self.object(scope));
                }
                let version = ResourceVersion::new(&(self.clock - self.random.u64(..50)).to_string());
                DeltaChange::Replaced { version, objects, rewound: self.random.u32(..4) == 0 }
            }
        };
        // Now and then it comes late, from a scope that was removed.
        let id = if self.random.u32(..40) == 0 { self.ids[scope].wrapping_sub(2) } else { self.ids[scope] };
        Delta { scope: id, change }
    }

    /// A namespace is removed and added again: it is empty, and its scope has another number.
    fn remove_and_add(&mut self, seed: u64) {
        let scope = self.random.usize(..2);
        let before = self.model.clone();
        let plan = run(self.writer.plan_removal(self.ids[scope]));
        let applied = run(self.writer.apply_plan(plan));
        assert!(applied.changes.iter().all(|change| matches!(change, Change::Deleted { last: None, .. })));
        self.ids[scope] += 2;
        self.writer.add_scope(self.ids[scope], Scope::namespace(NAMESPACES[scope]));
        self.model.retain(|key, _| key.namespace() != Some(NAMESPACES[scope]));
        self.versions[scope] = ResourceVersion::empty();
        self.synced[scope] = false;
        self.barriers[scope].clear();
        self.rewinds[scope] = 0;
        self.check(&before, &applied, seed);
    }

    /// What the rules say, one delta at a time.
    fn expect(&mut self, Delta { scope, change }: &Delta) {
        if matches!(change, DeltaChange::Replaced { .. }) {
            // What is before it is committed on its own, whatever scope it is of.
            self.commit();
        }
        let Some(scope) = &self.ids.iter().position(|id| id == scope) else { return };
        let inside = |record: &Record| record.key().namespace() == Some(NAMESPACES[*scope]);
        match change {
            DeltaChange::Added(new) | DeltaChange::Updated(new) if inside(new) => {
                let held_back = self.is_held_back(*scope, new);
                self.saw(*scope, &new.head.resource_version);
                if held_back {
                    return;
                }
                self.put(new);
            }
            DeltaChange::Looked { key, version, object, rewinds } => {
                let behind = |barrier: &ResourceVersion| barrier.is_older_than(version);
                if key.namespace() != Some(NAMESPACES[*scope])
                    || *rewinds != self.rewinds[*scope]
                    || !behind(&self.versions[*scope])
                    || !self.barriers[*scope].get(key).is_none_or(behind)
                {
                    return;
                }
                match object {
                    Some(new) => self.put(new),
                    None => self
                        .model
                        .retain(|held, old| held != key || version.is_older_than(&old.head.resource_version)),
                }
                self.barriers[*scope].insert(key.clone(), version.clone());
            }
            DeltaChange::Deleted(last) if inside(last) => {
                let held_back = self.is_held_back(*scope, last);
                self.saw(*scope, &last.head.resource_version);
                let newest = self.model.get(last.key()).is_some_and(|old| !older(last, old));
                if newest && !held_back {
                    self.model.remove(last.key());
                }
            }
            DeltaChange::Added(_) | DeltaChange::Updated(_) | DeltaChange::Deleted(_) => {}
            DeltaChange::LeftOut { key, version } => {
                let version_of_scope = &self.versions[*scope];
                let barrier =
                    self.barriers[*scope].get(key).filter(|barrier| !version_of_scope.is_at_least(barrier));
                let newer = |old: &Arc<Record>| version.is_older_than(&old.head.resource_version);
                let is_old = barrier.is_some_and(|barrier| barrier.is_at_least(version))
                    || self.model.get(key).is_some_and(newer);
                if key.namespace() == Some(NAMESPACES[*scope]) && !is_old {
                    let unclear = barrier.is_some_and(|barrier| !barrier.is_older_than(version));
                    self.model.remove(key);
                    if unclear {
                        self.barriers[*scope].remove(key);
                    }
                }
            }
            DeltaChange::Bookmark(version) => self.saw(*scope, version),
            DeltaChange::Replaced { version, objects, rewound } => {
                if *rewound || version.is_older_than(&self.versions[*scope]) {
                    self.barriers[*scope].clear();
                    self.rewinds[*scope] += 1;
                }
                let mut ahead = self.barriers[*scope].clone();
                ahead.retain(|_, barrier| version.is_older_than(barrier));
                let before = self.model.clone();
                self.model
                    .retain(|key, _| key.namespace() != Some(NAMESPACES[*scope]) || ahead.contains_key(key));
                for new in objects.iter().filter(|new| inside(new) && !ahead.contains_key(new.key())) {
                    let same = before.get(new.key()).filter(|old| {
                        old.head.uid == new.head.uid
                            && old.head.resource_version == new.head.resource_version
                            && old.same_content(new)
                    });
                    self.model.insert(new.key().clone(), same.unwrap_or(new).clone());
                }
                self.versions[*scope] = version.clone();
                self.synced[*scope] = true;
                self.commit();
            }
        }
    }

    fn is_held_back(&self, scope: usize, record: &Record) -> bool {
        let version = &record.head.resource_version;
        let barrier = self.barriers[scope].get(record.key());
        barrier
            .is_some_and(|barrier| !self.versions[scope].is_at_least(barrier) && barrier.is_at_least(version))
    }

    /// What the scope has passed holds nothing back any more.
    fn commit(&mut self) {
        for (barriers, version) in self.barriers.iter_mut().zip(&self.versions) {
            barriers.retain(|_, barrier| !version.is_at_least(barrier));
        }
    }

    fn put(&mut self, new: &Arc<Record>) {
        let take = match self.model.get(new.key()) {
            None => true,
            Some(old) if old.head.uid != new.head.uid => !older(new, old),
            Some(old) => {
                let (old, new) = (&old.head, &new.head);
                let equal = old.resource_version == new.resource_version;
                match new.resource_version.compare(&old.resource_version) {
                    Some(order) => order.is_gt(),
                    None => !equal || new.uid.is_empty() || new.resource_version.is_empty(),
                }
            }
        };
        if take {
            self.model.insert(new.key().clone(), new.clone());
        }
    }

    fn saw(&mut self, scope: usize, version: &ResourceVersion) {
        if is_concrete(version) && !version.is_older_than(&self.versions[scope]) {
            self.versions[scope] = version.clone();
        }
    }

    fn check(&self, before: &Model, applied: &Applied, seed: u64) {
        let indexer = self.writer.indexer();
        same(&indexer.list(), &self.model, seed);
        assert_eq!(indexer.len(), self.model.len(), "seed {seed}");
        for key in applied.changes.iter().map(Change::key) {
            let found = indexer.get(key).map(|record| Arc::as_ptr(&record));
            assert_eq!(found, self.model.get(key).map(Arc::as_ptr), "{key}, seed {seed}");
        }
        for (scope, name) in NAMESPACES.into_iter().enumerate() {
            assert_eq!(indexer.version(self.ids[scope]), self.versions[scope], "seed {seed}");
            assert_eq!(indexer.synced(self.ids[scope]), self.synced[scope], "seed {seed}");
            assert_eq!(indexer.barriers(self.ids[scope]), self.barriers[scope].len(), "seed {seed}");
            let namespace = indexer.snapshot(&Scope::namespace(name));
            let in_model = self.model.keys().filter(|key| key.namespace() == Some(name)).count();
            assert_eq!(namespace.len(), in_model, "seed {seed}");
        }
        let mut now = before.clone();
        for change in &applied.changes {
            chain(&mut now, change, seed);
        }
        assert!(equal(&now, &self.model), "the changes lead to the store, seed {seed}");
        self.check_index(seed);
    }

    fn check_index(&self, seed: u64) {
        let Some(index) = &self.index else { return };
        let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for record in self.model.values() {
            for value in colours(record).unwrap_or_default() {
                expected.entry(value).or_default().insert(format!("{record:?}{:p}", Arc::as_ptr(record)));
            }
        }
        let values: BTreeSet<_> = index.values().unwrap().into_iter().collect();
        assert_eq!(values, expected.keys().cloned().collect(), "seed {seed}");
        for (value, objects) in expected {
            let found = index.get(value.as_str()).unwrap();
            assert_eq!(found.len(), objects.len(), "seed {seed}");
            let found = found.iter().map(|record| format!("{record:?}{:p}", Arc::as_ptr(record))).collect();
            assert_eq!(objects, found, "seed {seed}");
        }
    }
}

fn older(new: &Record, old: &Record) -> bool {
    new.head.resource_version.is_older_than(&old.head.resource_version)
}

fn equal(a: &Model, b: &Model) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && Arc::ptr_eq(a.1, b.1))
}

fn same(snapshot: &Snapshot, model: &Model, seed: u64) {
    assert_eq!(snapshot.len(), model.len(), "seed {seed}");
    let found: Model = snapshot.iter().map(|record| (record.key().clone(), record.clone())).collect();
    assert!(equal(&found, model), "seed {seed}");
}

/// Each change starts where the one before it left the key.
fn chain(now: &mut Model, change: &Change, seed: u64) {
    let (old, new) = match change {
        Change::Added { new } => (None, Some(new)),
        Change::Updated { old, new } => {
            assert_eq!(old.head.uid, new.head.uid, "seed {seed}");
            (Some(old), Some(new))
        }
        Change::Deleted { old, last } => {
            assert!(last.as_ref().is_none_or(|last| last.head.uid == old.head.uid), "seed {seed}");
            (Some(old), None)
        }
    };
    let key = change.key().clone();
    let held = match new {
        Some(new) => now.insert(key, new.clone()),
        None => now.remove(&key),
    };
    assert_eq!(held.as_ref().map(Arc::as_ptr), old.map(Arc::as_ptr), "{change:?}, seed {seed}");
}

#[test]
fn store_changes_and_indexes_equal_a_plain_map() {
    for seed in seeds(3_000) {
        let mut world = World::new(seed);
        let mut held: Vec<(Snapshot, Model)> = Vec::new();
        for round in 0..world.random.usize(5..25) {
            if world.random.u32(..8) == 0 {
                held.push((world.writer.indexer().list(), world.model.clone()));
            }
            if world.random.u32(..12) == 0 {
                world.remove_and_add(seed);
            }
            match (round, &world.index) {
                (_, None) if world.random.u32(..4) == 0 => {
                    let function: IndexFunction<String> = Arc::new(colours);
                    let mut build = IndexBuild::new("colours", function);
                    run(build.catch_up(held.last().map(|held| held.0.clone()).unwrap_or_default()));
                    world.index = Some(run(world.writer.add_index(build)).unwrap().0);
                    world.check_index(seed);
                }
                (_, Some(index)) if world.random.u32(..20) == 0 => {
                    assert!(run(world.writer.remove_index(index)), "seed {seed}");
                    world.index = None;
                }
                _ => {}
            }
            let before = world.model.clone();
            let mut batch = Vec::new();
            for _ in 0..world.random.usize(1..30) {
                let delta = world.delta();
                world.expect(&delta);
                batch.push(delta);
            }
            world.commit();
            let applied = run(world.writer.apply(batch));
            world.check(&before, &applied, seed);
        }
        for (snapshot, model) in &held {
            same(snapshot, model, seed);
        }
        let World { origin, writer, index, model, .. } = world;
        drop((held, model, writer, index));
        assert_eq!(origin.alive.load(std::sync::atomic::Ordering::Relaxed), 0, "seed {seed}");
    }
}

/// The same with commits above the limit for edits in place.
#[test]
fn large_commits_equal_a_plain_map() {
    for seed in seeds(20) {
        let mut world = World::new(seed);
        world.keys = 3_000;
        let function: IndexFunction<String> = Arc::new(colours);
        world.index = Some(run(world.writer.add_index(IndexBuild::new("colours", function))).unwrap().0);
        let mut held: Vec<(Snapshot, Model)> = Vec::new();
        for _ in 0..6 {
            let before = world.model.clone();
            let count = [1, 300, 1_500, 4_000][world.random.usize(..4)];
            let mut batch = Vec::new();
            for _ in 0..count {
                let kind = if count == 1 { 25 } else { world.random.u32(..25) };
                let delta = world.delta_of(kind);
                world.expect(&delta);
                batch.push(delta);
            }
            world.commit();
            held.push((world.writer.indexer().list(), before.clone()));
            let applied = run(world.writer.apply(batch));
            world.check(&before, &applied, seed);
            for (key, record) in &world.model {
                let found = world.writer.indexer().get(key).expect("it is there");
                assert!(Arc::ptr_eq(&found, record), "{key}, seed {seed}");
            }
        }
        world.remove_and_add(seed);
        for (snapshot, model) in &held {
            same(snapshot, model, seed);
        }
    }
}
