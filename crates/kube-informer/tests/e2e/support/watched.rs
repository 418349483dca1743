//! An informer under observation: every request, every failure and every call of its handler.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kube_client::api::DynamicObject;
use kube_client::core::ApiResource;
use kube_informer::source::HttpSource;
use kube_informer::status::{Failure, InformerStatus, Phase, RelistReason};
use kube_informer::{Cluster, Kind, Options, Registration, SharedInformer, handler};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::support::PATIENCE;
use crate::support::history::{Counts, History, Told};
use crate::support::metered::{Asked, Metered, What};
use crate::support::objects::{Content, Objects};

/// What may be alive beside the cache once everything has been told: what is on its way through the pipeline.
const VERSIONS_BESIDE_THE_CACHE: usize = 16;

/// A running informer of the namespace `default`, stopped when dropped.
pub(crate) struct Watched {
    pub(crate) informer: SharedInformer<DynamicObject>,
    source: Metered,
    registration: Registration,
    told: mpsc::UnboundedReceiver<Told>,
    history: History,
    failures: Arc<Mutex<Vec<Failure>>>,
    task: JoinHandle<()>,
}

/// A fault while it lasts, and until it has been got over.
pub(crate) struct Fault {
    name: &'static str,
    requests_before: usize,
    failures_before: usize,
    told_before: Counts,
    over: Option<Instant>,
}

impl Fault {
    /// What was wrong is put right now.
    pub(crate) fn is_over(&mut self) {
        self.over = Some(Instant::now());
    }
}

/// What happened between the beginning of a fault and the converged cache.
#[derive(Debug)]
pub(crate) struct Recovery {
    /// Lists and watches.
    pub(crate) requests: Vec<Asked>,
    /// How many questions about single objects there were beside them.
    pub(crate) probes: usize,
    pub(crate) failures: Vec<Failure>,
    pub(crate) told: Counts,
}

impl Recovery {
    pub(crate) fn count(&self, what: What) -> usize {
        self.requests.iter().filter(|asked| asked.what == what).count()
    }

    /// Whether there were at most so many requests, and one more for every second that it lasted: a slow machine has
    /// more time to ask in, a hot loop makes hundreds.
    pub(crate) fn asked_at_most(&self, allowed: usize) -> bool {
        let lasted = self.requests.first().zip(self.requests.last()).map(|(first, last)| last.at - first.at);
        let seconds = usize::try_from(lasted.unwrap_or_default().as_secs()).unwrap_or_default();
        let (answered, not): (Vec<&Asked>, Vec<&Asked>) =
            self.requests.iter().partition(|asked| asked.answered);
        // A server that cannot be reached is tried four times a second for the first five, and then more rarely.
        answered.len() <= allowed + seconds && not.len() <= allowed + 25 + seconds
    }

    /// Whether a failure was reported whose text has all these parts.
    pub(crate) fn reported(&self, parts: &[&str]) -> bool {
        let texts = self.failures.iter().map(ToString::to_string);
        texts.into_iter().any(|text| parts.iter().all(|part| text.contains(part)))
    }
}

impl Watched {
    /// Starts an informer and waits until its handler has heard of everything and it has a watch.
    pub(crate) async fn start(
        cluster: impl Into<Cluster>,
        resource: &ApiResource,
        settings: Options,
    ) -> Result<Self> {
        let source = Metered::new(HttpSource::new(cluster, DynamicObject::info(resource))?);
        let failures = Arc::new(Mutex::new(Vec::new()));
        let informer = SharedInformer::<DynamicObject>::builder_with(source.clone(), resource)
            .options(|_| settings)
            .namespace("default")
            .on_error({
                let failures = failures.clone();
                move |failure| failures.lock().push(failure.clone())
            })
            .build()?;
        source.set_informer(Some(informer.clone()));
        let (sender, told) = mpsc::unbounded_channel();
        let registration = informer.add_event_handler(handler().on_event(move |event| {
            sender.send(event.into()).ok();
        }))?;
        let task = tokio::spawn({
            let informer = informer.clone();
            async move { informer.run(std::future::pending()).await.expect("runs once") }
        });
        let watched =
            Self { informer, source, registration, told, history: History::default(), failures, task };
        watched.informer.wait_synced(PATIENCE).await?;
        watched.registration.wait_synced(PATIENCE).await?;
        watched.until("the watch is open", |_| watched.source.is_watching()).await?;
        Ok(watched)
    }

    /// Marks the beginning of a fault. What was told before is looked at first.
    pub(crate) fn fault(&mut self, name: &'static str) -> Fault {
        self.drain();
        Fault {
            name,
            requests_before: self.source.asked().len(),
            failures_before: self.failures.lock().len(),
            told_before: self.history.counts,
            over: None,
        }
    }

