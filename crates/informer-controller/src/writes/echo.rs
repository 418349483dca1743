//! Events that show nothing but what runs of the same key have written: no run has to follow from them.
//!
//! A write whose answer says what it made is a *link*, from the version that it was written over to the version that it made. The
//! first of them is certain only where the server was asked to refuse everything else, which [`write`](super::write) sees to. An
//! event is an echo for a key if links of that key lead from the state that the handler was last told to the one that it is told
//! now. What anybody else wrote in between breaks the chain, whether the watch, a list or a lookup brings it, and however much of
//! it has become one event. In doubt an event is news.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use kube_informer::kind::KindInfo;
use kube_informer::object::{ResourceVersion, Uid};
use kube_informer::{Object, ObjectKey, SharedInformer};
use parking_lot::Mutex;
use serde_json::Value;

/// Of so many objects, and so many versions of each, links are kept. All that is lost with them is that a run is spared.
const OBJECTS: usize = 16_384;
const VERSIONS: usize = 8;

/// What an object was before a write, as far as that is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Anything.
    Unknown,
    /// There was none of that name.
    Nothing,
    /// This version.
    Version(ResourceVersion),
}

/// What the handlers of a controller are told, and what its runs write.
#[derive(Clone, Default)]
pub(crate) struct Echoes(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// Where keys go that are not judged at once.
    add: Option<Arc<dyn Fn(ObjectKey) + Send + Sync>>,
    listening: Vec<Listening>,
    /// By the object that was written.
    links: HashMap<ObjectKey, Vec<Link>>,
    /// What is being written, by the key that it is for.
    writing: HashMap<ObjectKey, Writings>,
}

/// A handler.
struct Listening {
    informer: SharedInformer<()>,
    /// How often its server had gone back in time.
    rewinds: u64,
}

struct Link {
    kind: KindInfo,
    owner: ObjectKey,
    uid: Uid,
    /// `None` if there was no such object.
    base: Option<ResourceVersion>,
    version: ResourceVersion,
    /// The handlers that have not been told of it, a bit for each. Those whose informer did not show the write to the run are none of
    /// them: for the run what their events bring is new.
    untold: u64,
}

/// What is being written for one key.
#[derive(Default)]
struct Writings {
    named: HashMap<ObjectKey, Kinds>,
    /// Those whose names the server makes up.
    unnamed: Kinds,
    /// Events that may show what these make, with their handlers, by what they show.
    held: HashMap<ObjectKey, Vec<(usize, Shown)>>,
}

impl Writings {
    /// It may show one of these.
    fn may_make(&self, kind: &KindInfo, object: &ObjectKey) -> bool {
        self.unnamed.has(kind) || self.named.get(object).is_some_and(|kinds| kinds.has(kind))
    }

    fn begin(&mut self, kind: &KindInfo, object: &ObjectKey) {
        let is_unnamed = object.name().is_empty();
        let kinds =
            if is_unnamed { &mut self.unnamed } else { self.named.entry(object.clone()).or_default() };
        kinds.add(kind);
    }

    /// One of them is over. Gives the held events that its answer says something about.
    fn end(&mut self, kind: &KindInfo, object: &ObjectKey, made: Option<&ObjectKey>) -> Vec<(usize, Shown)> {
        if object.name().is_empty() {
            self.unnamed.remove(kind);
            if !self.unnamed.has(kind) {
                return self.held.drain().flat_map(|(_, held)| held).collect();
            }
            return made.and_then(|made| self.held.remove(made)).unwrap_or_default();
        }
        if let Some(kinds) = self.named.get_mut(object) {
            kinds.remove(kind);
            if kinds.0.is_empty() {
                self.named.remove(object);
            }
        }
        self.held.remove(object).unwrap_or_default()
    }

    fn are_over(&self) -> bool {
        self.named.is_empty() && self.unnamed.0.is_empty()
    }
}

/// How many there are of each kind.
#[derive(Default)]
struct Kinds(Vec<(KindInfo, usize)>);

impl Kinds {
    fn has(&self, kind: &KindInfo) -> bool {
        self.0.iter().any(|(of, _)| is_same_resource(of, kind))
    }

    fn add(&mut self, kind: &KindInfo) {
        match self.0.iter_mut().find(|(of, _)| is_same_resource(of, kind)) {
            Some((_, count)) => *count += 1,
            None => self.0.push((kind.clone(), 1)),
        }
    }

    fn remove(&mut self, kind: &KindInfo) {
        if let Some((_, count)) = self.0.iter_mut().find(|(of, _)| is_same_resource(of, kind)) {
            *count -= 1;
        }
        self.0.retain(|(_, count)| *count > 0);
    }
}

/// What an event shows.
#[derive(Clone)]
struct Shown {
    object: ObjectKey,
    uid: Uid,
    old: Option<ResourceVersion>,
    new: ResourceVersion,
}

