//! Events as handlers get them, before and after they have the user's type.

use std::sync::Arc;

use crate::object::Object;
use crate::object::record::Record;

/// What happened to an object, as one handler hears it.
///
/// Per key a handler hears a legal history: an `Added`, any number of `Updated` whose `old` is exactly what it was told
/// last, a `Deleted`, and perhaps an `Added` again.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<K> {
    /// A key this handler did not know.
    Added {
        /// The object.
        object: Object<K>,
        /// Whether it was there when the handler joined, when the informer filled its cache for the first time, or when
        /// its namespace was added.
        initial: bool,
    },
    /// Another version of the same object (same uid).
    Updated {
        /// What this handler was told last.
        old: Object<K>,
        /// What the cache holds now.
        new: Object<K>,
        /// Nothing changed: the handler asked to hear of every object from time to time.
        resync: bool,
    },
    /// The object is gone, as far as this handler is concerned.
    Deleted {
        /// The last state known of it.
        object: Object<K>,
        /// Whether this is the final state, as the server told it. If not, the delete was found by comparing with a new
        /// list, the informer no longer looks at the namespace, or the object no longer passes the handler's
        /// [filter](crate::Handler::filter): then `object` is the last state that passed, and the object itself is
        /// probably still there.
        final_state_known: bool,
    },
    /// Only with `every_event`: the backlog went over its limit, so events that follow are merged per key.
    Merged,
}

impl<K> Event<K> {
    /// The object the event is about: the new one of an update.
    pub fn object(&self) -> Option<&Object<K>> {
        match self {
            Self::Added { object, .. } | Self::Deleted { object, .. } => Some(object),
            Self::Updated { new, .. } => Some(new),
            Self::Merged => None,
        }
    }
}

impl<K> Clone for Event<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added { object, initial } => Self::Added { object: object.clone(), initial: *initial },
            Self::Updated { old, new, resync } => {
                Self::Updated { old: old.clone(), new: new.clone(), resync: *resync }
            }
            Self::Deleted { object, final_state_known } => {
                Self::Deleted { object: object.clone(), final_state_known: *final_state_known }
            }
            Self::Merged => Self::Merged,
        }
    }
}

/// An event before it gets the user's type.
#[derive(Clone, Debug)]
pub(crate) enum Delivery {
    Added {
        new: Arc<Record>,
        initial: bool,
    },
    Updated {
        old: Arc<Record>,
        new: Arc<Record>,
        resync: bool,
    },
    Deleted {
        object: Arc<Record>,
        /// The version that the handler heard of last, if that is another one and was kept.
        told: Option<Arc<Record>>,
        final_state_known: bool,
    },
    Merged,
}

impl Delivery {
    pub(crate) fn is_initial(&self) -> bool {
        matches!(self, Self::Added { initial: true, .. })
    }

    pub(crate) fn into_event<K>(self) -> Event<K> {
        match self {
            Self::Added { new, initial } => Event::Added { object: Object::from_record(new), initial },
            Self::Updated { old, new, resync } => {
                Event::Updated { old: Object::from_record(old), new: Object::from_record(new), resync }
            }
            Self::Deleted { object, final_state_known, .. } => {
                Event::Deleted { object: Object::from_record(object), final_state_known }
            }
            Self::Merged => Event::Merged,
        }
    }
}
