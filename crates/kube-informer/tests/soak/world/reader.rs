//! One informer under observation: its requests, its cache and its handlers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use kube_informer::source::HttpSource;
use kube_informer::status::Phase;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::support::PATIENCE;
use crate::support::metered::{self, Metered};
use crate::support::objects::Content;
use crate::world::handlers::{Listener, Mood};
use crate::world::kinds::What;

/// What may be alive beside the cache once everything has been told: what is on its way through the pipeline.
const VERSIONS_BESIDE_THE_CACHE: usize = 16;

pub(crate) struct Reader {
    pub(crate) what: What,
    pub(crate) informer: SharedInformer<DynamicObject>,
    source: Metered,
    listeners: Vec<Listener>,
    task: JoinHandle<()>,
}

impl Reader {
    /// Starts an informer with default options and waits until its handlers have heard of everything.
    pub(crate) async fn start(source: HttpSource, what: What, mood: &watch::Sender<Mood>) -> Result<Self> {
        let source = Metered::new(source);
        let informer = SharedInformer::<DynamicObject>::builder_with(source.clone(), &what.resource())
            .options(|options| options)
            .namespace(what.namespace())
            .name(what.name())
            .build()?;
        source.set_informer(Some(informer.clone()));
        let listeners = Listener::all(&informer, mood)?;
        let task = tokio::spawn({
            let informer = informer.clone();
            async move { informer.run(std::future::pending()).await.expect("runs once") }
        });
        let reader = Self { what, informer, source, listeners, task };
        reader.informer.wait_synced(PATIENCE).await?;
        for listener in &reader.listeners {
            listener.synced(PATIENCE).await?;
        }
        Ok(reader)
    }

    /// How many requests it has sent. The pages of a list are one.
    pub(crate) fn requests(&self) -> usize {
        self.source.asked().iter().filter(|asked| asked.what != metered::What::Page).count()
    }

    /// Panics if it has sent too many in a row.
    pub(crate) fn assert_no_hot_loop(&self) {
        self.source.assert_no_hot_loop();
    }

    /// Waits until cache and handlers have exactly this, and gives the moment since when.
    pub(crate) async fn until_right(
        &mut self,
        wanted: &Content,
        deadline: tokio::time::Instant,
        but_moody: bool,
    ) -> Result<Instant> {
        let mut right = None;
        for listener in self.listeners.iter_mut().filter(|listener| !but_moody || !listener.is_moody) {
            let told = listener.until_told(wanted, deadline).await;
            let at = told.with_context(|| format!("{}: {:#?}", self.what.name(), self.informer.status()))?;
            right = right.max(Some(at));
        }
        // Whoever calls a handler has changed the cache before.
        let cached: Content = self
            .informer
            .lister()
            .list()
            .iter()
            .map(|object| (object.key().to_string(), object.resource_version().to_string()))
            .collect();
        ensure!(cached == *wanted, "{}: the cache is not what the server has", self.what.name());
        right.context("there are handlers")
    }

    /// Waits until its watch is open, and no version is held any more but those in the cache. Phases are not events, so this
    /// has to look again and again.
    pub(crate) async fn until_settled(&self) -> Result<()> {
        let mut again = tokio::time::interval(Duration::from_millis(5));
        let settled = async {
            loop {
                let status = self.informer.status();
                let is_watching = status.phase == Phase::Watching && self.source.is_watching();
                let few = status.versions_alive <= status.objects + VERSIONS_BESIDE_THE_CACHE;
                if is_watching && few && status.queued == 0 {
                    return;
                }
                again.tick().await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, settled).await;
        in_time
            .with_context(|| format!("{} does not settle: {:#?}", self.what.name(), self.informer.status()))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.source.set_informer(None);
        self.task.abort();
    }
}
