//! What is asked of the server.

use crate::scope::Scope;

/// A LIST or WATCH request for the informer's kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// All namespaces or one.
    pub scope: Scope,
    /// What is asked.
    pub verb: Verb,
    /// Only objects with these labels.
    pub label_selector: Option<String>,
    /// Only objects with these fields.
    pub field_selector: Option<String>,
    /// Whether only metadata is asked for (`PartialObjectMetadata`).
    pub metadata_only: bool,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// The collection, whole or one page of it.
    List(ListParams),
    /// Changes as they happen.
    Watch(WatchParams),
}

/// How `resourceVersion` is meant in a LIST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionMatch {
    /// At least as new.
    NotOlderThan,
    /// Exactly this version.
    Exact,
}

/// Parameters of a LIST.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListParams {
    /// `""` (not sent) for the most recent state, `"0"` for any, or a version.
    pub resource_version: String,
    /// How the version is meant.
    pub version_match: Option<VersionMatch>,
    /// Page size.
    pub limit: Option<u32>,
    /// The next page of an earlier answer.
    pub continue_token: Option<String>,
}

/// Parameters of a WATCH.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchParams {
    /// Changes after this version.
    pub resource_version: String,
    /// After how many seconds the server ends the watch.
    pub timeout_seconds: u32,
    /// Whether the server sends the current state first and marks its end with a bookmark.
    pub send_initial_events: bool,
}
