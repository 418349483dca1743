//! What is known of the writes of each key, and whether the caches have seen them.

mod known;
mod ticket;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use kube_informer::ObjectKey;
use kube_informer::status::Patience;
use metrics::Counter;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

pub(super) use self::known::are_siblings;
pub(super) use self::ticket::Ticket;
use super::cache::Known;
use super::echo::Echoes;
use super::overlay::Overlays;
use super::run::Run;
use super::seen::{Cache, Seen, Unseen, Until, is_same};

/// Remembers what was written for each key, until the caches have seen it. See [the module](super).
///
/// A [`Controller`](crate::Controller) has one of its own, and its requests end with it. Alone it is for those who have a queue and
/// workers already. Cheap to clone; all clones are the same tracker.
///
/// It knows every informer that [`Run::objects`] was called with, and holds it until it has stopped: a write through one of them is
/// waited for at all that have objects of that resource.
///
/// ```
/// # use std::time::Duration;
/// # use embedded_apiserver::EmbeddedApiserver;
/// use informer_controller::queue::{QueueOptions, WorkQueue};
/// use informer_controller::writes::Tracker;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube_informer::{ObjectKey, SharedInformerFactory};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = EmbeddedApiserver::new();
/// let factory = SharedInformerFactory::builder(server.client()).build()?;
/// let maps = factory.core().v1().config_maps().informer();
/// factory.start();
///
/// let (tracker, queue) = (Tracker::new(), WorkQueue::new("mine", QueueOptions::default()));
/// queue.add(ObjectKey::namespaced("default", "a"));
/// # let mut runs = 0;
/// while let Some(work) = queue.next().await {
///     // What the last run wrote is in the cache from here on.
///     tracker.settled(work.item(), Duration::from_secs(30)).await;
///     let run = tracker.run(work.item());
///     let maps = run.objects(&maps);
///     if maps.get(run.key()).is_none() {
///         let mut map = ConfigMap::default();
///         map.metadata.name = Some(run.key().name().to_owned());
///         maps.create(&map).await?;
///         assert!(maps.get(run.key()).is_some(), "whether the watch has brought it or not");
///     }
///     if let Some(missing) = tracker.missing(run.key()) {
///         let (queue, key) = (queue.clone(), run.key().clone());
///         tokio::spawn(async move {
///             if missing.await {
///                 // Somebody has deleted it before the cache had it.
///                 queue.add(key);
///             }
///         });
///     }
/// #   // Added while it is worked on: it runs once more.
/// #   runs += 1;
/// #   if runs == 1 {
/// #       queue.add(work.item().clone());
/// #   } else {
/// #       queue.shut_down();
/// #   }
///     work.done();
/// }
/// // Nothing of it is under way any more.
/// tracker.end(Duration::from_secs(20)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Tracker {
    state: Arc<Mutex<State>>,
    /// What the handlers of its controller need not be told of.
    pub(super) echoes: Echoes,
}

#[derive(Default)]
struct State {
    tickets: u64,
    /// The tasks of the requests that have not been answered, by ticket.
    under_way: HashMap<u64, AbortHandle>,
    /// One of them has ended.
    ended: Arc<Notify>,
    /// Nothing is written any more.
    has_ended: bool,
    /// The informers that writes are waited for at.
    known: Vec<Arc<Known>>,
    /// How many writes an informer is never going to show.
    hidden: u64,
    hidden_total: Option<Counter>,
    /// Only those that wait for something.
    owners: HashMap<ObjectKey, Owner>,
}

/// What was written for one key and has not been seen.
#[derive(Default)]
struct Owner {
    unseen: Vec<Unseen>,
    /// What the runs wrote, for one that does not wait until it has been seen.
    overlays: Arc<Overlays>,
    /// Not seen in time: the next run does not wait.
    is_stale: bool,
    /// Held by somebody who waits for it, and misses what is not there then.
    watched: Weak<()>,
    /// A write has been answered.
    answered: Arc<Notify>,
}

impl State {
    /// A request has been answered, or dropped.
    fn ended(&mut self, ticket: u64) {
        self.under_way.remove(&ticket);
        self.ended.notify_waiters();
    }
}

impl Tracker {
    /// A tracker that knows of no writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The tracker of a controller, which also counts there what informers never show.
    pub(crate) fn with(echoes: Echoes, hidden: Counter) -> Self {
        let tracker = Self { echoes, ..Self::default() };
        tracker.state.lock().hidden_total = Some(hidden);
        tracker
    }

