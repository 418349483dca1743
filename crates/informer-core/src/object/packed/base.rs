//! Documents of which objects are stored as changes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::object::origin::Origin;
use crate::object::packed::body::{Buffer, Frame};
use crate::object::packed::edits;

/// A document that so many objects are changes of may stay unpacked.
const SHARED: usize = 4;

/// How many bytes of unpacked documents an informer holds at most.
const MOST: usize = 4 << 20;

/// And at most this part of what all its objects take packed.
const PART: usize = 2;

/// Of so many that had to be unpacked one stays: if there are more than there is room for, most of them come and go in vain.
const CHOICE: usize = 4;

/// So many bytes of changes are never too many.
const SOME: usize = 64;

/// If the changes take more bytes out at once, what they put there need not be values of the same kind.
const AT_ONCE: usize = 128;

/// Below this number of entries those of dropped documents are not looked for.
const SMALL: usize = 64;

/// A document of which others are stored as changes. It may outlive the object that it was first.
pub(crate) struct Base {
    frame: Frame,
    /// The JSON, if it is kept unpacked.
    plain: Mutex<Option<Arc<[u8]>>>,
    /// Counts its bytes, and decides which documents stay unpacked.
    origin: Arc<Origin>,
}

/// The documents of one informer that stay unpacked, because many objects are changes of them.
#[derive(Default)]
pub(crate) struct UnpackedBases {
    bytes: AtomicUsize,
    unpacked: AtomicUsize,
    /// Oldest first.
    bases: Mutex<VecDeque<Weak<Base>>>,
}

impl Base {
    pub(crate) fn new(frame: Frame, origin: &Arc<Origin>) -> Arc<Self> {
        origin.alive_bytes.fetch_add(frame.size(), Ordering::Relaxed);
        Arc::new(Self { frame, plain: Mutex::default(), origin: origin.clone() })
    }

    /// How many bytes it takes in memory while it is packed.
    pub(crate) fn size(&self) -> usize {
        self.frame.size()
    }

    /// How many bytes changes that make `json` of it may take: at most `most`, and not much more than `json` would take by itself.
    /// `None` if it is so much larger that it is not worth being kept for `json`.
    pub(crate) fn limit(&self, json: &[u8], most: usize) -> Option<usize> {
        let by_itself = self.frame.size() + self.frame.size() / 4 + SOME;
        (json.len() >= self.frame.json_len() / 2).then(|| most.min(by_itself))
    }

    /// Whether what is made of this document by `edits` may be much smaller, packed, than the document is: if so much of it is left out
    /// that this may be what it takes its memory for. How much that is by itself is known only when it is packed.
    pub(crate) fn is_doubtful(&self, edits: &[u8]) -> bool {
        let (all, for_nothing) = edits::left_out(edits, AT_ONCE);
        all > self.frame.json_len() / 4 || for_nothing > self.frame.size() / 2 + SOME
    }

    /// Hands the JSON to a function; `None` only if memory has run out or was overwritten.
    pub(crate) fn with_json<R>(self: &Arc<Self>, read: impl FnOnce(Option<&[u8]>) -> R) -> R {
        let limit = limit(&self.origin);
        // Objects may have gone since the last document was unpacked.
        self.origin.bases.keep_within(limit);
        let plain = self.plain.lock().clone();
        if let Some(plain) = plain {
            return read(Some(&plain));
        }
        let mut buffer = Buffer::new(false);
        if !self.frame.expand(&mut buffer.bytes) {
            return read(None);
        }
        if Arc::strong_count(self) >= SHARED {
            self.origin.bases.offer(self, &buffer.bytes, limit);
        }
        read(Some(&buffer.bytes))
    }

    /// Takes the unpacked JSON away.
    fn pack_up(&self) {
        let plain = self.plain.lock().take();
        self.origin.bases.bytes.fetch_sub(plain.map_or(0, |plain| plain.len()), Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        self.pack_up();
        self.origin.alive_bytes.fetch_sub(self.frame.size(), Ordering::Relaxed);
    }
}

/// How many bytes of unpacked documents an informer may hold now.
fn limit(origin: &Origin) -> usize {
    MOST.min(origin.alive_bytes.load(Ordering::Relaxed) / PART)
}

impl UnpackedBases {
    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// A document was unpacked, and may stay so within this number of bytes.
    fn offer(&self, base: &Arc<Base>, json: &[u8], limit: usize) {
        if !self.unpacked.fetch_add(1, Ordering::Relaxed).is_multiple_of(CHOICE) || json.len() > limit {
            return;
        }
        let mut plain = base.plain.lock();
        if plain.is_some() {
            return;
        }
        *plain = Some(json.into());
        drop(plain);
        self.bytes.fetch_add(json.len(), Ordering::Relaxed);
        let mut bases = self.bases.lock();
        // Those that were dropped are not at the front in time if everything fits.
        if bases.len() >= SMALL && bases.len() == bases.capacity() {
            bases.retain(|base| base.strong_count() > 0);
        }
        bases.push_back(Arc::downgrade(base));
        drop(bases);
        self.keep_within(limit);
    }

    /// Packs up the oldest ones if all take more bytes than this.
    fn keep_within(&self, limit: usize) {
        if self.bytes() <= limit {
            return;
        }
        let mut rubble = Vec::new();
        let mut bases = self.bases.lock();
        while self.bytes() > limit
            && let Some(oldest) = bases.pop_front()
        {
            if let Some(oldest) = oldest.upgrade() {
                oldest.pack_up();
                rubble.push(oldest);
            }
        }
        drop(bases);
        // Perhaps nobody else holds them by now, and they go without the lock.
        drop(rubble);
    }
}

#[cfg(test)]
mod tests;
