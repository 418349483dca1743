//! Many threads at one factory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube_core::ApiResource;
use tokio::runtime::Handle;

use super::support::{SOON, Servers, started};
use crate::handler::handler;

const THREADS: usize = 8;

/// Runs something on many threads at the same moment.
fn on_threads<R: Send>(work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let barrier = Barrier::new(THREADS);
    let one = |number| {
        barrier.wait();
        work(number)
    };
    std::thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || one(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn b_420_a_kind_has_one_informer_also_if_many_ask_at_once() {
    for _ in 0..100 {
        let factory = Servers::default().factory();
        let mut informers = on_threads(|number| {
            if number % 2 == 0 {
                factory.kind::<Pod>().informer().as_kind::<()>()
            } else {
                factory.kind_of(ApiResource::erase::<Pod>(&())).informer().as_kind()
            }
        });
        // Not before whole objects are asked for: an informer of the metadata alone would be another one.
        informers.extend(on_threads(|number| match number % 3 {
            0 => factory.kind::<Pod>().informer().as_kind::<()>(),
            1 => factory.kind_of(ApiResource::erase::<Pod>(&())).informer().as_kind(),
            _ => factory.kind::<Pod>().metadata().informer().as_kind(),
        }));
        assert!(informers.iter().all(|informer| Arc::ptr_eq(informer.engine(), informers[0].engine())));
        assert_eq!(factory.status().len(), 1);
    }
}

#[test]
fn b_428_of_what_a_tweak_says_to_many_at_once_one_answer_counts() {
    for _ in 0..100 {
        let calls = AtomicUsize::new(0);
        let builder = Servers::default().builder().tweak(move |_, selection| {
            selection.labels = Some(format!("call={}", calls.fetch_add(1, Ordering::Relaxed)));
        });
        let factory = builder.build().unwrap();
        let asked = on_threads(|_| factory.kind::<Pod>().informer().engine().options.labels.clone());
        assert!(asked.iter().all(|selectors| *selectors == asked[0]), "{asked:?}");
        assert_eq!(factory.inner.requests.lock().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn b_423_what_is_asked_for_outside_of_the_runtime_starts_too() {
    let servers = Servers::default();
    let factory = servers.factory();
    factory.start();
    let asks = factory.clone();
    let pods = std::thread::spawn(move || asks.kind::<Pod>().informer()).join().unwrap();
    pods.wait_synced(SOON).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_stops_and_questions_from_many_threads_end_in_good_order() {
    let servers = Servers::default();
    servers.with::<ConfigMap>(&["a/x"]);
    let factory = servers.factory();
    factory.kind::<Secret>().informer();
    started(&factory).await;
    let work = factory.clone();
    let runtime = Handle::current();
    let threads = tokio::task::spawn_blocking(move || {
        on_threads(|number| {
            for round in 0..100 {
                let lease = work.kind::<ConfigMap>().lease();
                // One of them may have been stopped by another thread by now, or not: both are fine.
                let holds = (lease.clone(), work.kind::<Pod>().lease());
                lease.add_event_handler(handler().on_add(move |_| drop(holds.clone()))).ok();
                if round % 10 == number {
                    runtime.block_on(work.stop(&*lease));
                    assert!(lease.is_stopped(), "by this thread or another one");
                }
                work.status();
            }
        })
    });
    threads.await.unwrap();
    factory.shutdown().await;
    assert!(factory.status().iter().all(|status| status.stopped));
    for server in [servers.of::<ConfigMap>(), servers.of::<Pod>(), servers.of::<Secret>()] {
        server.wait_for_watches(0).await;
    }
}
