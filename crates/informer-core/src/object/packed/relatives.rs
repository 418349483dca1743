//! Which objects are stored as changes of another document: the next version of an object, and objects that are made of one
//! template, which follow one another in lists.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use informer_wire::Uid;
use parking_lot::Mutex;

use crate::object::origin::Origin;
use crate::object::packed::base::Base;
use crate::object::packed::body::Body;
use crate::object::packed::packer::Packer;

/// Smaller objects are packed as quickly as they are compared, and a document to share takes 80 bytes more.
const LEAST: usize = 1 << 10;

/// Larger ones are not kept to be compared with what follows, nor several that together are larger.
const MOST: usize = 64 << 10;

/// Changes may take a quarter more than packed bodies do on average: they are made in a fraction of the time.
const LIMIT: (usize, usize) = (5, 4);

/// And not more than this part of the JSON, while packed bodies are large because there is no dictionary yet.
const PART: usize = 8;

/// Of so many owners one object is kept: those of several may be created in turns.
const CANDIDATES: usize = 8;

/// When so many in a row were not like the one before, only every so many are compared.
const STRANGERS: u32 = 16;

/// What is known about the objects of one informer.
pub(crate) struct Relatives {
    /// The newest at the end, one for each owner.
    last: Mutex<VecDeque<Last>>,
    /// Those that are compared with the newest.
    strangers: Unlike,
    /// Those that are compared with another of the same owner.
    unlike_kin: Unlike,
    /// How many bytes 1,024 bytes of JSON take packed: the mean of the last ones.
    ratio: AtomicU32,
}

/// One of the last new objects, that was packed by itself: perhaps the first of its kin.
struct Last {
    /// Who owns it.
    kin: Option<Uid>,
    base: Arc<Base>,
    json: Vec<u8>,
}

/// How many in a row were not like what they were compared with.
#[derive(Default)]
struct Unlike(AtomicU32);

impl Unlike {
    /// Whether the next one but one is compared, if the next one is not.
    fn skip(&self) -> Option<bool> {
        let before = self.0.load(Ordering::Relaxed);
        if before < STRANGERS || before.is_multiple_of(STRANGERS) {
            return None;
        }
        self.0.store(before.wrapping_add(1), Ordering::Relaxed);
        Some(before.wrapping_add(1).is_multiple_of(STRANGERS))
    }

    fn note(&self, alike: bool) {
        let now = if alike { 0 } else { self.0.load(Ordering::Relaxed).wrapping_add(1) };
        self.0.store(now, Ordering::Relaxed);
    }
}

impl Default for Relatives {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
            strangers: Unlike::default(),
            unlike_kin: Unlike::default(),
            ratio: AtomicU32::new(256),
        }
    }
}

impl Relatives {
    /// Packs one object of which a version may be known, and the uid of its owner: others of that owner are most like it.
    pub(crate) fn pack(
        &self,
        json: &[u8],
        before: Option<&Body>,
        kin: Option<&Uid>,
        packer: &Packer,
        origin: &Arc<Origin>,
    ) -> Body {
        let look_at = || packer.look_at(json, origin.alive.load(Ordering::Relaxed));
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
        self.measure(json.len(), body.size());
        let (body, base) = body.shared(origin);
        if is_next && let Some(base) = base {
            self.keep(Last { kin: kin.cloned(), base, json: json.to_vec() });
        }
        body
    }

    /// As changes of one of the last ones; and otherwise whether others are to be compared with this one.
    fn like_another(&self, json: &[u8], kin: Option<&Uid>) -> (Option<Body>, bool) {
        if json.len() > MOST {
            return (None, false);
        }
        let mut last = self.last.lock();
        let of_kin = kin.and_then(|kin| last.iter().position(|last| last.kin.as_ref() == Some(kin)));
        let unlike = if of_kin.is_some() { &self.unlike_kin } else { &self.strangers };
        if let Some(next_is_compared) = unlike.skip() {
            // Its kin may come when others have come in between.
            return (None, next_is_compared || (kin.is_some() && of_kin.is_none()));
        }
        // Taken out, so that nobody waits for the comparison. Who finds none is no stranger.
        let found = match of_kin {
            Some(at) => last.remove(at),
            None => last.pop_back(),
        };
        drop(last);
        let Some(found) = found else { return (None, true) };
        let edited = Body::edit(&found.base, &found.json, json, self.limit(json));
        unlike.note(edited.is_some());
        self.keep(found);
        (edited, true)
    }

    /// Has the next objects compared with this one.
    fn keep(&self, newest: Last) {
        let mut last = self.last.lock();
        last.retain(|last| last.kin != newest.kin);
        last.push_back(newest);
        while last.len() > CANDIDATES || last.iter().map(|last| last.json.len()).sum::<usize>() > MOST {
            last.pop_front();
        }
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
