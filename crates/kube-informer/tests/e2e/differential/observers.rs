//! Who observes: our informer and client-go's, each through a proxy of its own.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use kube_client::core::{ApiResource, DynamicObject};
use kube_informer::source::{HttpSource, StreamingList};
use kube_informer::status::RelistReason;
use kube_informer::{Kind, Options, SharedInformer, handler};
use serde::Deserialize;
use serde_json::Value;
use tempfile::NamedTempFile;
use test_cluster::{Cluster, Oracle, Watched};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::told::{Call, Told};
use super::truth::View;
use super::workload::Mark;
use crate::support::proxy::Proxy;
use crate::support::{PATIENCE, config_at};

/// A store as canonical JSON, by key.
pub(crate) type Store = BTreeMap<String, Value>;

/// All that an observer was told.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) calls: Vec<Told>,
    /// The latest version of each key.
    latest: HashMap<String, u64>,
}

impl History {
    fn push(&mut self, told: Told) {
        if told.call != Call::Delete {
            self.latest.insert(told.key.clone(), told.rv.parse().unwrap_or_default());
        }
        self.calls.push(told);
    }

    fn has(&self, marks: &[Mark]) -> bool {
        let reached = |mark: &Mark| Some(self.latest.get(&mark.key)? >= &mark.rv.parse().ok()?);
        marks.iter().all(|mark| reached(mark).unwrap_or_default())
    }
}

/// Our informer.
pub(crate) struct Ours {
    pub(crate) proxy: Proxy,
    pub(crate) informer: SharedInformer<DynamicObject>,
    pub(crate) history: History,
    /// Whether its handler hears every change rather than the merged ones.
    pub(crate) every_event: bool,
    events: mpsc::UnboundedReceiver<Told>,
    running: JoinHandle<()>,
}

impl Ours {
    pub(crate) async fn start(
        cluster: &Cluster,
        resource: &ApiResource,
        view: &View,
        rng: &mut Rng,
    ) -> Result<Self> {
        let proxy = Proxy::start(cluster.url())?;
        let config = config_at(cluster, &proxy.url()).await?;
        let source = HttpSource::new(config, DynamicObject::info(resource))?;
        let mut builder = SharedInformer::<DynamicObject>::builder_with(source, resource)
            .options(|_| settings(rng))
            .labels(view.selector());
        for namespace in &view.namespaces {
            builder = builder.namespace(namespace);
        }
        let informer = builder.build()?;
        let (sender, events) = mpsc::unbounded_channel();
        let mut hears = handler().on_event(move |event| {
            sender.send(Told::of(event)).ok();
        });
        let every_event = rng.u32(..4) > 0;
        if every_event {
            hears = hears.every_event(100_000);
        }
        informer.add_event_handler(hears)?;
        let running = tokio::spawn({
            let informer = informer.clone();
            async move { informer.run(std::future::pending()).await.expect("runs once") }
        });
        informer.wait_synced(PATIENCE).await?;
        Ok(Self { proxy, informer, history: History::default(), every_event, events, running })
    }

    /// Listens until it has been told of the marks, and says whether that was in time.
    pub(crate) async fn hears(&mut self, marks: &[Mark], patience: Duration) -> Result<bool> {
        let until = tokio::time::Instant::now() + patience;
        while !self.history.has(marks) {
            let Ok(told) = tokio::time::timeout_at(until, self.events.recv()).await else { return Ok(false) };
            self.history.push(told.context("our informer has ended")?);
        }
        Ok(true)
    }

    pub(crate) fn store(&self) -> Result<Store> {
        let objects = self.informer.lister().list();
        objects.iter().map(|object| canonical(serde_json::from_slice(&object.raw_json())?)).collect()
    }

    /// How often a scope was read as a whole after the first time.
    pub(crate) fn relists(&self) -> u64 {
        let later = RelistReason::ALL.iter().copied().filter(|reason| *reason != RelistReason::First);
        later.map(|reason| self.relists_because(reason)).sum()
    }

    /// How often that was because the server said 410.
    pub(crate) fn expired(&self) -> u64 {
        self.relists_because(RelistReason::Expired)
    }

