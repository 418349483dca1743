//! The status of a program's informers and queues as JSON: `/debug/informers` of informer-endpoint, which `informer top` reads.
//!
//! A program says everything that is here. A reader may meet an older program, which leaves out fields, or a newer one, which has
//! others: what is missing or has another type is `None`, and what is not known is left aside. Only the list of informers must be
//! there, or it is another document.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::QueueStatus;

/// All that a program says at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusDocument {
    /// The name of this run of the program. After a restart, and for another replica, it is another one, and counts begin anew.
    #[serde(default, deserialize_with = "lenient")]
    pub instance: Option<String>,
    /// For how long the program has had its endpoint.
    #[serde(default, deserialize_with = "lenient")]
    pub uptime_seconds: Option<f64>,
    /// The informers, in the order in which the program says them.
    #[serde(deserialize_with = "required")]
    pub informers: Vec<InformerEntry>,
    /// The work queues.
    #[serde(default, deserialize_with = "lenient")]
    pub queues: Vec<QueueEntry>,
    /// Whether there is a browser of objects to go to.
    #[serde(default, deserialize_with = "lenient")]
    pub objects: Option<bool>,
}

/// Structs of which every field may be missing, or be of another type.
macro_rules! entries {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        pub struct $name {
            $($(#[$about])* #[serde(deserialize_with = "lenient")] pub $field: $type,)*
        }
    )*};
}

entries! {
    /// An informer.
    InformerEntry {
        /// Its name, or else the resource.
        name: Option<String>,
        /// Such as `deployments`.
        resource: Option<String>,
        /// Such as `apps/v1`.
        api_version: Option<String>,
        /// Such as `Deployment`.
        kind: Option<String>,
        /// Whether its objects are secret.
        sensitive: Option<bool>,
        /// Whether its cache was full once.
        synced: Option<bool>,
        /// Whether it has ended.
        stopped: Option<bool>,
        /// The worst phase of its scopes, in words.
        phase: Option<String>,
        /// Objects in the cache.
        objects: Option<u64>,
        /// Versions of objects in memory, those that somebody still holds among them.
        versions_alive: Option<u64>,
        /// Bytes of these, packed.
        bytes_alive: Option<u64>,
        /// Deltas that wait.
        queued: Option<u64>,
        /// Bytes of these.
        queued_bytes: Option<u64>,
        /// How long nothing has come for the most stale scope.
        stale_seconds: Option<f64>,
        /// Why its type is not that of the objects, if so.
        wrong_type: Option<String>,
        /// Objects whose `managedFields` were cut.
        managed_fields_cut: Option<u64>,
        /// Reads that found an object decoded.
        decode_hits: Option<u64>,
        /// Reads that had to decode it.
        decode_misses: Option<u64>,
        /// Bytes of objects that are kept decoded.
        decoded_bytes: Option<u64>,
        /// Failures so far.
        failures: Option<u64>,
        /// The last of them.
        last_failure: Option<String>,
        /// Those who hear of changes.
        handlers: Vec<HandlerEntry>,
        /// Its namespaces, or the one entry for all of them.
        scopes: Vec<ScopeEntry>,
    }
    /// Who hears of the changes of an informer.
    HandlerEntry {
        /// Its name, if it was given one.
        name: Option<String>,
        /// Whether it has heard of all objects that there were at first.
        synced: Option<bool>,
        /// Changes that wait for it.
        backlog: Option<u64>,
        /// Changes that were merged into later ones of the same object.
        merged: Option<u64>,
        /// Calls so far.
        delivered: Option<u64>,
        /// Calls that panicked.
        panics: Option<u64>,
        /// Calls that blocked a thread for long.
        slow: Option<u64>,
        /// The slowest call.
        slowest_seconds: Option<f64>,
        /// Objects that it was not told of because they do not decode.
        undecodable: Option<u64>,
    }

    /// A namespace that an informer watches, or all of them.
    ScopeEntry {
        /// `namespace "shop"`, or `all namespaces`.
        scope: Option<String>,
        /// What it is doing, in words.
        phase: Option<String>,
        /// For how long.
        phase_seconds: Option<f64>,
        /// The version from which it goes on.
        resource_version: Option<String>,
        /// How long ago the last byte came.
        last_byte_seconds: Option<f64>,
        /// How long ago the last event came.
        last_event_seconds: Option<f64>,
        /// How long ago the last bookmark came.
        last_bookmark_seconds: Option<f64>,
        /// Lists so far.
        lists: Option<u64>,
        /// Watches so far.
        watches: Option<u64>,
        /// Watches that went on where the one before them had ended.
        reconnects: Option<u64>,
        /// Lists that could not be streamed.
        streaming_fallbacks: Option<u64>,
        /// Events so far.
        events: Option<u64>,
        /// Bookmarks so far.
        bookmarks: Option<u64>,
        /// Lists by their reason, without reasons that there were none of.
        relists: BTreeMap<String, u64>,
        /// The last failure.
        last_error: Option<ErrorEntry>,
    }

    /// A failure of a request.
    ErrorEntry {
        /// The text of the server, or of the connection.
        message: Option<String>,
        /// The status, if a server answered.
        http_status: Option<u16>,
        /// How long ago it was.
        seconds_ago: Option<f64>,
    }

    /// A work queue.
    QueueEntry {
        /// The name of the queue or controller.
        name: Option<String>,
        /// Items that wait for a worker.
        due: Option<u64>,
        /// Items that will be due later.
        later: Option<u64>,
        /// Items that workers have.
        working: Option<u64>,
        /// The item that has been due longest.
        oldest_key: Option<String>,
        /// For how long it has.
        oldest_seconds: Option<f64>,
        /// For how long the slowest worker has been at what it has.
        longest_running_seconds: Option<f64>,
        /// Runs so far.
        runs: Option<u64>,
        /// How many of them failed.
        failures: Option<u64>,
        /// Items that were to come again after a time.
        retries: Option<u64>,
    }
}

