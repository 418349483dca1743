use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use informer_core::object::origin::Origin;
use informer_core::object::testing::{origin, record, record_with};

use super::*;

fn added(origin: &Arc<Origin>, key: &str) -> Delta {
    Delta { scope: 0, change: DeltaChange::Added(record(origin, key, "u", "1")) }
}

fn replaced(origin: &Arc<Origin>, count: usize) -> Delta {
    let objects = (0..count).map(|n| record(origin, &format!("o{n}"), "u", "1")).collect();
    Delta { scope: 0, change: DeltaChange::Replaced { version: "9".into(), objects, rewound: false } }
}

fn name(delta: &Delta) -> String {
    match &delta.change {
        DeltaChange::Added(record) => record.key().to_string(),
        DeltaChange::Replaced { objects, .. } => format!("replaced {}", objects.len()),
        other => format!("{other:?}"),
    }
}

fn names(batch: Option<Vec<Delta>>) -> Option<Vec<String>> {
    batch.map(|batch| batch.iter().map(name).collect())
}

/// Polls a future once.
fn once<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn unbounded() -> DeltaFifo {
    DeltaFifo::new(Bounds::default())
}

fn entries(entries: usize) -> DeltaFifo {
    DeltaFifo::new(Bounds { entries, ..Bounds::default() })
}

/// Pushes, and expects it to be done at once.
fn push(fifo: &DeltaFifo, delta: Delta) {
    assert_eq!(once(pin!(fifo.push(delta))), Poll::Ready(Ok(())));
}

/// Pops, and expects it to be done at once.
fn pop(fifo: &DeltaFifo, max: usize) -> Option<Vec<String>> {
    match once(pin!(fifo.pop_batch(max))) {
        Poll::Ready(batch) => names(batch),
        Poll::Pending => panic!("nothing to pop"),
    }
}

