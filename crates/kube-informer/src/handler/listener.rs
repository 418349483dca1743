//! The meeting point of the writer, which puts changes into a handler's mailbox, and the runner, which takes them out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use informer_core::mailbox::delivery::Delivery;
use informer_core::mailbox::{Mailbox, SweepKind};
use informer_core::store::change::Change;
use informer_core::store::pace::yield_now;
use informer_core::store::snapshot::Snapshot;
use metrics::{Gauge, Histogram};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::report::Reporter;

/// How many deliveries a runner takes at a time. The smaller, the later events merge; the larger, the fewer locks.
const BATCH: usize = 32;

/// A handler's mailbox with its bell.
pub(crate) struct Listener {
    pub(crate) name: Arc<str>,
    pub(crate) resync: Duration,
    /// A call that takes longer than this without being asynchronous keeps others from running.
    pub(crate) slow_call: Duration,
    /// Each call tells of everything that waits: see [`next_state`](Self::next_state).
    whole_state: bool,
    pub(crate) reporter: Arc<Reporter>,
    mailbox: Mutex<Mailbox>,
    /// How many objects the cache held when the handler was added, until the mailbox has them. Written with the mailbox locked.
    promised: AtomicUsize,
    bell: Notify,
    /// Notified when the runner has delivered everything, for the process loop of an exclusive informer.
    idle: Notify,
    /// Sent to when the runner has delivered what it took, to those who wait until the handler is [drained](Self::drained).
    delivered: watch::Sender<()>,
    /// Notified when the handler has ended, so that the informer drops it.
    leaving: Arc<Notify>,
    state: watch::Sender<ListenerState>,
    pub(crate) counters: ListenerCounters,
    backlog: Gauge,
    /// How much of the gauge is ours: handlers of the same name, and those without one, share it. Written with the
    /// mailbox locked.
    shown: AtomicUsize,
    pub(crate) duration: Histogram,
}

/// How far a handler has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListenerState {
    /// The handler has been called for every object that was in the cache when the handler was added, or when the
    /// informer first filled its cache.
    pub(crate) synced: bool,
    pub(crate) ending: Ending,
    /// It has ended, and was called with everything before that.
    drained: bool,
    /// A task or stream takes events from the mailbox.
    pub(crate) started: bool,
    /// Its last call has returned and there will be no other.
    pub(crate) finished: bool,
}

/// Whether, and how, a handler is ending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    #[default]
    No,
    /// Pending events are still delivered.
    Draining,
    /// Pending events are discarded.
    Closed,
}

/// What a handler has done.
#[derive(Debug, Default)]
pub(crate) struct ListenerCounters {
    pub(crate) delivered: AtomicU64,
    pub(crate) panics: AtomicU64,
    pub(crate) slow: AtomicU64,
    /// How many nanoseconds the slowest call took.
    slowest: AtomicU64,
    pub(crate) undecodable: AtomicU64,
    pub(crate) in_hand: AtomicUsize,
}

impl ListenerCounters {
    /// A call has returned after this time.
    pub(crate) fn called(&self, took: Duration) {
        self.delivered.fetch_add(1, Ordering::Relaxed);
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        // Most calls are not the slowest: then nothing is written.
        if took > self.slowest.load(Ordering::Relaxed) {
            self.slowest.fetch_max(took, Ordering::Relaxed);
        }
    }

    /// How long the slowest call took.
    pub(crate) fn slowest(&self) -> Duration {
        Duration::from_nanos(self.slowest.load(Ordering::Relaxed))
    }
}

impl Listener {
    pub(crate) fn new(
        name: Arc<str>,
        resync: Duration,
        slow_call: Duration,
        (mailbox, whole_state): (Mailbox, bool),
        reporter: Arc<Reporter>,
        (metrics, leaving): ((Gauge, Histogram), Arc<Notify>),
    ) -> Arc<Self> {
        let (backlog, duration) = metrics;
        Arc::new(Self {
            backlog,
            shown: AtomicUsize::new(0),
            duration,
            name,
            resync,
            slow_call,
            whole_state,
            reporter,
            mailbox: Mutex::new(mailbox),
            promised: AtomicUsize::new(0),
            bell: Notify::new(),
            idle: Notify::new(),
            delivered: watch::Sender::new(()),
            leaving,
            state: watch::Sender::new(ListenerState::default()),
            counters: ListenerCounters::default(),
        })
    }

