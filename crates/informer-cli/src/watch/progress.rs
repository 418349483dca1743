//! How far the caches have been filled.

use std::time::{Duration, Instant};

use kube_client::Client;
use kube_client::api::{Api, DynamicObject, ListParams};
use kube_informer::SharedInformer;

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::kinds::api_resource;
use crate::screen::Screen;

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(100);

/// The caches that fill, and how many objects they will hold where that is known.
pub(crate) struct Progress {
    informers: Vec<SharedInformer<DynamicObject>>,
    screen: Screen,
    client: Option<Client>,
    namespace: Option<String>,
}

impl Progress {
    pub(crate) fn begin(
        cluster: &Cluster,
        objects: &ObjectArgs,
        informers: &[SharedInformer<DynamicObject>],
        screen: &Screen,
    ) -> Self {
        // With a selector the server does not say how many there are.
        let counts = screen.is_terminal() && objects.labels.is_none() && objects.fields.is_none();
        Self {
            informers: informers.to_vec(),
            screen: screen.clone(),
            client: counts.then(|| cluster.client().ok()).flatten(),
            namespace: cluster.namespace(objects),
        }
    }

    /// Shows progress until all are synced, and says so of each.
    pub(crate) async fn synced(self) {
        let begun = Instant::now();
        let mut waiting = self.informers.clone();
        let total = self.total();
        tokio::pin!(total);
        let mut of = None;
        let mut look = tokio::time::interval(LOOK);
        while !waiting.is_empty() {
            tokio::select! {
                count = &mut total, if of.is_none() => of = Some(count),
                _ = look.tick() => {}
            }
            waiting.retain(|informer| {
                if informer.has_synced() {
                    let count = informer.lister().len();
                    self.screen.note(&format!(
                        "{}: {count} objects after {:.1?}",
                        informer.kind(),
                        begun.elapsed()
                    ));
                }
                !informer.has_synced()
            });
            let held: usize = self.informers.iter().map(|informer| informer.status().versions_alive).sum();
            let names: Vec<_> = waiting.iter().map(|informer| informer.kind().to_string()).collect();
            self.screen.progress(&format!("reading {}", names.join(", ")), held as u64, of.flatten());
        }
    }

    /// How many objects there are, if the server says for every kind.
    async fn total(&self) -> Option<u64> {
        let client = self.client.as_ref()?;
        let mut total = 0;
        for informer in &self.informers {
            total += count(client, informer, self.namespace.as_deref()).await?;
        }
        Some(total)
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
