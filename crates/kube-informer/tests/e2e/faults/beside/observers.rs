//! Informers that meet the same fault at the same moment: ours and client-go's.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use kube_client::Config;
use kube_client::core::ApiResource;
use kube_informer::Options;
use serde_json::Value;
use tempfile::NamedTempFile;
use test_cluster::{Cluster, Oracle};
use tokio::task::{block_in_place, spawn_blocking};

use crate::support::link::Link;
use crate::support::objects::Content;
use crate::support::watched::Watched;
use crate::support::{PATIENCE, config_from, kubeconfig_of};

/// Some of both, all synced: waits have a random part, so one of each says little. The same ones meet a fault again and
/// again: what one recovery leaves behind, such as a backoff that has grown, the next one shows.
pub(super) struct Observers {
    ours: Vec<Watched>,
    theirs: Vec<ClientGo>,
    links: Vec<Link>,
    /// Of each of ours, then of each of theirs.
    requests_before: Vec<(usize, usize)>,
}

/// How they got over a fault.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) ours: Figure,
    pub(super) theirs: Figure,
}

/// How one kind of informer did.
#[derive(Debug, Default)]
pub(super) struct Figure {
    /// From the end of the fault until a handler had been told of all that the server had, in order; the longest
    /// possible for those that were not in time.
    took: Vec<Duration>,
    /// Lists and watches from the beginning of the fault until then, in order.
    requests: Vec<usize>,
    /// Questions about single objects.
    probes: Vec<usize>,
    patience: Duration,
}

/// Who observes what, and how.
pub(super) struct Plan<'a> {
    pub(super) cluster: &'a Cluster,
    /// Who they are, as a kubeconfig has it.
    pub(super) user: String,
    pub(super) resource: ApiResource,
    /// How many of each.
    pub(super) each: usize,
    /// Each through a link of its own, or straight to the server.
    pub(super) through_links: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(cluster: &'a Cluster, resource: &ApiResource) -> Self {
        let user = format!("token: {}", cluster.token());
        Self { cluster, user, resource: resource.clone(), each: 5, through_links: true }
    }

    pub(super) async fn start(self) -> Result<Observers> {
        let Self { cluster, user, resource, each, through_links } = self;
        let kubeconfig = |url: &str| kubeconfig_of(cluster, url, &user);
        let direct = config_from(&kubeconfig(cluster.url())).await?;
        let (mut ours, mut theirs, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let mut way = async || {
            if !through_links {
                return anyhow::Ok((direct.clone(), cluster.url().to_owned()));
            }
            let (link, through_link) = Link::to(direct.clone()).await?;
            let url = link.url();
            links.push(link);
            Ok((through_link, url))
        };
        for _ in 0..each {
            let (_, url) = way().await?;
            theirs.push(block_in_place(|| ClientGo::start(&kubeconfig(&url), &resource))?);
            let (config, _) = way().await?;
            ours.push(Watched::start(self::ours(config), &resource, Options::default()).await?);
        }
        let mut observers = Observers { ours, theirs, links, requests_before: Vec::new() };
        observers.count_from_here()?;
        Ok(observers)
    }
}

/// How ours reach a server: with HTTP/1.1 if client-go is told to use that.
pub(super) fn ours(config: Config) -> kube_informer::Cluster {
    let cluster = kube_informer::Cluster::from(config);
    match std::env::var_os("DISABLE_HTTP2") {
        Some(value) if !value.is_empty() => cluster.http1_only(),
        _ => cluster,
    }
}

impl Observers {
    /// Does the same to the ways of all to the server.
    pub(super) fn links(&self, what: impl Fn(&Link)) {
        self.links.iter().for_each(what);
    }

    /// Waits until all have been told of exactly this, and begins to count.
    pub(super) async fn know(&mut self, content: &Content) -> Result<()> {
        for ours in &mut self.ours {
            ours.until_told("before the fault", content).await?;
        }
        let by = Instant::now() + PATIENCE;
        for theirs in &mut self.theirs {
            let told = block_in_place(|| theirs.until_told(content, by))?;
            ensure!(told, "client-go was not told of what was there before the fault");
        }
        self.count_from_here()
    }

    fn count_from_here(&mut self) -> Result<()> {
        let ours = self.ours.iter().map(|ours| Ok(ours.requests()));
        let theirs = self.theirs.iter_mut().map(|theirs| Ok((block_in_place(|| theirs.requests())?, 0)));
        self.requests_before = ours.chain(theirs).collect::<Result<_>>()?;
        Ok(())
    }