    /// Begins a run for a key. If caches have not seen yet what earlier runs wrote, it is [stale](Run::is_stale), and reads what
    /// they wrote all the same, as far as the server has answered.
    pub fn run(&self, key: &ObjectKey) -> Run {
        let is_stale = !self.is_settled(key);
        Run::new(key.clone(), self.clone(), is_stale)
    }

    /// Whether caches have seen all that runs for this key have written.
    pub fn is_settled(&self, key: &ObjectKey) -> bool {
        // The caches are asked with nothing locked.
        let unseen = self.unseen(key);
        if unseen.is_empty() {
            return true;
        }
        let has_seen =
            |write: &&Unseen| !write.is_under_way && write.cache.has_seen(&write.key, &write.until);
        let seen: Vec<u64> = unseen.iter().filter(has_seen).map(|write| write.ticket).collect();
        self.forget(key, &seen)
    }

    /// Waits until caches have seen all that runs for this key have written. Woken by the commit that brings the last of it.
    /// `false` if that takes longer than `patience`.
    pub async fn settled(&self, key: &ObjectKey, patience: impl Into<Patience>) -> bool {
        let patience = patience.into();
        let all = async { while self.next(key, |_, _| false).await {} };
        if patience.wait(all).await.is_ok() {
            return true;
        }
        let unseen = self.unseen(key);
        let first = unseen.iter().find(|write| !write.cache.has_seen(&write.key, &write.until));
        let (cache, object) = first.map_or(("", String::new()), |write| {
            (write.cache.name(), format!("{} {:?}", write.key, write.until))
        });
        tracing::warn!(%key, cache, object, %patience, "its own write has not come to the cache");
        false
    }

    /// How many keys wait for something.
    pub fn len(&self) -> usize {
        self.state.lock().owners.len()
    }

    /// Whether caches have seen everything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A run for `key` is about to write an object. Until it says what came of it, that is not known.
    pub(super) fn begin(
        &self,
        key: &ObjectKey,
        overlays: &Arc<Overlays>,
        cache: Arc<dyn Cache>,
        object: ObjectKey,
        unanswered: Until,
    ) -> Ticket {
        let mut state = self.state.lock();
        state.tickets += 1;
        let ticket = state.tickets;
        let unseen =
            Unseen { ticket, is_under_way: true, cache, key: object, until: unanswered, is_shown: false };
        let owner = state.owners.entry(key.clone()).or_default();
        owner.overlays = overlays.clone();
        owner.unseen.push(unseen);
        drop(state);
        Ticket { tracker: self.clone(), owner: key.clone(), number: ticket, is_open: true }
    }

    /// This task is going to send the request of a ticket. Says whether it may.
    pub(super) fn sends(&self, ticket: u64, task: AbortHandle) -> bool {
        let mut state = self.state.lock();
        if state.has_ended {
            return false;
        }
        state.under_way.insert(ticket, task);
        true
    }

    /// Refuses whatever is to be written from now on, waits until what was sent has been answered, and drops what takes longer
    /// than `patience`. Says whether all was answered. To be called before a [leadership](Run::with_leadership) is given back.
    pub async fn end(&self, patience: impl Into<Patience>) -> bool {
        self.state.lock().has_ended = true;
        let all = async {
            loop {
                let ended = self.state.lock().ended.clone();
                let news = ended.notified();
                if self.state.lock().under_way.is_empty() {
                    return;
                }
                news.await;
            }
        };
        let are_answered = patience.into().wait(all).await.is_ok();
        self.end_now();
        are_answered
    }

    /// The same without waiting.
    pub(crate) fn end_now(&self) {
        let under_way = {
            let mut state = self.state.lock();
            state.has_ended = true;
            std::mem::take(&mut state.under_way)
        };
        under_way.values().for_each(AbortHandle::abort);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().has_ended
    }

    /// What earlier runs for a key wrote, if caches have not seen it.
    pub(super) fn overlays(&self, key: &ObjectKey) -> Arc<Overlays> {
        self.state.lock().owners.get(key).map(|owner| owner.overlays.clone()).unwrap_or_default()
    }

    /// The next run for this key is not to wait.
    pub(crate) fn give_up(&self, key: &ObjectKey) {
        if let Some(owner) = self.state.lock().owners.get_mut(key) {
            owner.is_stale = true;
        }
    }

