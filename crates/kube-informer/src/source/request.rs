//! What is asked of the server, and the exact URL that asks it.

use std::fmt::Write as _;

use crate::kind::KindInfo;
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

impl Request {
    /// Path and query of the URL, for a kind.
    pub fn path_and_query(&self, kind: &KindInfo) -> String {
        let namespace = self.scope.as_namespace().map(encode);
        let (path, query) = (kind.url_path(namespace.as_deref()), self.query());
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }

    /// The query of the URL.
    ///
    /// ```
    /// use kube_informer::{ListParams, Request, Scope, Verb};
    ///
    /// let request = Request {
    ///     scope: Scope::All,
    ///     verb: Verb::List(ListParams { resource_version: "0".into(), limit: Some(500), ..Default::default() }),
    ///     label_selector: Some("app=web".into()),
    ///     field_selector: None,
    ///     metadata_only: false,
    /// };
    /// assert_eq!(request.query(), "resourceVersion=0&limit=500&labelSelector=app%3Dweb");
    /// ```
    pub fn query(&self) -> String {
        let mut query = Query(String::new());
        match &self.verb {
            Verb::List(params) => params.write(&mut query),
            Verb::Watch(params) => params.write(&mut query),
        }
        query.add_some("labelSelector", self.label_selector.as_deref());
        query.add_some("fieldSelector", self.field_selector.as_deref());
        query.0
    }
}

impl ListParams {
    fn write(&self, query: &mut Query) {
        if let Some(token) = self.continue_token.as_deref().filter(|token| !token.is_empty()) {
            // The token holds the version; the server refuses requests that name it again.
            query.add("continue", token);
        } else if !self.resource_version.is_empty() {
            query.add("resourceVersion", &self.resource_version);
            query.add_some("resourceVersionMatch", self.version_match.map(VersionMatch::as_str));
        }
        if let Some(limit) = self.limit.filter(|limit| *limit > 0) {
            query.add("limit", &limit.to_string());
        }
    }
}

impl WatchParams {
    fn write(&self, query: &mut Query) {
        query.add("watch", "true");
        query.add("allowWatchBookmarks", "true");
        query.add("timeoutSeconds", &self.timeout_seconds.to_string());
        if self.send_initial_events {
            query.add("sendInitialEvents", "true");
            // Required with sendInitialEvents, also where no version is named.
            query.add("resourceVersionMatch", VersionMatch::NotOlderThan.as_str());
        }
        if !self.resource_version.is_empty() {
            query.add("resourceVersion", &self.resource_version);
        }
    }
}

impl VersionMatch {
    fn as_str(self) -> &'static str {
        match self {
            Self::NotOlderThan => "NotOlderThan",
            Self::Exact => "Exact",
        }
    }
}

struct Query(String);

impl Query {
    fn add(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        self.0.push_str(&encode(value));
    }

    fn add_some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.add(name, value);
        }
    }
}

/// Percent-encodes all but the characters that mean nothing anywhere in a URL.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
