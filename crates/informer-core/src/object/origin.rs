//! Where records come from: what all records of one informer share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use informer_wire::KindInfo;

use crate::host::Host;
use crate::object::decoded::{DecodedCache, Meter};
use crate::object::packed::UnpackedBases;

/// What all records of one informer share.
pub struct Origin {
    /// The kind of the objects.
    pub kind: KindInfo,
    /// Whether nothing of an object's content may be printed, not even within an error.
    pub sensitive: bool,
    /// How many records of this informer are alive: in the store, in queues, in users' hands.
    pub alive: AtomicUsize,
    /// How many bytes their packed bodies take, and the documents that those share.
    pub(crate) alive_bytes: AtomicUsize,
    /// How many came with managedFields although the server was asked to leave them out.
    pub managed_fields_cut: AtomicU64,
    /// Where decoded objects stay.
    pub cache: DecodedCache,
    /// How often they are decoded.
    pub decodes: Meter,
    /// Documents that stay unpacked because many objects are changes of them.
    pub(crate) bases: UnpackedBases,
    /// The informer.
    pub host: Arc<dyn Host>,
    /// Whether the informer has ended.
    pub ended: AtomicBool,
}

impl Origin {
    /// For one informer.
    pub fn new(kind: KindInfo, sensitive: bool, cache: DecodedCache, host: Arc<dyn Host>) -> Self {
        let sensitive = sensitive || informer_wire::kind::is_sensitive(&kind);
        // What was decoded must not outlive the object.
        let cache = if sensitive { DecodedCache::new(0) } else { cache };
        Self {
            kind,
            sensitive,
            alive: AtomicUsize::new(0),
            alive_bytes: AtomicUsize::new(0),
            managed_fields_cut: AtomicU64::new(0),
            cache,
            decodes: Meter::default(),
            bases: UnpackedBases::default(),
            host,
            ended: AtomicBool::new(false),
        }
    }

    /// How many bytes its records take packed, and the documents that those share.
    pub fn bytes_alive(&self) -> usize {
        self.alive_bytes.load(Ordering::Relaxed) + self.bases.bytes()
    }
}

/// The last record of an informer is gone. Its entries in the cache keep the memory of records, and nothing else looks for them if
/// no other informer decodes anything. Objects that users make by themselves are not worth a search.
impl Drop for Origin {
    fn drop(&mut self) {
        if *self.ended.get_mut() && self.decodes.misses() > 0 {
            self.cache.sweep();
        }
    }
}
