//! An executor that polls ready tasks in random order, the same order for the same seed.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use futures::future::BoxFuture;
use parking_lot::Mutex;

use crate::shared::tasks::Spawn;

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
pub(super) struct Seeded(Arc<Mutex<Shared>>);

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

/// Runs a future and all it spawns on `seeded`, under a paused clock that jumps when nothing is ready.
pub(super) fn run<T>(seed: u64, root: impl AsyncFnOnce(Seeded) -> T) -> T {
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
