//! Two informers that meet the same fault at the same moment, each through a link of its own: ours and client-go's.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kube_client::core::ApiResource;
use kube_informer::Settings;
use serde_json::Value;
use tempfile::NamedTempFile;
use test_cluster::{Cluster, Oracle};
use tokio::task::{block_in_place, spawn_blocking};

use crate::faults::link::Link;
use crate::faults::objects::Content;
use crate::faults::watched::Watched;
use crate::support::{PATIENCE, config_with_token};

/// The two, both synced. Made anew for each fault: a backoff that has grown is not to be met by the next one.
pub(super) struct Pair {
    ours: Watched,
    theirs: ClientGo,
    links: [Link; 2],
    requests_before: [usize; 2],
}

/// How both got over a fault.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) ours: Figure,
    pub(super) theirs: Figure,
}

/// How one of them did.
#[derive(Debug)]
pub(super) struct Figure {
    /// From the end of the fault until the handler had been told of all that the server had; `None` if not in time.
    pub(super) took: Option<Duration>,
    /// From the beginning of the fault until then.
    pub(super) requests: usize,
    patience: Duration,
}

impl Pair {
    pub(super) async fn start(cluster: &Cluster, resource: &ApiResource, settings: Settings) -> Result<Self> {
        Self::start_as(cluster, cluster.token(), resource, settings).await
    }

    /// The same as another user.
    pub(super) async fn start_as(
        cluster: &Cluster,
        token: &str,
        resource: &ApiResource,
        settings: Settings,
    ) -> Result<Self> {
        let config = config_with_token(cluster, token).await?;
        let (their_link, _) = Link::to(config.clone()).await?;
        let kubeconfig = cluster.kubeconfig_yaml_at(&their_link.url()).replace(cluster.token(), token);
        let mut theirs = block_in_place(|| ClientGo::start(&kubeconfig, resource))?;
        let (our_link, through_link) = Link::to(config).await?;
        let ours = Watched::start(through_link, resource, settings).await?;
        let requests_before = [ours.requests(), block_in_place(|| theirs.requests())?];
        Ok(Self { ours, theirs, links: [our_link, their_link], requests_before })
    }

    /// Does the same to the ways of both to the server.
    pub(super) fn links(&self, what: impl Fn(&Link)) {
        self.links.iter().for_each(what);
    }

    /// Waits until ours has been told of exactly this, which is before the fault.
    pub(super) async fn knows(&mut self, content: &Content) -> Result<()> {
        self.ours.until_told("before the fault", content).await?;
        let by = Instant::now() + PATIENCE;
        let told = block_in_place(|| self.theirs.until_told(content, by))?;
        ensure!(told, "client-go was not told of what was there before the fault");
        self.requests_before = [self.ours.requests(), block_in_place(|| self.theirs.requests())?];
        Ok(())
    }

    /// Waits until both have been told of what the server has, each at most so long after the end of the fault, and
    /// prints how they did.
    pub(super) async fn recovered(
        self,
        fault: &str,
        over: Instant,
        server: Content,
        patience: [Duration; 2],
    ) -> Result<Figures> {
        let Self { mut ours, mut theirs, links: _links, requests_before } = self;
        let wanted = server.clone();
        let theirs = spawn_blocking(move || {
            let told = theirs.until_told(&wanted, over + patience[1])?;
            let took = told.then(|| over.elapsed());
            let requests = theirs.requests()? - requests_before[1];
            anyhow::Ok(Figure { took, requests, patience: patience[1] })
        });
        let by = tokio::time::Instant::from_std(over + patience[0]);
        let told = tokio::time::timeout_at(by, ours.until_told(fault, &server)).await;
        let took = told.ok().transpose()?.map(|()| over.elapsed());
        let requests = ours.requests() - requests_before[0];
        let ours = Figure { took, requests, patience: patience[0] };
        let figures = Figures { ours, theirs: theirs.await?? };
        // The harness swallows what a test prints that passes.
        writeln!(std::io::stderr(), "beside: {fault:<44} {figures}").ok();
        Ok(figures)
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ours {}   client-go {}", self.ours, self.theirs)
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.took {
            Some(took) => write!(f, "{:>6.2} s", took.as_secs_f64())?,
            None => write!(f, "not within {} s", self.patience.as_secs())?,
        }
        write!(f, ", {} requests", self.requests)
    }
}

/// client-go's informer of the namespace `default`, and what its handler knows.
struct ClientGo {
    oracle: Oracle,
    knows: Content,
    _kubeconfig: NamedTempFile,
}

/// All of this blocks.
impl ClientGo {
    /// Starts it and waits until its handler has heard of everything.
    fn start(kubeconfig: &str, resource: &ApiResource) -> Result<Self> {
        let file = NamedTempFile::new()?;
        std::fs::write(&file, kubeconfig)?;
        let watched = test_cluster::Watched {
            resource: format!("{}/{}/{}", resource.group, resource.version, resource.plural),
            namespaces: vec!["default".to_owned()],
            selector: String::new(),
        };
        let oracle = Oracle::start(file.path(), &watched)?;
        let mut client_go = Self { oracle, knows: Content::new(), _kubeconfig: file };
        client_go.answer("synced")?;
        Ok(client_go)
    }

    /// How many requests it has made so far.
    fn requests(&mut self) -> Result<usize> {
        self.oracle.command("stats")?;
        let requests = self.answer("requests")?.as_u64().context("a number of requests")?;
        Ok(usize::try_from(requests)?)
    }

    /// Listens until the handler knows exactly this, and says whether that was in time.
    fn until_told(&mut self, wanted: &Content, by: Instant) -> Result<bool> {
        while self.knows != *wanted {
            if self.says(by.saturating_duration_since(Instant::now()))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Listens until it says something that has this name.
    fn answer(&mut self, name: &str) -> Result<Value> {
        let by = Instant::now() + PATIENCE;
        loop {
            let said = self.says(by.saturating_duration_since(Instant::now()))?;
            let said = said.with_context(|| format!("client-go never said {name:?}"))?;
            if let Some(answer) = said.get(name) {
                return Ok(answer.clone());
            }
        }
    }

    /// The next thing it says, `None` if nothing in time.
    fn says(&mut self, patience: Duration) -> Result<Option<Value>> {
        let Some(line) = self.oracle.line_within(patience)? else { return Ok(None) };
        let said: Value = serde_json::from_str(&line).with_context(|| format!("client-go said {line}"))?;
        let text = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("call") {
            "" => {}
            "delete" => drop(self.knows.remove(text("key"))),
            _ => drop(self.knows.insert(text("key").to_owned(), text("rv").to_owned())),
        }
        Ok(Some(said))
    }
}
