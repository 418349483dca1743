//! Decoded objects: each is shared by all users that ask for it while one of them holds it, and for as long as it is worth its
//! memory. The forms of a record are in its slot, and die with it; the cache decides which of them stay when nobody holds them.
//!
//! # Why not a clock
//!
//! A clock (second chance; what is new and was not read goes first; the next version of what is hot is hot) is shorter. It was
//! measured beside slot and cache as they are here, with optimisation, in one run: objects that count as 10,000 bytes, and the same
//! reads in the same order.
//!
//! | | here | clock | clock, what is new takes 4 MiB at most |
//! |---|---:|---:|---:|
//! | a read of one of 100 hot objects, the fastest of 60 runs | 25.5 ns | 25.0 ns | 25.2 ns |
//! | of hot objects as large as half the cache, lost when 200 times as many are read once | 0 % | 0 % | 100 % |
//! | reads by Zipf's law that find the object, of the best that can be had | 93 % | 96 % | 94 % |
//! | memory after a handler has decoded each of 100,000 updates, of 64 MiB | 0.25 MiB (at first 4) | 64 MiB | 4 MiB |
//! | memory after ten such handlers | 4 MiB | 64 MiB | 64 MiB |
//!
//! So a clock is as fast and keeps what is hot, but each program that only looks at updates pays for the whole cache. A first read
//! does not show whether there will be another. Either all that is read once has room, or it goes early, and then what is hot is
//! found among it only by remembering what went: that is what makes this longer.

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
