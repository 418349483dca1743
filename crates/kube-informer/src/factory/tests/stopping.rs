//! Stopping all, one, or by dropping.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::support::{SOON, Servers, rest, started};
use crate::factory::SharedInformerFactory;
use crate::handler::async_handler;
use crate::informer::SharedInformer;

/// A handler that waits for a permit at each call; gives the permits and what it has heard.
fn slow(informer: &SharedInformer<Pod>) -> (Arc<Semaphore>, Arc<Mutex<Vec<String>>>) {
    let (permits, heard) = (Arc::new(Semaphore::new(0)), Arc::new(Mutex::new(Vec::new())));
    let (gate, hears) = (permits.clone(), heard.clone());
    let told = async_handler(move |event: crate::handler::Event<Pod>| {
        let (gate, hears) = (gate.clone(), hears.clone());
        async move {
            gate.acquire().await.unwrap().forget();
            hears.lock().push(format!("{event:?}"));
        }
    });
    informer.add_event_handler(told).unwrap();
    (permits, heard)
}

async fn with_slow_handler() -> (Servers, SharedInformerFactory, Arc<Semaphore>, Arc<Mutex<Vec<String>>>) {
    let servers = Servers::default();
    servers.with::<Pod>(&["a/x", "a/y", "a/z"]);
    let factory = servers.factory();
    let (permits, heard) = slow(&factory.kind::<Pod>().informer());
    factory.kind::<Secret>().informer();
    started(&factory).await;
    rest().await;
    (servers, factory, permits, heard)
}

#[tokio::test(start_paused = true)]
async fn b_425_shutdown_stops_delivers_and_waits_for_the_end() {
    let (servers, factory, permits, heard) = with_slow_handler().await;
    permits.add_permits(10);
    factory.shutdown().await;
    assert_eq!(heard.lock().len(), 3, "all of it, before shutdown returned");
    assert_eq!((servers.of::<Pod>().open_watches(), servers.of::<Secret>().open_watches()), (0, 0));
    assert!(factory.status().iter().all(|status| status.stopped));
    assert_eq!(factory.kind::<Pod>().informer().lister().len(), 3, "the cache can be read on");
}

#[tokio::test(start_paused = true)]
async fn b_425_a_shutdown_ends_at_its_deadline() {
    let (_, factory, _permits, heard) = with_slow_handler().await;
    let asked = Instant::now();
    factory.shutdown().await;
    assert_eq!((asked.elapsed().as_secs(), heard.lock().len()), (10, 0));

    let (_, factory, _permits, _) = with_slow_handler().await;
    let asked = Instant::now();
    factory.shutdown_within(Duration::from_secs(3)).await;
    assert_eq!(asked.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn b_425_several_may_ask_for_the_shutdown_and_all_wait() {
    let (_, factory, permits, heard) = with_slow_handler().await;
    let both = futures::future::join(factory.shutdown(), factory.shutdown_within(SOON));
    let let_go = async {
        rest().await;
        assert_eq!(heard.lock().len(), 0);
        permits.add_permits(10);
    };
    let ((), ((), ())) = tokio::join!(let_go, both);
    assert_eq!(heard.lock().len(), 3);
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn b_425_a_shutdown_of_what_was_not_started_returns_at_once_and_ends_it() {
    let factory = Servers::default().factory();
    let told = factory.kind::<Pod>().informer().add_event_handler(crate::handler::handler()).unwrap();
    let asked = Instant::now();
    factory.shutdown().await;
    assert_eq!(asked.elapsed(), Duration::ZERO);
    assert!(told.wait_synced(SOON).await.is_err(), "who waits for it is told");
    Servers::default().factory().shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn b_427_an_informer_that_was_stopped_is_replaced_by_a_new_one() {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let factory = servers.factory();
    let first = factory.kind::<ConfigMap>().informer();
    let pods = factory.kind::<Pod>().informer();
    started(&factory).await;
    assert!(factory.stop(&first).await);
    assert!(first.is_stopped() && !pods.is_stopped());
    assert_eq!(server.open_watches(), 0);
    assert_eq!(factory.status().len(), 1);
    assert!(!factory.stop(&first).await, "it is none of the factory's any more");

    let second = factory.kind::<ConfigMap>().informer();
    second.wait_synced(SOON).await.unwrap();
    second.add_event_handler(crate::handler::handler()).unwrap().wait_synced(SOON).await.unwrap();
    assert_eq!((second.lister().len(), second.name()), (1, "configmaps"));
    assert!(
        !factory.stop(&Servers::default().factory().kind::<ConfigMap>().informer()).await,
        "a stranger's"
    );
}

#[tokio::test(start_paused = true)]
async fn b_427_an_informer_that_was_shut_down_by_itself_is_replaced_too() {
    let servers = Servers::default();
    let factory = servers.factory();
    let first = factory.kind::<Pod>().informer();
    started(&factory).await;
    first.shutdown(SOON).await;
    let second = factory.kind::<Pod>().informer();
    second.wait_synced(SOON).await.unwrap();
    assert!(first.is_stopped() && !second.is_stopped());
    factory.shutdown().await;
    assert!(second.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn b_427_one_that_was_not_started_can_be_stopped() {
    let servers = Servers::default();
    let factory = servers.factory();
    let first = factory.kind::<Pod>().informer();
    assert!(factory.stop(&first).await && first.is_stopped());
    let second = factory.kind::<Pod>().informer();
    started(&factory).await;
    assert!(second.has_synced());
}

#[tokio::test(start_paused = true)]
async fn b_425_a_shutdown_waits_for_what_is_being_stopped() {
    let (_, factory, permits, heard) = with_slow_handler().await;
    let pods = factory.kind::<Pod>().informer();
    let mut stop = Box::pin(factory.stop(&pods));
    assert!(futures::poll!(&mut stop).is_pending());
    drop(stop);
    let let_go = async {
        rest().await;
        permits.add_permits(10);
    };
    tokio::join!(factory.shutdown(), let_go);
    assert_eq!(heard.lock().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn d13_dropping_the_last_clone_ends_everything() {
    let servers = Servers::default();
    let factory = servers.factory();
    let (clone, access) = (factory.clone(), factory.kind::<Pod>());
    let (pods, later) = (access.informer(), factory.kind::<Secret>().informer());
    started(&factory).await;
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert!(tasks() > 0);
    drop((factory, clone));
    rest().await;
    assert!(!pods.is_stopped(), "an accessor is a clone");
    drop(access);
    servers.of::<Pod>().wait_for_watches(0).await;
    rest().await;
    assert!(pods.is_stopped() && later.is_stopped());
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn d13_dropping_a_factory_that_was_not_started_lets_nobody_wait() {
    let factory = Servers::default().factory();
    let pods = factory.kind::<Pod>().informer();
    let told = pods.add_event_handler(crate::handler::handler()).unwrap();
    drop(factory);
    assert!(told.wait_synced(SOON).await.is_err());
    assert!(pods.wait_synced(SOON).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn b_425_an_informer_that_somebody_else_runs_is_stopped_with_the_others() {
    let servers = Servers::default();
    let factory = servers.factory();
    let pods = factory.kind::<Pod>().informer();
    let runs = pods.clone();
    let running = tokio::spawn(async move { runs.run(std::future::pending()).await });
    pods.wait_synced(SOON).await.unwrap();
    started(&factory).await;
    rest().await;
    assert!(!pods.is_stopped() && !running.is_finished());
    factory.shutdown().await;
    assert!(pods.is_stopped());
    running.await.unwrap().unwrap();
}
