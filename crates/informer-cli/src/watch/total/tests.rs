use embedded_apiserver::EmbeddedApiserver;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_informer::kind::KindInfo;

use super::*;
use crate::args::ClusterArgs;
use crate::cluster::Without;

#[path = "../../../tests/command/support/proxy.rs"]
mod proxy;

#[tokio::test(flavor = "multi_thread")]
async fn the_total_is_known_behind_a_proxy() {
    let api = EmbeddedApiserver::new();
    let mut shop = Namespace::default();
    shop.metadata.name = Some("shop".into());
    api.create(&shop).await.unwrap();
    for n in 0..3 {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(format!("x-{n}"));
        map.metadata.namespace = Some("shop".into());
        api.create(&map).await.unwrap();
    }
    let endpoint = api.listen().await.unwrap();
    let proxy = proxy::Proxy::start();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("kubeconfig");
    std::fs::write(&file, proxy.kubeconfig(&endpoint.url())).unwrap();
    let args = ClusterArgs { kubeconfig: Some(file), ..ClusterArgs::default() };
    let cluster = Cluster::find(&args, Without::Fails).await.unwrap_or_else(|_| panic!("a cluster"));
    let maps = KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true);
    let everywhere = ObjectArgs { all_namespaces: true, ..ObjectArgs::default() };
    let listings = Listing::all(&cluster, &maps, &everywhere).unwrap_or_else(|_| panic!("a listing"));
    assert_eq!((listings.len(), count(&listings[0]).await), (1, Some(3)));
    assert!(proxy.connections() > 0, "it went through the proxy");
}
