//! A running informer on a cluster, and what its handler heard.

pub(crate) mod failure;
pub(crate) mod forward;
pub(crate) mod history;
pub(crate) mod link;
pub(crate) mod metered;
pub(crate) mod objects;
pub(crate) mod proxy;
pub(crate) mod watched;

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Api, Client, Config};
use kube_informer::source::HttpSource;
use kube_informer::{Event, SharedInformer, handler};
use test_cluster::{Cluster, Options};
use tokio::sync::mpsc;

/// Long enough for a loaded machine; nothing waits that long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a cluster, or says why the test is skipped.
pub(crate) fn cluster(test: &str) -> Option<Cluster> {
    cluster_with(test, Options::default())
}

/// The same with other options.
pub(crate) fn cluster_with(test: &str, options: Options) -> Option<Cluster> {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip(test, &why);
        return None;
    }
    Some(Cluster::start(options).expect("the cluster starts"))
}

/// The same with access rules.
pub(crate) fn cluster_with_rules(test: &str) -> Option<Cluster> {
    cluster_with(test, Options::default().authorization_mode("RBAC"))
}

/// All that scenarios know of a cluster until they do something to it.
pub(crate) trait Server {
    /// How an administrator reaches it.
    fn kubeconfig(&self) -> String;

    /// How many watches of a resource there are at the server.
    async fn watches(&self, resource: &str) -> Result<u64>;
}

impl Server for Cluster {
    fn kubeconfig(&self) -> String {
        self.kubeconfig_yaml()
    }

    /// Those that are open, those of the server's own parts counted.
    async fn watches(&self, resource: &str) -> Result<u64> {
        let resource = format!("resource=\"{resource}\"");
        let metrics = tokio::task::block_in_place(|| self.get("/metrics"))?;
        let mut count = 0;
        for line in metrics.lines().filter(|line| line.starts_with("apiserver_longrunning_requests{")) {
            if line.contains(&resource) && line.contains("verb=\"WATCH\"") {
                let value = line.rsplit(' ').next().context("a value")?;
                count += value.parse::<u64>().with_context(|| line.to_owned())?;
            }
        }
        Ok(count)
    }
}

/// How to reach the cluster.
pub(crate) async fn config(server: &impl Server) -> Result<Config> {
    config_from(&server.kubeconfig()).await
}

/// How to reach it at another address, that of a proxy.
pub(crate) async fn config_at(cluster: &Cluster, url: &str) -> Result<Config> {
    config_from(&cluster.kubeconfig_yaml_at(url)).await
}

/// A kubeconfig of the cluster at an address for another user, such as `token: …`.
pub(crate) fn kubeconfig_of(cluster: &Cluster, url: &str, user: &str) -> String {
    cluster.kubeconfig_yaml_at(url).replace(&format!("token: {}", cluster.token()), user)
}

/// How to reach the cluster that a kubeconfig names.
pub(crate) async fn config_from(kubeconfig: &str) -> Result<Config> {
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig)?;
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    // The server is on loopback, whatever proxy the environment names.
    config.proxy_url = None;
    Ok(config)
}

/// The same with another token.
pub(crate) async fn config_with_token(server: &impl Server, token: &str) -> Result<Config> {
    let mut config = config(server).await?;
    config.auth_info.token = Some(token.to_owned().into());
    Ok(config)
}

/// Pods of the namespace `default`, to write with.
pub(crate) async fn pods(server: &impl Server) -> Result<Api<Pod>> {
    Ok(Api::namespaced(Client::try_from(config(server).await?)?, "default"))
}

pub(crate) fn pod(name: &str) -> Pod {
    let container =
        Container { name: "main".into(), image: Some("example/app:1".into()), ..Container::default() };
    Pod {
        metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
        spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }),
        status: None,
    }
}

pub(crate) async fn create(pods: &Api<Pod>, name: &str) -> Result<Pod> {
    Ok(pods.create(&PostParams::default(), &pod(name)).await?)
}

pub(crate) async fn label(pods: &Api<Pod>, name: &str, value: &str) -> Result<Pod> {
    let patch = serde_json::json!({ "metadata": { "labels": { "step": value } } });
    Ok(pods.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await?)
}

pub(crate) async fn delete(pods: &Api<Pod>, name: &str) -> Result<()> {
    pods.delete(name, &DeleteParams::default().grace_period(0)).await?;
    Ok(())
}

/// An informer of pods that runs until it is dropped, with one handler.
pub(crate) struct Running {
    pub(crate) informer: SharedInformer<Pod>,
    pub(crate) heard: Heard,
    task: tokio::task::JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(server: &impl Server) -> Result<Self> {
        let source = HttpSource::of::<Pod>(config(server).await?)?;
        let running = Self::of(SharedInformer::<Pod>::builder(source).namespace("default").build()?)?;
        running.informer.wait_synced(PATIENCE).await?;
        Ok(running)
    }

    /// Starts an informer.
    pub(crate) fn of(informer: SharedInformer<Pod>) -> Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        informer.add_event_handler(handler().on_event(move |event| {
            sender.send(event.clone()).ok();
        }))?;
        let task = tokio::spawn({
            let informer = informer.clone();
            async move { informer.run(std::future::pending()).await.expect("runs once") }
        });
        Ok(Self { informer, heard: Heard::new(events), task })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a handler heard, checked to be a legal history per key.
pub(crate) struct Heard {
    events: mpsc::UnboundedReceiver<Event<Pod>>,
    knows: BTreeMap<String, String>,
}

impl Heard {
    pub(crate) fn new(events: mpsc::UnboundedReceiver<Event<Pod>>) -> Self {
        Self { events, knows: BTreeMap::new() }
    }

    /// The next event as text: `add name`, `update name`, `delete name`.
    pub(crate) async fn next(&mut self) -> Result<String> {
        let event = tokio::time::timeout(PATIENCE, self.events.recv()).await.context("no event came")?;
        match event.context("the handler is gone")? {
            Event::Added { object, .. } => {
                let before = self.knows.insert(object.name().into(), object.resource_version().to_string());
                assert_eq!(before, None, "{object} was added twice");
                Ok(format!("add {}", object.name()))
            }
            Event::Updated { old, new, .. } => {
                let before = self.knows.insert(new.name().into(), new.resource_version().to_string());
                assert_eq!(
                    before,
                    Some(old.resource_version().to_string()),
                    "{new}: old is what was told last"
                );
                Ok(format!("update {}", new.name()))
            }
            Event::Deleted { object, .. } => {
                assert!(self.knows.remove(object.name()).is_some(), "{object} was never added");
                Ok(format!("delete {}", object.name()))
            }
            other => panic!("unexpected {other:?}"),
        }
    }

    /// Reads on until this event; those before it may be anything legal.
    pub(crate) async fn until(&mut self, wanted: &str) -> Result<()> {
        while self.next().await? != wanted {}
        Ok(())
    }
}

/// Tries something that fails for a while, such as a write while the server starts, until it succeeds.
pub(crate) async fn eventually<T, F>(what: &str, mut attempt: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut again = tokio::time::interval(Duration::from_millis(20));
    let started = tokio::time::Instant::now();
    loop {
        again.tick().await;
        match tokio::time::timeout(PATIENCE, attempt()).await? {
            Ok(done) => return Ok(done),
            Err(error) if started.elapsed() > PATIENCE => {
                return Err(error.context(format!("waited in vain until {what}")));
            }
            Err(_) => {}
        }
    }
}
