//! The ways from a factory to the kinds of Kubernetes.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Node;

use super::support::{Servers, started};

#[tokio::test(start_paused = true)]
async fn an_accessor_leads_to_the_informer_of_its_kind() {
    let servers = Servers::default();
    servers.with::<Deployment>(&["shop/web"]);
    servers.with::<Node>(&["node-1"]);
    let factory = servers.factory();
    let (deployments, nodes) = (factory.apps().v1().deployments(), factory.core().v1().nodes());
    assert!(factory.status().is_empty(), "nothing is registered before it is asked for");

    let (listed, nodes) = (deployments.lister(), nodes.lister());
    started(&factory).await;
    assert_eq!(factory.status().len(), 2);
    assert_eq!(listed.namespace("shop").get("web").unwrap().name(), "web");
    assert_eq!(nodes.get("node-1").unwrap().name(), "node-1");
    assert_eq!(factory.kind::<Deployment>().informer().lister().len(), 1);
    assert_eq!(factory.status().len(), 2, "it is the same informer");
}

#[tokio::test(start_paused = true)]
async fn groups_and_versions_can_be_held() {
    let servers = Servers::default();
    servers.with::<Node>(&["node-1"]);
    let factory = servers.factory();
    let core = factory.core().v1();
    let (nodes, pods) = (core.nodes().lister(), core.pods().lister());
    started(&factory).await;
    assert_eq!((nodes.len(), pods.len()), (1, 0));
}
