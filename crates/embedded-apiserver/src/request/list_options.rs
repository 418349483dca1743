//! What lists and watches can be asked for.

use super::{Query, Verb};
use crate::status::ApiError;

/// The options of a list, a watch or the deletion of a collection; decoded, defaulted and validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListOptions {
    /// Not parsed yet.
    pub(crate) label_selector: String,
    /// Not parsed yet.
    pub(crate) field_selector: String,
    pub(crate) allow_bookmarks: bool,
    /// As given; see [`version`](Self::version).
    pub(crate) resource_version: String,
    pub(crate) version_match: Option<VersionMatch>,
    /// Of watches only.
    pub(crate) timeout_seconds: Option<u64>,
    /// Zero for none.
    pub(crate) limit: usize,
    /// Empty for none.
    pub(crate) continue_token: String,
    /// Of watches only; set also if the request has neither this nor a version, which means the same.
    pub(crate) send_initial_events: Option<bool>,
}

/// How the resourceVersion of a request is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionMatch {
    /// That version and no other.
    Exact,
    /// That version or a later one.
    NotOlderThan,
}

impl ListOptions {
    /// Reads them from a query; 400 for what cannot be decoded, 422 for what contradicts itself.
    pub(crate) fn parse(query: &Query, verb: Verb) -> Result<Self, ApiError> {
        let _ = (query, verb);
        Ok(Self::default())
    }

    /// The resourceVersion as a number; `None` if there is none. A wrong one is refused late, by the storage: 400 for
    /// a list, 500 for a watch.
    pub(crate) fn version(&self, verb: Verb) -> Result<Option<u64>, ApiError> {
        parse_version(&self.resource_version, verb)
    }
}

/// A resourceVersion of a request as a number; for GET, LIST and WATCH.
pub(crate) fn parse_version(version: &str, verb: Verb) -> Result<Option<u64>, ApiError> {
    let _ = (version, verb);
    Ok(None)
}
