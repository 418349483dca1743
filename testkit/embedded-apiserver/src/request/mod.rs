//! Requests, parsed once: method, path, query, headers and body.

mod accept;
mod decode;
mod duration;
mod info;
mod list_options;
mod query;
mod route;
mod verb;
mod warnings;

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use parking_lot::Mutex;

use crate::kinds::Resource;
use decode::percent_decoded;

pub(crate) use accept::{Accept, Form};
pub(crate) use info::RequestInfo;
pub(crate) use list_options::{ListOptions, VersionMatch, parse_version};
pub(crate) use query::Query;
pub(crate) use route::{DiscoveryPath, Route};
pub use verb::Verb;
use warnings::Warnings;

/// An HTTP request whose URL has been parsed. The front makes one of each request that arrives, and the journal, the
/// faults and the API all work from it.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The URL as it was sent, for the journal and for messages.
    pub(crate) uri: Uri,
    /// The decoded path, split at its slashes; `None` if its percent-encoding is invalid.
    segments: Option<Vec<String>>,
    pub(crate) query: Query,
    /// `None` if the path is not one of objects, such as `/healthz` and the paths of discovery.
    pub(crate) info: Option<RequestInfo>,
    pub(crate) headers: HeaderMap,
    /// The name of the user that sends it; empty if it is not known.
    pub(crate) user: String,
    /// Empty until the front has read it. It does so last, because credentials and faults may refuse a request whose
    /// body has not arrived yet.
    pub(crate) body: Bytes,
    /// What the answer warns of.
    warnings: Mutex<Warnings>,
}

/// The verb, the served resource and the object that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) verb: Verb,
    pub(crate) resource: Arc<Resource>,
    /// `None` for a request across all namespaces and for cluster-scoped kinds.
    pub(crate) namespace: Option<String>,
    /// The name of the object. With [`Verb::Watch`] (a path that begins with `watch/`) only this object is watched.
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<String>,
}

impl Request {
    /// Parses the URL. The body is left empty.
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { method, uri, headers, .. } = parts;
        let query = Query::parse(uri.query().unwrap_or_default());
        let segments = percent_decoded(uri.path()).map(|path| {
            let path = path.strip_prefix('/').unwrap_or(&path);
            let path = path.strip_suffix('/').unwrap_or(path);
            path.split('/').map(str::to_owned).collect::<Vec<_>>()
        });
        let info = segments.as_ref().and_then(|segments| RequestInfo::parse(&method, segments, &query));
        let body = Bytes::new();
        let warnings = Mutex::default();
        Self { method, uri, segments, query, info, headers, user: String::new(), body, warnings }
    }

    /// Adds a warning to the answer, unless it is there already.
    pub(crate) fn warn(&self, warning: &str) {
        self.warnings.lock().add(warning);
    }

    /// Adds the headers with the warnings to the answer.
    pub(crate) fn write_warnings(&self, headers: &mut HeaderMap) {
        for warning in self.warnings.lock().headers() {
            if let Ok(value) = HeaderValue::from_bytes(warning.as_bytes()) {
                headers.append(header::WARNING, value);
            }
        }
    }

    /// Whether it asks to go on as a WebSocket.
    pub(crate) fn upgrades_to_websocket(&self) -> bool {
        let has = |name: HeaderName, wanted: &str| {
            let values = self.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(wanted))
        };
        has(header::CONNECTION, "upgrade") && has(header::UPGRADE, "websocket")
    }

    /// The `Content-Type` without its parameters; JSON if the header is missing.
    pub(crate) fn media_type(&self) -> &str {
        let value = self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        match value.unwrap_or_default().split(';').next().unwrap_or_default().trim() {
            "" => "application/json",
            media_type => media_type,
        }
    }
}
