//! One history out of all that was told.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::told::{Item, News, Scope, Told};
use super::{Change, Key, Since, Timeline};

/// Puts together what was told. The first list of each scope counts from the beginning: a client that comes before it does not
/// find an empty cluster.
pub(super) fn merge(told: Vec<Told>) -> Timeline {
    let mut merging = Merging::default();
    let (first, later) = first_lists(told);
    let mut base = None;
    for Told { scope, news, .. } in first {
        let version = match news {
            News::Watched(version) => version,
            News::Listed { version, items } => {
                items.into_iter().for_each(|item| merging.begin(&scope, item));
                version
            }
            News::There(_) | News::Gone(_) => continue,
        };
        // Who has seen one of the lists has perhaps not seen what the others tell.
        base = Some(base.map_or(version, |base: u64| base.min(version)));
    }
    let mut objects: BTreeMap<Key, Vec<Since>> = BTreeMap::new();
    for (key, known) in &merging.known {
        objects.insert(key.clone(), vec![Since { place: 0, object: known.object.clone() }]);
    }
    for told in later {
        merging.hear(told);
    }
    let mut changes = merging.changes;
    changes.sort_by_key(|change| change.version);
    let mut due = Duration::ZERO;
    for (at, change) in changes.iter_mut().enumerate() {
        due = due.max(change.at);
        change.at = due;
        let since = Since { place: at + 1, object: change.after.clone() };
        objects.entry(change.key.clone()).or_default().push(since);
    }
    Timeline { base: base.unwrap_or_default(), objects, changes }
}

/// Divides into what each scope began with and the rest.
fn first_lists(told: Vec<Told>) -> (Vec<Told>, Vec<Told>) {
    let listed: HashSet<Arc<Scope>> = told
        .iter()
        .filter(|told| matches!(told.news, News::Listed { .. }))
        .map(|told| told.scope.clone())
        .collect();
    let mut begun = HashSet::new();
    told.into_iter().partition(|told| {
        let begins = match told.news {
            News::Listed { .. } => true,
            News::Watched(_) => !listed.contains(&told.scope),
            News::There(_) | News::Gone(_) => false,
        };
        begins && begun.insert(told.scope.clone())
    })
}

#[derive(Default)]
struct Merging {
    known: BTreeMap<Key, Known>,
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
    fn begin(&mut self, scope: &Arc<Scope>, item: Item) {
        let known = self.entry(&item.key);
        known.tell(scope);
        if known.object.is_none() || known.version < item.version {
            (known.version, known.object) = (item.version, Some(item.json));
        }
    }

    fn entry(&mut self, key: &Key) -> &mut Known {
        let new = || Known { version: 0, object: None, scopes: Vec::new() };
        self.known.entry(key.clone()).or_insert_with(new)
    }

    fn hear(&mut self, Told { at, scope, news }: Told) {
        match news {
            News::Watched(_) => {}
            News::There(item) => self.there(&scope, at, item.version, item),
            News::Gone(item) => self.gone(&scope, at, &item),
            News::Listed { version, items } => self.listed(&scope, at, version, items),
        }
    }

    /// An object that is there, at a version of the resource.
    fn there(&mut self, scope: &Arc<Scope>, at: Duration, version: u64, item: Item) {
        let known = self.entry(&item.key);
        let is_new = item.version > known.version;
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
        let known = self.entry(&item.key);
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

    /// A list that was asked for again: what became of the objects meanwhile is known as of its version.
    fn listed(&mut self, scope: &Arc<Scope>, at: Duration, version: u64, items: Vec<Item>) {
        let there: HashSet<Key> = items.iter().map(|item| item.key.clone()).collect();
        for item in items {
            self.there(scope, at, version, item);
        }
        let is_missing = |(key, known): &(&Key, &Known)| {
            known.version <= version && known.scopes.contains(scope) && !there.contains(key)
        };
        let missing: Vec<Key> = self.known.iter().filter(is_missing).map(|(key, _)| key.clone()).collect();
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
