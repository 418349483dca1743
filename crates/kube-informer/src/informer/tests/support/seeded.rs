//! An executor that polls ready tasks in random order, the same order for the same seed.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::informer::tasks::Spawn;
use crate::informer::{SharedInformer, run as informer_run};
use crate::kind::Kind;

/// More polls than any honest run needs: a loop that never pauses ends here.
const TOO_MANY_POLLS: usize = 2_000_000;

#[derive(Default)]
struct Shared {
    incoming: Vec<BoxFuture<'static, ()>>,
    ready: Vec<usize>,
    parent: Option<Waker>,
}

/// Tasks go in here; [`run`] polls them.
#[derive(Clone, Default)]
pub(crate) struct Seeded(Arc<Mutex<Shared>>);

impl Seeded {
    /// Runs an informer until the sender is used or dropped; the receiver then hears of its end.
    pub(crate) fn start<K: Kind>(
        self,
        informer: &SharedInformer<K>,
        seed: u64,
    ) -> (oneshot::Sender<()>, oneshot::Receiver<()>) {
        *informer.engine().random.lock() = fastrand::Rng::with_seed(seed);
        let engine = informer.engine().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let (done, finished) = oneshot::channel();
        let spawn: Arc<dyn Spawn> = Arc::new(self);
        let tasks = spawn.clone();
        spawn.spawn(Box::pin(async move {
            let shutdown = async { stopped.await.unwrap_or_default() };
            informer_run::run(engine, tasks, shutdown).await.expect("runs once");
            done.send(()).ok();
        }));
        (stop, finished)
    }
}

impl Spawn for Seeded {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        let mut shared = self.0.lock();
        shared.incoming.push(task);
        if let Some(parent) = shared.parent.take() {
            parent.wake();
        }
    }
}

struct Bell {
    task: usize,
    shared: Arc<Mutex<Shared>>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        let mut shared = self.shared.lock();
        if !shared.ready.contains(&self.task) {
            shared.ready.push(self.task);
        }
        if let Some(parent) = shared.parent.take() {
            parent.wake();
        }
    }
}

struct Run<'a, T> {
    root: Pin<Box<dyn Future<Output = T> + 'a>>,
    seeded: Seeded,
    tasks: BTreeMap<usize, BoxFuture<'static, ()>>,
    next: usize,
    random: fastrand::Rng,
    polls: usize,
}

/// The root is task 0.
const ROOT: usize = 0;

impl<T> Future for Run<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        loop {
            let this = &mut *self;
            let task = {
                let mut shared = this.seeded.0.lock();
                for task in std::mem::take(&mut shared.incoming) {
                    shared.ready.push(this.next);
                    this.tasks.insert(this.next, task);
                    this.next += 1;
                }
                if shared.ready.is_empty() {
                    shared.parent = Some(context.waker().clone());
                    return Poll::Pending;
                }
                let place = this.random.usize(..shared.ready.len());
                shared.ready.swap_remove(place)
            };
            this.polls += 1;
            assert!(this.polls < TOO_MANY_POLLS, "the tasks never come to rest");
            let waker = Waker::from(Arc::new(Bell { task, shared: this.seeded.0.clone() }));
            let mut context = Context::from_waker(&waker);
            if task == ROOT {
                if let Poll::Ready(value) = this.root.as_mut().poll(&mut context) {
                    return Poll::Ready(value);
                }
            } else if let Some(future) = this.tasks.get_mut(&task)
                && future.as_mut().poll(&mut context).is_ready()
            {
                this.tasks.remove(&task);
            }
        }
    }
}

/// A model test is split over several tests so that they run side by side.
const PARTS: u64 = 4;

/// The seeds of one part: those of `INFORMER_SEED` or `INFORMER_SEEDS`, if set.
fn seeds(part: u64) -> Vec<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    if let Some(seed) = number("INFORMER_SEED") {
        return if part == 0 { vec![seed] } else { Vec::new() };
    }
    informer_core::object::testing::seeds(1_000).filter(|seed| seed % PARTS == part).collect()
}

/// Plays all seeds of one part.
pub(crate) fn part(part: u64, play: impl AsyncFn(u64, Seeded)) {
    for seed in seeds(part) {
        let play = AssertUnwindSafe(|| run(seed, async |seeded| play(seed, seeded).await));
        assert!(catch_unwind(play).is_ok(), "failed with INFORMER_SEED={seed}");
    }
}

/// Runs a future and all it spawns on `seeded`, under a paused clock that jumps when nothing is ready.
pub(crate) fn run<T>(seed: u64, root: impl AsyncFnOnce(Seeded) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let seeded = Seeded::default();
    seeded.0.lock().ready.push(ROOT);
    runtime.block_on(async {
        // A tokio runtime polls a task only so often before it makes it wait; here the order is ours alone.
        tokio::task::coop::unconstrained(Run {
            root: Box::pin(root(seeded.clone())),
            seeded: seeded.clone(),
            tasks: BTreeMap::new(),
            next: ROOT + 1,
            random: fastrand::Rng::with_seed(seed),
            polls: 0,
        })
        .await
    })
}