enum Verdict {
    Echo,
    News,
    /// It may show what is being written: the answer tells.
    Later,
}

impl Echoes {
    /// Those of a controller. What turns out to be news later goes to `add`.
    pub(crate) fn new(add: impl Fn(ObjectKey) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Mutex::new(State { add: Some(Arc::new(add)), ..State::default() })))
    }

    /// Another handler of the controller.
    pub(crate) fn listener(&self, informer: &SharedInformer<()>) -> Listener {
        let rewinds = informer.progress().rewinds();
        let mut state = self.0.lock();
        state.listening.push(Listening { informer: informer.clone(), rewinds });
        Listener { echoes: self.clone(), number: state.listening.len() - 1 }
    }

    /// Forgets everything, its handlers too: they have ended, or are about to.
    pub(crate) fn close(&self) {
        let state = std::mem::take(&mut *self.0.lock());
        drop(state);
    }

    /// Whether a handler is told of such objects: nobody else needs to know what an object was before a write.
    pub(super) fn listens(&self, kind: &KindInfo) -> bool {
        self.0.lock().listening.iter().any(|it| is_same_resource(it.informer.kind(), kind))
    }

    /// A run for this key is going to write an object. Until what this gives is dropped, events of that object are not judged. `None`
    /// if there are no such events.
    pub(super) fn writing(&self, owner: &ObjectKey, kind: &KindInfo, object: &ObjectKey) -> Option<Writing> {
        if !self.listens(kind) {
            return None;
        }
        self.0.lock().writing.entry(owner.clone()).or_default().begin(kind, object);
        let (owner, kind, object) = (owner.clone(), kind.clone(), object.clone());
        Some(Writing { echoes: self.clone(), owner, kind, object, result: None })
    }
}

/// One handler of a controller.
pub(crate) struct Listener {
    echoes: Echoes,
    number: usize,
}

impl Listener {
    /// An object is new, or another one than it was. Gives those of the keys for which that is news.
    pub(crate) fn news<K>(
        &self,
        old: Option<&Object<K>>,
        new: &Object<K>,
        mut keys: Vec<ObjectKey>,
    ) -> Vec<ObjectKey> {
        // Held twice, the first one would make news of the second.
        keys.sort_unstable();
        keys.dedup();
        let mut state = self.echoes.0.lock();
        if state.links.is_empty() && state.writing.is_empty() {
            return keys;
        }
        let shown = Shown {
            object: new.key().clone(),
            uid: new.uid().clone(),
            old: old.map(|old| old.resource_version().clone()),
            new: new.resource_version().clone(),
        };
        // That something is to be deleted is cleaned up after in another run, whoever has asked for it.
        let is_told = old.and_then(Object::deletion_timestamp) != new.deletion_timestamp();
        let mut is_held = false;
        keys.retain(|key| match state.judge(self.number, key, &shown) {
            _ if is_told => true,
            Verdict::News => true,
            Verdict::Echo => false,
            Verdict::Later => {
                is_held = true;
                if let Some(writings) = state.writing.get_mut(key) {
                    let held = writings.held.entry(shown.object.clone()).or_default();
                    held.push((self.number, shown.clone()));
                }
                false
            }
        });
        if !is_held {
            state.note_shown(self.number, &shown);
        }
        keys
    }

    /// Takes note that an object is gone.
    pub(crate) fn note_gone<K>(&self, object: &Object<K>) {
        let (uid, bit) = (object.uid(), bit(self.number));
        let is_over = |link: &Link| link.uid == *uid;
        self.echoes.0.lock().forget(object.key(), bit, is_over);
    }
}

impl State {
    fn judge(&mut self, listener: usize, owner: &ObjectKey, shown: &Shown) -> Verdict {
        #[cfg(test)]
        tests::JUDGED.set(tests::JUDGED.get() + 1);
        let Some(listening) = self.listening.get_mut(listener) else { return Verdict::News };
        let kind = listening.informer.kind();
        if let Some(links) = self.links.get(&shown.object)
            && is_echo(links, kind, owner, shown, bit(listener))
        {
            // From then on versions mean something else.
            let rewinds = listening.informer.progress().rewinds();
            if listening.rewinds == rewinds {
                return Verdict::Echo;
            }
            listening.rewinds = rewinds;
            self.links.clear();
            return Verdict::News;
        }
        let writings = self.writing.get(owner);
        let is_later = writings.is_some_and(|writings| writings.may_make(kind, &shown.object));
        if is_later { Verdict::Later } else { Verdict::News }
    }

    /// A handler has been told of this version.
    fn note_shown(&mut self, listener: usize, shown: &Shown) {
        let Shown { object, uid, new, .. } = shown;
        let is_over =
            |link: &Link| link.uid != *uid || link.version == *new || link.version.is_older_than(new);
        self.forget(object, bit(listener), is_over);
    }

