//! The beginning: how far the caches have been filled, and what was in them.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt as _};
use k8s_openapi::jiff::Timestamp;
use kube_client::Client;
use kube_client::api::{Api, DynamicObject, ListParams};
use kube_informer::{Event, EventStream, SharedInformer};
use tokio::task::JoinHandle;

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::kinds::api_resource;
use crate::screen::Screen;
use crate::watch::line::{Columns, Told};

/// Objects of one kind that are there at the start are shown one by one up to so many.
const SHOWN: usize = 20;

/// A cache that fills sooner is not worth a word about the time.
const WORTH_SAYING: Duration = Duration::from_secs(1);

/// The events of one kind.
pub(crate) struct Events {
    pub(crate) informer: SharedInformer<DynamicObject>,
    pub(crate) stream: EventStream<DynamicObject>,
    /// What was there at the start, while that is still coming.
    first: Option<First>,
    ended: bool,
}

#[derive(Default)]
struct First {
    count: usize,
    /// Empty once there are too many.
    told: Vec<Told>,
}

impl Events {
    pub(crate) fn of(informer: &SharedInformer<DynamicObject>) -> Result<Self, Failure> {
        let stream = informer.stream().map_err(Failure::cluster)?;
        Ok(Self { informer: informer.clone(), stream, first: Some(First::default()), ended: false })
    }

    /// Keeps what was there at the start until all of it has come; gives back what is to be shown now.
    pub(crate) fn keep(&mut self, told: Told) -> Option<Told> {
        let Some(first) = &mut self.first else { return Some(told) };
        if !told.is_initial() {
            return Some(told);
        }
        first.count += 1;
        match first.count <= SHOWN {
            true => first.told.push(told),
            false => first.told.clear(),
        }
        None
    }

    pub(crate) fn is_filling(&self) -> bool {
        self.first.is_some()
    }

    /// Shows what was there at the start, in order, once all of it has come.
    pub(crate) fn show_first(
        &mut self,
        begun: Instant,
        columns: &mut Columns,
        screen: &Screen,
    ) -> Result<(), Failure> {
        if !self.stream.has_synced() {
            return Ok(());
        }
        let Some(mut first) = self.first.take() else { return Ok(()) };
        let lasted = match begun.elapsed() {
            lasted if lasted >= WORTH_SAYING => format!(" after {:.1} s", lasted.as_secs_f64()),
            _ => String::new(),
        };
        screen.note(&format!("{}: {} in the cache{lasted}", self.informer.kind(), first.count));
        first.told.sort_by(|a, b| a.key().cmp(b.key()));
        columns.fit(&first.told);
        let now = Timestamp::now();
        first.told.iter().try_for_each(|told| screen.line(&told.text(now, columns)))?;
        Ok(())
    }
}

/// All streams as one; each event with the place of its stream.
pub(crate) struct AllEvents(pub(crate) Vec<Events>);

impl Stream for AllEvents {
    type Item = (usize, Event<DynamicObject>);

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        for (place, events) in self.0.iter_mut().enumerate().filter(|(_, events)| !events.ended) {
            match events.stream.poll_next_unpin(context) {
                Poll::Ready(Some(event)) => return Poll::Ready(Some((place, event))),
                Poll::Ready(None) => events.ended = true,
                Poll::Pending => {}
            }
        }
        match self.0.iter().all(|events| events.ended) {
            true => Poll::Ready(None),
            false => Poll::Pending,
        }
    }
}

/// How many objects there are, if the server says so for every kind.
pub(crate) struct Total(Option<JoinHandle<Option<u64>>>, Option<u64>);

impl Total {
    pub(crate) fn ask(
        cluster: &Cluster,
        objects: &ObjectArgs,
        informers: &[SharedInformer<DynamicObject>],
        screen: &Screen,
    ) -> Self {
        // With a selector the server does not say.
        let says = screen.is_terminal() && objects.labels.is_none() && objects.fields.is_none();
        let Some(client) = says.then(|| cluster.client().ok()).flatten() else { return Self(None, None) };
        let (informers, namespace) = (informers.to_vec(), cluster.namespace(objects));
        let asked = async move {
            let mut total = 0;
            for informer in &informers {
                total += count(&client, informer, namespace.as_deref()).await?;
            }
            Some(total)
        };
        Self(Some(tokio::spawn(asked)), None)
    }

    /// As far as it is known by now.
    async fn known(&mut self) -> Option<u64> {
        if let Some(asked) = self.0.take_if(|asked| asked.is_finished()) {
            self.1 = asked.await.ok().flatten();
        }
        self.1
    }

    /// Shows how far the caches have been filled.
    pub(crate) async fn draw(&mut self, events: &[Events], screen: &Screen) {
        let held: usize = events.iter().map(|events| events.informer.status().versions_alive).sum();
        let waiting = events.iter().filter(|events| events.is_filling());
        let names: Vec<_> = waiting.map(|events| events.informer.kind().to_string()).collect();
        screen.progress(&format!("reading {}", names.join(", ")), held as u64, self.known().await);
    }
}

impl Drop for Total {
    fn drop(&mut self) {
        if let Some(asked) = &self.0 {
            asked.abort();
        }
    }
}

async fn count(
    client: &Client,
    informer: &SharedInformer<DynamicObject>,
    namespace: Option<&str>,
) -> Option<u64> {
    let kind = informer.kind();
    let resource = api_resource(kind);
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) if kind.is_namespaced() != Some(false) => {
            Api::namespaced_with(client.clone(), namespace, &resource)
        }
        _ => Api::all_with(client.clone(), &resource),
    };
    let first = api.list(&ListParams::default().limit(1)).await.ok()?;
    let rest = first.metadata.remaining_item_count.unwrap_or(0);
    Some(first.items.len() as u64 + u64::try_from(rest).ok()?)
}
