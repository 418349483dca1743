//! Requests single objects that callers wait for: one request at a time for each key, shared by all callers that wait
//! for it.
//!
//! If a caller begins to wait for a key while a request for it is under way, another request is sent after that one:
//! the answer of the first may be older than the caller's wait, so it proves nothing for this caller. If callers wait
//! for more keys than may be requested at once, only one of them is requested, to learn the server's current version,
//! and then a list of the whole scope answers the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use hashbrown::HashSet;
use informer_core::delta::{Delta, DeltaChange};
use informer_core::object::head::Head;
use informer_core::object::ingest::Ingest;
use informer_core::store::indexer::Indexer;
use informer_wire::{ObjectKey, ResourceVersion};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use crate::fifo::DeltaFifo;
use crate::informer::engine::{Engine, InformerState};
use crate::informer::reflectors::target;
use crate::informer::scopes::ScopeSlot;
use crate::reflector::Target;
use crate::reflector::budget::Budget;
use crate::reflector::lookup::{Found, look_up};
use crate::reflector::newest::Newest;
use crate::reflector::turn::turn;
use crate::report::{Cause, Reporter};
use crate::source::ListWatch;
use crate::status::StatusCell;

/// How long one answer may take.
const ANSWER: Duration = Duration::from_secs(10);

/// How long to wait for a list that answers many waits before single objects are requested again.
const SETTLING: Duration = Duration::from_secs(30);

/// For how many keys of a scope the store may hold a state as of a later version than that of the scope.
const BARRIERS: usize = 1_000;

/// A list costs as much as two requests, one of them to learn the server's current version: for fewer keys than this it
/// is of no use.
const KEYS_TO_SETTLE: usize = 3;

/// The outcome of the request for a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The state as of this version is being sent to the store.
    AsOf(ResourceVersion),
    /// The server is behind what the cache has seen: it went back in time.
    Rewound,
    /// There was no usable answer.
    Failed,
}

/// A request, with which all callers that wait for it are notified.
type Question = watch::Sender<Option<Outcome>>;

/// Receives the outcome of a request.
pub(crate) type Answer = watch::Receiver<Option<Outcome>>;

/// Takes the requests for objects of one scope.
#[derive(Default)]
pub(crate) struct Desk {
    /// Requests that have not been sent yet.
    questions: Mutex<BTreeMap<ObjectKey, Question>>,
    bell: Notify,
}

impl Desk {
    /// Requests an object. The request is sent after this call, so its answer is not older than the call.
    pub(crate) fn ask(&self, key: &ObjectKey) -> Answer {
        let mut questions = self.questions.lock();
        let answer = questions.entry(key.clone()).or_insert_with(|| watch::Sender::new(None)).subscribe();
        self.bell.notify_one();
        answer
    }

    /// How many requests could be sent: not those of keys with a request under way, nor those that no caller waits for
    /// any more.
    fn ready(&self, under_way: &HashSet<ObjectKey>) -> usize {
        let mut questions = self.questions.lock();
        questions.retain(|_, question| !question.is_closed());
        questions.keys().filter(|key| !under_way.contains(*key)).count()
    }

    /// Takes out up to `most` of them.
    fn take(&self, under_way: &HashSet<ObjectKey>, most: usize) -> BTreeMap<ObjectKey, Question> {
        let mut questions = self.questions.lock();
        let ready = questions.keys().filter(|key| !under_way.contains(*key)).take(most);
        let ready: Vec<_> = ready.cloned().collect();
        ready.into_iter().filter_map(|key| questions.remove_entry(&key)).collect()
    }
}

/// Sends the requests for objects of one scope.
pub(crate) struct Lookups {
    desk: Arc<Desk>,
    asker: Arc<Asker>,
}

/// Everything that is needed to send one request.
struct Asker {
    source: Arc<dyn ListWatch>,
    target: Target,
    ingest: Arc<Ingest>,
    indexer: Arc<Indexer>,
    queue: Arc<DeltaFifo>,
    status: Arc<StatusCell>,
    reporter: Arc<Reporter>,
    document_limit: usize,
    probes: Arc<Mutex<Budget>>,
    relist: Arc<Notify>,
    newest: Arc<Mutex<Newest>>,
    doubt: Arc<Notify>,
    /// Notified at every commit.
    state: watch::Receiver<InformerState>,
}

/// A task that has ended.
enum Done {
    Look { key: ObjectKey, late: bool },
    Settling,
}

impl Lookups {
    pub(crate) fn new(engine: &Engine, slot: &ScopeSlot) -> Self {
        let asker = Asker {
            source: engine.source.clone(),
            target: target(engine, slot),
            ingest: engine.ingest.clone(),
            indexer: engine.indexer.clone(),
            queue: engine.queue.clone(),
            status: slot.status.clone(),
            reporter: engine.reporter.clone(),
            document_limit: engine.options.tuning.document_limit,
            probes: slot.probes.clone(),
            relist: slot.relist.clone(),
            newest: slot.newest.clone(),
            doubt: slot.doubt.clone(),
            state: engine.state.subscribe(),
        };
        Self { desk: slot.desk.clone(), asker: Arc::new(asker) }
    }

