//! The one question that goes against the flow: what does the store hold of this object?

use std::ops::Deref;
use std::sync::Arc;

use informer_wire::ObjectKey;

use crate::object::record::Record;

/// Answered by the store, asked while lists and watches are decoded: what has not changed is not built again, and of what has
/// changed only the difference is kept.
pub trait Known: Send + Sync {
    /// The stored record of this key, whichever its version.
    fn stored(&self, key: &ObjectKey) -> Option<Arc<Record>>;

    /// Whether the stored record may be used in place of an object with the same uid and resource version.
    fn may_stand_in(&self) -> bool {
        true
    }
}

/// Knows nothing.
#[cfg(any(test, feature = "testing"))]
pub struct NothingKnown;

#[cfg(any(test, feature = "testing"))]
impl Known for NothingKnown {
    fn stored(&self, _: &ObjectKey) -> Option<Arc<Record>> {
        None
    }
}

/// Knows the versions before, and every object is built anew.
pub struct Before<K>(pub K);

impl<'a, K: Deref<Target = dyn Known + 'a> + Send + Sync> Known for Before<K> {
    fn stored(&self, key: &ObjectKey) -> Option<Arc<Record>> {
        self.0.stored(key)
    }

    fn may_stand_in(&self) -> bool {
        false
    }
}
