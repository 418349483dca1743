//! The status of an informer, its scopes and its handlers, as plain values.

pub(crate) mod cell;
mod patience;
mod progress;

use std::time::Duration;

use informer_wire::ResourceVersion;
use tokio::time::Instant;

pub(crate) use self::cell::StatusCell;
pub use self::patience::Patience;
pub use self::progress::Progress;
use crate::kind::KindInfo;
pub use crate::report::{Cause, Failure};
pub use informer_core::scope::Scope;
pub use informer_core::status::{Phase, RelistReason};

/// How fresh one scope is, at one moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScopeStatus {
    /// All namespaces or one.
    pub scope: Scope,
    /// What its reflector is doing.
    pub phase: Phase,
    /// Since when the reflector is in this phase.
    pub phase_since: Instant,
    /// Whether all objects of the scope have been in the cache.
    pub synced: bool,
    /// The last failure of a request, also if later requests succeeded.
    pub last_error: Option<Failure>,
    /// When the last error happened.
    pub last_error_at: Option<Instant>,
    /// When the server last sent anything for this scope; that it accepts a request counts.
    pub last_byte: Option<Instant>,
    /// When it last sent a change.
    pub last_event: Option<Instant>,
    /// When it last sent a bookmark.
    pub last_bookmark: Option<Instant>,
    /// The version up to which nothing has been missed; the store may be a few events behind.
    pub last_version: Option<ResourceVersion>,
    /// LIST requests sent, each page of a list counted.
    pub lists: u64,
    /// LIST requests for single objects that callers waited for.
    pub lookups: u64,
    /// WATCH requests sent, streamed lists counted.
    pub watches: u64,
    /// LIST requests for single objects to find out whether the server went back in time.
    pub probes: u64,
    /// WATCH requests sent to resume where an earlier one ended.
    pub reconnects: u64,
    /// Streamed lists given up for a LIST.
    pub streaming_fallbacks: u64,
    /// Changes received.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    relists: [u64; RelistReason::ALL.len()],
    /// The newest version that the server has been seen at otherwise, by a lookup.
    looked_up: ResourceVersion,
}

impl ScopeStatus {
    /// How often the scope was listed for this reason.
    pub fn relists(&self, reason: RelistReason) -> u64 {
        self.relists[reason as usize]
    }
}

/// The status of an informer at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InformerStatus {
    /// Its name.
    pub name: String,
    /// The kind of its objects.
    pub kind: KindInfo,
    /// Whether the cache has been filled with all watched objects, including those of namespaces that were added later.
    pub synced: bool,
    /// Whether its objects are [sensitive](crate::Options::sensitive): their contents must not be shown.
    pub sensitive: bool,
    /// Whether it has been started.
    pub started: bool,
    /// Whether it has stopped.
    pub stopped: bool,
    /// Whether its objects are not those of the server: it holds only their metadata, drops fields or transforms them.
    pub altered: bool,
    /// The worst phase of its scopes. For an informer that watches no namespace, it only shows whether the informer
    /// runs.
    pub phase: Phase,
    /// Objects in the cache.
    pub objects: usize,
    /// Deltas that wait to be applied.
    pub queued: usize,
    /// Bytes of objects among them.
    pub queued_bytes: usize,
    /// Versions of objects in memory: in the cache, in the queue, in handlers' mailboxes, and held by the program.
    pub versions_alive: usize,
    /// Bytes that their packed bodies take, and the documents that those share. Heads, about 200 bytes a version, and decoded forms are not counted.
    pub bytes_alive: usize,
    /// Versions that came with `metadata.managedFields` although the server was asked to leave them out, which were cut here.
    /// Stays 0 at a server that honours the request (KEP-5958).
    pub managed_fields_cut: u64,
    /// The decoder's message, if none of the sampled objects decodes into the informer's type: then the type is wrong.
    pub wrong_type: Option<String>,
    /// How often a decoded object was in memory already.
    pub decode_hits: u64,
    /// How often an object had to be decoded. If this keeps growing while the cache does not change, consider a larger
    /// [decode cache](crate::object::DecodeCache), or the option `decoded`.
    pub decode_misses: u64,
    /// Bytes that the [decode cache](crate::object::DecodeCache) takes the objects to need that it keeps of this informer.
    pub decoded_bytes: usize,
    /// Failures survived so far.
    pub failures: u64,
    /// The last of them.
    pub last_failure: Option<Failure>,
    /// The handlers and streams.
    pub handlers: Vec<HandlerStatus>,
    /// Each scope on its own.
    pub scopes: Vec<ScopeStatus>,
    /// The name of another informer of the same factory that holds the same kind a second time: one of them holds only
    /// metadata, and the program requested whole objects after it. Only set by
    /// [`SharedInformerFactory::status`](crate::SharedInformerFactory::status).
    pub also_held_by: Option<String>,
}

/// The status of a handler or stream of an informer at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// The name set with [`Handler::named`](crate::Handler::named), or else one made from the informer's name.
    pub name: String,
    /// Whether the handler has been called for every object that was in the cache when the handler was added, or when
    /// the informer first filled its cache.
    pub synced: bool,
    /// Events that wait or are being delivered; keys whose changes were merged count once.
    pub backlog: usize,
    /// Changes without a call of their own: they were merged with an earlier pending change of the same object.
    pub merged: u64,
    /// Calls that have returned.
    pub delivered: u64,
    /// Calls that panicked.
    pub panics: u64,
    /// Calls that blocked the thread for more than [`Tuning::slow_call`](crate::source::Tuning::slow_call).
    pub slow: u64,
    /// How long the slowest call took, awaiting included. Zero for streams: what they do with an event is not seen here.
    pub slowest: Duration,
    /// Objects that did not decode for a typed handler.
    pub undecodable: u64,
}

#[cfg(test)]
mod tests;
