//! The progress of the first sync: how many objects of how many.

use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use tokio::task::JoinHandle;

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::listing::Listing;
use crate::screen::Screen;
use crate::watch::events::Events;

/// The number of all objects, if the server reports it for every kind.
pub(crate) struct Total(Option<JoinHandle<Option<u64>>>, Option<u64>);

impl Total {
    pub(crate) fn ask(
        cluster: &Cluster,
        objects: &ObjectArgs,
        informers: &[SharedInformer<DynamicObject>],
        screen: &Screen,
    ) -> Self {
        // With a selector the server does not report the number.
        let says = screen.is_terminal() && objects.labels.is_none() && objects.fields.is_none();
        if !says {
            return Self::unknown();
        }
        let listings = |informer: &SharedInformer<_>| Listing::all(cluster, informer.kind(), objects);
        let listings: Result<Vec<_>, _> = informers.iter().map(listings).collect();
        let asked = async move {
            let mut total = 0;
            for listing in listings.ok()?.iter().flatten() {
                total += count(listing).await?;
            }
            Some(total)
        };
        Self(Some(tokio::spawn(asked)), None)
    }

    /// It is not known.
    pub(crate) fn unknown() -> Self {
        Self(None, None)
    }

    /// The number, if it is known by now.
    async fn known(&mut self) -> Option<u64> {
        if let Some(asked) = self.0.take_if(|asked| asked.is_finished()) {
            self.1 = asked.await.ok().flatten();
        }
        self.1
    }

    /// Shows the progress.
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

/// The number of objects, from a list of one object and the number of those that follow.
async fn count(listing: &Listing) -> Option<u64> {
    let first = listing.page(1, None).await.ok()?;
    Some(first.items.len() as u64 + first.remaining.unwrap_or(0))
}

#[cfg(test)]
mod tests;
