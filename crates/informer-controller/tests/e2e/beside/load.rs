//! What is asked of a manager of replicas, and whether it is so.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use futures::StreamExt as _;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Pod, ReplicationController};
use kube_client::api::{
    Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
};
use kube_client::{Client, Error};
use kube_informer::object::Uid;
use kube_informer::{Index, Lister, Object, ObjectKey, SharedInformerFactory};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::support::PATIENCE;

/// A hundred changes a second.
const PACE: Duration = Duration::from_millis(10);

/// How much there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) controllers: usize,
    pub(crate) pods: usize,
}

impl Load {
    pub(crate) fn from_environment() -> Self {
        let (controllers, pods) = (number("KUBE_INFORMER_CONTROLLERS"), number("KUBE_INFORMER_PODS"));
        Self { controllers: controllers.unwrap_or(5), pods: pods.unwrap_or(5) }
    }

    /// How long a manager may take.
    pub(crate) fn patience(self) -> Duration {
        if self.is_small() { PATIENCE } else { Duration::from_secs(400) }
    }

    /// A small one is a test, and does not wait for somebody else's program that does not converge.
    pub(crate) fn is_small(self) -> bool {
        self.controllers < 50
    }

    pub(crate) fn changes(self) -> usize {
        10 * self.controllers
    }
}

pub(crate) fn number(name: &str) -> Option<usize> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}: that is not a number")))
}

/// ReplicaSets and ReplicationControllers, in turn, and how many pods each is to have.
pub(crate) struct World {
    client: Client,
    random: fastrand::Rng,
    factory: SharedInformerFactory,
    of: Index<Pod, Uid>,
    sets: Lister<ReplicaSet>,
    controllers: Lister<ReplicationController>,
    wanted: Vec<usize>,
}

impl World {
    pub(crate) async fn new(client: Client, seed: u64) -> Self {
        let factory = SharedInformerFactory::builder(client.clone()).build().unwrap();
        let pods = factory.core().v1().pods().informer();
        let of = pods.add_index("of", |pod: &Object<Pod>| {
            let owner = pod.controller_owner().filter(|_| pod.deletion_timestamp().is_none());
            owner.map(|owner| owner.uid.clone())
        });
        let sets = factory.apps().v1().replica_sets().informer().lister();
        let controllers = factory.core().v1().replication_controllers().informer().lister();
        factory.start();
        let random = fastrand::Rng::with_seed(seed);
        Self { client, random, factory, of, sets, controllers, wanted: Vec::new() }
    }

    pub(crate) async fn end(self) {
        self.factory.shutdown().await;
    }

    /// Creates so many more, with so many pods each.
    pub(crate) async fn create(&mut self, count: usize, pods: usize) {
        let begin = self.wanted.len();
        self.wanted.resize(begin + count, pods);
        let client = &self.client;
        futures::stream::iter(begin..begin + count)
            .for_each_concurrent(16, async |number| {
                let object: DynamicObject = serde_json::from_value(controller(number, pods)).unwrap();
                let (api, params) = (api(client, number), PostParams::default());
                insist(|| api.create(&params, &object)).await;
            })
            .await;
    }

    /// Deletes pods, and changes how many there are to be.
    pub(crate) async fn change(&mut self, count: usize, pods: usize) {
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for _ in 0..count {
            pace.tick().await;
            let number = self.random.usize(..self.wanted.len());
            if self.random.u8(..4) == 0 {
                let wanted = pods / 2 + self.random.usize(..=pods);
                self.wanted[number] = wanted;
                let patch = Patch::Merge(json!({ "spec": { "replicas": wanted } }));
                let (api, name, params) = (api(&self.client, number), name(number), PatchParams::default());
                insist(|| api.patch(&name, &params, &patch)).await;
            } else {
                let of_it = self.find(number).and_then(|it| self.of.get(it.uid()).ok()).unwrap_or_default();
                let Some(pod) = self.random.choice(&of_it) else { continue };
                let all: Api<Pod> = Api::namespaced(self.client.clone(), "default");
                let at_once = DeleteParams::default().grace_period(0);
                insist(|| all.delete(pod.name(), &at_once)).await;
            }
        }
    }

