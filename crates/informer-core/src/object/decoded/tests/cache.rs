//! What stays decoded.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::super::{DecodedCache, EXPANSION, get};
use super::with_cache;
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing::{origin, record};
use crate::store::change::Change;

/// Version `version` of object `number`. All are of the same size.
fn object(origin: &Arc<Origin>, number: usize, version: usize) -> Arc<Record> {
    record(origin, &format!("a/{number:05}"), "u", &format!("{version:05}"))
}

fn objects(origin: &Arc<Origin>, numbers: std::ops::Range<usize>) -> Vec<Arc<Record>> {
    numbers.map(|number| object(origin, number, 1)).collect()
}

/// A cache for this many objects, a quarter of which are those that were decoded last.
fn room_for(objects: usize) -> DecodedCache {
    DecodedCache::new(objects * size())
}

/// How much an object is taken to need.
fn size() -> usize {
    let one = object(&with_cache(&DecodedCache::new(0)), 0, 1);
    size_of::<ConfigMap>() + one.body.json_len() * EXPANSION
}

fn read(record: &Arc<Record>) {
    get::<ConfigMap>(record).unwrap();
}

fn read_all(records: &[Arc<Record>]) {
    records.iter().for_each(read);
}

/// How many of these reads find the object decoded.
fn hits(origin: &Origin, read: impl FnOnce()) -> u64 {
    let before = origin.decodes.hits();
    read();
    origin.decodes.hits() - before
}

#[test]
fn d21_what_was_decoded_last_is_there() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..50);
    read_all(&records);
    assert_eq!(cache.bytes(), 10 * size());
    assert_eq!(hits(&origin, || read_all(&records[40..])), 10);
    assert_eq!(hits(&origin, || read(&records[0])), 0);
    assert_eq!(origin.decodes.kept(), cache.bytes());
}

/// A cache that is large enough for what was decoded last to become less.
fn narrowing() -> (DecodedCache, Arc<Origin>, usize) {
    let cache = DecodedCache::new(64 << 20);
    let origin = with_cache(&cache);
    (cache, origin, size())
}

#[test]
fn d21_what_was_decoded_last_takes_little_while_nothing_is_read_twice() {
    let (cache, origin, size) = narrowing();
    let (wide, narrow) = ((4 << 20) / size, (256 << 10) / size);
    let once = objects(&origin, 0..wide + 600);
    read_all(&once[..wide + 500]);
    assert_eq!(cache.bytes() / size, wide, "some have left unread");
    read_all(&once[wide + 500..]);
    assert_eq!(cache.bytes() / size, narrow, "so many that this is how it is");
    // One that would still be there is read again: from now on it is as large as before.
    read(&once[wide + 500]);
    let more = objects(&origin, 2 * wide..4 * wide);
    read_all(&more[..wide]);
    assert!(cache.bytes() / size >= wide, "{}", cache.bytes());
    // And so it stays while some are read twice.
    for pair in more.chunks(100) {
        read_all(pair);
        read(&pair[0]);
    }
    assert!(cache.bytes() / size >= wide, "{}", cache.bytes());
}

#[test]
fn d21_what_is_too_large_is_not_kept() {
    let cache = DecodedCache::new(size() - 1);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..2);
    for _ in 0..3 {
        read_all(&records);
    }
    assert_eq!((cache.bytes(), origin.decodes.hits()), (0, 0));
}

#[test]
fn d21_an_object_that_only_the_protected_part_can_hold_is_kept_from_the_second_decode_on() {
    let cache = room_for(2);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..1);
    assert_eq!([(); 3].map(|()| hits(&origin, || read_all(&records))), [0, 0, 1]);
}

#[test]
fn d21_what_is_decoded_again_soon_stays() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..25);
    // Ten of them are still there from the first time.
    assert_eq!([(); 4].map(|()| hits(&origin, || read_all(&records))), [0, 10, 25, 25]);
}

#[test]
fn d21_reading_everything_once_costs_the_hot_ones_nothing() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let hot = objects(&origin, 0..25);
    (0..20).for_each(|_| read_all(&hot));
    let rest = objects(&origin, 100..5_000);
    for _ in 0..2 {
        assert_eq!(hits(&origin, || read_all(&rest)), 0);
        assert_eq!(hits(&origin, || read_all(&hot)), 25);
    }
}

#[test]
fn d21_a_handler_that_decodes_each_update_takes_no_more_than_the_probation() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let mut records = objects(&origin, 0..100);
    for version in 2..6 {
        for (number, stored) in records.iter_mut().enumerate() {
            let next = object(&origin, number, version);
            let old = std::mem::replace(stored, next.clone());
            let change = Change::updated(old, next.clone());
            // Several handlers, all at the same time.
            (0..10).for_each(|_| read(&next));
            drop(change);
        }
        assert!(cache.bytes() <= 10 * size(), "version {version}: {}", cache.bytes() / size());
    }
    assert_eq!(origin.decodes.misses(), 400);
}