fn texts(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

#[tokio::test]
async fn b_100_pop_waits_while_empty_and_keeps_the_order() {
    let (fifo, origin) = (unbounded(), origin());
    let mut waiting = Box::pin(fifo.pop_batch(10));
    assert!(once(waiting.as_mut()).is_pending());
    for key in ["b", "a", "b"] {
        fifo.push(added(&origin, key)).await.unwrap();
    }
    assert_eq!(names(waiting.await), texts(&["b", "a", "b"]));
    assert_eq!((fifo.len(), fifo.bytes()), (0, 0));
}

#[test]
fn b_101_a_closed_queue_hands_out_what_it_holds_and_accepts_no_more() {
    let (fifo, origin) = (entries(2), origin());
    push(&fifo, added(&origin, "a"));
    push(&fifo, added(&origin, "b"));
    let (mut first, mut second) =
        (Box::pin(fifo.push(added(&origin, "c"))), Box::pin(fifo.push(added(&origin, "d"))));
    assert!(once(first.as_mut()).is_pending() && once(second.as_mut()).is_pending());
    fifo.close();
    assert!(fifo.is_closed());
    assert_eq!(once(first.as_mut()), Poll::Ready(Err(Closed)));
    drop(first);
    assert_eq!(once(second.as_mut()), Poll::Ready(Err(Closed)));
    assert_eq!(once(pin!(fifo.push(added(&origin, "e")))), Poll::Ready(Err(Closed)));
    assert_eq!(pop(&fifo, 10), texts(&["a", "b"]));
    assert_eq!(pop(&fifo, 10), None);
    assert_eq!(pop(&fifo, 10), None, "for ever");
}

#[tokio::test]
async fn b_101_close_wakes_everybody() {
    let (fifo, origin) = (Arc::new(entries(1)), origin());
    let popping = tokio::spawn({
        let fifo = fifo.clone();
        async move { fifo.pop_batch(1).await.is_none() }
    });
    tokio::task::yield_now().await;
    fifo.close();
    assert!(popping.await.unwrap());

    let fifo = Arc::new(entries(1));
    push(&fifo, added(&origin, "a"));
    let pushing: Vec<_> = (0..5)
        .map(|_| {
            let (fifo, delta) = (fifo.clone(), added(&origin, "b"));
            tokio::spawn(async move { fifo.push(delta).await })
        })
        .collect();
    tokio::task::yield_now().await;
    fifo.close();
    for push in pushing {
        assert_eq!(push.await.unwrap(), Err(Closed));
    }
}

#[test]
fn b_150_nothing_is_merged_or_skipped() {
    let (fifo, origin) = (unbounded(), origin());
    for _ in 0..3 {
        push(&fifo, added(&origin, "a"));
    }
    assert_eq!(fifo.len(), 3);
    assert_eq!(pop(&fifo, 10), texts(&["a", "a", "a"]));
}

#[test]
fn b_160_replace_is_one_delta_and_b_172_comes_alone() {
    let (fifo, origin) = (unbounded(), origin());
    push(&fifo, added(&origin, "a"));
    push(&fifo, replaced(&origin, 5));
    push(&fifo, replaced(&origin, 0));
    push(&fifo, added(&origin, "b"));
    push(&fifo, Delta { scope: 0, change: DeltaChange::Bookmark("7".into()) });
    assert_eq!(fifo.len(), 5);
    assert_eq!(pop(&fifo, 10), texts(&["a"]));
    assert_eq!(pop(&fifo, 10), texts(&["replaced 5"]));
    assert_eq!(pop(&fifo, 10), texts(&["replaced 0"]));
    assert_eq!(pop(&fifo, 10).unwrap().len(), 2, "a bookmark goes with the events before it");
}

#[test]
fn b_171_a_batch_holds_at_most_as_many_as_asked_for() {
    let (fifo, origin) = (unbounded(), origin());
    for n in 0..25 {
        push(&fifo, added(&origin, &n.to_string()));
    }
    assert_eq!(pop(&fifo, 10).unwrap().len(), 10);
    assert_eq!(pop(&fifo, 0), texts(&["10"]), "never an empty batch");
    assert_eq!(pop(&fifo, 1_000).unwrap().len(), 14);
}

#[test]
fn b_156_what_was_popped_is_not_kept_alive() {
    let (fifo, origin) = (unbounded(), origin());
    push(&fifo, replaced(&origin, 10));
    assert_eq!(origin.alive.load(Ordering::Relaxed), 10);
    pop(&fifo, 1);
    assert_eq!(origin.alive.load(Ordering::Relaxed), 0);
}

#[test]
fn b_165_b_166_d2_the_queue_is_bounded_in_entries_and_bytes() {
    assert_eq!(Bounds::default(), Bounds { bytes: 8 * 1024 * 1024, entries: 4_096 });
    let origin = origin();
    let fifo = entries(2);
    push(&fifo, added(&origin, "a"));
    let left_out = DeltaChange::LeftOut { key: "x".parse().unwrap(), version: "1".into() };
    push(&fifo, Delta { scope: 0, change: left_out });
    assert!(once(pin!(fifo.push(added(&origin, "b")))).is_pending());
    pop(&fifo, 1);
    push(&fifo, added(&origin, "b"));

    let size = record(&origin, "a", "u", "1").held();
    let fifo = DeltaFifo::new(Bounds { bytes: 3 * size, entries: 100 });
    for key in ["a", "b", "c"] {
        push(&fifo, added(&origin, key));
    }
    assert_eq!(fifo.bytes(), 3 * size);
    assert!(once(pin!(fifo.push(added(&origin, "d")))).is_pending());
    push(&fifo, Delta { scope: 0, change: DeltaChange::Bookmark("7".into()) });
    pop(&fifo, 1);
    push(&fifo, added(&origin, "d"));
}

#[test]
fn b_166_d2_what_is_larger_than_the_bound_gets_its_turn_when_the_queue_is_empty() {
    let origin = origin();
    let text = "x".repeat(5_000);
    let large = || Delta {
        scope: 0,
        change: DeltaChange::Added(record_with(&origin, "large", "u", "1", &[], &text)),
    };
    for delta in [&large as &dyn Fn() -> Delta, &|| replaced(&origin, 50), &|| replaced(&origin, 5)] {
        let fifo = DeltaFifo::new(Bounds { bytes: 500, entries: 10 });
        push(&fifo, added(&origin, "a"));
        push(&fifo, added(&origin, "b"));
        let mut waiting = Box::pin(fifo.push(delta()));
        assert!(once(waiting.as_mut()).is_pending());
        let mut behind = Box::pin(fifo.push(added(&origin, "c")));
        assert!(once(behind.as_mut()).is_pending(), "small ones do not overtake for ever");
        pop(&fifo, 1);
        assert!(once(waiting.as_mut()).is_pending(), "not empty yet");
        pop(&fifo, 1);
        assert_eq!(once(waiting.as_mut()), Poll::Ready(Ok(())));
        drop(waiting);
        assert!(fifo.bytes() <= 500);
        assert!(once(behind.as_mut()).is_pending(), "it fills the queue");
        pop(&fifo, 1);
        assert_eq!(once(behind.as_mut()), Poll::Ready(Ok(())));
    }
}

/// Runs tasks in random order, each only when it was woken; panics when all wait for each other.
fn run(mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>, random: &mut fastrand::Rng, seed: u64) {
    struct Flag(AtomicBool);
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let mut flags: Vec<_> = tasks.iter().map(|_| Arc::new(Flag(AtomicBool::new(true)))).collect();
    while !tasks.is_empty() {
        let ready: Vec<_> = (0..tasks.len()).filter(|at| flags[*at].0.load(Ordering::Relaxed)).collect();
        let at = *random.choice(&ready).unwrap_or_else(|| panic!("a wake-up was lost, seed {seed}"));
        flags[at].0.store(false, Ordering::Relaxed);
        let waker = Waker::from(flags[at].clone());
        if tasks[at].as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            drop(tasks.swap_remove(at));
            flags.swap_remove(at);
        }
    }
}

