//! One request, as its path and query tell.

use http::request::Parts;
use http::{Method, header};
use tokio::time::Instant;

use crate::request::{Query, Verb};

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
    pub(crate) fn of(parts: &Parts, user: &str) -> Self {
        let header = parts.headers.get(header::USER_AGENT);
        let query = parts.uri.query().unwrap_or_default();
        let mut request = Self {
            verb: None,
            resource: String::new(),
            subresource: String::new(),
            namespace: String::new(),
            name: String::new(),
            method: parts.method.clone(),
            path: parts.uri.path().to_owned(),
            query: query.to_owned(),
            user: user.to_owned(),
            user_agent: header
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
                .unwrap_or_default(),
            at: Instant::now(),
            status: None,
        };
        request.read_path(&parts.method, parts.uri.path(), &Query::parse(query));
        request
    }

    /// The decoded value of a query parameter, such as `resourceVersion`; `None` if it is not there.
    pub fn parameter(&self, name: &str) -> Option<String> {
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

    fn read_path(&mut self, method: &Method, path: &str, query: &Query) {
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        let group = match parts.next() {
            Some("api") => "",
            Some("apis") => parts.next().unwrap_or_default(),
            _ => return,
        };
        let Some(_version) = parts.next() else { return };
        let mut rest: Vec<&str> = parts.collect();
        let old_watch = rest.first() == Some(&"watch");
        if old_watch {
            rest.remove(0);
        }
        if let ["namespaces", namespace, of @ ..] = &*rest {
            self.namespace = (*namespace).to_owned();
            // Of the namespace itself there are only its own parts.
            if !of.is_empty() && !["status", "finalize"].contains(&of[0]) {
                rest.drain(..2);
            }
        }
        let Some(plural) = rest.first() else { return };
        let part = |index: usize| rest.get(index).copied().unwrap_or_default().to_owned();
        (self.name, self.subresource) = (part(1), part(2));
        self.resource = match group {
            "" => (*plural).to_owned(),
            group => format!("{plural}.{group}"),
        };
        self.verb = verb(method, old_watch, self.name.is_empty(), query);
        if matches!(self.verb, Some(Verb::List | Verb::Watch)) && self.name.is_empty() {
            self.name = named_by_selector(query);
        }
    }
}

fn verb(method: &Method, old_watch: bool, collection: bool, query: &Query) -> Option<Verb> {
    let watch = old_watch || collection && query.flag("watch") == Some(true);
    Some(match *method {
        Method::GET | Method::HEAD if watch => Verb::Watch,
        Method::GET | Method::HEAD if collection => Verb::List,
        Method::GET | Method::HEAD => Verb::Get,
        Method::POST => Verb::Create,
        Method::PUT => Verb::Update,
        Method::PATCH => Verb::Patch,
        Method::DELETE if collection => Verb::DeleteCollection,
        Method::DELETE => Verb::Delete,
        _ => return None,
    })
}

/// The one object that a field selector lets through; empty if it is not of that form.
fn named_by_selector(query: &Query) -> String {
    let parts = query.text("fieldSelector").split(',');
    let name = parts.filter_map(|part| part.strip_prefix("metadata.name=")).next().unwrap_or_default();
    name.trim_start_matches('=').to_owned()
}