    /// Whether the next run for this key is not to wait though caches have not seen all that was written for it. Says so once: if
    /// they still have not after that run, it waits again.
    pub(crate) fn take_stale(&self, key: &ObjectKey) -> bool {
        let mut state = self.state.lock();
        state.owners.get_mut(key).is_some_and(|owner| std::mem::take(&mut owner.is_stale))
    }

    /// Waits until caches have seen all that runs for this key have written, and forgets it. Says whether the key has to be
    /// reconciled though no event tells: one of those objects is not there by then, so it may have come and gone without the
    /// cache ever knowing of it; or the server has gone back in time. To be called after every run. It waits as long as it takes.
    ///
    /// `None` if there is nothing to wait for, or somebody waits already.
    pub fn missing(&self, key: &ObjectKey) -> Option<impl Future<Output = bool> + Send + use<>> {
        let mut state = self.state.lock();
        let owner = state.owners.get_mut(key).filter(|owner| owner.watched.strong_count() == 0)?;
        let watches = Arc::new(());
        owner.watched = Arc::downgrade(&watches);
        let (tracker, key) = (self.clone(), key.clone());
        Some(async move {
            // Also if this is dropped, somebody else can wait then.
            let _watches = watches;
            let mut is_missing = false;
            let mut look = |write: &Unseen, seen: Seen| {
                is_missing |= seen == Seen::Rewound
                    || (write.is_shown
                        && matches!(write.until, Until::Version(_))
                        && !write.cache.holds(&write.key));
                is_missing
            };
            while tracker.next(&key, &mut look).await {}
            is_missing
        })
    }

    /// Waits until caches have seen what is known to be written for a key, and forgets it. `false` if there is nothing, or if
    /// whoever looks at it has seen enough.
    async fn next(&self, key: &ObjectKey, mut look: impl FnMut(&Unseen, Seen) -> bool) -> bool {
        let answered;
        let news;
        let unseen;
        {
            let state = self.state.lock();
            let Some(owner) = state.owners.get(key) else { return false };
            answered = owner.answered.clone();
            news = answered.notified();
            let known = owner.unseen.iter().filter(|write| !write.is_under_way);
            unseen = known.cloned().collect::<Vec<_>>();
        }
        if unseen.is_empty() {
            news.await;
            return true;
        }
        let waits = unseen.iter().map(|write| async move {
            let seen = write.cache.see(&write.key, &write.until).await;
            (write, seen)
        });
        let mut waits: FuturesUnordered<_> = waits.collect();
        // What is seen at once is forgotten at once, and not one by one: each time all that is left is gone through.
        let mut done = Vec::new();
        loop {
            let next = match waits.next().now_or_never() {
                Some(next) => next,
                None => {
                    self.forget_all(key, &mut done);
                    waits.next().await
                }
            };
            let Some((write, seen)) = next else { break };
            match seen {
                // Nothing that was written there before is worth waiting for.
                Seen::Rewound => {
                    self.forget_all(key, &mut done);
                    let there = unseen.iter().filter(|other| is_same(&*other.cache, &*write.cache));
                    self.forget(key, &there.map(|other| other.ticket).collect::<Vec<_>>());
                }
                Seen::Yes | Seen::Never => done.push(write.ticket),
            }
            let is_enough = look(write, seen);
            if is_enough || seen == Seen::Rewound {
                self.forget_all(key, &mut done);
                return !is_enough;
            }
        }
        self.forget_all(key, &mut done);
        true
    }

    fn unseen(&self, key: &ObjectKey) -> Vec<Unseen> {
        self.state.lock().owners.get(key).map(|owner| owner.unseen.clone()).unwrap_or_default()
    }

    /// In any order.
    fn forget_all(&self, key: &ObjectKey, seen: &mut Vec<u64>) {
        seen.sort_unstable();
        self.forget(key, seen);
        seen.clear();
    }

    /// Says whether nothing is left.
    fn forget(&self, key: &ObjectKey, seen: &[u64]) -> bool {
        let mut state = self.state.lock();
        let Some(owner) = state.owners.get_mut(key) else { return true };
        // Both are in the order of the tickets.
        owner.unseen.retain(|write| seen.binary_search(&write.ticket).is_err());
        let is_settled = owner.unseen.is_empty();
        if is_settled {
            state.owners.remove(key);
        }
        is_settled
    }
}

impl fmt::Debug for Tracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracker").field("keys", &self.len()).finish()
    }
}

#[cfg(test)]
mod tests;