    /// Changes that the store has committed.
    pub(crate) fn changes(&self, changes: &[Change]) {
        let mut mailbox = self.mailbox.lock();
        // Checked with the mailbox locked: `end` sets the state before it clears the mailbox, so nothing gets in after
        // that.
        if self.state.borrow().ending != Ending::No {
            return;
        }
        for change in changes {
            mailbox.change(change);
        }
        let shown = self.measure(&mailbox);
        let discards = mailbox.discards();
        drop(mailbox);
        drop(discards);
        self.show(shown);
        self.bell.notify_one();
    }

    /// A snapshot of what the store holds.
    pub(crate) fn sweep(&self, snapshot: Snapshot, kind: SweepKind) {
        let mut mailbox = self.mailbox.lock();
        if self.state.borrow().ending == Ending::No {
            mailbox.sweep(snapshot, kind);
            self.bell.notify_one();
        }
    }

    /// All scopes of the informer have filled.
    pub(crate) fn upstream_synced(&self) {
        self.mailbox.lock().upstream_synced();
        self.bell.notify_one();
    }

    /// Ends the handler: at once, or after its pending events have been delivered.
    pub(crate) fn end(&self, ending: Ending) {
        self.state.send_modify(|state| state.ending = state.ending.max(ending));
        if ending == Ending::Closed {
            self.discard();
        }
        self.bell.notify_one();
        self.idle.notify_one();
        self.tell_delivered();
    }

    /// Discards the pending events.
    fn discard(&self) {
        let mut mailbox = self.mailbox.lock();
        self.promised.store(0, Ordering::Relaxed);
        let forgotten = mailbox.clear();
        let shown = self.measure(&mailbox);
        drop(mailbox);
        drop(forgotten);
        // This may be the end of a task that unwinds because the recorder has panicked; a second panic would be the end
        // of the process.
        catch_unwind(AssertUnwindSafe(|| self.show(shown))).ok();
    }

    /// By how much the gauge has to change to show this handler's backlog.
    #[allow(clippy::cast_precision_loss)] // A gauge is a float.
    fn measure(&self, mailbox: &Mailbox) -> f64 {
        let now = mailbox.pending() + self.counters.in_hand.load(Ordering::Relaxed);
        now as f64 - self.shown.swap(now, Ordering::Relaxed) as f64
    }

    /// Changes the gauge, without the mailbox locked, because the recorder is the user's code. Differences can be added in
    /// any order.
    fn show(&self, change: f64) {
        if change != 0.0 {
            self.backlog.increment(change);
        }
    }

    /// The handler is on its way to the process loop, which will give it about so many objects.
    pub(crate) fn promise(&self, objects: usize) {
        self.promised.store(objects, Ordering::Relaxed);
    }

    /// The first snapshot for a new handler. Delivered even if `remove_and_drain` was called before the process loop
    /// added the handler: the user added it while the cache held these objects.
    pub(crate) fn welcome(&self, snapshot: Snapshot) {
        let mut mailbox = self.mailbox.lock();
        self.promised.store(0, Ordering::Relaxed);
        if !self.is_closed() && !snapshot.is_empty() {
            mailbox.sweep(snapshot, SweepKind::Initial);
            self.bell.notify_one();
        }
    }

    /// From now on its mailbox will be emptied: it joined a running informer, or its informer starts.
    pub(crate) fn start(&self) {
        self.state.send_modify(|state| state.started = true);
    }

    /// Whether it takes no more changes.
    pub(crate) fn is_leaving(&self) -> bool {
        self.state.borrow().ending != Ending::No
    }

    /// Whether its last call has returned.
    pub(crate) fn is_finished(&self) -> bool {
        self.state.borrow().finished
    }

    /// Called by the runner when it is over.
    pub(crate) fn finish(&self) {
        // Asked before the state is locked: the mailbox comes first. A handler that drains gets nothing new meanwhile.
        let is_drained = self.is_idle();
        self.state.send_modify(|state| {
            // Only then nothing has been discarded.
            state.drained |= is_drained && state.ending == Ending::Draining;
            state.ending = Ending::Closed;
            state.finished = true;
        });
        self.counters.in_hand.store(0, Ordering::Relaxed);
        self.discard();
        self.idle.notify_one();
        self.tell_delivered();
        self.leaving.notify_one();
    }

    /// Waits for something to deliver. Empty when the handler is to end. Taking counts what was taken before as done.
    pub(crate) async fn next(&self) -> Vec<Delivery> {
        loop {
            let ending = self.state.borrow().ending;
            if ending == Ending::Closed {
                return Vec::new();
            }
            let taken = self.take_now();
            if !taken.is_empty() {
                return taken;
            }
            if self.mailbox.lock().is_merging() {
                yield_now().await;
                continue;
            }
            if ending == Ending::Draining {
                return taken;
            }
            self.idle.notify_one();
            self.bell.notified().await;
        }
    }