#[test]
fn d21_the_next_version_of_a_hot_object_is_hot() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let hot = objects(&origin, 0..20);
    (0..20).for_each(|_| read_all(&hot));
    read_all(&objects(&origin, 100..500));
    let next: Vec<_> = (0..20).map(|number| object(&origin, number, 2)).collect();
    for (old, new) in hot.into_iter().zip(&next) {
        drop(Change::updated(old, new.clone()));
    }
    assert_eq!(cache.bytes(), 0, "what nobody can read any more takes no memory");
    assert_eq!(hits(&origin, || read_all(&next)), 0);
    read_all(&objects(&origin, 100..500));
    assert_eq!(hits(&origin, || read_all(&next)), 20, "decoded once, not twice");
}

#[test]
fn d21_an_object_of_which_nobody_reads_three_versions_is_not_hot_any_more() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let scan = objects(&origin, 100..200);
    for (unread, expected) in [(0, 1), (2, 1), (3, 0)] {
        let mut now = object(&origin, unread, 1);
        // Decoded, decoded again, and found.
        (0..3).for_each(|_| {
            read(&now);
            read_all(&scan[..20]);
        });
        for version in 0..=unread {
            let next = object(&origin, unread, 2 + version);
            drop(Change::updated(std::mem::replace(&mut now, next.clone()), next));
        }
        read(&now);
        read_all(&scan);
        assert_eq!(hits(&origin, || read(&now)), expected, "{unread} unread");
    }
}

#[test]
fn d21_a_hot_object_of_which_each_version_is_read_once_is_not_hot_any_more() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let scan = objects(&origin, 100..200);
    let mut now = object(&origin, 0, 1);
    (0..3).for_each(|_| {
        read(&now);
        read_all(&scan[..20]);
    });
    for version in 2..7 {
        let next = object(&origin, 0, version);
        drop(Change::updated(std::mem::replace(&mut now, next.clone()), next));
        read(&now);
    }
    read_all(&scan);
    assert_eq!(hits(&origin, || read(&now)), 0);
}

#[test]
fn d21_what_was_read_long_ago_is_forgotten() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..2_000);
    read_all(&records);
    assert!(records[..1_900].iter().all(|record| record.decoded.is_empty()));
    assert!(cache.places() < 100, "{}", cache.places());
}

#[test]
fn d21_reading_what_is_not_kept_leaves_nothing_behind() {
    let cache = DecodedCache::new(0);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..2);
    let held = get::<ConfigMap>(&records[0]).unwrap();
    for _ in 0..10_000 {
        read(&records[1]);
        // Held as one type, and read as another.
        get::<serde_json::Value>(&records[0]).unwrap();
    }
    assert!(cache.places() < 200, "{}", cache.places());
    assert!(Arc::ptr_eq(&held, &get::<ConfigMap>(&records[0]).unwrap()));
}

#[test]
fn d21_nothing_of_a_sensitive_kind_is_kept() {
    let (cache, base) = (room_for(40), origin());
    let origin = Arc::new(Origin::new(base.kind.clone(), true, cache.clone(), base.host.clone()));
    let records = objects(&origin, 0..5);
    (0..20).for_each(|_| read_all(&records));
    assert_eq!((cache.bytes(), cache.places(), origin.decodes.kept(), origin.decodes.hits()), (0, 0, 0, 0));
}

#[test]
fn d21_threads_that_read_change_and_drop_leave_the_count_right() {
    let cache = room_for(30);
    let origin = with_cache(&cache);
    let records: Vec<_> = objects(&origin, 0..60).into_iter().map(Mutex::new).collect();
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (records, origin) = (&records, &origin);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                let mut held = Vec::new();
                for step in 0..3_000 {
                    let number = random.usize(..60);
                    match random.u8(..8) {
                        0 => {
                            let next = object(origin, number, step);
                            let mut stored = records[number].lock();
                            let old = std::mem::replace(&mut *stored, next.clone());
                            drop(stored);
                            drop(Change::updated(old, next));
                        }
                        1 => held.push(get::<ConfigMap>(&records[number].lock().clone()).unwrap()),
                        2 => held.clear(),
                        _ => read(&records[number].lock().clone()),
                    }
                }
            });
        }
    });
    assert!(cache.bytes() <= cache.limit());
    assert_eq!(cache.bytes(), origin.decodes.kept());
    drop(records);
    assert_eq!((cache.bytes(), origin.decodes.kept()), (0, 0));
}

#[test]
fn d21_what_is_read_more_often_stays_longer() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let (often, seldom) = (objects(&origin, 0..15), objects(&origin, 100..130));
    for _ in 0..20 {
        (0..3).for_each(|_| read_all(&often));
        read_all(&seldom);
    }
    assert_eq!(hits(&origin, || read_all(&often)), 15);
}