    /// How often the scope was read as a whole for this reason.
    pub(crate) fn relists(&self, reason: RelistReason) -> u64 {
        self.informer.status().scopes[0].relists(reason)
    }

    /// What is in the cache.
    pub(crate) fn cached(&self) -> Content {
        let objects = self.informer.lister().list();
        objects
            .iter()
            .map(|object| (object.key().to_string(), object.resource_version().to_string()))
            .collect()
    }

    /// Waits until the status is as wanted. Phases are not events, so this one has to look again and again.
    pub(crate) async fn until(&self, what: &str, wanted: impl Fn(&InformerStatus) -> bool) -> Result<()> {
        let mut again = tokio::time::interval(Duration::from_millis(5));
        let waited = async {
            while !wanted(&self.informer.status()) {
                again.tick().await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, waited).await;
        in_time.with_context(|| format!("waited in vain until {what}: {:#?}", self.informer.status()))
    }

    /// Waits until so many more failures have been reported since the fault began.
    pub(crate) async fn until_failures(&self, fault: &Fault, more: usize) -> Result<()> {
        let wanted = u64::try_from(fault.failures_before + more)?;
        self.until(&format!("{more} failures are reported"), |status| status.failures >= wanted).await
    }

    /// Waits until the cache and the handler have what the server has, checks everything that must hold after any
    /// fault, and prints how long it took.
    pub(crate) async fn recovered(&mut self, fault: Fault, server: &Objects) -> Result<Recovery> {
        let over = fault.over.context("the fault was ended")?;
        let wanted = server.content().await?;
        self.until_told(fault.name, &wanted).await?;
        let took = over.elapsed();
        assert_eq!(self.cached(), wanted, "the cache is what the server has");
        self.source.assert_no_hot_loop();
        self.until("the scope is watched again", |status| {
            status.phase == Phase::Watching && self.source.is_watching()
        })
        .await?;
        self.until("no version is held any more but those in the cache", |status| {
            status.queued == 0 && status.versions_alive <= status.objects + VERSIONS_BESIDE_THE_CACHE
        })
        .await?;
        assert_eq!(self.registration.status().panics, 0);
        let status = self.informer.status();
        let (told, before) = (self.history.counts, fault.told_before);
        let asked = self.source.asked().split_off(fault.requests_before);
        let (probes, requests): (Vec<_>, Vec<_>) =
            asked.into_iter().partition(|asked| asked.what == What::Probe);
        let recovery = Recovery {
            requests,
            probes: probes.len(),
            failures: self.failures.lock().split_off(fault.failures_before),
            told: Counts {
                added: told.added - before.added,
                updated: told.updated - before.updated,
                deleted: told.deleted - before.deleted,
                found_missing: told.found_missing - before.found_missing,
            },
        };
        let line = format!(
            "fault: {:<36} converged after {took:>9.3?}; {:>2} requests ({} watch, {} streamed list, {} list, {} page), \
             {} probes, {} failures reported, {} versions alive of {} objects",
            fault.name,
            recovery.requests.len(),
            recovery.count(What::Watch),
            recovery.count(What::StreamedList),
            recovery.count(What::List),
            recovery.count(What::Page),
            recovery.probes,
            recovery.failures.len(),
            status.versions_alive,
            status.objects,
        );
        // The harness swallows what a test prints that passes.
        writeln!(std::io::stderr(), "{line}").ok();
        Ok(recovery)
    }

    /// How many lists and watches it has asked for so far, and how many questions about single objects.
    pub(crate) fn requests(&self) -> (usize, usize) {
        let asked = self.source.asked();
        let probes = asked.iter().filter(|asked| asked.what == What::Probe).count();
        (asked.len() - probes, probes)
    }

    /// Waits until the handler has been told of exactly this. May be given up and begun again.
    pub(crate) async fn until_told(&mut self, fault: &str, wanted: &Content) -> Result<()> {
        loop {
            self.drain();
            if self.history.is(wanted) {
                return Ok(());
            }
            let Ok(next) = tokio::time::timeout(PATIENCE, self.told.recv()).await else {
                let told = self.history.content();
                let differences = wanted.iter().filter(|(key, version)| told.get(*key) != Some(*version));
                let missing: Vec<_> = differences.take(5).collect();
                let extra: Vec<_> = told.keys().filter(|key| !wanted.contains_key(*key)).take(5).collect();
                let (failures, status) = (self.failures.lock().clone(), self.informer.status());
                bail!("{fault}: not told: {missing:?}, told too much: {extra:?}, {failures:#?}, {status:#?}");
            };
            self.history.hear(next.context("the handler is gone")?);
        }
    }

    fn drain(&mut self) {
        while let Ok(told) = self.told.try_recv() {
            self.history.hear(told);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.source.set_informer(None);
        self.task.abort();
    }
}
