//! What the records and the store of an informer tell it, and ask it: they have no clock and no log of their own.

use std::time::Instant;

use crate::cause::Cause;

/// The informer that records belong to, as they see it.
pub trait Host: Send + Sync {
    /// The moment that it is.
    fn now(&self) -> Instant;

    /// Something failed that the informer survives. Runs user code, so it must never be called with a lock held.
    fn failed(&self, cause: Cause);

    /// Its objects are decoded again and again, although they were decoded before. Told once.
    fn decodes_again(&self);
}
