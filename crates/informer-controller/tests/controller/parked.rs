//! Keys that wait for their own writes, by the thousand.

use std::pin::Pin;
use std::task::{Context, Poll};

use informer_controller::Tracker;
use tokio::task::JoinSet;

use super::writes::blocked_for_good;
use super::*;

/// A wait, and how often anybody looked whether it is over.
struct Looked<F> {
    wait: Pin<Box<F>>,
    looks: Arc<AtomicUsize>,
}

impl<F: Future> Future for Looked<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.wait.as_mut().poll(context)
    }
}

/// Lets a key wait for what was written for it.
fn wait(waiting: &mut JoinSet<bool>, tracker: &Tracker, key: ObjectKey, looks: &Arc<AtomicUsize>) {
    let tracker = tracker.clone();
    let wait = Box::pin(async move { tracker.settled(&key, 1_000 * PATIENCE).await });
    waiting.spawn(Looked { wait, looks: looks.clone() });
}

/// However many wait, a commit that concerns none of them wakes none of them.
#[tokio::test(start_paused = true)]
async fn ten_thousand_keys_that_wait_cost_no_look_at_a_commit_that_concerns_none_of_them() {
    const KEYS: usize = 10_000;
    const COMMITS: u64 = 100;
    let server = EmbeddedApiserver::new();
    let factory = SharedInformerFactory::builder(server.client())
        .kind::<Pod>(|pods| {
            pods.options(|options| options.tuning(|tuning| tuning.lookup_after(1_000 * PATIENCE)))
        })
        .build()
        .unwrap();
    let informer = factory.core().v1().pods().informer();
    factory.start();
    informer.wait_synced(PATIENCE).await.unwrap();
    let (tracker, looks, mut waiting) = (Tracker::new(), Arc::new(AtomicUsize::new(0)), JoinSet::new());
    for number in 0..KEYS {
        let key = ObjectKey::namespaced("default", format!("pod-{number}"));
        let mut written = pod(key.name(), &json!([]));
        // The server is far from there.
        written.metadata.resource_version = Some("1000000".to_owned());
        tracker.run(&key).objects(&informer).wrote(&written).unwrap();
        wait(&mut waiting, &tracker, key, &looks);
    }
    pass(SECOND).await;
    assert_eq!((tracker.len(), looks.swap(0, Ordering::Relaxed) >= KEYS), (KEYS, true));

    let mut progress = informer.progress();
    let end = progress.commit() + COMMITS;
    let mut others = 0;
    while progress.commit() < end {
        server.create(&pod(&format!("other-{others}"), &json!([]))).await.unwrap();
        others += 1;
        progress = informer.wait_progress(&progress, PATIENCE).await.unwrap();
    }
    pass(SECOND).await;
    assert_eq!((tracker.len(), looks.load(Ordering::Relaxed)), (KEYS, 0), "after {others} objects");
}

/// What they wait for wakes each of them once or twice, and that is all.
#[tokio::test(start_paused = true)]
async fn keys_that_wait_are_looked_at_when_a_commit_concerns_them() {
    const KEYS: usize = 300;
    let rig = blocked_for_good();
    let informer = rig.factory.core().v1().pods().informer();
    rig.factory.start();
    informer.wait_synced(PATIENCE).await.unwrap();
    let (tracker, looks, mut waiting) = (Tracker::new(), Arc::new(AtomicUsize::new(0)), JoinSet::new());
    for number in 0..KEYS {
        let key = ObjectKey::namespaced("default", format!("pod-{number}"));
        tracker.run(&key).objects(&informer).create(&pod(key.name(), &json!([]))).await.unwrap();
        wait(&mut waiting, &tracker, key, &looks);
    }
    // Each has begun to wait, and the informer to look for some of them, in vain.
    pass(10 * SECOND).await;
    assert_eq!(tracker.len(), KEYS);
    looks.store(0, Ordering::Relaxed);
    rig.server.clear_faults();
    while let Some(settled) = timeout(PATIENCE, waiting.join_next()).await.unwrap() {
        assert!(settled.unwrap());
    }
    assert!(looks.load(Ordering::Relaxed) <= 4 * KEYS, "{looks:?} looks");
    assert!(tracker.is_empty());
}
