//! Starting: again, later, and a few at a time.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use tokio::runtime::Builder;
use tokio::time::Instant;

use super::support::{SOON, Servers, rest, started};
use crate::factory::SharedInformerFactory;
use crate::handler::handler;
use crate::kind::KindInfo;
use crate::source::{Fault, SourceError};
use crate::status::Phase;

fn kind(number: usize) -> KindInfo {
    KindInfo::new("example.com", "v1", format!("Kind{number}"), format!("kinds{number}")).namespaced(true)
}

#[tokio::test(start_paused = true)]
async fn b_423_start_returns_at_once_and_may_be_called_again() {
    let servers = Servers::default();
    let factory = servers.factory();
    let pods = factory.kind::<Pod>().informer();
    assert_eq!(servers.requests(), 0, "nothing happens before");
    factory.start();
    factory.start();
    assert_eq!((servers.requests(), pods.status().phase), (0, Phase::Pending), "nothing was awaited");
    factory.wait_for_cache_sync(SOON).await.unwrap();
    factory.start();
    rest().await;
    assert_eq!(servers.of::<Pod>().requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_423_what_is_asked_for_later_starts_by_itself() {
    let servers = Servers::default();
    servers.with::<Secret>(&["a/x"]);
    let factory = servers.factory();
    started(&factory).await;
    let secrets = factory.kind::<Secret>().informer();
    secrets.wait_synced(SOON).await.unwrap();
    assert_eq!(secrets.lister().len(), 1);
    factory.start();
    rest().await;
    assert_eq!(servers.of::<Secret>().requests().len(), 1, "and start, as in client-go, does no harm");
}

#[tokio::test(start_paused = true)]
async fn b_424_after_a_shutdown_start_does_nothing() {
    let servers = Servers::default();
    let factory = servers.factory();
    factory.kind::<Pod>().informer();
    factory.shutdown().await;
    factory.start();
    let late = factory.kind::<Secret>().informer();
    factory.start();
    rest().await;
    assert_eq!(servers.requests(), 0);
    assert!(late.add_event_handler(handler()).is_err(), "who comes late is told");
}

#[tokio::test(start_paused = true)]
async fn w_36_a_few_informers_at_a_time_read_their_first_list() {
    let servers = Servers::default();
    let factory = servers.builder().stagger(3, SOON).build().unwrap();
    let mut holds = Vec::new();
    for number in 0..10 {
        holds.push(servers.of_kind(&kind(number)).inject(Fault::stall().once()));
        factory.kind_of(kind(number)).informer();
    }
    factory.start();
    rest().await;
    let mut listed = 0;
    while !holds.is_empty() {
        assert_eq!(servers.requests(), (listed + 3).min(10));
        // In the order in which they were asked for.
        holds.remove(0).remove();
        listed += 1;
        rest().await;
    }
    factory.wait_for_cache_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn w_36_every_namespace_is_a_list() {
    let servers = Servers::default();
    let factory = servers.builder().namespace("a").namespace("b").stagger(3, SOON).build().unwrap();
    let many = ["1", "2", "3", "4", "5"];
    let in_many = factory
        .kind::<Pod>()
        .named("many", |pods| many.iter().fold(pods, |pods, name| pods.namespace(*name)))
        .unwrap()
        .informer();
    factory.kind::<Secret>().informer();
    factory.kind::<ConfigMap>().informer();
    let of_pods = servers.of::<Pod>().inject(Fault::stall().first(5));
    let of_secrets = servers.of::<Secret>().inject(Fault::stall().once());
    factory.start();
    rest().await;
    assert_eq!(servers.requests(), 5, "an informer with more than there is room for starts alone");
    of_pods.remove();
    in_many.wait_synced(SOON).await.unwrap();
    rest().await;
    assert_eq!((servers.of::<Secret>().requests().len(), servers.of::<ConfigMap>().requests().len()), (2, 0));
    of_secrets.remove();
    factory.wait_for_cache_sync(SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn w_36_a_list_that_takes_its_time_or_fails_does_not_hold_up_the_others() {
    let servers = Servers::default();
    let factory = servers.builder().stagger(1, Duration::from_secs(5)).build().unwrap();
    let (pods, secrets) = (factory.kind::<Pod>().informer(), factory.kind::<Secret>().informer());
    let (maps, nodes) = (factory.kind::<ConfigMap>().informer(), factory.kind::<Node>().informer());
    servers.of::<Pod>().inject(Fault::stall().once());
    servers.of::<Secret>().inject(Fault::error(SourceError::transport("refused")).once());
    let begun = Instant::now();
    factory.start();
    rest().await;
    assert_eq!(servers.requests(), 1);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(servers.of::<Secret>().requests().len(), 1, "after five seconds the next one has its turn");
    maps.wait_synced(SOON).await.unwrap();
    nodes.wait_synced(SOON).await.unwrap();
    assert!(begun.elapsed() < Duration::from_millis(5_100), "who fails makes room at once");
    assert!(!pods.has_synced() && !secrets.has_synced());
}

#[tokio::test(start_paused = true)]
async fn w_36_who_waits_for_a_turn_can_be_stopped() {
    let servers = Servers::default();
    let factory = servers.builder().stagger(1, SOON).build().unwrap();
    factory.kind::<Pod>().informer();
    let secrets = factory.kind::<Secret>().informer();
    let told = secrets.add_event_handler(handler()).unwrap();
    servers.of::<Pod>().inject(Fault::stall().once());
    factory.start();
    rest().await;
    factory.shutdown().await;
    assert!(secrets.is_stopped() && told.wait_synced(SOON).await.is_err(), "who waits for it is told");
    assert_eq!(servers.of::<Secret>().requests().len(), 0);
}

/// Asks the factory when it is let go, which it can only without the factory's lock.
struct Asks(SharedInformerFactory);

impl Drop for Asks {
    fn drop(&mut self) {
        self.0.status();
    }
}

#[test]
fn b_423_an_informer_whose_runtime_goes_before_its_first_poll_has_stopped() {
    let factory = Servers::default().factory();
    let pods = factory.kind::<Pod>().informer();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let handle = runtime.handle().clone();
    {
        let _inside = runtime.enter();
        factory.start();
    }
    assert!(!pods.is_stopped());
    drop(runtime);
    assert!(pods.is_stopped() && pods.add_event_handler(handler()).is_err());
    assert!(factory.kind::<Secret>().informer().is_stopped(), "one that is asked for later");

    let factory = Servers::default().factory();
    let pods = factory.kind::<Pod>().informer();
    let asks = Asks(factory.clone());
    pods.add_event_handler(handler().on_add(move |_| drop(asks.0.status()))).unwrap();
    let _inside = handle.enter();
    factory.start();
    assert!(pods.is_stopped(), "the task was dropped within the start");
}

#[tokio::test(start_paused = true)]
async fn b_423_the_runtime_of_the_first_start_counts() {
    let servers = Servers::default();
    let factory = servers.factory();
    factory.start();
    let again = factory.clone();
    let other = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async { again.start() });
    });
    other.join().unwrap();
    factory.kind::<Pod>().informer().wait_synced(SOON).await.unwrap();
}
