use std::collections::HashMap;

use super::*;

#[derive(Clone, Debug, PartialEq)]
struct Pair(u32, u32);

impl Keyed for Pair {
    fn hash_key(&self, hasher: &mut impl Hasher) {
        self.0.hash(hasher);
    }

    fn same_key(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl KeyOf<Pair> for u32 {
    fn is_key_of(&self, entry: &Pair) -> bool {
        entry.0 == *self
    }
}

fn filled(count: u32) -> ShardedMap<Pair> {
    let mut map = <ShardedMap<Pair>>::default();
    for key in 0..count {
        map.insert(Pair(key, key));
    }
    map
}

fn check<const SIZE: usize>(map: &ShardedMap<Pair, SIZE>, model: &HashMap<u32, u32>) {
    assert_eq!(map.len(), model.len());
    assert_eq!(map.iter().count(), model.len());
    for Pair(key, value) in map.iter() {
        assert_eq!(model.get(key), Some(value));
    }
    for (at, shard) in map.shards().iter().enumerate() {
        for entry in shard.iter() {
            assert_eq!(map.shard_of(&entry.0), Some(at), "every entry lies where it is looked for");
        }
    }
}

#[test]
fn equals_a_plain_map_whatever_is_done_to_it() {
    equals_a_plain_map::<TARGET>(300);
    equals_a_plain_map::<WIDE>(50);
}

fn equals_a_plain_map<const SIZE: usize>(seeds: u64) {
    for seed in 0..seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut map, mut model) = (<ShardedMap<Pair, SIZE>>::default(), HashMap::new());
        let mut held: Vec<(ShardedMap<Pair, SIZE>, HashMap<u32, u32>)> = Vec::new();
        let keys = [10, 300, 5_000][random.usize(..3)];
        let mut inserts = 9;
        for step in 0..3_000 {
            if step % 500 == 0 {
                inserts = if random.bool() { 9 } else { 2 };
            }
            let (key, value) = (random.u32(..keys), random.u32(..));
            match random.u32(..12) {
                roll if roll < inserts => {
                    assert_eq!(
                        map.insert(Pair(key, value)).map(|old| old.1),
                        model.insert(key, value),
                        "seed {seed}"
                    );
                }
                11 => match map.get_mut(&key) {
                    Some(entry) => {
                        entry.1 = value;
                        model.insert(key, value);
                    }
                    None => assert!(!model.contains_key(&key), "seed {seed}"),
                },
                _ => assert_eq!(map.remove(&key).map(|old| old.1), model.remove(&key), "seed {seed}"),
            }
            assert_eq!(map.get(&key).map(|entry| entry.1), model.get(&key).copied(), "seed {seed}");
            if random.u32(..500) == 0 {
                held.push((map.clone(), model.clone()));
            }
        }
        check(&map, &model);
        for (map, model) in &held {
            check(map, model);
        }
    }
}

#[test]
fn a_write_copies_only_the_shard_it_touches() {
    let mut map = filled(10_000);
    let held = map.clone();
    map.insert(Pair(77, 0));
    let copied = held.shards().iter().zip(map.shards()).filter(|(a, b)| !Arc::ptr_eq(a, b)).count();
    assert_eq!(copied, 1);
    assert_eq!(held.get(&77), Some(&Pair(77, 77)), "the copy is unaffected");
    assert_eq!(map.remove(&999_999), None);
    assert!(map.get_mut(&999_999).is_none());
    let copied = held.shards().iter().zip(map.shards()).filter(|(a, b)| !Arc::ptr_eq(a, b)).count();
    assert_eq!(copied, 1, "a miss copies nothing");
}

#[test]
fn shards_stay_small_and_come_and_go_one_at_a_time() {
    let mut map = <ShardedMap<Pair>>::default();
    let mut before = 0;
    for key in 0..50_000 {
        map.insert(Pair(key, 0));
        assert!(map.shards().len() <= before + 1);
        before = map.shards().len().max(1);
    }
    let largest = map.shards().iter().map(|shard| shard.len()).max().unwrap();
    assert!(largest < 4 * TARGET, "{largest}");
    for key in 0..50_000 {
        map.remove(&key);
        assert!(map.shards().len() * TARGET / 4 <= map.len() + TARGET, "{} shards", map.shards().len());
    }
    assert!(map.shards().is_empty());
}

#[test]
fn taken_apart_shard_by_shard() {
    let mut map = filled(1_000);
    let mut seen = 0;
    while let Some(shard) = map.take_shard() {
        seen += shard.len();
        assert_eq!(map.len(), 1_000 - seen);
    }
    assert_eq!((seen, map.len()), (1_000, 0));
}