/// The future's result, or `None` if it is given up after waiting this often.
async fn give_up<T>(waits: Option<usize>, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = waits;
    poll_fn(|context| match (future.as_mut().poll(context), &mut left) {
        (Poll::Ready(result), _) => Poll::Ready(Some(result)),
        (Poll::Pending, Some(0)) => Poll::Ready(None),
        (Poll::Pending, left) => {
            if let Some(left) = left {
                *left -= 1;
            }
            Poll::Pending
        }
    })
    .await
}

#[test]
fn b_102_no_interleaving_loses_a_delta_or_a_wake_up() {
    let origin = origin();
    for seed in 0..5_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let fifo = DeltaFifo::new(Bounds { bytes: 700, entries: random.usize(1..6) });
        let producers = random.usize(1..5);
        let accepted: Vec<_> = (0..producers).map(|_| Mutex::new(Vec::new())).collect();
        let received = Mutex::new(Vec::new());
        let fill = Mutex::new(producers);
        let mut tasks: Vec<Pin<Box<dyn Future<Output = ()>>>> = Vec::new();
        for (producer, accepted) in accepted.iter().enumerate() {
            let (fifo, fill, origin) = (&fifo, &fill, &origin);
            let mut random = random.fork();
            tasks.push(Box::pin(async move {
                for n in 0..random.usize(..12) {
                    loop {
                        let delta = match random.u32(..8) {
                            0 => replaced(origin, random.usize(..8)),
                            _ => added(origin, &format!("p{producer}/{n}")),
                        };
                        let name = name(&delta);
                        let waits = random.bool().then(|| random.usize(..3));
                        match give_up(waits, fifo.push(delta)).await {
                            Some(Ok(())) => {
                                accepted.lock().push(name);
                                break;
                            }
                            Some(Err(Closed)) => return,
                            None => {}
                        }
                    }
                }
                *fill.lock() -= 1;
                if *fill.lock() == 0 {
                    fifo.close();
                }
            }));
        }
        if random.u32(..4) == 0 {
            let (fifo, mut random) = (&fifo, random.fork());
            tasks.push(Box::pin(async move {
                for _ in 0..random.usize(..30) {
                    informer_core::store::pace::yield_now().await;
                }
                fifo.close();
            }));
        }
        let mut consumer = random.fork();
        tasks.push(Box::pin(async {
            loop {
                let max = consumer.usize(1..5);
                let waits = consumer.bool().then(|| consumer.usize(..2));
                match give_up(waits, fifo.pop_batch(max)).await {
                    Some(Some(batch)) => received.lock().extend(batch.iter().map(name)),
                    Some(None) => return,
                    None => {}
                }
            }
        }));
        run(tasks, &mut random, seed);
        let received = received.into_inner();
        for (producer, accepted) in accepted.into_iter().enumerate() {
            let own = |name: &&String| name.starts_with(&format!("p{producer}/"));
            let (accepted, received): (Vec<_>, Vec<_>) = (
                accepted.lock().iter().filter(own).cloned().collect(),
                received.iter().filter(own).cloned().collect(),
            );
            assert_eq!(accepted, received, "seed {seed}");
        }
        assert_eq!((fifo.len(), fifo.bytes()), (0, 0), "seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b_165_threads_that_push_and_pop_at_once_never_get_stuck() {
    let (fifo, origin) = (Arc::new(entries(2)), origin());
    let producers: Vec<_> = (0..3)
        .map(|producer| {
            let (fifo, origin) = (fifo.clone(), origin.clone());
            tokio::spawn(async move {
                for n in 0..5_000 {
                    fifo.push(added(&origin, &format!("p{producer}/{n}"))).await.unwrap();
                }
            })
        })
        .collect();
    let consumer = tokio::spawn({
        let fifo = fifo.clone();
        async move {
            let mut next = [0; 3];
            while let Some(batch) = fifo.pop_batch(3).await {
                for delta in &batch {
                    let name = name(delta);
                    let producer = usize::from(name.as_bytes()[1] - b'0');
                    assert_eq!(name, format!("p{producer}/{}", next[producer]));
                    next[producer] += 1;
                }
            }
            next
        }
    });
    let all = async {
        for producer in producers {
            producer.await.unwrap();
        }
        fifo.close();
        consumer.await.unwrap()
    };
    let next = tokio::time::timeout(std::time::Duration::from_secs(60), all).await;
    assert_eq!(next, Ok([5_000; 3]), "stuck");
}

/// A recorder's gauge that notes whether it was called with the queue locked.
#[derive(Default)]
struct Nosy {
    fifo: std::sync::OnceLock<std::sync::Weak<DeltaFifo>>,
    calls: AtomicUsize,
    locked: AtomicBool,
}

impl Nosy {
    fn look(&self) {
        let Some(fifo) = self.fifo.get().and_then(std::sync::Weak::upgrade) else { return };
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.locked.fetch_or(fifo.queue.try_lock().is_none(), Ordering::Relaxed);
    }
}

impl metrics::GaugeFn for Nosy {
    fn increment(&self, _: f64) {
        self.look();
    }

    fn decrement(&self, _: f64) {
        self.look();
    }

    fn set(&self, _: f64) {
        self.look();
    }
}

#[test]
fn the_recorder_is_not_called_with_the_queue_locked() {
    let (origin, nosy) = (origin(), Arc::new(Nosy::default()));
    let fifo = Arc::new(unbounded().with_gauge(Gauge::from_arc(nosy.clone())));
    nosy.fifo.set(Arc::downgrade(&fifo)).unwrap();
    push(&fifo, added(&origin, "a"));
    assert_eq!(pop(&fifo, 10), texts(&["a"]));
    assert_eq!((nosy.calls.load(Ordering::Relaxed), nosy.locked.load(Ordering::Relaxed)), (2, false));
}
