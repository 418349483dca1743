//! Answers requests by path.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Response, StatusCode};
use informer_wire::QueueStatus;
use informer_wire::status_document::StatusDocument;
use kube_informer::status::InformerStatus;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::answer::{Refusal, text, typed};
use crate::browse::{ObjectBrowser, Pages};
use crate::digests::Digested;
use crate::guard::{self, Hosts};
use crate::stream::{OBJECT_VIEWERS, VIEWERS};
use crate::{browse, debug, digests, readiness};

/// Answers requests about the health and the state of informers. Cheap to clone.
#[derive(Clone)]
pub struct Endpoint {
    statuses: Arc<dyn Fn() -> Vec<InformerStatus> + Send + Sync>,
    metrics: Option<Arc<dyn Fn() -> String + Send + Sync>>,
    queues: Option<Arc<dyn Fn() -> Vec<QueueStatus> + Send + Sync>>,
    max_staleness: Option<Duration>,
    pub(crate) hosts: Hosts,
    pub(crate) objects: Option<ObjectBrowser>,
    pub(crate) seats: Arc<Semaphore>,
    pub(crate) object_seats: Arc<Semaphore>,
    pub(crate) pages: Pages,
    began: Instant,
    /// Pages of digests are made one at a time.
    pub(crate) digesting: Arc<Semaphore>,
    digests: Option<Arc<dyn Fn() -> Vec<Digested> + Send + Sync>>,
}

impl Endpoint {
    /// An endpoint for the informers whose status `statuses` returns. It is called for every request.
    pub fn new(statuses: impl Fn() -> Vec<InformerStatus> + Send + Sync + 'static) -> Self {
        Self {
            statuses: Arc::new(statuses),
            metrics: None,
            queues: None,
            max_staleness: None,
            hosts: Hosts::default(),
            objects: None,
            seats: Arc::new(Semaphore::new(VIEWERS)),
            object_seats: Arc::new(Semaphore::new(OBJECT_VIEWERS)),
            pages: Pages::default(),
            began: Instant::now(),
            digesting: Arc::new(Semaphore::new(1)),
            digests: None,
        }
    }

    /// Serves this text as `/metrics`; `install_recorder`, of the feature `prometheus`, makes one.
    #[must_use]
    pub fn metrics(mut self, text: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.metrics = Some(Arc::new(text));
        self
    }

