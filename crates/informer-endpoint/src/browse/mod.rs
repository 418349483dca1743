//! The browser of objects: contents, for whom the program allows it.
//!
//! Nothing is kept while nobody looks. A search holds a snapshot of the cache and at most [`search::ROWS`] rows; who looks at the
//! changes of a kind, or at one object, has a stream of the informer's events, which ends with the connection, and the last few
//! changes are remembered until then ([`changes`], [`object`], [`watching`]).

mod changes;
mod difference;
mod object;
mod query;
mod rows;
mod search;
mod viewer;
mod watching;
mod yaml;

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderMap, Request, Response, StatusCode};
use kube_informer::SharedInformer;
use serde_json::json;

use self::query::Query;
pub(crate) use self::viewer::Pages;
use crate::answer::{Body, Refusal, events, json};
use crate::endpoint::Endpoint;
use crate::{guard, page};

/// Where it is.
pub(crate) const PATH: &str = "/debug/objects";

/// The objects that the endpoint may show: names, labels, fields and what changes, of the informers that are named here.
///
/// This is a permission of its own. Without it no route of the endpoint shows anything of what objects contain.
///
/// - Of [sensitive](kube_informer::Options::sensitive) kinds, such as Secrets, only names and sizes are shown, and they are found
///   by name only.
/// - A listener that others can reach, which is any that is not on loopback, needs a [token](Self::token). On loopback everybody
///   on this machine may look, unless there is one.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// # use kube_informer::testing::ScriptedSource;
/// # use kube_informer::SharedInformer;
/// use informer_endpoint::{Endpoint, ObjectBrowser};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let pods = SharedInformer::<Pod>::builder(ScriptedSource::of::<Pod>()).build()?;
/// let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&pods));
/// let refused = endpoint.clone().listen("0.0.0.0:0".parse()?).await;
/// assert!(refused.unwrap_err().to_string().contains("token"));
/// let listening = endpoint.listen("127.0.0.1:0".parse()?).await?;
/// println!("http://{}/debug/objects", listening.address());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct ObjectBrowser {
    informers: Vec<SharedInformer<()>>,
    token: Option<Arc<str>>,
}

impl ObjectBrowser {
    /// No objects yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The objects of this informer.
    #[must_use]
    pub fn informer<K: 'static>(mut self, informer: &SharedInformer<K>) -> Self {
        self.informers.push(informer.as_kind());
        self
    }

    /// Only for requests with this token, as `Authorization: Bearer …`. The page asks for it.
    ///
    /// Blanks and line breaks around it are left out: files and Secrets often end with one, and no request can. It is an error of
    /// [`listen`](Endpoint::listen) if nothing is left, or characters that are not ASCII or cannot be seen.
    ///
    /// The connection is not encrypted: keep the port within the cluster, or put TLS in front of it.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into().trim().into());
        self
    }

    /// Why they may not be shown at this address.
    pub(crate) fn refusal(&self, address: IpAddr) -> Option<&'static str> {
        match &self.token {
            Some(token) if token.is_empty() => Some("the token for contents of objects is empty"),
            Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') => Some(
                "the token for contents of objects has characters that are not ASCII or cannot be seen, such as a line break, \
                 and no browser could send it",
            ),
            None if !address.to_canonical().is_loopback() => Some(
                "contents of objects are only shown on a loopback address, such as 127.0.0.1, or with a token \
                 (ObjectBrowser::token)",
            ),
            _ => None,
        }
    }

    /// Answers what is asked below [`PATH`].
    pub(crate) fn respond<B>(&self, endpoint: &Endpoint, request: &Request<B>) -> Response<Body> {
        let path = request.uri().path();
        let Some(rest) = path.strip_prefix(PATH) else { return not_found().answer().map(Body::from) };
        if rest.is_empty() {
            // It has no contents; what it asks for has.
            return page::OBJECTS.answer();
        }
        let query = Query::parse(request.uri().query().unwrap_or_default());
        match self.look(endpoint, request.headers(), rest, &query) {
            Ok(answer) => answer,
            Err(refused) => refused.answer().map(Body::from),
        }
    }

    fn look(
        &self,
        endpoint: &Endpoint,
        headers: &HeaderMap,
        path: &str,
        query: &Query,
    ) -> Result<Response<Body>, Refusal> {
        if let Some(token) = &self.token {
            guard::check_token(headers, token)?;
        }
        if path == "/kinds" {
            return Ok(self.kinds().map(Body::from));
        }
        let informer = query.number("informer").and_then(|number| self.informers.get(number));
        let informer =
            informer.ok_or_else(|| refused("there is no such informer; /debug/objects/kinds has them"))?;
        if !is_meant(informer, query) {
            return Err(Refusal::new(
                StatusCode::CONFLICT,
                "another informer stands at this place now; /debug/objects/kinds has them",
            ));
        }
        let viewer = || Ok::<_, Refusal>(endpoint.pages.viewer(query.text("page"), endpoint.object_seat()?));
        let stream = match path {
            "/search" => search::stream(informer, query, viewer()?),
            "/object" => object::stream(informer, query, viewer()?),
            "/changes" => changes::stream(informer, viewer()?),
            _ => return Err(not_found()),
        };
        stream.map(events).map_err(refused)
    }

    fn kinds(&self) -> Response<String> {
        let kinds = self.informers.iter().map(|informer| {
            json!({
                "name": informer.name(),
                "apiVersion": informer.kind().api_version(),
                "kind": informer.kind().kind(),
                "objects": informer.lister().len(),
                "sensitive": informer.status().sensitive,
            })
        });
        json(&kinds.collect())
    }
}

/// Whether this is the informer that is asked for, if the request says which: a program that was started again may have others, or
/// the same in another order, and a page that was open before would show objects of one kind as those of another.
fn is_meant(informer: &SharedInformer<()>, query: &Query) -> bool {
    let is = |named: &str, found: &str| query.text(named).is_none_or(|wanted| wanted == found);
    let kind = informer.kind();
    is("of", informer.name()) && is("apiVersion", &kind.api_version()) && is("kind", kind.kind())
}

fn not_found() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not found")
}

fn refused(why: impl Into<Cow<'static, str>>) -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, why)
}

impl fmt::Debug for ObjectBrowser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBrowser")
            .field("informers", &self.informers.iter().map(SharedInformer::name).collect::<Vec<_>>())
            .field("token", &self.token.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests;
