//! Informers that live as long as somebody needs them.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_core::ApiResource;

use super::support::{SOON, Servers, rest, started};
use crate::handler::handler;

#[tokio::test(start_paused = true)]
async fn d12_the_last_lease_takes_its_informer_along() {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let factory = servers.factory();
    started(&factory).await;
    let first = factory.kind::<ConfigMap>().lease();
    let second = factory.kind::<ConfigMap>().lease();
    let third = first.clone();
    first.wait_synced(SOON).await.unwrap();
    assert_eq!((second.lister().len(), server.requests().len()), (1, 1));
    let (lister, informer) = (first.lister(), third.as_kind::<Pod>());
    drop((first, second));
    rest().await;
    assert_eq!((server.open_watches(), informer.is_stopped()), (1, false));
    drop(third);
    rest().await;
    assert_eq!(
        (server.open_watches(), informer.is_stopped()),
        (0, true),
        "registrations and listers do not count"
    );
    assert_eq!((lister.len(), factory.status().len()), (1, 0));

    let again = factory.kind::<ConfigMap>().lease();
    again.wait_synced(SOON).await.unwrap();
    assert_eq!(server.open_watches(), 1);
}

#[tokio::test(start_paused = true)]
async fn d12_an_informer_that_was_asked_for_outlives_its_leases() {
    let servers = Servers::default();
    let factory = servers.factory();
    let lease = factory.kind_of(ApiResource::erase::<Pod>(&())).lease();
    let informer = factory.kind::<Pod>().informer();
    started(&factory).await;
    drop(lease);
    rest().await;
    assert!(!informer.is_stopped());
    drop(factory.kind::<Pod>().lease());
    rest().await;
    assert!(!informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn d12_a_lease_that_ends_before_the_start_leaves_nothing_to_start() {
    let servers = Servers::default();
    let factory = servers.factory();
    drop(factory.kind::<Pod>().lease());
    started(&factory).await;
    assert_eq!(servers.requests(), 0);
}

#[tokio::test(start_paused = true)]
async fn d12_a_lease_does_not_keep_its_factory() {
    let servers = Servers::default();
    let factory = servers.factory();
    let lease = factory.kind::<Pod>().lease();
    started(&factory).await;
    drop(factory);
    rest().await;
    assert!(lease.is_stopped());
    drop(lease.clone());
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_hold_leases_and_the_factory() {
    let servers = Servers::default();
    let factory = servers.factory();
    let (lease, holds) =
        (factory.kind::<ConfigMap>().lease(), (factory.kind::<Pod>().lease(), factory.clone()));
    let (pods, maps) = (holds.0.as_kind::<Pod>(), lease.as_kind::<ConfigMap>());
    lease.add_event_handler(handler().on_add(move |_| _ = &holds)).unwrap();
    assert!(!maps.is_stopped() && !pods.is_stopped());
    // Never started: the handler goes with its informer, and its lease with the handler.
    drop(lease);
    assert!(maps.is_stopped() && pods.is_stopped());

    let (lease, holds) = (factory.kind::<ConfigMap>().lease(), factory.kind::<Pod>().lease());
    let pods = holds.as_kind::<Pod>();
    lease.add_event_handler(handler().on_add(move |_| _ = &holds)).unwrap();
    started(&factory).await;
    assert!(!pods.is_stopped());
    assert!(factory.stop(&*lease).await);
    rest().await;
    assert!(pods.is_stopped());
}