    /// Shows these work queues with the informers. The function is called for every request, and once a second while somebody
    /// views the page. That of a controller is `Controller::queue_status()` of `informer-controller`; of a queue without one, the
    /// program says what it knows:
    ///
    /// ```
    /// use informer_endpoint::{Endpoint, QueueStatus};
    ///
    /// let endpoint = Endpoint::new(Vec::new).queues(|| {
    ///     vec![QueueStatus { name: "replicaset".into(), due: 3, ..QueueStatus::default() }]
    /// });
    /// let answer = endpoint.answer(&http::Method::GET, "/debug/informers");
    /// assert!(answer.body().contains("replicaset"));
    /// ```
    #[must_use]
    pub fn queues<Q>(mut self, queues: impl Fn() -> Q + Send + Sync + 'static) -> Self
    where
        Q: IntoIterator<Item = QueueStatus>,
    {
        self.queues = Some(Arc::new(move || queues().into_iter().collect()));
        self
    }

    /// Also serves a browser of these objects at `/debug/objects`: their contents, which nothing else of the endpoint shows.
    /// [`ObjectBrowser`] says who may see what.
    #[must_use]
    pub fn objects(mut self, objects: ObjectBrowser) -> Self {
        self.objects = Some(objects);
        self
    }

    /// Also answers requests for this host, such as the DNS name of a Service, without a port.
    ///
    /// A [listener](Self::listen) only answers requests whose `Host` is `localhost`, a loopback address or the address that the
    /// request came to. Otherwise any site could have its own name resolve to that address and have a browser read the answers
    /// (DNS rebinding). Only `/livez`, and of `/readyz` the status, are answered to everybody.
    #[must_use]
    pub fn host(mut self, name: &str) -> Self {
        self.hosts = self.hosts.and(name);
        self
    }

    /// Reports the program as not ready while the API server has sent nothing for this long.
    ///
    /// Without this limit, replicas stay ready during an outage of the API server, which is right for a program that can
    /// work with a stale cache. Where nothing happens, the server is heard of every 30 to 100 s, by a bookmark or because it
    /// accepts another watch, so anything below two minutes is too short.
    #[must_use]
    pub fn max_staleness(mut self, age: Duration) -> Self {
        self.max_staleness = Some(age);
        self
    }

    /// Serves `/debug/digests`: of each object of these informers the key, the uid, the version and a digest, never the content.
    /// `informer diff --endpoint` compares them with the server. Without this call there is no such page.
    ///
    /// It tells the names of all objects to whoever can connect, without a token, so the port should be for operators only.
    /// Objects of sensitive kinds have no digest, nor have those of an informer that drops fields or transforms them.
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

    /// Answers one request with text or JSON; for a program that has an HTTP server already. The page, and contents of objects,
    /// are only served by [`listen`](Self::listen).
    ///
    /// All of the answer is made within this call. With [`digests`](Self::digests) that is a look at all keys of a cache and some 20 ms of
    /// hashing; `listen` does it in small steps and for one client at a time.
    pub fn answer(&self, method: &Method, path: &str) -> Response<String> {
        let mut answer = match guard::check_method(method) {
            Ok(()) => self.look(path).unwrap_or_else(|| self.not_found(false)),
            Err(refused) => refused.answer(),
        };
        guard::harden(&mut answer);
        answer
    }

    /// What is at a path; `None` if nothing is.
    pub(crate) fn look(&self, path: &str) -> Option<Response<String>> {
        Some(match path {
            "/livez" | "/healthz" => text(StatusCode::OK, "ok\n"),
            "/readyz" => {
                let (status, body) = self.readiness();
                text(status, body)
            }
            "/metrics" => match &self.metrics {
                Some(metrics) => typed(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics()),
                None => text(StatusCode::NOT_FOUND, "no recorder of metrics was given to the endpoint\n"),
            },
            "/debug/informers" => {
                let document = serde_json::to_string_pretty(&self.document()).unwrap_or_default();
                typed(StatusCode::OK, "application/json", document + "\n")
            }
            path => match self.digested(path)? {
                Ok(answer) => typed(StatusCode::OK, "application/json", answer.at_once()),
                Err(none) => none.answer(),
            },
        })
    }

    /// What is at a path of digests, if the program has those.
    pub(crate) fn digested(&self, path: &str) -> Option<Result<digests::Answer, Refusal>> {
        let informers = self.digests.as_ref()?;
        let rest = path.strip_prefix(digests::PATH)?;
        let none = || Refusal::new(StatusCode::NOT_FOUND, "there is no such informer");
        Some(digests::answer(&informers(), rest).ok_or_else(none))
    }

    /// What is told whatever the `Host` of a request: whether it lives and is ready, and nothing else. Load balancers and
    /// published ports pass on the name that they were asked by, and what asks them only wants the status.
    pub(crate) fn probe(&self, path: &str) -> Option<Response<String>> {
        match path {
            "/readyz" => {
                let (status, _) = self.readiness();
                Some(text(status, if status.is_success() { "ready\n" } else { "not ready\n" }))
            }
            "/livez" | "/healthz" => self.look(path),
            _ => None,
        }
    }

    fn readiness(&self) -> (StatusCode, String) {
        let (ready, body) = readiness::readiness(&(self.statuses)(), self.max_staleness);
        (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, body)
    }

    /// The answer where nothing is: the paths at which something is.
    pub(crate) fn not_found(&self, with_objects: bool) -> Response<String> {
        let paths = [
            ("/livez", true),
            ("/readyz", true),
            ("/metrics", self.metrics.is_some()),
            ("/debug/informers", true),
            (browse::PATH, with_objects),
            (digests::PATH, self.digests.is_some()),
        ];
        let served: Vec<_> =
            paths.iter().filter(|(_, is_served)| *is_served).map(|(path, _)| *path).collect();
        text(StatusCode::NOT_FOUND, format!("not found; there is {}\n", served.join(" ")))
    }

    /// What there is to know of the informers and queues now.
    pub(crate) fn document(&self) -> StatusDocument {
        let queues = self.queues.as_ref().map(|queues| queues()).unwrap_or_default();
        debug::document(&(self.statuses)(), queues, self.began.elapsed(), self.objects.is_some())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("metrics", &self.metrics.is_some())
            .field("max_staleness", &self.max_staleness)
            .field("objects", &self.objects)
            .finish_non_exhaustive()
    }
}
