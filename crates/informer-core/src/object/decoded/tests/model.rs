//! Whatever is read, changed, held and dropped: what stays decoded is what plain lists and the rule in words say.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;

use super::super::{DecodedCache, EXPANSION, get};
use super::with_cache;
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing::record;
use crate::store::change::Change;

const KEYS: usize = 60;
const PLACES: usize = 24;
const RECENT: usize = PLACES / 4;

/// A version of an object.
type Version = (usize, usize);

/// The rule, without regard to speed.
#[derive(Default)]
struct Rule {
    /// Oldest first, each with how often it was read.
    recent: Vec<(Version, u8)>,
    /// Oldest first, each with how often it is passed over.
    protected: Vec<(Version, u8)>,
    /// When a version left, in objects decoded by then.
    left: HashMap<Version, usize>,
    /// What was there when it was read.
    found: HashSet<Version>,
    /// How many versions may yet be ignored.
    hot: HashMap<Version, u8>,
    clock: usize,
}

impl Rule {
    /// Whether the object is there.
    fn read(&mut self, version: Version, held: bool) -> bool {
        let found = self.look(version, held);
        if found {
            self.found.insert(version);
        }
        found
    }

    fn look(&mut self, version: Version, held: bool) -> bool {
        if let Some((_, heat)) = self.protected.iter_mut().find(|(kept, _)| *kept == version) {
            *heat = (*heat + 1).min(3);
            return true;
        }
        if let Some((_, reads)) = self.recent.iter_mut().find(|(kept, _)| *kept == version) {
            *reads = (*reads + 1).min(16);
            return true;
        }
        if held {
            return true;
        }
        let now = self.clock;
        self.clock += 1;
        if self.left.remove(&version).is_some_and(|left| now - left <= PLACES) {
            self.hot.insert(version, 3);
        }
        if self.is_hot(version) {
            self.protected.push((version, 0));
        } else {
            self.recent.push((version, 0));
        }
        while self.recent.len() > RECENT {
            let (first, reads) = self.recent.remove(0);
            if self.is_hot(first) || reads >= 16 {
                self.hot.insert(first, 3);
                self.protected.push((first, 0));
            } else {
                self.left.insert(first, now);
            }
        }
        let mut spares = self.protected.len().min(64);
        while self.protected.len() > PLACES - RECENT {
            let (first, heat) = self.protected.remove(0);
            if heat > 0 && spares > 0 {
                spares -= 1;
                self.protected.push((first, heat - 1));
            } else {
                self.hot.remove(&first);
                self.left.insert(first, now);
            }
        }
        false
    }

    fn is_hot(&self, version: Version) -> bool {
        self.hot.get(&version).is_some_and(|hot| *hot > 0)
    }

    fn update(&mut self, old: Version, new: Version) {
        let hot = self.hot.get(&old).copied().unwrap_or_default();
        let hot = if self.found.contains(&old) { hot } else { hot.saturating_sub(1) };
        self.hot.insert(new, hot);
        self.forget(old);
    }

    /// Nobody can read it any more.
    fn forget(&mut self, version: Version) {
        self.recent.retain(|(kept, _)| *kept != version);
        self.protected.retain(|(kept, _)| *kept != version);
    }

    fn kept(&self) -> usize {
        self.recent.len() + self.protected.len()
    }
}

fn object(origin: &Arc<Origin>, (number, version): Version) -> Arc<Record> {
    record(origin, &format!("a/{number:05}"), "u", &format!("{version:05}"))
}

#[test]
fn d21_what_stays_decoded_is_what_the_rule_says() {
    for seed in 0..200 {
        let probe = object(&with_cache(&DecodedCache::new(0)), (0, 1));
        let size = size_of::<ConfigMap>() + probe.body.json_len() * EXPANSION;
        let cache = DecodedCache::new(PLACES * size);
        let origin = with_cache(&cache);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut rule = Rule::default();
        let mut versions = [1; KEYS];
        let mut records: Vec<_> = (0..KEYS).map(|number| object(&origin, (number, 1))).collect();
        let mut held: HashMap<usize, Arc<ConfigMap>> = HashMap::new();
        // Some of them are read more often.
        let busy = random.usize(5..40);
        let pick = |random: &mut fastrand::Rng| match random.u8(..4) {
            0 => random.usize(..KEYS),
            1 => random.usize(..3),
            _ => random.usize(..busy),
        };
        for step in 0..600 {
            let number = pick(&mut random);
            let now = (number, versions[number]);
            match random.u8(..40) {
                0..2 => {
                    versions[number] += 1;
                    let next = (number, versions[number]);
                    let new = object(&origin, next);
                    drop(Change::updated(std::mem::replace(&mut records[number], new.clone()), new));
                    rule.update(now, next);
                    held.remove(&number);
                }
                2 => {
                    versions[number] += 1;
                    records[number] = object(&origin, (number, versions[number]));
                    rule.forget(now);
                    held.remove(&number);
                }
                3 => drop(held.remove(&number)),
                what => {
                    let before = origin.decodes.hits();
                    let value = get::<ConfigMap>(&records[number]).unwrap();
                    let hit = origin.decodes.hits() > before;
                    let expected = rule.read(now, held.contains_key(&number));
                    assert_eq!(hit, expected, "seed {seed}, step {step}: object {number}");
                    if what == 4 {
                        held.insert(number, value);
                    }
                }
            }
            assert_eq!(cache.bytes(), rule.kept() * size, "seed {seed}, step {step}");
        }
    }
}