    /// Waits until all have been told of what the server has, at most so long after the end of the fault, and prints
    /// how they did.
    pub(super) async fn recovered(
        &mut self,
        fault: &str,
        over: Instant,
        server: Content,
        patience: Duration,
    ) -> Result<Figures> {
        let (ours_before, theirs_before) = self.requests_before.split_at(self.ours.len());
        let theirs: Vec<_> = std::mem::take(&mut self.theirs)
            .into_iter()
            .zip(theirs_before.iter().copied())
            .map(|(mut theirs, before)| {
                let wanted = server.clone();
                spawn_blocking(move || {
                    let told = theirs.until_told(&wanted, over + patience)?;
                    let took = if told { over.elapsed() } else { Duration::MAX };
                    let requests = theirs.requests()? - before.0;
                    anyhow::Ok((theirs, (took, requests, 0)))
                })
            })
            .collect();
        let by = tokio::time::Instant::from_std(over + patience);
        let server = &server;
        let ours = self.ours.iter_mut().zip(ours_before).map(async |(ours, before)| {
            let told = tokio::time::timeout_at(by, ours.until_told(fault, server)).await;
            let took = told.ok().transpose()?.map_or(Duration::MAX, |()| over.elapsed());
            let (requests, probes) = ours.requests();
            anyhow::Ok((took, requests - before.0, probes - before.1))
        });
        let ours = try_join_all(ours).await?;
        let mut figures = Vec::new();
        for theirs in try_join_all(theirs).await? {
            let (client_go, figure) = theirs?;
            self.theirs.push(client_go);
            figures.push(figure);
        }
        let figures = Figures { ours: Figure::new(ours, patience), theirs: Figure::new(figures, patience) };
        self.count_from_here()?;
        // The harness swallows what a test prints that passes.
        writeln!(std::io::stderr(), "beside: {fault:<36} {figures}").ok();
        Ok(figures)
    }
}

impl Figures {
    /// Both rounds as one.
    pub(super) fn and(self, other: Self) -> Self {
        Self { ours: self.ours.and(other.ours), theirs: self.theirs.and(other.theirs) }
    }
}

impl Figure {
    fn and(mut self, other: Self) -> Self {
        self.took.extend(other.took);
        self.requests.extend(other.requests);
        self.probes.extend(other.probes);
        self.took.sort();
        self.requests.sort_unstable();
        self.probes.sort_unstable();
        self.patience = other.patience;
        self
    }

    fn new(each: Vec<(Duration, usize, usize)>, patience: Duration) -> Self {
        let mut figure = Self { took: Vec::new(), requests: Vec::new(), probes: Vec::new(), patience };
        for (took, requests, probes) in each {
            figure.took.push(took);
            figure.requests.push(requests);
            figure.probes.push(probes);
        }
        figure.took.sort();
        figure.requests.sort_unstable();
        figure.probes.sort_unstable();
        figure
    }

    /// Whether all of them were in time.
    pub(super) fn in_time(&self) -> bool {
        !self.took.contains(&Duration::MAX)
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ours {}; client-go {}", self.ours, self.theirs)
    }
}

/// Median, and range if there are several.
impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = |took: Duration| match took {
            Duration::MAX => format!("> {}", self.patience.as_secs()),
            took => format!("{:.2}", took.as_secs_f64()),
        };
        let (took, requests, probes) = (&self.took, &self.requests, &self.probes);
        let (middle, last) = (took.len() / 2, took.len() - 1);
        write!(f, "{} s ({} to {}), ", seconds(took[middle]), seconds(took[0]), seconds(took[last]))?;
        write!(f, "{} requests ({} to {})", requests[middle], requests[0], requests[last])?;
        if probes[last] > 0 {
            write!(f, ", {} probes ({} to {})", probes[middle], probes[0], probes[last])?;
        }
        Ok(())
    }
}

/// client-go's informer of the namespace `default`, and what its handler knows.
pub(super) struct ClientGo {
    oracle: Oracle,
    knows: Content,
    _kubeconfig: NamedTempFile,
}

/// All of this blocks.
impl ClientGo {
    /// Starts it and waits until its handler has heard of everything.
    fn start(kubeconfig: &str, resource: &ApiResource) -> Result<Self> {
        Self::start_in(kubeconfig, resource, vec!["default".to_owned()])
    }

    /// The same with informers of these namespaces, one for each.
    pub(super) fn start_in(
        kubeconfig: &str,
        resource: &ApiResource,
        namespaces: Vec<String>,
    ) -> Result<Self> {
        let file = NamedTempFile::new()?;
        std::fs::write(&file, kubeconfig)?;
        let watched = test_cluster::Watched {
            resource: format!("{}/{}/{}", resource.group, resource.version, resource.plural),
            namespaces,
            selector: String::new(),
        };
        let oracle = Oracle::start(file.path(), &watched)?;
        let mut client_go = Self { oracle, knows: Content::new(), _kubeconfig: file };
        client_go.answer("synced")?;
        Ok(client_go)
    }

    /// The process that it runs in.
    pub(super) fn process(&self) -> u32 {
        self.oracle.process()
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
