//! A reflector at play with a scripted server.

use std::ops::Deref;
use std::sync::Arc;

use informer_core::delta::DeltaChange;
use informer_core::object::ingest::{Ingest, IngestOptions};
use informer_core::object::known::Known;
use informer_core::object::record::Record;
use informer_core::object::transform::TypedTransform;
use informer_core::scope::Scope;
use informer_wire::ObjectKey;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::script::{Reply, Server};
use crate::fifo::{Bounds, DeltaFifo};
use crate::kind::KindInfo;
use crate::reflector::budget::Budget;
use crate::reflector::testing::target;
use crate::reflector::{Reflector, Target};
use crate::report::{Failure, Reporter};
use crate::source::Tuning;
use crate::status::{ScopeStatus, StatusCell};

/// Takes in the tests' objects; leaves out those whose name begins with `bad`.
fn ingest(kind: &KindInfo) -> Ingest {
    let refuse_bad = |object: &mut Value| match object["metadata"]["name"].as_str() {
        Some(name) if name.starts_with("bad") => Err("bad"),
        _ => Ok(()),
    };
    let options = IngestOptions::new(kind.clone(), Arc::new(Reporter::new(kind.clone(), None)));
    Ingest::new(IngestOptions { transform: Some(Arc::new(TypedTransform::new(refuse_bad))), ..options })
}

/// Knows nothing, but counts how often it is asked for a record that stands in for an object.
#[derive(Default)]
pub(crate) struct Asked(Mutex<usize>);

impl Known for Asked {
    fn stored(&self, _: &ObjectKey) -> Option<Arc<Record>> {
        None
    }

    fn may_stand_in(&self) -> bool {
        *self.0.lock() += 1;
        true
    }
}

/// A reflector running against a server.
pub(crate) struct Play {
    server: Arc<Server>,
    pub(crate) queue: Arc<DeltaFifo>,
    pub(crate) status: Arc<StatusCell>,
    pub(crate) refresh: Arc<Notify>,
    pub(crate) probes: Arc<Mutex<Budget>>,
    pub(crate) task: JoinHandle<()>,
    asked: Arc<Asked>,
    failures: Arc<Mutex<Vec<Failure>>>,
}

pub(crate) fn reflector(settings: &Tuning, replies: Vec<Reply>, room: usize) -> (Reflector, Play) {
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps");
    let server = Arc::new(Server::new(replies));
    let failures = Arc::new(Mutex::new(Vec::new()));
    let heard = failures.clone();
    let callback = Arc::new(move |failure: &Failure| heard.lock().push(failure.clone()));
    let play = Play {
        server: server.clone(),
        queue: Arc::new(DeltaFifo::new(Bounds { bytes: usize::MAX, entries: room })),
        status: Arc::new(StatusCell::new(Scope::All, Instant::now())),
        refresh: Arc::default(),
        probes: Arc::new(Mutex::new(Budget::new(settings.request_burst, settings.request_interval))),
        task: tokio::spawn(async {}),
        asked: Arc::default(),
        failures,
    };
    let reflector = Reflector {
        source: server,
        target: Target { id: 7, label_selector: Some("a=b".into()), ..target(kind.clone()) },
        ingest: Arc::new(ingest(&kind)),
        known: play.asked.clone(),
        queue: play.queue.clone(),
        status: play.status.clone(),
        reporter: Arc::new(Reporter::new(kind, Some(callback))),
        settings: settings.clone(),
        refresh: play.refresh.clone(),
        probes: play.probes.clone(),
        newest: Arc::default(),
        doubt: Arc::default(),
        shared_probe: Arc::default(),
        relist: Arc::default(),
        rng: fastrand::Rng::with_seed(1),
    };
    (reflector, play)
}

/// What the server saw.
impl Deref for Play {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl Play {
    pub(crate) fn start(settings: &Tuning, replies: Vec<Reply>) -> Self {
        Self::with_room(settings, replies, 1000)
    }

    pub(crate) fn with_room(settings: &Tuning, replies: Vec<Reply>, room: usize) -> Self {
        let (reflector, mut play) = reflector(settings, replies, room);
        play.task = tokio::spawn(reflector.run());
        play
    }

    /// The next deltas, as text.
    pub(crate) async fn deltas(&self) -> Vec<String> {
        let batch = self.queue.pop_batch(1000).await.unwrap();
        batch
            .into_iter()
            .map(|delta| {
                assert_eq!(delta.scope, 7);
                match delta.change {
                    DeltaChange::Added(record) => format!("+{}", brief(&record)),
                    DeltaChange::Updated(record) => format!("~{}", brief(&record)),
                    DeltaChange::Deleted(record) => format!("-{}", brief(&record)),
                    DeltaChange::LeftOut { key, version } => format!("?{}@{version}", key.name()),
                    DeltaChange::Bookmark(version) => format!("#{version}"),
                    DeltaChange::Looked { key, version, .. } => format!("!{}@{version}", key.name()),
                    DeltaChange::Replaced { version, objects, .. } => {
                        let objects: Vec<_> = objects.iter().map(|record| brief(record)).collect();
                        format!("={version}[{}]", objects.join(" "))
                    }
                }
            })
            .collect()
    }

    /// Deltas until there are so many.
    pub(crate) async fn first_deltas(&self, count: usize) -> Vec<String> {
        let mut deltas = Vec::new();
        while deltas.len() < count {
            deltas.extend(self.deltas().await);
        }
        deltas
    }

    pub(crate) fn asked(&self) -> usize {
        *self.asked.0.lock()
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.lock().iter().map(ToString::to_string).collect()
    }

    pub(crate) fn status(&self) -> ScopeStatus {
        self.status.get()
    }
}

fn brief(record: &Record) -> String {
    format!("{}@{}", record.key().name(), record.head.resource_version)
}
