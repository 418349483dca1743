//! One request, as its path and query tell.

use http::{Method, header};
use tokio::time::Instant;

use crate::request::{Query, Request, RequestInfo, Verb};

/// A request that the server has received.
///
/// What it asks for is read from method, path and query alone, as the real server does before it looks at access
/// rights; whether such a resource exists does not matter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// What it does; `None` if it is not about objects, such as discovery and `/healthz`.
    pub verb: Option<Verb>,
    /// The resource as `kubectl` spells it: `pods`, `deployments.apps`. Empty if it is not about objects.
    pub resource: String,
    /// `status`, `scale` and so on; empty for the object itself.
    pub subresource: String,
    /// Empty for all namespaces and for kinds of the whole cluster.
    pub namespace: String,
    /// Of the object. For a list or watch, the one that its field selector names. Empty if there is none.
    pub name: String,
    /// The method, such as `GET`.
    pub method: Method,
    /// The path, as it was sent.
    pub path: String,
    /// What is after the `?`, as it was sent; see [`parameter`](Self::parameter).
    pub query: String,
    /// As whom the client is known by its token; see [`Builder::user`](crate::Builder::user). Empty if it is not known.
    pub user: String,
    /// The header `User-Agent`.
    pub user_agent: String,
    /// When it arrived, on tokio's clock.
    pub at: Instant,
    /// The HTTP status of the answer; `None` until it is answered, and if the connection was broken instead.
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

    /// The decoded value of a query parameter, such as `resourceVersion`; `None` if it is not there.
    pub fn parameter(&self, name: &str) -> Option<String> {
        // The journal keeps the text alone: many short parameters take many times its memory when they are parsed.
        Query::parse(&self.query).first(name).map(str::to_owned)
    }

    /// Whether it does this to this resource (`pods`, `deployments.apps`).
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
        (self.name, self.subresource) = (text(&info.name), text(&info.subresource));
        // As for access rules, a namespace is in itself.
        self.namespace = match &info.namespace {
            None if info.plural == "namespaces" => self.name.clone(),
            namespace => text(namespace),
        };
        if matches!(self.verb, Some(Verb::List | Verb::Watch)) && info.name.is_none() {
            self.name = named_by_selector(query);
        }
    }
}

/// The one object that a field selector lets through; empty if it is not of that form.
fn named_by_selector(query: &Query) -> String {
    let parts = query.text("fieldSelector").split(',');
    let name = parts.filter_map(|part| part.strip_prefix("metadata.name=")).next().unwrap_or_default();
    name.trim_start_matches('=').to_owned()
}
