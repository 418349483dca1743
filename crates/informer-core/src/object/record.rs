//! One version of one object as the pipeline carries it: head, packed body, and where it came from.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use informer_wire::{ObjectKey, ResourceVersion, Uid};

use crate::object::decoded::DecodedSlot;
use crate::object::head::Head;
use crate::object::origin::Origin;
use crate::object::packed::Body;

/// One version of one object. The engine moves `Arc<Record>`s and never looks into the body.
///
/// What a lookup and a read of a hot object need comes first, beside the reference count that they raise.
#[repr(C)]
pub struct Record {
    pub(crate) decoded: DecodedSlot,
    /// What is known without unpacking.
    pub head: Head,
    /// The packed JSON.
    pub(crate) body: Body,
    /// What all records of the informer share.
    pub origin: Arc<Origin>,
}

impl Record {
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn new(head: Head, body: Body, origin: &Arc<Origin>) -> Arc<Self> {
        Self::with_slot(head, body, origin, DecodedSlot::default())
    }

    /// With a decoded form that stays as long as the record.
    pub(crate) fn with_slot(head: Head, body: Body, origin: &Arc<Origin>, decoded: DecodedSlot) -> Arc<Self> {
        origin.alive.fetch_add(1, Ordering::Relaxed);
        origin.alive_bytes.fetch_add(body.size(), Ordering::Relaxed);
        Arc::new(Self { head, body, origin: origin.clone(), decoded })
    }

    /// Namespace and name.
    #[inline]
    pub fn key(&self) -> &ObjectKey {
        &self.head.key
    }

    /// Lends the JSON, unpacked.
    pub fn with_json<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        self.body.with_json(read)
    }

    /// How many bytes its JSON takes packed, with its share of what others hold as well.
    #[inline]
    pub fn held(&self) -> usize {
        self.body.held()
    }

    /// Has the key of the version before in place of an equal one. Those who look it up with a key that they have from an
    /// object then need not read its texts.
    pub(crate) fn take_key_of(self: &mut Arc<Self>, old: &Self) {
        // It is not shared before it is in the store.
        if let Some(record) = Arc::get_mut(self) {
            debug_assert_eq!(record.head.key, old.head.key);
            record.head.key = old.head.key.clone();
        }
    }

    /// Whether both are the same incarnation of the name. Two objects without a uid count as the same.
    #[inline]
    pub fn same_incarnation(&self, other: &Self) -> bool {
        self.head.uid == other.head.uid
    }

    /// Whether both are the same version of the same object; false when uid or version is missing.
    #[inline]
    pub fn same_version(&self, other: &Self) -> bool {
        self.is_version(&other.head.uid, &other.head.resource_version)
    }

    /// Whether it is this version of the object with this uid; false when uid or version is missing.
    #[inline]
    pub(crate) fn is_version(&self, uid: &Uid, version: &ResourceVersion) -> bool {
        !uid.is_empty()
            && !version.is_empty()
            && self.head.uid == *uid
            && self.head.resource_version == *version
    }

    /// Whether the caller has to report that the record does not decode into this type. True once for each type.
    pub fn report_failure<T: 'static>(&self) -> bool {
        self.decoded.report_failure::<T>()
    }

    /// Whether both hold the same content, however it is written.
    pub fn same_content(&self, other: &Self) -> bool {
        self.body.same_json(&other.body)
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.decoded.release(&self.head.key, &self.origin);
        self.origin.alive.fetch_sub(1, Ordering::Relaxed);
        self.origin.alive_bytes.fetch_sub(self.body.size(), Ordering::Relaxed);
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}@{}",
            informer_wire::kind::noun(&self.origin.kind),
            self.head.key,
            self.head.resource_version
        )
    }
}
