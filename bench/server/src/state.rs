//! What has happened so far.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bench_data::World;

/// The objects, and the events that have changed them.
pub(crate) struct State {
    pub(crate) world: World,
    /// The last event of each object.
    versions: Vec<AtomicU32>,
    history: Mutex<History>,
    changed: Condvar,
    /// Requests so far: lists or pages of them, streaming lists.
    pub(crate) lists: AtomicU64,
    pub(crate) streamed: AtomicU64,
    /// How many of all requests for objects came over HTTP/2.
    pub(crate) http2: AtomicU64,
}

#[derive(Default)]
struct History {
    /// How many events have happened.
    events: u64,
    /// Watches that have not seen this many have to list again.
    oldest: u64,
    runs: Vec<Arc<Run>>,
}

/// Events that were ordered together.
pub(crate) struct Run {
    /// The number of the first one, from 1.
    first: u64,
    /// How many objects they change in turn; 0 for any.
    hot: u64,
    /// The only object they change.
    only: Option<u64>,
    /// How long from one to the next.
    pace: Option<Duration>,
    started: Instant,
    /// When each was written, nanoseconds of the clock; only of those that have a pace.
    sent: Vec<AtomicU64>,
}

/// What a watch is to do next.
pub(crate) enum Next {
    Event { object: u64, run: Arc<Run> },
    Expired,
}

impl State {
    pub(crate) fn new(world: World) -> Self {
        let versions = (0..world.objects()).map(|_| AtomicU32::new(0)).collect();
        Self {
            world,
            versions,
            history: Mutex::default(),
            changed: Condvar::new(),
            lists: AtomicU64::new(0),
            streamed: AtomicU64::new(0),
            http2: AtomicU64::new(0),
        }
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many events have happened.
    pub(crate) fn events(&self) -> u64 {
        self.history().events
    }

    /// The last event of an object.
    pub(crate) fn version(&self, object: u64) -> u64 {
        self.versions[object as usize].load(Ordering::Relaxed).into()
    }

    /// Lets objects change. Returns the number of the last event.
    pub(crate) fn change(&self, count: u64, hot: u64, rate: u64) -> u64 {
        self.happen(count, hot, rate, None, false)
    }

    /// Lets the last object change unseen. Returns the number of the event.
    pub(crate) fn expire(&self) -> u64 {
        self.happen(1, 0, 0, Some(self.world.objects().saturating_sub(1)), true)
    }

    fn happen(&self, count: u64, hot: u64, rate: u64, only: Option<u64>, expire: bool) -> u64 {
        let mut history = self.history();
        let pace = (rate > 0).then(|| Duration::from_nanos(1_000_000_000 / rate));
        let sent = (0..if pace.is_some() { count } else { 0 }).map(|_| AtomicU64::new(0)).collect();
        let run = Run { first: history.events + 1, hot, only, pace, started: Instant::now(), sent };
        for version in run.first..run.first + count {
            let last = u32::try_from(version).unwrap_or(u32::MAX);
            self.versions[run.object(&self.world, version) as usize].store(last, Ordering::Relaxed);
        }
        history.runs.push(Arc::new(run));
        history.events += count;
        if expire {
            history.oldest = history.events;
        }
        self.changed.notify_all();
        history.events
    }

    /// The event after `seen`, as soon as there is one; none at this moment if `wait` is false.
    pub(crate) fn next(&self, seen: u64, wait: bool) -> Option<Next> {
        let mut history = self.history();
        loop {
            if seen < history.oldest {
                return Some(Next::Expired);
            }
            if seen < history.events {
                let at = history.runs.partition_point(|run| run.first <= seen + 1) - 1;
                let run = history.runs[at].clone();
                return Some(Next::Event { object: run.object(&self.world, seen + 1), run });
            }
            if !wait {
                return None;
            }
            history = self.changed.wait(history).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What the events of the last run changed, in order.
    pub(crate) fn changed(&self) -> impl Iterator<Item = u64> {
        let history = self.history();
        let run = history.runs.last().cloned();
        let events = run.as_ref().map_or(0..0, |run| run.first..history.events + 1);
        drop(history);
        events.filter_map(move |version| Some(run.as_ref()?.object(&self.world, version)))
    }

    /// When the events of the last run were written.
    pub(crate) fn sent(&self) -> Vec<u64> {
        let run = self.history().runs.last().cloned();
        run.map(|run| run.sent.iter().map(|at| at.load(Ordering::Relaxed)).collect()).unwrap_or_default()
    }
}

impl Run {
    fn object(&self, world: &World, version: u64) -> u64 {
        match (self.only, self.hot) {
            (Some(object), _) => object,
            (None, 0) => world.object_of_event(version),
            (None, hot) => ((version - self.first) % hot) * world.objects() / hot.min(world.objects()),
        }
    }

    /// Waits until an event is due. The server has a core of its own, so it may well wait busily; `share` leaves the core to
    /// other threads of the server.
    pub(crate) fn wait_until_due(&self, version: u64, share: bool) {
        if let Some(pace) = self.pace {
            let due = self.started + pace * u32::try_from(version - self.first).unwrap_or(u32::MAX);
            while Instant::now() < due {
                if share {
                    std::thread::yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
        }
    }

    /// Notes that an event is written now. True if it should not wait for more to go with it.
    pub(crate) fn note_sent(&self, version: u64) -> bool {
        if let Some(sent) = self.sent.get((version - self.first) as usize) {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            sent.store(u64::try_from(now.as_nanos()).unwrap_or_default(), Ordering::Relaxed);
        }
        self.pace.is_some()
    }
}
