//! What a run has written, over what the cache has.

use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt as _;
use kube_informer::object::Uid;
use kube_informer::status::Patience;
use kube_informer::{Object, ObjectKey, SharedInformer};
use parking_lot::Mutex;

/// What a run has made of an object.
pub(super) enum Change {
    Written(Written),
    Gone(Uid),
}

/// What one informer makes of an object that a run has written.
pub(super) struct Written {
    pub(super) object: Object<()>,
    /// Whether it looks at such an object, as far as that can be told here. Judged by what the server sent.
    pub(super) is_selected: Option<bool>,
}

/// What a run has written, by informer.
#[derive(Default)]
pub(super) struct Overlays(Mutex<Vec<(SharedInformer<()>, SharedOverlay)>>);

/// The overlay of one informer.
pub(super) type SharedOverlay = Arc<Mutex<Overlay>>;

impl Overlays {
    pub(super) fn of<C: Send + Sync + 'static>(&self, informer: &SharedInformer<C>) -> SharedOverlay {
        let mut overlays = self.0.lock();
        if let Some((_, overlay)) = overlays.iter().find(|(other, _)| other.same_informer(informer)) {
            return overlay.clone();
        }
        let overlay = SharedOverlay::default();
        overlays.push((informer.as_kind(), overlay.clone()));
        overlay
    }
}

/// The objects of one informer that a run has written or deleted.
#[derive(Default)]
pub(super) struct Overlay {
    changes: HashMap<ObjectKey, Change>,
    /// How often the server had gone back in time when they were made.
    rewinds: u64,
    /// As of which commit of which cache all of them were last compared. Until the next one none of them has been seen since.
    compared: Option<(SharedInformer<()>, u64)>,
}

impl Overlay {
    /// Answers of writes that were made at the same time may come in any order: the latest state stays.
    pub(super) fn put<C: Send + Sync + 'static>(
        &mut self,
        informer: &SharedInformer<C>,
        key: ObjectKey,
        change: Change,
    ) {
        let is_late = match (self.changes.get(&key), &change) {
            (Some(Change::Written(known)), Change::Written(new)) => {
                let (known, new) = (&known.object, &new.object);
                known.uid() == new.uid() && new.resource_version().is_older_than(known.resource_version())
            }
            // There is another one of that name by now.
            (Some(Change::Written(known)), Change::Gone(uid)) => known.object.uid() != uid,
            (Some(Change::Gone(uid)), Change::Written(new)) => new.object.uid() == uid,
            _ => false,
        };
        if is_late {
            return;
        }
        if self.changes.is_empty() {
            self.rewinds = informer.progress().rewinds();
        }
        if is_seen(informer, &key, &change) {
            self.changes.remove(&key);
        } else {
            self.changes.insert(key, change);
        }
    }

    /// An object, given what the cache has.
    pub(super) fn get<C: Send + Sync + 'static>(
        &mut self,
        informer: &SharedInformer<C>,
        key: &ObjectKey,
    ) -> Option<Object<C>> {
        self.forget_undone(informer);
        // Only this one: a run that reads as often as it writes would compare all with all.
        if self.changes.get(key).is_some_and(|change| is_seen(informer, key, change)) {
            self.changes.remove(key);
        }
        let cached = || informer.lister().by_key(key).ok();
        match self.changes.get(key) {
            Some(Change::Written(written)) => {
                (written.is_selected != Some(false)).then(|| written.object.as_kind())
            }
            Some(Change::Gone(uid)) => cached().filter(|object| object.uid() != uid),
            None => cached(),
        }
    }

    /// Objects of which the cache has these, and to which those belong.
    pub(super) fn list<C: Send + Sync + 'static>(
        &mut self,
        informer: &SharedInformer<C>,
        cached: impl FnOnce() -> Vec<Object<C>>,
        belongs: impl Fn(&Object<C>) -> bool,
    ) -> Vec<Object<C>> {
        // In this order: what the cache has not seen by now may be in the list twice otherwise, and never not at all.
        self.forget_seen(informer);
        let mut objects = cached();
        if self.changes.is_empty() {
            return objects;
        }
        objects.retain(|object| match self.changes.get(object.key()) {
            Some(Change::Written(_)) => false,
            Some(Change::Gone(uid)) => object.uid() != uid,
            None => true,
        });
        objects.extend(self.written(Some(true)).filter(belongs));
        objects
    }

    /// What is in no list because nobody can tell here whether the informer's field selector selects it.
    pub(super) fn left_out<C: Send + Sync + 'static>(
        &mut self,
        informer: &SharedInformer<C>,
    ) -> Vec<Object<C>> {
        self.forget_seen(informer);
        self.written(None).collect()
    }

    fn written<C>(&self, is_selected: Option<bool>) -> impl Iterator<Item = Object<C>> {
        self.changes.values().filter_map(move |change| match change {
            Change::Written(written) if written.is_selected == is_selected => Some(written.object.as_kind()),
            Change::Written(_) | Change::Gone(_) => None,
        })
    }

    /// From when the cache has seen a write, it is right.
    fn forget_seen<C: Send + Sync + 'static>(&mut self, informer: &SharedInformer<C>) {
        let Some(commit) = self.forget_undone(informer) else { return };
        let compared = self.compared.as_ref();
        if compared.is_none_or(|(with, last)| *last != commit || !with.same_informer(informer)) {
            self.compared = Some((informer.as_kind(), commit));
            self.changes.retain(|key, change| !is_seen(informer, key, change));
        }
    }

    /// So it is when the server has gone back in time. Gives the cache's last commit, if there is anything to compare with it.
    fn forget_undone<C: Send + Sync + 'static>(&mut self, informer: &SharedInformer<C>) -> Option<u64> {
        if self.changes.is_empty() {
            return None;
        }
        let progress = informer.progress();
        if progress.rewinds() != self.rewinds {
            self.changes.clear();
        }
        Some(progress.commit())
    }
}

/// Whether the cache has this, or something later.
fn is_seen<C: Send + Sync + 'static>(informer: &SharedInformer<C>, key: &ObjectKey, change: &Change) -> bool {
    #[cfg(test)]
    tests::LOOKS.set(tests::LOOKS.get() + 1);
    let Change::Written(written) = change else { return false };
    let seen = informer.wait_for_version(key, written.object.resource_version(), Patience::FOREVER);
    match seen.now_or_never() {
        None => false,
        // Which of the two is later cannot be told, and this one has been written here.
        Some(Err(error)) => !error.is_not_comparable(),
        Some(Ok(())) => true,
    }
}

#[cfg(test)]
mod tests;