    fn relists_because(&self, reason: RelistReason) -> u64 {
        self.informer.status().scopes.iter().map(|scope| scope.relists(reason)).sum()
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// Anything a user may set that changes what is asked of the server.
fn settings(rng: &mut Rng) -> Options {
    let mut settings = Options::default();
    if rng.bool() {
        settings =
            settings.tuning(|tuning| tuning.backoff_first(Duration::from_millis(20)).backoff_jitter(0.5));
    }
    if rng.u32(..4) == 0 {
        settings = settings.tuning(|tuning| tuning.streaming_list(StreamingList::Never));
    }
    if rng.u32(..4) == 0 {
        settings = settings.tuning(|tuning| tuning.page_size(3));
    }
    settings
}

/// What client-go has asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Numbers {
    /// The lists that it has read.
    pub(crate) lists: u64,
    /// How often it was told that a version is too old.
    pub(crate) expired: u64,
}

/// client-go's informer.
pub(crate) struct Theirs {
    pub(crate) proxy: Proxy,
    pub(crate) oracle: Oracle,
    pub(crate) history: History,
    _kubeconfig: NamedTempFile,
}

impl Theirs {
    /// Starts it; [`synced`](Self::synced) waits until it has told what was there.
    pub(crate) fn start(cluster: &Cluster, resource: &ApiResource, view: &View) -> Result<Self> {
        let proxy = Proxy::start(cluster.url())?;
        let kubeconfig = NamedTempFile::new()?;
        std::fs::write(&kubeconfig, cluster.kubeconfig_yaml_at(&proxy.url()))?;
        let watched = Watched {
            resource: format!("{}/{}/{}", resource.group, resource.version, resource.plural),
            namespaces: view.namespaces.clone(),
            selector: view.selector(),
        };
        let oracle = Oracle::start(kubeconfig.path(), &watched)?;
        Ok(Self { proxy, oracle, history: History::default(), _kubeconfig: kubeconfig })
    }

    pub(crate) fn synced(&mut self) -> Result<()> {
        while self.says(PATIENCE)?.context("client-go was not synced in time")?.get("synced").is_none() {}
        Ok(())
    }

    /// Listens until it has been told of the marks, and says whether that was in time.
    pub(crate) fn hears(&mut self, marks: &[Mark], patience: Duration) -> Result<bool> {
        let until = Instant::now() + patience;
        while !self.history.has(marks) {
            if self.says(until.saturating_duration_since(Instant::now()))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn store(&mut self) -> Result<Store> {
        self.oracle.command("dump")?;
        let mut store = Store::new();
        loop {
            let line = self.says(PATIENCE)?.context("client-go's store did not come in time")?;
            if let Some(count) = line.get("dumped") {
                ensure!(*count == store.len(), "client-go holds {count} objects and printed {}", store.len());
                return Ok(store);
            }
            if line.get("metadata").is_some() {
                let (key, object) = canonical(line)?;
                store.insert(key, object);
            }
        }
    }

    /// What it has asked for so far.
    pub(crate) fn numbers(&mut self) -> Result<Numbers> {
        self.oracle.command("stats")?;
        loop {
            let line = self.says(PATIENCE)?.context("client-go's numbers did not come in time")?;
            if line.get("lists").is_some() {
                return Ok(serde_json::from_value(line)?);
            }
        }
    }

    /// The next thing it says, `None` if nothing in time. Blocks; the runtime goes on without this thread.
    fn says(&mut self, patience: Duration) -> Result<Option<Value>> {
        let Some(line) = tokio::task::block_in_place(|| self.oracle.line_within(patience))? else {
            return Ok(None);
        };
        let said: Value = serde_json::from_str(&line).with_context(|| format!("client-go said {line}"))?;
        if said.get("call").is_some() {
            self.history.push(serde_json::from_value(said.clone())?);
        }
        Ok(Some(said))
    }
}

/// The key, and the object without managedFields.
fn canonical(mut object: Value) -> Result<(String, Value)> {
    let metadata =
        object.get_mut("metadata").and_then(Value::as_object_mut).context("an object without metadata")?;
    metadata.remove("managedFields");
    let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
    let key = format!("{}/{}", text("namespace"), text("name"));
    Ok((key, object))
}