    /// Waits until everything in the mailbox has been delivered and the calls have returned, or the handler is to end at
    /// once.
    pub(crate) async fn delivered(&self) {
        while self.backlog() > 0 && !self.is_closed() {
            self.idle.notified().await;
        }
    }

    /// Waits until everything that is pending now has been delivered and the calls have returned. False if the handler ends
    /// before that.
    pub(crate) async fn drained(&self) -> bool {
        let mut delivered = self.delivered.subscribe();
        let called = || self.counters.delivered.load(Ordering::Relaxed);
        // Each event that waits leads to two calls at most, a delete and an add, and may be preceded by the one that tells of
        // merging. What comes later is delivered later: so many calls are enough also if something is always pending. Of the
        // calls with the whole state, the one after the one that is under way tells of everything.
        let calls = if self.whole_state { 2 } else { 2 * self.backlog() as u64 + 1 };
        let enough = called().saturating_add(calls);
        loop {
            if self.is_idle() {
                let state = *self.state.borrow();
                return state.ending != Ending::Closed || state.drained;
            }
            if called() >= enough {
                return true;
            }
            if self.is_closed() || delivered.changed().await.is_err() {
                return false;
            }
        }
    }

    /// Whether nothing waits, and no call is under way. The first call with the whole state comes also if nothing is in the cache.
    fn is_idle(&self) -> bool {
        self.backlog() == 0 && (!self.whole_state || self.state.borrow().synced)
    }

    /// Costs one look if nobody waits.
    fn tell_delivered(&self) {
        if self.delivered.receiver_count() > 0 {
            self.delivered.send_replace(());
        }
    }

    /// What there is to deliver at this moment. Taking counts what was taken before as done.
    pub(crate) fn take_now(&self) -> Vec<Delivery> {
        let (taken, reached) = self.take(0);
        if reached {
            self.mark_synced();
        }
        taken
    }

    /// The same, and whether the handler has just become synced: the deliveries taken before were the last of the
    /// objects that were in the cache when the handler was added. So many calls that were owed before count as in hand, so that
    /// nobody finds the handler drained before them.
    fn take(&self, owed: usize) -> (Vec<Delivery>, bool) {
        let mut mailbox = self.mailbox.lock();
        let taken = mailbox.take(BATCH);
        self.counters.in_hand.store(taken.len().max(owed), Ordering::Relaxed);
        let reached = !self.state.borrow().synced && mailbox.is_synced();
        let shown = self.measure(&mailbox);
        let discards = mailbox.discards();
        drop(mailbox);
        // Without the lock: freeing them may take a while and run a user's `Drop`.
        drop(discards);
        self.show(shown);
        self.tell_delivered();
        (taken, reached)
    }

    /// The handler has been called for every object that was in the cache when it was added.
    pub(crate) fn mark_synced(&self) {
        self.state.send_if_modified(|state| !std::mem::replace(&mut state.synced, true));
    }

    /// Waits until the cache has changed, or has been filled for the first time even if it stays empty, and empties the
    /// mailbox. False when the handler is to end. After the user's code has returned call [`mark_synced`](Self::mark_synced).
    pub(crate) async fn next_state(&self) -> bool {
        let synced = self.state.borrow().synced;
        loop {
            let ending = self.state.borrow().ending;
            if ending == Ending::Closed {
                return false;
            }
            let mut news = !synced;
            let complete = loop {
                match self.take(usize::from(news)) {
                    (taken, reached) if taken.is_empty() => break synced || reached,
                    _ => news = true,
                }
            };
            if complete && news {
                return true;
            }
            if ending == Ending::Draining {
                return false;
            }
            self.bell.notified().await;
        }
    }

    /// Whether the handler is not to be called any more, not even with what was taken already.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.borrow().ending == Ending::Closed
    }

    pub(crate) fn state(&self) -> watch::Receiver<ListenerState> {
        self.state.subscribe()
    }

    /// How many changes were merged into an earlier one of the same object.
    pub(crate) fn merged(&self) -> u64 {
        self.mailbox.lock().merged()
    }

    /// How many events wait or are being delivered.
    pub(crate) fn backlog(&self) -> usize {
        let mailbox = self.mailbox.lock();
        let promised = self.promised.load(Ordering::Relaxed);
        promised + mailbox.backlog() + self.counters.in_hand.load(Ordering::Relaxed)
    }
}
