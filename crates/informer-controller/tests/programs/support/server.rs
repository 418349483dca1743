//! The servers that the programs run on.

use embedded_apiserver::{EmbeddedApiserver, TcpServer, Verb};
use k8s_openapi::NamespaceResourceScope;
use kube_client::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;
use std::net::SocketAddr;

use super::relay::Target;

enum Kind {
    Embedded { server: EmbeddedApiserver, endpoint: TcpServer },
    Real(Box<test_cluster::Cluster>),
}

pub(crate) struct Server {
    kind: Kind,
    client: Client,
}

impl Server {
    pub(crate) async fn embedded() -> Self {
        let server = EmbeddedApiserver::new();
        let endpoint = server.listen().await.unwrap();
        let client = server.client();
        Self { kind: Kind::Embedded { server, endpoint }, client }
    }

    /// `None` where there is none; then it has been said.
    pub(crate) async fn real(test: &str) -> Option<Self> {
        if let Err(why) = test_cluster::available() {
            test_cluster::print_skip(test, &why);
            return None;
        }
        let start = || test_cluster::Cluster::start(test_cluster::Options::default());
        let cluster = tokio::task::spawn_blocking(start).await.unwrap().unwrap();
        let kubeconfig = Kubeconfig::from_yaml(&cluster.kubeconfig_yaml()).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        let mut config = config.unwrap();
        config.proxy_url = None;
        Some(Self { kind: Kind::Real(Box::new(cluster)), client: Client::try_from(config).unwrap() })
    }

    pub(crate) async fn end(self) {
        tokio::task::spawn_blocking(move || drop(self)).await.unwrap();
    }

    pub(crate) fn kubeconfig(&self) -> String {
        match &self.kind {
            Kind::Embedded { endpoint, .. } => endpoint.kubeconfig(),
            Kind::Real(cluster) => cluster.kubeconfig_yaml(),
        }
    }

    /// For a relay to the server.
    pub(crate) fn target(&self) -> Target {
        match &self.kind {
            Kind::Embedded { endpoint, .. } => Target::new(endpoint.address(), None),
            Kind::Real(cluster) => {
                let address = cluster.url().rsplit('/').next().unwrap().parse().unwrap();
                Target::new(address, Some(cluster.ca_cert_pem()))
            }
        }
    }

    /// The kubeconfig for a relay to the server.
    pub(crate) fn kubeconfig_at(&self, relay: SocketAddr) -> String {
        let url = format!("http://{relay}");
        match &self.kind {
            Kind::Embedded { endpoint, .. } => endpoint.kubeconfig().replace(&endpoint.url(), &url),
            Kind::Real(cluster) => cluster.kubeconfig_yaml_at(&url),
        }
    }

    /// How many watches of a resource there are, those of the server's own parts counted.
    pub(crate) async fn watches(&self, resource: &str) -> u64 {
        match &self.kind {
            Kind::Embedded { server, .. } => {
                server.journal().count(|request| request.is(Verb::Watch, resource)).try_into().unwrap()
            }
            Kind::Real(cluster) => {
                let metrics = tokio::task::block_in_place(|| cluster.get("/metrics")).unwrap();
                let resource = format!("resource=\"{resource}\"");
                let open = metrics.lines().filter(|line| line.starts_with("apiserver_longrunning_requests{"));
                let open = open.filter(|line| line.contains(&resource) && line.contains("verb=\"WATCH\""));
                open.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
            }
        }
    }

    pub(crate) fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.client.clone(), "default")
    }

    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    pub(crate) async fn create<K>(&self, object: Value) -> K
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
            + Clone
            + Debug
            + Serialize
            + DeserializeOwned,
    {
        let object: K = serde_json::from_value(object).unwrap();
        self.api().create(&PostParams::default(), &object).await.unwrap()
    }

    pub(crate) async fn patch<K>(&self, name: &str, patch: Value)
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    pub(crate) async fn patch_status<K>(&self, name: &str, patch: Value)
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        self.api::<K>().patch_status(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    pub(crate) async fn delete<K>(&self, name: &str)
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        self.api::<K>().delete(name, &DeleteParams::default().grace_period(0)).await.unwrap();
    }

    pub(crate) async fn list<K>(&self) -> Vec<K>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + Debug + DeserializeOwned,
    {
        self.api::<K>().list(&ListParams::default()).await.unwrap().items
    }
}