    /// A handler does not need these links any more.
    fn forget(&mut self, object: &ObjectKey, bit: u64, is_over: impl Fn(&Link) -> bool) {
        let Some(links) = self.links.get_mut(object) else { return };
        for link in links.iter_mut().filter(|link| is_over(link)) {
            link.untold &= !bit;
        }
        links.retain(|link| link.untold != 0);
        if links.is_empty() {
            self.links.remove(object);
        }
    }

    fn link(&mut self, object: ObjectKey, link: Link) {
        if self.links.len() >= OBJECTS {
            self.links.clear();
        }
        let links = self.links.entry(object).or_default();
        if links.len() >= VERSIONS {
            links.clear();
        }
        links.push(link);
    }
}

/// Whether links of a key lead from what was told to what is told now.
fn is_echo(links: &[Link], kind: &KindInfo, owner: &ObjectKey, shown: &Shown, bit: u64) -> bool {
    let its = |link: &&Link| {
        link.untold & bit != 0
            && link.owner == *owner
            && link.uid == shown.uid
            && is_same_resource(&link.kind, kind)
    };
    let mut at = Some(&shown.new);
    // As many steps as there are links, in case they lead in a circle.
    for _ in links {
        let Some(version) = at else { return false };
        let Some(link) = links.iter().filter(its).find(|link| link.version == *version) else { return false };
        at = link.base.as_ref();
        if at == shown.old.as_ref() {
            return true;
        }
    }
    false
}

/// In any of its versions: they are the same objects.
fn is_same_resource(one: &KindInfo, other: &KindInfo) -> bool {
    one.group() == other.group() && one.plural() == other.plural()
}

/// Those beyond the last bit are told of everything.
fn bit(listener: usize) -> u64 {
    u32::try_from(listener).ok().and_then(|number| 1_u64.checked_shl(number)).unwrap_or_default()
}

/// A write that has not been answered. When it is dropped, the events that waited for the answer are judged.
pub(super) struct Writing {
    echoes: Echoes,
    owner: ObjectKey,
    kind: KindInfo,
    object: ObjectKey,
    /// What has come of it.
    result: Option<ObjectKey>,
}

impl Writing {
    /// This object has come of it, and an event that shows it is no news. `shows` says which informers have shown it to the run.
    pub(super) fn expect_echo(
        &mut self,
        object: &Value,
        base: Base,
        shows: impl Fn(&SharedInformer<()>) -> bool,
    ) {
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
        let (uid, version) = (Uid::new(text("uid")), ResourceVersion::new(text("resourceVersion")));
        let base = match base {
            Base::Unknown => return,
            // Nothing was changed: the version is somebody else's, and may be unknown here.
            Base::Version(base) if base == version => return,
            Base::Version(base) => Some(base),
            Base::Nothing => None,
        };
        if uid.is_empty() || version.is_empty() || text("name").is_empty() {
            return;
        }
        let key = match text("namespace") {
            "" => ObjectKey::cluster(text("name")),
            namespace => ObjectKey::namespaced(namespace, text("name")),
        };
        self.result = Some(key.clone());
        let informers: Vec<SharedInformer<()>> =
            self.echoes.0.lock().listening.iter().map(|it| it.informer.clone()).collect();
        // With nothing locked: informers are asked.
        let of = informers.iter().enumerate();
        let of = of.filter(|(_, informer)| is_same_resource(informer.kind(), &self.kind) && shows(informer));
        let untold = of.fold(0, |all, (number, _)| all | bit(number));
        let mut state = self.echoes.0.lock();
        if untold != 0 && !state.listening.is_empty() {
            let (kind, owner) = (self.kind.clone(), self.owner.clone());
            state.link(key, Link { kind, owner, uid, base, version, untold });
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let mut state = self.echoes.0.lock();
        let Some(writings) = state.writing.get_mut(&self.owner) else { return };
        let held = writings.end(&self.kind, &self.object, self.result.as_ref());
        if writings.are_over() {
            state.writing.remove(&self.owner);
        }
        let mut is_news = false;
        for (listener, shown) in held {
            match state.judge(listener, &self.owner, &shown) {
                Verdict::Echo => state.note_shown(listener, &shown),
                Verdict::News => is_news = true,
                Verdict::Later => {
                    if let Some(writings) = state.writing.get_mut(&self.owner) {
                        writings.held.entry(shown.object.clone()).or_default().push((listener, shown));
                    }
                }
            }
        }
        let add = state.add.clone().filter(|_| is_news);
        drop(state);
        if let Some(add) = add {
            add(self.owner.clone());
        }
    }
}

impl fmt::Debug for Echoes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Echoes").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
