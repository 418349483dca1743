//! Decoded objects: each is shared by all users that ask for it while one of them holds it, and for as long as it is worth its
//! memory. The forms of a record are in its slot, and die with it; the cache decides which of them stay when nobody holds them.

mod cache;
mod meter;
mod slot;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use informer_wire::{ObjectKey, json};
use serde::de::DeserializeOwned;

pub use self::cache::DecodedCache;
pub use self::meter::Meter;
pub(crate) use self::slot::DecodedSlot;
use crate::cause::Cause;
use crate::object::error::attempt;
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::panics::user_panic;

/// A decoded object of any type.
pub(crate) type AnyDecoded = Arc<dyn Any + Send + Sync>;

/// Decodes the JSON of an object into the informer's type.
pub type Decoder = fn(&[u8]) -> Result<AnyDecoded, serde_json::Error>;

/// The decoder of a type, for code that does not know the type.
pub fn decoder<K: DeserializeOwned + Send + Sync + 'static>() -> Decoder {
    |json| Ok(Arc::new(json::read::<K>(json)?))
}

/// How much larger than its JSON an object is taken to be when decoded: strings, maps, padding. A list of pods decoded
/// into the types of k8s-openapi was measured at about seven times.
const EXPANSION: usize = 7;

/// The record's object, decoded: the one that is still in memory, or a new one. Else the message of the decoder.
///
/// Runs the user's `Deserialize`, so it must never be called with a lock held.
pub fn get<T>(record: &Arc<Record>) -> Result<Arc<T>, String>
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let meter = &record.origin.decodes;
    if let Some(found) = record.decoded.find::<T>() {
        meter.hits.fetch_add(1, Ordering::Relaxed);
        return Ok(found);
    }
    meter.misses.fetch_add(1, Ordering::Relaxed);
    let value = attempt(record.origin.sensitive, || record.body.with_json(json::read::<T>))?;
    let bytes = size_of::<T>() + record.body.json_len().saturating_mul(EXPANSION);
    let offer = record.origin.cache.offer(record, Arc::new(value), bytes);
    if offer.again && meter.repeated(record.origin.host.now(), record.origin.alive.load(Ordering::Relaxed)) {
        record.origin.host.decodes_again();
    }
    Ok(offer.value)
}

/// Lets a decoded form of this object go. If nobody else holds it that runs the `Drop` of a user's type, whose panic must not end what
/// is going on here.
///
/// Like all code of users, and like the report of the panic, it must never run with a lock held.
pub fn let_go<T: ?Sized>(value: Arc<T>, key: &ObjectKey, origin: &Origin) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        let message = user_panic(&*panic, origin.sensitive);
        origin.host.failed(Cause::Drop { key: key.clone(), message });
    }
}

#[cfg(test)]
mod tests;
