//! Requests to the server, and their exact URLs.

use std::fmt::Write as _;
use std::time::Duration;

pub use informer_core::reflector::request::StreamingList;
pub(crate) use informer_core::reflector::request::{ListParams, VersionMatch};
use informer_core::scope::Scope;

use crate::kind::KindInfo;

/// A LIST or WATCH request for the kind of a [`ListWatch`](super::ListWatch).
///
/// Informers make them; a program that uses a [`ListWatch`](super::ListWatch) directly can make one too.
///
/// ```
/// use kube_informer::source::Request;
/// use kube_informer::status::Scope;
///
/// let request = Request::list(Scope::All).limit(500).labels("app=web");
/// assert_eq!(request.query(), "limit=500&labelSelector=app%3Dweb");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub(crate) scope: Scope,
    pub(crate) verb: Verb,
    pub(crate) label_selector: Option<String>,
    pub(crate) field_selector: Option<String>,
    pub(crate) metadata_only: bool,
    /// Whether the server is asked to leave out `metadata.managedFields`.
    pub(crate) drop_managed_fields: bool,
    /// Whether the objects hold secrets.
    pub(crate) sensitive: bool,
    /// It takes the place of a request on which nothing came for so long. A connection that has been silent for as long is
    /// probably dead, so another one is better.
    pub(crate) silence: Option<Duration>,
}

/// The selectors of an informer, in the server's syntax. `None` selects all objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Only objects with these labels: `app=web,tier in (front, back)`.
    pub labels: Option<String>,
    /// Only objects with these fields: `spec.nodeName=node-1`.
    pub fields: Option<String>,
}

/// LIST or WATCH, with parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verb {
    /// The collection, whole or one page of it.
    List(ListParams),
    /// Changes as they happen.
    Watch(WatchParams),
}

/// Parameters of a WATCH.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WatchParams {
    /// Changes after this version.
    pub(crate) resource_version: String,
    /// After how many seconds the server ends the watch.
    pub(crate) timeout_seconds: u32,
    /// Whether the server sends the current state first and marks its end with a bookmark.
    pub(crate) send_initial_events: bool,
}

impl Request {
    /// A LIST of the most recent state of a scope, in one piece.
    pub fn list(scope: Scope) -> Self {
        Self::of(scope, Verb::List(ListParams::default()))
    }

    /// A WATCH of a scope from a resource version on, for so many seconds.
    pub fn watch(scope: Scope, resource_version: impl Into<String>, timeout_seconds: u32) -> Self {
        let params = WatchParams {
            resource_version: resource_version.into(),
            timeout_seconds,
            send_initial_events: false,
        };
        Self::of(scope, Verb::Watch(params))
    }

    fn of(scope: Scope, verb: Verb) -> Self {
        Self {
            scope,
            verb,
            label_selector: None,
            field_selector: None,
            metadata_only: false,
            drop_managed_fields: false,
            sensitive: false,
            silence: None,
        }
    }

    /// Makes a LIST return pages of this many objects.
    #[must_use]
    pub fn limit(mut self, objects: u32) -> Self {
        if let Verb::List(params) = &mut self.verb {
            params.limit = Some(objects);
        }
        self
    }

    /// Requests the next page of a LIST, with the `continue` token of the previous page.
    #[must_use]
    pub fn continue_from(mut self, token: impl Into<String>) -> Self {
        if let Verb::List(params) = &mut self.verb {
            params.continue_token = Some(token.into());
        }
        self
    }

    /// Makes a LIST return the state at exactly this version, as long as the server still has it.
    #[must_use]
    pub fn exactly_at(mut self, resource_version: impl Into<String>) -> Self {
        if let Verb::List(params) = &mut self.verb {
            params.resource_version = resource_version.into();
            params.version_match = Some(VersionMatch::Exact);
        }
        self
    }

    /// Only objects with these labels, in the server's syntax.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.label_selector = Some(selector.into());
        self
    }

    /// Only objects with these fields, in the server's syntax.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.field_selector = Some(selector.into());
        self
    }

    /// All namespaces or one.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Whether it is a WATCH, and not a LIST.
    pub fn is_watch(&self) -> bool {
        matches!(self.verb, Verb::Watch(_))
    }

    /// Whether the request is for metadata only (`PartialObjectMetadata`), which the `Accept` header says.
    pub fn is_metadata_only(&self) -> bool {
        self.metadata_only
    }

    /// Whether the objects hold secrets: core Secrets, and kinds that were marked with
    /// [`Options::sensitive`](crate::Options::sensitive). A source that writes down or shows what passes through it leaves out
    /// what they contain.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }

    /// Path and query of the URL, for a kind.
    pub fn path_and_query(&self, kind: &KindInfo) -> String {
        let namespace = self.scope.as_namespace().map(encode);
        let (path, query) = (kind.url_path(namespace.as_deref()), self.query());
        if query.is_empty() { path } else { format!("{path}?{query}") }
    }

    /// The query of the URL.
    pub fn query(&self) -> String {
        let mut query = Query(String::new());
        match &self.verb {
            Verb::List(params) => query.list(params),
            Verb::Watch(params) => params.write(&mut query),
        }
        query.add_some("labelSelector", self.label_selector.as_deref());
        query.add_some("fieldSelector", self.field_selector.as_deref());
        query.0
    }
}

impl Query {
    fn list(&mut self, params: &ListParams) {
        if let Some(token) = params.continue_token.as_deref().filter(|token| !token.is_empty()) {
            // The token holds the version; the server refuses requests that name it again.
            self.add("continue", token);
        } else if !params.resource_version.is_empty() {
            self.add("resourceVersion", &params.resource_version);
            self.add_some("resourceVersionMatch", params.version_match.map(VersionMatch::as_str));
        }
        if let Some(limit) = params.limit.filter(|limit| *limit > 0) {
            self.add("limit", &limit.to_string());
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
