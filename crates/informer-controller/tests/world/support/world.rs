//! A server, sets of pods, and what happens to them.

use std::collections::BTreeMap;
use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::ResourceExt as _;
use kube_client::api::{Api, DeleteParams, ListParams, Patch, PatchParams};
use serde_json::json;

use super::oracle::Oracle;
use super::pass;

/// The longest that an informer may be without news of a watch that has fallen silent, and then some.
const SETTLED: Duration = Duration::from_secs(120);

pub(crate) struct World {
    pub(crate) server: EmbeddedApiserver,
    pub(crate) oracle: Oracle,
    /// How many pods each set is to have.
    wanted: BTreeMap<&'static str, usize>,
    told: Vec<String>,
}

impl World {
    pub(crate) fn new(server: EmbeddedApiserver) -> Self {
        let oracle = Oracle::of(&server);
        Self { server, oracle, wanted: BTreeMap::new(), told: Vec::new() }
    }

    pub(crate) fn tell(&mut self, what: impl Into<String>) {
        self.told.push(what.into());
    }

    pub(crate) async fn create_set(&mut self, name: &'static str, replicas: usize) {
        self.tell(format!("{name} is created, to have {replicas}"));
        let template = super::template(name);
        let set = json!({
            "metadata": { "name": name, "namespace": "default" },
            "spec": {
                "replicas": replicas, "template": template,
                "selector": { "matchLabels": template["metadata"]["labels"] },
            },
        });
        let set: ReplicaSet = serde_json::from_value(set).unwrap();
        self.server.create(&set).await.unwrap();
        self.wanted.insert(name, replicas);
    }

    pub(crate) async fn scale(&mut self, name: &'static str, replicas: usize) {
        self.tell(format!("{name} is to have {replicas}"));
        let patch = Patch::Merge(json!({ "spec": { "replicas": replicas } }));
        self.sets().patch(name, &PatchParams::default(), &patch).await.unwrap();
        self.wanted.insert(name, replicas);
    }

    /// Its pods stay: there is nobody who collects garbage. One that is created again has nothing to do with them.
    pub(crate) async fn replace_set(&mut self, name: &'static str, replicas: usize) {
        self.sets().delete(name, &DeleteParams::default()).await.unwrap();
        self.create_set(name, replicas).await;
    }

    pub(crate) async fn delete_pod(&mut self, number: usize) {
        let pods = self.pods().await;
        let Some(pod) = pods.get(number % pods.len().max(1)) else { return };
        self.tell(format!("{} is deleted", pod.name_any()));
        let pods: Api<Pod> = Api::namespaced(self.server.quiet_client(), "default");
        // The program may have been faster.
        pods.delete(&pod.name_any(), &DeleteParams::default()).await.ok();
    }

    /// A pod that belongs to nobody, and matches.
    pub(crate) async fn create_orphan(&mut self, name: &'static str) {
        self.tell(format!("a pod that {name} may adopt is created"));
        let mut pod = super::template(name);
        pod["metadata"]["generateName"] = "orphan-".into();
        self.server.create::<Pod>(&serde_json::from_value(pod).unwrap()).await.unwrap();
    }

    /// In the end there are as many as there are to be, and there was never one too many.
    pub(crate) async fn ends_well(&self, what: &str, late: Duration) {
        self.server.clear_faults();
        pass(SETTLED).await;
        let told = self.told.join("\n  ");
        let (sets, pods) = (self.sets().list(&ListParams::default()).await.unwrap(), self.pods().await);
        for set in sets {
            let (name, uid) = (set.name_any(), set.uid().unwrap());
            let is_its = |pod: &&Pod| pod.owner_references().iter().any(|owner| owner.uid == uid);
            let has = pods.iter().filter(is_its).count();
            assert_eq!(has, self.wanted[&*name], "{what}: {name}:\n  {told}");
        }
        self.is_safe(what, late);
    }

    /// There was never one too many.
    pub(crate) fn is_safe(&self, what: &str, late: Duration) {
        let (excesses, told) = (self.oracle.excesses(late), self.told.join("\n  "));
        assert!(excesses.is_empty(), "{what}: {excesses:?}:\n  {told}");
    }

    fn sets(&self) -> Api<ReplicaSet> {
        Api::namespaced(self.server.quiet_client(), "default")
    }

    async fn pods(&self) -> Vec<Pod> {
        let pods: Api<Pod> = Api::namespaced(self.server.quiet_client(), "default");
        pods.list(&ListParams::default()).await.unwrap().items
    }
}
