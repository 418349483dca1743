//! A cluster to write to, and what an informer saw of it.

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{ObjectMeta, Patch, PatchParams};
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Api, Client, Config};
use kube_informer::{Event, InformerBuilder, SharedInformer, async_handler};
use parking_lot::Mutex;
use serde_json::json;
use test_cluster::Cluster;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, timeout};

/// Long enough for a loaded machine; nothing waits that long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) async fn config(cluster: &Cluster) -> Result<Config> {
    let kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml())?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    // The server is on loopback, whatever proxy the environment names.
    config.proxy_url = None;
    Ok(config)
}

pub(crate) async fn client(cluster: &Cluster) -> Result<Client> {
    Ok(Client::try_from(config(cluster).await?)?)
}

pub(crate) fn api(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), "default")
}

pub(crate) fn config_map(name: &str, step: u64) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, data: Some([("step".to_owned(), step.to_string())].into()), ..ConfigMap::default() }
}

/// Creates, changes and deletes objects of one writer, the same each time.
pub(crate) async fn write(maps: &Api<ConfigMap>, writer: u64, steps: Range<u64>) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(writer);
    let mut mine: Vec<String> = Vec::new();
    for step in steps {
        match random.u8(..10) {
            0..4 => {
                let name = format!("writer-{writer}-{step}");
                maps.create(&Default::default(), &config_map(&name, step)).await?;
                mine.push(name);
            }
            4..8 if !mine.is_empty() => {
                let name = &mine[random.usize(..mine.len())];
                let patch = json!({ "data": { "step": step.to_string() } });
                maps.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await?;
            }
            8.. if !mine.is_empty() => {
                let name = mine.swap_remove(random.usize(..mine.len()));
                maps.delete(&name, &Default::default()).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Waits until something holds.
pub(crate) async fn eventually<F: Future<Output = Result<()>>>(
    what: &str,
    check: impl Fn() -> F,
) -> Result<()> {
    let begun = Instant::now();
    let mut look = interval(Duration::from_millis(50));
    loop {
        look.tick().await;
        match check().await {
            Ok(()) => return Ok(()),
            Err(error) if begun.elapsed() > PATIENCE => return Err(error.context(what.to_owned())),
            Err(_) => {}
        }
    }
}

/// A running informer, and the calls of its handler.
pub(crate) struct Seen {
    pub(crate) informer: SharedInformer<ConfigMap>,
    heard: Arc<Mutex<Vec<String>>>,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

/// The calls of a handler, those for what was there at first in the order of their names, and the objects in the end.
pub(crate) struct Outcome {
    pub(crate) heard: Vec<String>,
    pub(crate) objects: Vec<String>,
}

impl Seen {
    pub(crate) fn start(builder: InformerBuilder<ConfigMap>) -> Result<Self> {
        let informer = builder.build()?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = heard.clone();
        let handler = async_handler(move |event: Event<ConfigMap>| {
            hears.lock().push(told(&event));
            async {}
        });
        informer.add_event_handler(handler.every_event(100_000))?;
        let (stop, stopped) = oneshot::channel();
        let runs = informer.clone();
        let running = tokio::spawn(async move {
            // It ends when it is told to.
            runs.run(async { stopped.await.unwrap_or_default() }).await.ok();
        });
        Ok(Self { informer, heard, stop, running })
    }

    pub(crate) fn outcome(&self) -> Outcome {
        let mut heard = self.heard.lock().clone();
        let initial = heard.iter().take_while(|line| line.ends_with("initial")).count();
        heard[..initial].sort();
        let listed = self.informer.lister().list();
        let mut objects: Vec<_> =
            listed.iter().map(|map| format!("{} {}", map.key(), map.resource_version())).collect();
        objects.sort();
        Outcome { heard, objects }
    }

    pub(crate) async fn stop(self) -> Result<Outcome> {
        let outcome = self.outcome();
        self.stop.send(()).ok();
        timeout(PATIENCE, self.running).await.context("it stops")??;
        Ok(outcome)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heard.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.objects.iter().try_for_each(|line| writeln!(f, "object {line}"))
    }
}

fn told(event: &Event<ConfigMap>) -> String {
    match event {
        Event::Added { object, initial: true } => {
            format!("added {} {} initial", object.key(), object.resource_version())
        }
        Event::Added { object, .. } => format!("added {} {}", object.key(), object.resource_version()),
        Event::Updated { new, .. } => format!("updated {} {}", new.key(), new.resource_version()),
        Event::Deleted { object, .. } => format!("deleted {} {}", object.key(), object.resource_version()),
        other => format!("{other:?}"),
    }
}