    /// Waits until every controller has as many pods as it is to have, and its status says so. How many are wrong after that time.
    pub(crate) async fn wrong_after(&self, patience: Duration) -> usize {
        let looking = async {
            let mut pause = interval(Duration::from_millis(20));
            while !(0..self.wanted.len()).all(|number| self.is_right(number)) {
                pause.tick().await;
            }
        };
        timeout(patience, looking).await.ok();
        let wrong = (0..self.wanted.len()).filter(|number| !self.is_right(*number));
        wrong.inspect(|number| eprintln!("{}", self.told(*number))).count()
    }

    fn told(&self, number: usize) -> String {
        let of_it = self.find(number).and_then(|it| self.of.get(it.uid()).ok()).unwrap_or_default();
        format!("{} has {} pods and is to have {}", name(number), of_it.len(), self.wanted[number])
    }

    fn is_right(&self, number: usize) -> bool {
        let Some(object) = self.find(number) else { return false };
        let Ok(view) = object.view::<View>() else { return false };
        let has = self.of.get(object.uid()).map_or(0, |pods| pods.len());
        let (wanted, said) = (self.wanted[number], view.status.replicas);
        has == wanted && said == wanted && view.status.observed_generation == object.generation()
    }

    fn find(&self, number: usize) -> Option<Object<Value>> {
        let key = ObjectKey::namespaced("default", name(number));
        if is_set(number) {
            self.sets.by_key(&key).ok().map(|set| set.as_kind())
        } else {
            self.controllers.by_key(&key).ok().map(|controller| controller.as_kind())
        }
    }

    /// Asks the server itself: every controller has exactly as many pods as it is to have, and nobody else has any.
    pub(crate) async fn is_exact(&self) {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), "default");
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for pod in pods.list(&ListParams::default()).await.unwrap().items {
            assert!(pod.metadata.deletion_timestamp.is_none(), "nothing holds a pod");
            let owners = pod.metadata.owner_references.unwrap_or_default();
            let owner = owners.into_iter().find(|owner| owner.controller == Some(true));
            *found.entry(owner.map(|owner| owner.name).unwrap_or_default()).or_default() += 1;
        }
        let wanted = self.wanted.iter().enumerate().map(|(number, wanted)| (name(number), *wanted));
        let wanted: BTreeMap<String, usize> = wanted.filter(|(_, wanted)| *wanted > 0).collect();
        assert_eq!(found, wanted);
    }
}

/// What counts of a controller.
#[derive(Debug, Deserialize)]
struct View {
    #[serde(default)]
    status: Status,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    replicas: usize,
    observed_generation: Option<i64>,
}

fn is_set(number: usize) -> bool {
    number.is_multiple_of(2)
}

fn name(number: usize) -> String {
    format!("{}-{number}", if is_set(number) { "set" } else { "controller" })
}

fn api(client: &Client, number: usize) -> Api<DynamicObject> {
    let resource = if is_set(number) {
        ApiResource::erase::<ReplicaSet>(&())
    } else {
        ApiResource::erase::<ReplicationController>(&())
    };
    Api::namespaced_with(client.clone(), "default", &resource)
}

fn controller(number: usize, replicas: usize) -> Value {
    let (name, labels) = (name(number), json!({ "app": name(number) }));
    let template = json!({
        "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    let (api_version, kind, selector) = if is_set(number) {
        ("apps/v1", "ReplicaSet", json!({ "matchLabels": labels }))
    } else {
        ("v1", "ReplicationController", labels)
    };
    json!({
        "apiVersion": api_version, "kind": kind, "metadata": { "name": name },
        "spec": { "replicas": replicas, "selector": selector, "template": template },
    })
}

/// Asks until there is an answer: the server may be away. What is gone, and what is there already, is as good.
async fn insist<T, F: Future<Output = Result<T, Error>>>(mut request: impl FnMut() -> F) {
    let asking = async {
        let mut pause = interval(PACE);
        loop {
            match request().await {
                Ok(_) => return,
                Err(Error::Api(status)) if matches!(status.code, 404 | 409) => return,
                Err(_) => drop(pause.tick().await),
            }
        }
    };
    timeout(PATIENCE, asking).await.expect("the server comes back");
}
