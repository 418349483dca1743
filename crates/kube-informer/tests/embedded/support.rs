//! An informer on an embedded server, in paused time.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, RecordedRequest, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Client;
use kube_client::api::ObjectMeta;
use kube_informer::source::{HttpSource, StreamingList};
use kube_informer::status::ScopeStatus;
use kube_informer::{InformerBuilder, Kind, Options, SharedInformer};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

pub(crate) const SECOND: Duration = Duration::from_secs(1);
/// Nothing here takes longer; on a paused clock it costs nothing.
pub(crate) const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// A running informer of ConfigMaps. Stopped when dropped.
pub(crate) struct Rig {
    pub(crate) server: EmbeddedApiserver,
    pub(crate) informer: SharedInformer<ConfigMap>,
    failures: Arc<Mutex<Vec<String>>>,
    start: Instant,
    task: JoinHandle<()>,
}

/// Waits that are the same each time, and double from the first on. A silent watch is left alone, unless a test is about that.
pub(crate) fn exact() -> Options {
    Options::default().tuning(|tuning| {
        tuning
            .idle_watch(Duration::MAX)
            .backoff_first(Duration::from_millis(800))
            .backoff_jitter(0.0)
            .backoff_steady(Duration::ZERO)
            .resume_jitter(Duration::ZERO)
            .relist_spread(Duration::ZERO)
    })
}

/// The same without streamed lists.
pub(crate) fn lists() -> Options {
    exact().tuning(|tuning| tuning.streaming_list(StreamingList::Never))
}

/// Lets time pass.
pub(crate) async fn pass(time: Duration) {
    timeout(time, pending::<()>()).await.expect_err("nothing else is waited for");
}

pub(crate) fn config_map(name: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, ..ConfigMap::default() }
}

fn about_config_maps(request: &RecordedRequest) -> bool {
    request.is(Verb::Watch, "configmaps") || (request.is(Verb::List, "configmaps") && !is_probe(request))
}

/// A question about one object.
pub(crate) fn is_probe(request: &RecordedRequest) -> bool {
    parameter(request, "limit") == "1" && parameter(request, "resourceVersion").is_empty()
}

impl Rig {
    /// Starts an informer, which has asked for nothing yet.
    pub(crate) fn start(server: EmbeddedApiserver, settings: Options) -> Self {
        Self::start_with(server, |builder| builder.options(|_| settings))
    }

    /// The same with other options of the informer.
    pub(crate) fn start_with(
        server: EmbeddedApiserver,
        set: impl FnOnce(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>,
    ) -> Self {
        let client = server.client();
        Self::start_through(server, client, set)
    }

    /// The same with another way to the server.
    pub(crate) fn start_through(
        server: EmbeddedApiserver,
        client: Client,
        set: impl FnOnce(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>,
    ) -> Self {
        let source = HttpSource::new(client, ConfigMap::info(&())).expect("a client is all it takes");
        let failures = Arc::new(Mutex::new(Vec::new()));
        let builder = SharedInformer::<ConfigMap>::builder(source).on_error({
            let failures = failures.clone();
            move |failure| failures.lock().push(failure.to_string())
        });
        let informer = set(builder).build().expect("the settings are good");
        let task = tokio::spawn({
            let informer = informer.clone();
            async move { informer.run(pending()).await.expect("runs once") }
        });
        Self { server, informer, failures, start: Instant::now(), task }
    }

    /// Waits until so many lists and watches were asked for, and returns all there were.
    pub(crate) async fn asked(&self, count: usize) -> Vec<RecordedRequest> {
        let asked = self.server.journal().until(count, about_config_maps);
        timeout(PATIENCE, asked).await.expect("it asks again")
    }

    /// The lists and watches that were asked for.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.server.journal().matching(about_config_maps)
    }

    /// The questions about single objects that were asked.
    pub(crate) fn probes(&self) -> Vec<RecordedRequest> {
        self.server.journal().matching(is_probe)
    }

    /// How many milliseconds after the start.
    pub(crate) fn millis(&self, requests: &[RecordedRequest]) -> Vec<u128> {
        requests.iter().map(|request| (request.at - self.start).as_millis()).collect()
    }

    /// Writes something that nobody here looks at: versions go on, and bookmarks say so.
    pub(crate) async fn something_else_changes(&self) {
        let metadata = ObjectMeta { generate_name: Some("other-".to_owned()), ..ObjectMeta::default() };
        let other = Secret { metadata, ..Secret::default() };
        self.server.create(&other).await.expect("it is created");
    }

    /// Creates an object, and waits until it is in the cache.
    pub(crate) async fn hears_of(&self, name: &str) {
        let created = self.server.create(&config_map(name)).await.expect("it is created");
        self.informer.wait_for(&created, PATIENCE).await.expect("it is told of it");
    }

    pub(crate) fn status(&self) -> ScopeStatus {
        self.informer.status().scopes[0].clone()
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.lock().clone()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The query parameter of a request; empty if it is not there.
pub(crate) fn parameter(request: &RecordedRequest, name: &str) -> String {
    request.parameter(name).unwrap_or_default()
}

/// How long a watch was asked to last.
pub(crate) fn asked_to_last(request: &RecordedRequest) -> Duration {
    Duration::from_secs(parameter(request, "timeoutSeconds").parse().expect("a watch has a length"))
}