#[test]
fn d21_room_is_made_without_looking_at_everything_that_was_read() {
    let cache = room_for(400);
    let origin = with_cache(&cache);
    let (hot, other, scan) =
        (objects(&origin, 0..300), objects(&origin, 400..401), objects(&origin, 500..700));
    (0..2).for_each(|_| read_all(&hot));
    read_all(&scan[..100]);
    read_all(&hot);
    (0..3).for_each(|_| assert_eq!(hits(&origin, || read_all(&hot)), 300, "the protected part is full"));
    read(&other[0]);
    read_all(&scan[100..]);
    // Comes to the protected part. All there were read, and one of them goes nevertheless.
    read(&other[0]);
    assert_eq!(hits(&origin, || read_all(&hot[..64])), 64);
    assert_eq!(hits(&origin, || read_all(&hot[65..])), 235);
    assert_eq!(hits(&origin, || read(&hot[64])), 0);
}

#[test]
fn d21_what_users_hold_is_shared_and_not_lost_when_it_leaves_the_cache() {
    let cache = room_for(40);
    let origin = with_cache(&cache);
    let records = objects(&origin, 0..100);
    let held = get::<ConfigMap>(&records[0]).unwrap();
    read_all(&records[1..]);
    assert!(Arc::ptr_eq(&held, &get::<ConfigMap>(&records[0]).unwrap()));
    assert_eq!(cache.bytes(), 10 * size(), "and it does not count");
}

#[test]
fn d21_dropped_records_give_back_their_bytes_and_their_places() {
    let cache = room_for(400);
    let origin = with_cache(&cache);
    let lasting = objects(&origin, 0..5);
    for round in 0..200 {
        let passing = objects(&origin, 100..110);
        read_all(&lasting);
        (0..2).for_each(|_| read_all(&passing));
        drop(passing);
        assert_eq!(cache.bytes(), 5 * size(), "round {round}");
    }
    assert!(cache.places() < 200, "{}", cache.places());
    drop(lasting);
    assert_eq!((cache.bytes(), origin.decodes.kept()), (0, 0));
}

#[test]
fn d21_the_limit_holds_for_all_informers_together() {
    let cache = room_for(100);
    let informers: Vec<_> =
        (0..50).map(|_| with_cache(&cache)).map(|origin| (objects(&origin, 0..50), origin)).collect();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let (records, _) = &informers[random.usize(..50)];
        read(&records[random.usize(..50).min(random.usize(..50))]);
        assert!(cache.bytes() <= cache.limit());
    }
    let kept: usize = informers.iter().map(|(_, origin)| origin.decodes.kept()).sum();
    assert_eq!(kept, cache.bytes());
    assert!(kept > cache.limit() * 9 / 10, "it is used: {} of {}", kept, cache.limit());
}

#[test]
fn d21_informers_that_are_read_alike_have_alike_shares() {
    let cache = room_for(100);
    let origins = [with_cache(&cache), with_cache(&cache)];
    let records = [objects(&origins[0], 0..150), objects(&origins[1], 0..150)];
    let mut random = fastrand::Rng::with_seed(3);
    // The first has been there for long.
    for _ in 0..5_000 {
        read(&records[0][random.usize(..150)]);
    }
    for _ in 0..10_000 {
        read(&records[random.usize(..2)][random.usize(..150)]);
    }
    let shares = origins.each_ref().map(|origin| origin.decodes.kept() * 100 / cache.bytes());
    assert!(shares.iter().all(|share| (35..=65).contains(share)), "{shares:?} percent");
}

/// Reads by Zipf's law among many objects that change all the time, with a reader of everything in the middle.
#[test]
fn d21_readers_of_a_few_find_them_decoded_while_all_change_and_others_read_everything() {
    let cache = room_for(140);
    let origin = with_cache(&cache);
    let mut records = objects(&origin, 0..2_000);
    let mut random = fastrand::Rng::with_seed(11);
    // The cumulated weights of 1/1, 1/2, 1/3, …
    let weights: Vec<f64> = (1..=2_000)
        .scan(0.0, |sum, rank| {
            *sum += 1.0 / f64::from(rank);
            Some(*sum)
        })
        .collect();
    let total = weights[1_999];
    let mut round = |records: &mut Vec<Arc<Record>>, version: usize| {
        hits(&origin, || {
            for step in 0..20_000 {
                let wanted = random.f64() * total;
                read(&records[weights.partition_point(|weight| *weight < wanted).min(1_999)]);
                if step % 10 == 0 {
                    let number = random.usize(..2_000);
                    let next = object(&origin, number, version);
                    drop(Change::updated(std::mem::replace(&mut records[number], next.clone()), next));
                }
            }
        })
    };
    round(&mut records, 2);
    let before = round(&mut records, 3);
    // The best that can be had with 140 places and no change at all.
    let best = weights[139] / total * 20_000.0;
    #[allow(clippy::cast_precision_loss)]
    let share = before as f64 / best;
    assert!(share > 0.85, "{before} of {best}");
    read_all(&records);
    let after = round(&mut records, 4);
    assert!(after * 100 >= before * 95, "{before} hits before, {after} after reading everything");
}
