//! One history out of all observations.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::beginnings::Beginnings;
use super::observations::{Item, News, Observation, Scope};
use super::{Change, Key, ObjectSince, Timeline};

/// Puts observations together. The first list of each scope counts from the beginning: a client that comes before it does not
/// find an empty cluster. That is so for what no earlier list or watch has told of: what has is history.
pub(super) fn merge(observations: Vec<Observation>) -> Timeline {
    let mut merging = Merging { listed: listed_scopes(&observations), ..Merging::default() };
    observations.into_iter().for_each(|observation| merging.take_in(observation));
    let Merging { beginnings, mut objects, mut changes, .. } = merging;
    // Who has seen one of the lists has perhaps not seen what the others tell.
    let base = beginnings.oldest();
    changes.sort_by_key(|change| change.version);
    let newer = changes.split_off(changes.partition_point(|change| change.version <= base));
    for Change { key, after, .. } in changes {
        objects.insert(key, vec![ObjectSince { place: 0, object: after }]);
    }
    let mut changes = newer;
    let mut due = Duration::ZERO;
    for (at, change) in changes.iter_mut().enumerate() {
        due = due.max(change.at);
        change.at = due;
        let since = ObjectSince { place: at + 1, object: change.after.clone() };
        objects.entry(change.key.clone()).or_default().push(since);
    }
    Timeline { base, objects, changes }
}

fn listed_scopes(observations: &[Observation]) -> HashSet<Arc<Scope>> {
    let lists = observations.iter().filter(|observation| matches!(observation.news, News::Listed { .. }));
    lists.map(|observation| observation.scope.clone()).collect()
}

#[derive(Default)]
struct Merging {
    /// The scopes that have a list: what was watched of them before it counts only if others tell of the same.
    listed: HashSet<Arc<Scope>>,
    beginnings: Beginnings,
    known: BTreeMap<Key, Known>,
    /// What was there from the beginning.
    objects: BTreeMap<Key, Vec<ObjectSince>>,
    changes: Vec<Change>,
}

struct Known {
    /// The newest version at which it is known what became of it.
    version: u64,
    object: Option<Bytes>,
    /// Who was told that it is there.
    scopes: Vec<Arc<Scope>>,
}

impl Known {
    fn tell(&mut self, scope: &Arc<Scope>) {
        if !self.scopes.contains(scope) {
            self.scopes.push(scope.clone());
        }
    }
}

impl Merging {
    fn take_in(&mut self, Observation { at, scope, news }: Observation) {
        match news {
            News::Watched(version) => {
                if !self.listed.contains(&scope) && !self.beginnings.has(&scope) {
                    self.beginnings.begin(&scope, version);
                }
            }
            News::There(item) => self.there(&scope, at, item.version, item),
            News::Gone(item) => self.gone(&scope, at, &item),
            News::Listed { version, items } => self.listed(&scope, at, version, items),
        }
    }

    /// An object that was there before anything was told of it.
    fn there_from_the_beginning(&mut self, scope: &Arc<Scope>, item: &Item) {
        let Item { key, version, json } = item;
        let known = Known { version: *version, object: Some(json.clone()), scopes: vec![scope.clone()] };
        self.known.insert(key.clone(), known);
        self.objects.insert(key.clone(), vec![ObjectSince { place: 0, object: Some(json.clone()) }]);
    }

    /// An object that is there, at a version of the resource.
    fn there(&mut self, scope: &Arc<Scope>, at: Duration, version: u64, item: Item) {
        // What was there and gone before the beginning is not there after it.
        let is_history = || self.beginnings.is_history(scope, &item.key, item.version);
        if !self.known.contains_key(&item.key) && !is_history() {
            return;
        }
        let new = || Known { version: 0, object: None, scopes: Vec::new() };
        let known = self.known.entry(item.key.clone()).or_insert_with(new);
        // One that one scope does not select any more is perhaps selected by another, at the same version.
        let is_new = match known.object {
            Some(_) => item.version > known.version,
            None => item.version >= known.version,
        };
        known.version = known.version.max(version);
        if is_new || known.object.is_some() {
            known.tell(scope);
        }
        if is_new {
            let Item { key, json, .. } = item;
            let before = known.object.replace(json.clone());
            self.changes.push(Change { version, at, key, before, after: Some(json.clone()), shown: json });
        }
    }

    /// An object that is gone, or not selected any more.
    fn gone(&mut self, scope: &Arc<Scope>, at: Duration, item: &Item) {
        let Some(known) = self.known.get_mut(&item.key) else { return };
        known.scopes.retain(|other| other != scope);
        if item.version < known.version || (!scope.is_whole() && !known.scopes.is_empty()) {
            return;
        }
        known.version = item.version;
        known.scopes.clear();
        let Some(before) = known.object.take() else { return };
        let (key, shown) = (item.key.clone(), item.json.clone());
        self.changes.push(Change {
            version: item.version,
            at,
            key,
            before: Some(before),
            after: None,
            shown,
        });
    }

    /// What became of the objects since they were last told of is known as of the version of the list. The first list of a scope
    /// has those as well of which nothing was told.
    fn listed(&mut self, scope: &Arc<Scope>, at: Duration, version: u64, items: Vec<Item>) {
        if !self.beginnings.has(scope) {
            for item in &items {
                let is_known = self.known.contains_key(&item.key);
                if !is_known && !self.beginnings.is_history(scope, &item.key, item.version) {
                    self.there_from_the_beginning(scope, item);
                }
            }
            self.beginnings.begin(scope, version);
        }
        let there: HashSet<Key> = items.iter().map(|item| item.key.clone()).collect();
        for item in items {
            self.there(scope, at, version, item);
        }
        let is_missing = |(key, known): &(&Key, &Known)| {
            let is_of_scope = scope.is_whole() || known.scopes.contains(scope);
            known.version <= version && is_of_scope && !there.contains(key)
        };
        let first = Key { namespace: scope.namespace.clone().unwrap_or_default(), name: String::new() };
        let may_be_of_scope = |(key, _): &(&Key, &Known)| {
            scope.namespace.as_ref().is_none_or(|namespace| *namespace == key.namespace)
        };
        let of_namespace = self.known.range(first..).take_while(may_be_of_scope);
        let missing: Vec<Key> = of_namespace.filter(is_missing).map(|(key, _)| key.clone()).collect();
        for key in missing {
            let last = self.known.get(&key).and_then(|known| known.object.clone());
            if let Some(last) = last {
                self.gone(scope, at, &Item { json: at_version(&last, version), key, version });
            }
        }
    }
}

/// The last state of an object whose deletion nobody saw. Clients go on from the version that it has.
fn at_version(object: &Bytes, version: u64) -> Bytes {
    let Ok(mut json) = serde_json::from_slice::<Value>(object) else { return object.clone() };
    if let Some(metadata) = json["metadata"].as_object_mut() {
        metadata.insert("resourceVersion".to_owned(), version.to_string().into());
    }
    json.to_string().into()
}
