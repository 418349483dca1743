use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use informer_wire::Uid;

use super::*;
use crate::delta::DeltaChange;
use crate::object::decoded::DecodedSlot;
use crate::object::known::Known;
use crate::object::label_set::LabelSet;
use crate::object::packed::Body;
use crate::object::testing::record;
use crate::store::testing::{Bench, names, replaced, run, told};

fn many(bench: &Bench, count: usize, version: &str) -> Vec<Arc<Record>> {
    (0..count).map(|n| bench.record(&format!("ns{}/o{n}", n % 5), "u", version)).collect()
}

fn list(version: &str, objects: &[Arc<Record>]) -> DeltaChange {
    DeltaChange::Replaced { version: version.into(), objects: objects.to_vec(), rewound: false }
}

#[test]
fn reads_by_key_namespace_and_labels() {
    let mut bench = Bench::new();
    bench.add(&[
        &bench.labelled("x/a", "1", &[("app", "web")]),
        &bench.labelled("x/b", "2", &[("app", "api")]),
        &bench.labelled("y/a", "3", &[("app", "web")]),
        &bench.labelled("node", "4", &[]),
    ]);
    let indexer = bench.writer.indexer();
    assert_eq!(names(indexer.get(&"x/a".parse().unwrap()).iter()), ["x/a@1"]);
    assert_eq!(names(indexer.get_parts(Some("y"), "a").iter()), ["y/a@3"]);
    assert_eq!(names(indexer.get_parts(None, "node").iter()), ["node@4"]);
    assert!(!indexer.contains(&"z/a".parse().unwrap()));
    assert!(indexer.get_parts(None, "a").is_none());
    assert_eq!((indexer.len(), indexer.is_empty(), indexer.keys().len()), (4, false, 4));
    assert_eq!(names(indexer.snapshot(&Scope::namespace("x")).iter()), ["x/a@1", "x/b@2"]);
    assert_eq!(indexer.snapshot(&Scope::namespace("z")).len(), 0);
    let web = |labels: &LabelSet| labels.get("app") == Some("web");
    assert_eq!(names(&indexer.matching(&Scope::All, web)), ["x/a@1", "y/a@3"]);
    assert_eq!(names(&indexer.matching(&Scope::namespace("y"), web)), ["y/a@3"]);
}

#[test]
fn d4_known_needs_uid_and_version_and_both_equal() {
    let mut bench = Bench::new();
    bench.add(&[&bench.record("a", "u", "1"), &bench.record("b", "", ""), &bench.record("c", "", "3")]);
    let known = |key: &str, uid: &str, version: &str| {
        let key = key.parse().unwrap();
        let record = bench.writer.indexer().stored(&key);
        record.is_some_and(|record| record.is_version(&Uid::new(uid), &version.into()))
    };
    assert!(known("a", "u", "1"));
    for (key, uid, version) in
        [("a", "u", "2"), ("a", "v", "1"), ("x", "u", "1"), ("b", "", ""), ("c", "", "3")]
    {
        assert!(!known(key, uid, version), "{key} {uid} {version}");
    }
}

#[test]
fn snapshot_parts_cover_everything_once_and_know_their_keys() {
    let mut bench = Bench::new();
    let objects = many(&bench, 3_000, "1");
    bench.apply(vec![list("5", &objects)]);
    let snapshot = bench.writer.indexer().list();
    assert_eq!((snapshot.len(), snapshot.is_empty()), (3_000, false));
    assert!(snapshot.parts() > 10);
    let mut seen = 0;
    for part in 0..snapshot.parts() {
        for record in snapshot.part(part) {
            assert_eq!(snapshot.part_of(record.key()), Some(part));
            assert!(Arc::ptr_eq(snapshot.get(record.key()).unwrap(), record));
            seen += 1;
        }
    }
    assert_eq!(seen, 3_000);
    assert_eq!(snapshot.part(snapshot.parts()).count(), 0);
    assert_eq!(snapshot.part_of(&"elsewhere/o1".parse().unwrap()), None);
    assert!(snapshot.part_of(&"ns1/not-there".parse().unwrap()).is_some(), "where it would be");
    assert!(snapshot.get(&"ns1/not-there".parse().unwrap()).is_none());
}

