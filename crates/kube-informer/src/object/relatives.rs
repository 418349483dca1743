//! Which objects are stored as changes of another document: the next version of an object, and objects that are made of one
//! template, which follow one another in lists.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::object::base::Base;
use crate::object::body::Body;
use crate::object::origin::Origin;
use crate::object::pack::Packer;

/// Smaller objects are packed as quickly as they are compared, and a document to share takes 80 bytes more.
const LEAST: usize = 1 << 10;

/// Larger ones are not kept to be compared with what follows.
const MOST: usize = 64 << 10;

/// Changes may take a quarter more than packed bodies do on average: they are made in a fraction of the time.
const LIMIT: (usize, usize) = (5, 4);

/// And not more than this part of the JSON, while packed bodies are large because there is no dictionary yet.
const PART: usize = 8;

/// When so many in a row were not like the one before, only every so many are compared.
const STRANGERS: u32 = 16;

/// What is known about the objects of one informer.
pub(crate) struct Relatives {
    last: Mutex<Option<Last>>,
    /// How many in a row were not like the one before them.
    strangers: AtomicU32,
    /// How many bytes 1,024 bytes of JSON take packed: the mean of the last ones.
    ratio: AtomicU32,
}

/// The last new object that was packed by itself: perhaps the first of its kin.
struct Last {
    base: Arc<Base>,
    json: Vec<u8>,
}

impl Default for Relatives {
    fn default() -> Self {
        Self { last: Mutex::default(), strangers: AtomicU32::new(0), ratio: AtomicU32::new(256) }
    }
}

impl Relatives {
    /// Packs one object of which a version may be known.
    pub(crate) fn pack(
        &self,
        json: &[u8],
        before: Option<&Body>,
        packer: &Packer,
        origin: &Arc<Origin>,
    ) -> Body {
        let by_itself = || {
            look_at();
            packer.pack(json)
        };
        if json.len() < LEAST || origin.sensitive {
            return by_itself();
        }
        let (edited, is_next) = match before {
            Some(before) => (before.next(json, self.limit(json)), false),
            None => self.like_another(json, kin),
        };
        let body = match edited {
            Some(edited) if !edited.is_doubtful() => return edited,
            // A document that was much larger stays as long as the object, through all its later versions.
            Some(edited) => {
                let packed = packer.pack(json);
                if edited.is_worth_its_base(&packed) {
                    return edited;
                }
                look_at();
                packed
            }
            None => by_itself(),
        };
        if let Some(edited) = edited {
            return edited;
        }
        let body = by_itself();
        self.measure(json.len(), body.size());
        let (body, base) = body.shared(origin);
        if is_next && let Some(base) = base {
            *self.last.lock() = Some(Last { base, json: json.to_vec() });
        }
        body
    }

    /// As changes of the last one; and otherwise whether this one is to be the last from now on.
    fn like_last(&self, json: &[u8]) -> (Option<Body>, bool) {
        if json.len() > MOST {
            return (None, false);
        }
        let strangers = self.strangers.load(Ordering::Relaxed);
        if strangers >= STRANGERS && !strangers.is_multiple_of(STRANGERS) {
            self.strangers.store(strangers.wrapping_add(1), Ordering::Relaxed);
            // The one after this is compared with it.
            return (None, strangers.wrapping_add(1).is_multiple_of(STRANGERS));
        }
        // Taken out, so that nobody waits for the comparison. Who finds none is no stranger.
        let Some(last) = self.last.lock().take() else { return (None, true) };
        let edited = Body::edit(&last.base, &last.json, json, self.limit(json));
        let look_at = || packer.look_at(json, origin.alive.load(Ordering::Relaxed));
        let strangers = if edited.is_some() { 0 } else { strangers.wrapping_add(1) };
        self.strangers.store(strangers, Ordering::Relaxed);
        if edited.is_some() {
            *self.last.lock() = Some(last);
        }
        (edited, true)
    }

    fn limit(&self, json: &[u8]) -> usize {
        let ratio = self.ratio.load(Ordering::Relaxed);
        (json.len().saturating_mul(ratio as usize) / 1024 * LIMIT.0 / LIMIT.1).min(json.len() / PART)
    }

    fn measure(&self, json: usize, packed: usize) {
        let now = u32::try_from(packed.saturating_mul(1024) / json.max(1)).unwrap_or(1024).min(1024);
        let mean = self.ratio.load(Ordering::Relaxed);
        self.ratio.store((mean * 15 + now) / 16, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
