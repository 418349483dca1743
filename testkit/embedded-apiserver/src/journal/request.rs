//! The record of one request.

use http::{Method, header};
use informer_wire::selector::FieldSelector;
use tokio::time::Instant;

use crate::request::{Query, Request, RequestInfo, Verb};

/// A request that the server has received.
///
/// The verb and the resource are read from method, path and query alone, as the real server does for its access rules;
/// the resource need not exist.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The verb; `None` if the request is not about objects, such as discovery and `/healthz`.
    pub verb: Option<Verb>,
    /// The resource as `kubectl` spells it: `pods`, `deployments.apps`. Empty if the request is not about objects.
    pub resource: String,
    /// `status`, `scale` and so on; empty for the object itself.
    pub subresource: String,
    /// Empty for requests across all namespaces and for cluster-scoped kinds.
    pub namespace: String,
    /// The name of the object. For a list or watch, the one in its field selector (`metadata.name=x`). Empty if there is
    /// none.
    pub name: String,
    /// The method, such as `GET`.
    pub method: Method,
    /// The path, as it was sent.
    pub path: String,
    /// The part of the URL after the `?`, as it was sent; see [`parameter`](Self::parameter).
    pub query: String,
    /// The user that the token belongs to; see [`Builder::user`](crate::Builder::user). Empty without a valid token.
    pub user: String,
    /// The header `User-Agent`.
    pub user_agent: String,
    /// When it arrived, on tokio's clock.
    pub at: Instant,
    /// The HTTP status of the answer; `None` until it is answered, and for ever if the connection was broken instead.
    pub status: Option<u16>,
}

impl RecordedRequest {
    pub(crate) fn new(request: &Request, user: &str) -> Self {
        let header = request.headers.get(header::USER_AGENT);
        let mut recorded = Self {
            verb: None,
            resource: String::new(),
            subresource: String::new(),
            namespace: String::new(),
            name: String::new(),
            method: request.method.clone(),
            path: request.uri.path().to_owned(),
            query: request.uri.query().unwrap_or_default().to_owned(),
            user: user.to_owned(),
            user_agent: header
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
                .unwrap_or_default(),
            at: Instant::now(),
            status: None,
        };
        if let Some(info) = &request.info {
            recorded.describe(info, &request.query);
        }
        recorded
    }

    /// The decoded value of a query parameter, such as `resourceVersion`; `None` if it is missing.
    pub fn parameter(&self, name: &str) -> Option<String> {
        // The journal keeps the text alone: many short parameters take many times its memory when they are parsed.
        Query::parse(&self.query).first(name).map(str::to_owned)
    }

    /// Whether it has this verb and resource (`pods`, `deployments.apps`).
    pub fn is(&self, verb: Verb, resource: &str) -> bool {
        self.verb == Some(verb) && self.resource == resource
    }

    /// The group of its resource; empty for the core group.
    pub(crate) fn group(&self) -> &str {
        self.resource.split_once('.').map_or("", |(_, group)| group)
    }

    /// The resource without its group.
    pub(crate) fn plural(&self) -> &str {
        self.resource.split_once('.').map_or(&*self.resource, |(plural, _)| plural)
    }

    fn describe(&mut self, info: &RequestInfo, query: &Query) {
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        self.verb = info.verb;
        self.resource = match &*info.group {
            "" => info.plural.clone(),
            group => format!("{}.{group}", info.plural),
        };
        self.name = text(&info.name);
        self.subresource = text(&info.subresource);
        // As in the real server, a request about a namespace counts as one within that namespace.
        self.namespace = match &info.namespace {
            None if info.plural == "namespaces" => self.name.clone(),
            namespace => text(namespace),
        };
        if matches!(self.verb, Some(Verb::List | Verb::Watch)) && info.name.is_none() {
            self.name = named_by_selector(query);
        }
    }
}

/// The name that a field selector asks for; empty if it asks for none.
fn named_by_selector(query: &Query) -> String {
    let selector = FieldSelector::parse(query.text("fieldSelector")).unwrap_or_default();
    selector.name().unwrap_or_default().to_owned()
}