#[test]
fn b_216_a_reader_that_stops_in_the_middle_of_a_full_scan_delays_nobody() {
    let mut bench = Bench::new();
    let objects = many(&bench, 5_000, "1");
    bench.apply(vec![list("5", &objects)]);
    let snapshot = bench.writer.indexer().list();
    let mut scan = snapshot.iter();
    let mut seen: Vec<_> = scan.by_ref().take(10).cloned().collect();
    let namespace = bench.writer.indexer().snapshot(&Scope::namespace("ns1"));

    let small = many(&bench, 500, "6").into_iter().map(DeltaChange::Updated).collect();
    assert_eq!(bench.apply(small).changes.len(), 500);
    assert_eq!(bench.apply(vec![list("9", &many(&bench, 4_000, "8"))]).changes.len(), 5_000);
    assert_eq!(bench.apply(vec![replaced("10", &[])]).changes.len(), 4_000);
    assert_eq!(bench.writer.indexer().len(), 0);

    seen.extend(scan.cloned());
    assert_eq!(names(&seen), names(&objects), "the scan shows the commit it began with");
    assert_eq!((namespace.len(), namespace.iter().count()), (1_000, 1_000));
}

#[test]
fn b_174_readers_see_whole_commits() {
    for in_place in [true, false] {
        let count = if in_place { 200 } else { 3_000 };
        let mut bench = Bench::new();
        bench.apply(vec![list("1", &many(&bench, count, "1"))]);
        let done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    let (mut last, mut commits) = (0, 0);
                    while !done.load(Ordering::Relaxed) || commits == 0 {
                        let snapshot = bench.writer.indexer().list();
                        let mut versions = snapshot.iter().map(|record| &record.head.resource_version);
                        let first = versions.next().unwrap();
                        assert!(versions.all(|version| version == first), "a half-made commit");
                        assert_eq!(snapshot.len(), count);
                        assert!(snapshot.commit() >= last, "back in time");
                        let state = bench.writer.indexer().state.read();
                        let snapshot = state.snapshot(&Scope::All);
                        let of_this_commit = |record: &Arc<Record>| {
                            state.get(record.key().into()).is_some_and(|found| Arc::ptr_eq(found, record))
                        };
                        assert!(state.len() == count && snapshot.iter().all(of_this_commit));
                        drop(state);
                        last = snapshot.commit();
                        commits += 1;
                    }
                });
            }
            let mut writer = Writer { indexer: bench.writer.indexer.clone() };
            for version in 2..40 {
                let version = version.to_string();
                let objects = many(&bench, count, &version);
                let change = list(&version, &objects);
                assert_eq!(run(writer.apply(vec![Delta { scope: 0, change }])).changes.len(), count);
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}

#[test]
fn a_commit_beside_held_snapshots_copies_nothing_of_the_map_by_key() {
    let mut bench = Bench::new();
    bench.apply(vec![list("1", &many(&bench, 3_000, "1"))]);
    let held = bench.writer.indexer().list();
    let places = bench.writer.indexer().state.read().places_by_key();
    assert!(places.len() >= 10);
    for version in 2..5 {
        let newer = many(&bench, 200, &version.to_string());
        bench.apply(newer.iter().cloned().map(DeltaChange::Updated).collect());
        assert_eq!(bench.writer.indexer().state.read().places_by_key(), places);
        let indexer = bench.writer.indexer();
        assert!(newer.iter().all(|new| Arc::ptr_eq(&indexer.get(new.key()).unwrap(), new)));
    }
    assert!(held.iter().all(|record| record.head.resource_version.to_string() == "1"));
    assert_eq!(bench.writer.indexer().len(), 3_000);
}

/// Says when it is dropped whether the store is free.
struct Sees(Arc<Indexer>, Arc<AtomicUsize>, Arc<AtomicUsize>);

