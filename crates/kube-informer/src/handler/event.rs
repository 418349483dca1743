//! Events as they are delivered to handlers, with the Rust type of the objects.

use informer_core::mailbox::delivery::Delivery;

use crate::object::Object;

/// A change of an object, as it is delivered to one handler.
///
/// For each key a handler is called with a legal history: an `Added`, any number of `Updated` whose `old` is exactly
/// the state that the handler was last called with, a `Deleted`, and perhaps an `Added` again.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<K> {
    /// An object that is new to this handler.
    Added {
        /// The object.
        object: Object<K>,
        /// Whether the object already existed when the handler was added, when the informer filled its cache for the
        /// first time, or when the object's namespace was added.
        initial: bool,
    },
    /// Another version of the same object (same uid).
    Updated {
        /// The state that this handler was last called with.
        old: Object<K>,
        /// The new state.
        new: Object<K>,
        /// True if nothing changed and this is a periodic resync, which the handler or the informer is configured for.
        resync: bool,
    },
    /// The object was deleted, or this handler no longer gets its events.
    Deleted {
        /// The last known state of the object.
        object: Object<K>,
        /// Whether `object` is the final state, from the server's DELETED event. If false, there are three possible
        /// reasons: the informer found the object missing from a new list; the namespace was removed from the informer;
        /// or the object no longer passes the handler's [filter](crate::Handler::filter). In the last case `object` is
        /// the last state that passed, and the object itself probably still exists.
        final_state_known: bool,
    },
    /// Only with `every_event`: the backlog went over its limit, so events that follow are merged per key.
    Merged,
}

impl<K> Event<K> {
    pub(crate) fn of(delivery: Delivery) -> Self {
        match delivery {
            Delivery::Added { new, initial } => Self::Added { object: Object::from_record(new), initial },
            Delivery::Updated { old, new, resync } => {
                Self::Updated { old: Object::from_record(old), new: Object::from_record(new), resync }
            }
            Delivery::Deleted { object, final_state_known, .. } => {
                Self::Deleted { object: Object::from_record(object), final_state_known }
            }
            Delivery::Merged => Self::Merged,
        }
    }

    /// The object of the event; the new state for an update; `None` for [`Merged`](Self::Merged).
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
