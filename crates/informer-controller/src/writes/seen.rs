//! What is waited for, and where.

use std::sync::Arc;

use futures::future::BoxFuture;
use kube_informer::object::{ResourceVersion, Uid};
use kube_informer::{ObjectKey, SharedInformer};

/// What a cache has to have seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// This version of the object, or a later one.
    Version(ResourceVersion),
    /// That the object with this uid is gone.
    Gone(Uid),
    /// Whatever became of a write whose answer is not known.
    Unknown,
    /// Whatever became of a write to many objects, or to one whose name is not known.
    Everything,
}

/// How a wait for a cache ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It has seen it.
    Yes,
    /// The server has gone back in time: what was written may be no more, and no event tells so.
    Rewound,
    /// It never will: the object is outside of what it looks at, or it has stopped.
    Never,
}

/// A cache that writes are seen in.
pub(super) trait Cache: Send + Sync {
    /// Its name, for people: two may have the same.
    fn name(&self) -> &str;

    /// Whose cache it is.
    fn informer(&self) -> Option<&SharedInformer<()>>;

    /// Whether it has seen that already. May say no where it has to ask.
    fn has_seen(&self, key: &ObjectKey, until: &Until) -> bool;

    /// Whether it has an object with that key.
    fn holds(&self, key: &ObjectKey) -> bool;

    /// Waits until it has seen that, or never will.
    fn see<'a>(&'a self, key: &'a ObjectKey, until: &'a Until) -> BoxFuture<'a, Seen>;
}

/// One write that a cache has not been seen to have.
#[derive(Clone)]
pub(super) struct Unseen {
    pub(super) ticket: u64,
    /// While it is under way there is nothing to look for.
    pub(super) is_under_way: bool,
    pub(super) cache: Arc<dyn Cache>,
    pub(super) key: ObjectKey,
    pub(super) until: Until,
    /// Whether the cache is going to have the object, as far as that is known: it may be outside of what it looks at.
    pub(super) is_shown: bool,
}

/// Whether both are the cache of one informer.
pub(super) fn is_same(one: &dyn Cache, other: &dyn Cache) -> bool {
    match (one.informer(), other.informer()) {
        (Some(one), Some(other)) => one.same_informer(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