impl Drop for Sees {
    fn drop(&mut self) {
        let seen = if self.0.state.try_write().is_some() { &self.1 } else { &self.2 };
        seen.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn what_is_not_taken_in_is_dropped_while_the_store_is_not_locked() {
    let mut bench = Bench::of(vec![Scope::namespace("x")]);
    bench.add(&[&bench.record("x/a", "u", "5")]);
    let (free, locked) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (origin, indexer) = (bench.origin.clone(), bench.writer.indexer().clone());
    let pinned = |key: &str, uid: &str, version: &str| {
        let plain = record(&origin, key, uid, version);
        let slot = DecodedSlot::pinned(Arc::new(Sees(indexer.clone(), free.clone(), locked.clone())));
        Record::with_slot(plain.head.clone(), Body::Plain(b"{}"[..].into()), &origin, slot)
    };
    let looked = |key: &str, version: &str, rewinds| DeltaChange::Looked {
        key: key.parse().unwrap(),
        version: version.into(),
        object: Some(pinned(key, "u", version)),
        rewinds,
    };
    let ignored = vec![
        DeltaChange::Updated(pinned("x/a", "u", "5")),
        DeltaChange::Updated(pinned("x/a", "v", "4")),
        DeltaChange::Updated(pinned("y/a", "u", "6")),
        DeltaChange::Deleted(pinned("x/a", "u", "4")),
        DeltaChange::Deleted(pinned("x/b", "u", "6")),
        DeltaChange::Deleted(pinned("y/a", "u", "6")),
        looked("y/a", "9", 0),
        looked("x/a", "3", 0),
        looked("x/a", "9", 1),
    ];
    let count = ignored.len();
    bench.apply(ignored);
    assert_eq!(bench.content(), ["x/a@5"]);
    assert_eq!((free.load(Ordering::Relaxed), locked.load(Ordering::Relaxed)), (count, 0));
    // The delete of another incarnation, and a list of a scope that is gone.
    let other = DeltaChange::Deleted(pinned("x/a", "v", "9"));
    let gone = list("9", &[pinned("x/a", "u", "9")]);
    bench.apply(vec![other]);
    bench.apply_to(7, vec![gone]);
    assert!(bench.content().is_empty());
    assert_eq!((free.load(Ordering::Relaxed), locked.load(Ordering::Relaxed)), (count + 2, 0));
}

/// Polls a future by hand; returns its result, how often it was polled, and the longest poll.
fn poll_through<T>(future: impl Future<Output = T>) -> (T, usize, Duration) {
    let mut future = Box::pin(future);
    let mut context = Context::from_waker(Waker::noop());
    let (mut polls, mut longest) = (0, Duration::ZERO);
    loop {
        polls += 1;
        let start = Instant::now();
        let poll = future.as_mut().poll(&mut context);
        longest = longest.max(start.elapsed());
        if let Poll::Ready(result) = poll {
            return (result, polls, longest);
        }
    }
}

#[test]
fn large_replaces_pause_often() {
    let mut bench = Bench::new();
    let objects = many(&bench, 50_000, "1");
    let batch = |objects: &[Arc<Record>]| vec![Delta { scope: 0, change: list("5", objects) }];
    let (applied, polls, _) = poll_through(bench.writer.apply(batch(&objects)));
    assert_eq!(applied.changes.len(), 50_000);
    assert!(polls > 3 * 50_000 / STEP, "{polls} polls");
    let (applied, polls, _) = poll_through(bench.writer.apply(batch(&many(&bench, 50_000, "1"))));
    assert!(applied.changes.is_empty());
    assert!(polls > 8 * 50_000 / STEP, "comparing contents is more work: {polls} polls");
}

#[test]
fn b_351_a_batch_dropped_half_way_leaves_the_last_whole_commit() {
    let mut bench = Bench::new();
    let objects = many(&bench, 5_000, "1");
    bench.apply(vec![list("5", &objects)]);
    let newer = many(&bench, 5_000, "6");
    let total =
        poll_through(Bench::new().writer.apply(vec![Delta { scope: 0, change: list("7", &newer) }])).1;
    for polls in (1..total).step_by(7) {
        let batch = vec![Delta { scope: 0, change: list("7", &newer) }];
        let mut future = Box::pin(bench.writer.apply(batch));
        let mut context = Context::from_waker(Waker::noop());
        let done = (0..polls).any(|_| future.as_mut().poll(&mut context).is_ready());
        drop(future);
        assert!(!done);
        let (content, version) = (bench.content(), bench.version());
        match version.as_str() {
            "5" => assert_eq!(content, names(&objects)),
            _ => {
                assert_eq!((content, version.as_str()), (names(&newer), "7"));
                bench.apply(vec![list("5", &objects)]);
            }
        }
    }
}

#[test]
fn nothing_is_kept_alive_by_an_empty_store() {
    let mut bench = Bench::new();
    bench.apply(vec![list("5", &many(&bench, 3_000, "1"))]);
    bench.apply(vec![list("6", &many(&bench, 2_000, "2"))]);
    assert_eq!(bench.origin.alive.load(Ordering::Relaxed), 2_000);
    assert_eq!(told(&bench.apply(vec![replaced("7", &[])])).len(), 2_000);
    assert_eq!(bench.origin.alive.load(Ordering::Relaxed), 0);
}