impl From<QueueStatus> for QueueEntry {
    fn from(queue: QueueStatus) -> Self {
        let (oldest, age) = queue.oldest.unzip();
        Self {
            name: Some(queue.name),
            due: count(queue.due),
            later: count(queue.later),
            working: count(queue.working),
            oldest_key: oldest,
            oldest_seconds: age.map(seconds),
            longest_running_seconds: queue.longest_running.map(seconds),
            runs: Some(queue.runs),
            failures: Some(queue.failures),
            retries: Some(queue.retries),
        }
    }
}

/// A number as the document has it.
pub fn count(number: usize) -> Option<u64> {
    u64::try_from(number).ok()
}

/// Seconds with three decimals.
pub fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000.0).round() / 1_000.0
}

/// A value of a document of any version.
trait Lenient {
    fn read(value: Value) -> Self;
}

impl<T: DeserializeOwned> Lenient for Option<T> {
    fn read(value: Value) -> Self {
        serde_json::from_value(value).ok()
    }
}

/// An entry of which nothing can be read counts, too.
impl<T: DeserializeOwned + Default> Lenient for Vec<T> {
    fn read(value: Value) -> Self {
        let Value::Array(values) = value else { return Self::new() };
        values.into_iter().map(|value| serde_json::from_value(value).unwrap_or_default()).collect()
    }
}

impl Lenient for BTreeMap<String, u64> {
    fn read(value: Value) -> Self {
        let Value::Object(members) = value else { return Self::new() };
        members.into_iter().filter_map(|(name, number)| Some((name, number.as_u64()?))).collect()
    }
}

fn lenient<'de, D: Deserializer<'de>, T: Lenient>(from: D) -> Result<T, D::Error> {
    Value::deserialize(from).map(T::read)
}

/// The same, but it must be a list.
fn required<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<Vec<T>, D::Error> {
    Vec::<Value>::deserialize(from).map(|values| Lenient::read(Value::Array(values)))
}

#[cfg(test)]
mod tests;