    /// Runs until it is dropped.
    pub(crate) async fn run(self) {
        let mut work: FuturesUnordered<BoxFuture<'static, Done>> = FuturesUnordered::new();
        let mut under_way = HashSet::new();
        // At most one request is taken beyond the budget, and waits until the budget allows it; the others stay in the
        // desk, where they are counted.
        let (mut settling, mut late) = (false, false);
        loop {
            let ready = if settling { 0 } else { self.desk.ready(&under_way) };
            let available = self.asker.probes.lock().available(Instant::now()) as usize;
            if self.is_too_much(ready, available) {
                settling = true;
                let questions = self.desk.take(&under_way, usize::MAX);
                work.push(self.asker.clone().settle(questions).boxed());
            } else if ready > 0 {
                let most = available + usize::from(!late);
                for (place, (key, question)) in self.desk.take(&under_way, most).into_iter().enumerate() {
                    let beyond = place >= available;
                    late |= beyond;
                    under_way.insert(key.clone());
                    work.push(self.asker.clone().look(key, question, beyond).boxed());
                }
            }
            tokio::select! {
                biased;
                Some(done) = work.next() => match done {
                    Done::Look { key, late: was_late } => {
                        under_way.remove(&key);
                        late &= !was_late;
                    }
                    Done::Settling => settling = false,
                },
                () = self.desk.bell.notified() => {}
            }
        }
    }

    /// Whether one list is cheaper than this many requests.
    fn is_too_much(&self, questions: usize, available: usize) -> bool {
        let barriers = self.asker.indexer.barriers(self.asker.target.id);
        (questions > available && questions >= KEYS_TO_SETTLE)
            || (questions > 0 && barriers.saturating_add(questions) > BARRIERS)
    }
}

impl Asker {
    /// Requests one key and passes the answer on.
    async fn look(self: Arc<Self>, key: ObjectKey, question: Question, late: bool) -> Done {
        self.turn().await;
        // The waiting callers may have got their object from the watch meanwhile.
        if !question.is_closed() {
            self.ask(&key, |outcome| drop(question.send_replace(Some(outcome)))).await;
        }
        Done::Look { key, late }
    }

    /// Requests one of many keys, and has the scope listed for the others.
    async fn settle(self: Arc<Self>, questions: BTreeMap<ObjectKey, Question>) -> Done {
        self.turn().await;
        let Some(key) = questions.keys().next() else { return Done::Settling };
        let mut reached = None;
        let tell = |outcome: Outcome| {
            if let Outcome::AsOf(version) = &outcome {
                reached = Some(version.clone());
            }
            for question in questions.values() {
                question.send_replace(Some(outcome.clone()));
            }
        };
        self.ask(key, tell).await;
        if let Some(version) = reached {
            self.have_listed(&version).await;
        }
        Done::Settling
    }

    /// Waits until one more request may be sent.
    async fn turn(&self) {
        turn(&self.probes).await;
    }

    /// Has the whole scope listed at this version or a later one, and waits for that for a limited time.
    async fn have_listed(&self, version: &ResourceVersion) {
        self.turn().await;
        self.relist.notify_one();
        let mut state = self.state.clone();
        let listed = state.wait_for(|_| {
            let at = self.indexer.version(self.target.id);
            at.compare(version).is_none_or(std::cmp::Ordering::is_ge)
        });
        timeout(SETTLING, listed).await.ok();
    }

    /// Reports the outcome before the object is sent to the store: a caller that is woken by the commit must already
    /// know which version to look for.
    async fn ask(&self, key: &ObjectKey, tell: impl FnOnce(Outcome)) {
        let rewinds = self.indexer.rewinds(self.target.id);
        // Whatever the server has been seen at, also by other lookups: an answer that was asked for later is not older.
        let seen = self.status.newest_version();
        self.status.edit(|status| status.lookups += 1);
        let known = &*self.indexer;
        let look = look_up(&*self.source, &self.target, &self.ingest, known, self.document_limit, key);
        let (status, message) = match timeout(ANSWER, look).await {
            Ok(Ok(found)) if found.version.is_older_than(&seen) => {
                self.doubt.notify_one();
                return tell(Outcome::Rewound);
            }
            Ok(Ok(found)) => {
                if self.indexer.rewinds(self.target.id) == rewinds {
                    self.saw(key, &found);
                }
                tell(Outcome::AsOf(found.version.clone()));
                return self.pass_on(key, found, rewinds).await;
            }
            Ok(Err(trouble)) => (trouble.http_status(), trouble.told(self.target.sensitive)),
            Err(_) => (None, format!("no answer within {ANSWER:?}")),
        };
        let message = format!("asking for {key}, which is waited for: {message}");
        let failure = self.reporter.failure(Some(&self.target.scope), Cause::List { status, message });
        self.status.error(failure.clone(), Instant::now());
        self.reporter.tell(&failure);
        tell(Outcome::Failed);
    }

    /// Notes what an answer shows of the server's history: how far it has come, and an object that it has.
    fn saw(&self, key: &ObjectKey, found: &Found) {
        self.status.looked_up(&found.version);
        match &found.object {
            Some(record) => {
                let Head { uid, resource_version, .. } = &record.head;
                self.newest.lock().looked(key, uid, resource_version, &found.version);
            }
            None if found.unselective => {}
            None => self.newest.lock().gone(key, &found.version),
        }
    }

    async fn pass_on(&self, key: &ObjectKey, found: Found, rewinds: u64) {
        let Found { version, object, unselective } = found;
        if unselective {
            return self.have_listed(&version).await;
        }
        let change = DeltaChange::Looked { key: key.clone(), version, object, rewinds };
        // If the queue is closed, the informer is stopping, and all waits are ended by that.
        self.queue.push(Delta { scope: self.target.id, change }).await.ok();
    }
}
