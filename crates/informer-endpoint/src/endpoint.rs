//! Answers requests by path.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Method, Response, StatusCode};
use kube_informer::status::InformerStatus;

use crate::digests::Digested;
use crate::{debug, digests, readiness};

/// Answers requests about the health and the state of informers. Cheap to clone.
#[derive(Clone)]
pub struct Endpoint {
    statuses: Arc<dyn Fn() -> Vec<InformerStatus> + Send + Sync>,
    metrics: Option<Arc<dyn Fn() -> String + Send + Sync>>,
    max_staleness: Option<Duration>,
    digests: Option<Arc<dyn Fn() -> Vec<Digested> + Send + Sync>>,
}

/// The paths that are served, listed in the answer to any other path.
const PATHS: &str = "/livez /readyz /metrics /debug/informers";

impl Endpoint {
    /// An endpoint for the informers whose status `statuses` returns. It is called for every request.
    pub fn new(statuses: impl Fn() -> Vec<InformerStatus> + Send + Sync + 'static) -> Self {
        Self { statuses: Arc::new(statuses), metrics: None, max_staleness: None, digests: None }
    }

    /// Serves this text as `/metrics`; `install_recorder`, of the feature `prometheus`, makes one.
    #[must_use]
    pub fn metrics(mut self, text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.metrics = Some(Arc::new(text));
        self
    }

    /// Reports the program as not ready while the API server has sent nothing for this long.
    ///
    /// Without this limit, replicas stay ready during an outage of the API server, which is right for a program that can
    /// work with a stale cache. A watch without events gets a bookmark about every minute, so anything below two minutes is
    /// too short.
    #[must_use]
    pub fn max_staleness(mut self, age: Duration) -> Self {
        self.max_staleness = Some(age);
        self
    }

    /// Serves `/debug/digests`: of each object of these informers the key, the uid, the version and a digest, never the content.
    /// `informer diff --endpoint` compares them with the server. Without this call there is no such page.
    ///
    /// It tells the names of all objects, so the port should be for operators only. Objects of sensitive kinds have no digest,
    /// nor have those of an informer that drops fields or transforms them.
    ///
    /// ```
    /// # use informer_endpoint::{Digested, Endpoint};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_informer::{SharedInformer, testing::ScriptedSource};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let maps = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build()?;
    /// let endpoint = Endpoint::new({ let maps = maps.clone(); move || vec![maps.status()] })
    ///     .digests(move || vec![Digested::new(&maps)]);
    /// # assert_eq!(endpoint.answer(&http::Method::GET, "/debug/digests").status(), 200);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn digests(mut self, informers: impl Fn() -> Vec<Digested> + Send + Sync + 'static) -> Self {
        self.digests = Some(Arc::new(informers));
        self
    }

    /// Answers one request; for a program that has an HTTP server already.
    pub fn answer(&self, method: &Method, path: &str) -> Response<String> {
        if method != Method::GET && method != Method::HEAD {
            let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n".into());
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refused;
        }
        match path {
            "/livez" | "/healthz" => text(StatusCode::OK, "ok\n".into()),
            "/readyz" => {
                let (ready, body) = readiness::readiness(&(self.statuses)(), self.max_staleness);
                text(if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, body)
            }
            "/metrics" => match &self.metrics {
                Some(metrics) => typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics()),
                None => {
                    text(StatusCode::NOT_FOUND, "no recorder of metrics was given to the endpoint\n".into())
                }
            },
            "/debug/informers" => {
                typed(StatusCode::OK, "application/json", debug::informers(&(self.statuses)()))
            }
            path if path.starts_with(digests::PATH) && self.digests.is_some() => {
                let informers = self.digests.as_ref().map(|informers| informers()).unwrap_or_default();
                match digests::answer(&informers, &path[digests::PATH.len()..]) {
                    Some(body) => typed(StatusCode::OK, "application/json", body),
                    None => text(StatusCode::NOT_FOUND, "there is no such informer\n".into()),
                }
            }
            _ => text(StatusCode::NOT_FOUND, format!("not found; there is {PATHS}\n")),
        }
    }
}

fn text(status: StatusCode, body: String) -> Response<String> {
    typed(status, "text/plain; charset=utf-8", body)
}

fn typed(status: StatusCode, content_type: &'static str, body: String) -> Response<String> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("metrics", &self.metrics.is_some())
            .field("max_staleness", &self.max_staleness)
            .finish_non_exhaustive()
    }
}
