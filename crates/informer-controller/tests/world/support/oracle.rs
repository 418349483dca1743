//! What the server stored, in order, and whether there was ever one pod too many: for each owner by its uid, and at the moment of
//! each creation.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{Api, WatchEvent, WatchParams};
use kube_client::{Resource, ResourceExt as _};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// One version of one object.
#[derive(Clone, Debug)]
struct Fact {
    version: u64,
    at: Instant,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// A set is to have so many; none if it is gone.
    Set { uid: String, wanted: usize },
    /// A pod is there, and may have an owner.
    Pod { name: String, owner: Option<String>, is_new: bool },
    /// A pod is gone.
    Gone { name: String },
}

pub(crate) struct Oracle {
    facts: Arc<Mutex<Vec<Fact>>>,
    _watches: JoinSet<()>,
}

impl Oracle {
    /// Begins with the first version that there was. Faults do not concern it.
    pub(crate) fn of(server: &EmbeddedApiserver) -> Self {
        let (facts, mut watches) = (Arc::new(Mutex::<Vec<Fact>>::default()), JoinSet::new());
        watches.spawn(watch(server, facts.clone(), |set: &ReplicaSet, is_gone, _| {
            let wanted = set.spec.replicas.unwrap_or(1);
            What::Set {
                uid: set.uid().unwrap(),
                wanted: if is_gone { 0 } else { wanted.try_into().unwrap() },
            }
        }));
        watches.spawn(watch(server, facts.clone(), |pod: &Pod, is_gone, is_new| {
            let owners = pod.metadata.owner_references.iter().flatten();
            let owner = owners.into_iter().find(|owner| owner.controller == Some(true));
            if is_gone {
                What::Gone { name: pod.name_any() }
            } else {
                What::Pod { name: pod.name_any(), owner: owner.map(|it| it.uid.clone()), is_new }
            }
        }));
        Self { facts, _watches: watches }
    }

    /// How many pods were created with an owner.
    pub(crate) fn created(&self) -> usize {
        let is_created = |fact: &&Fact| matches!(&fact.what, What::Pod { owner: Some(_), is_new: true, .. });
        self.facts.lock().iter().filter(is_created).count()
    }

    /// Every creation after which an owner had more pods than it was to have at that moment, or shortly before: whoever creates a
    /// pod knows only what it has been told, and that may be late by so much.
    pub(crate) fn excesses(&self, late: Duration) -> Vec<String> {
        let mut facts = self.facts.lock().clone();
        facts.sort_by_key(|fact| fact.version);
        let mut wanted: BTreeMap<String, Vec<(Instant, usize)>> = BTreeMap::new();
        let mut owners: BTreeMap<String, String> = BTreeMap::new();
        let mut excesses = Vec::new();
        for Fact { version, at, what } in facts {
            match what {
                What::Set { uid, wanted: number } => wanted.entry(uid).or_default().push((at, number)),
                What::Gone { name } => drop(owners.remove(&name)),
                What::Pod { name, owner: None, .. } => drop(owners.remove(&name)),
                What::Pod { name, owner: Some(owner), is_new } => {
                    owners.insert(name, owner.clone());
                    let has = owners.values().filter(|other| **other == owner).count();
                    let allowed = most_since(wanted.get(&owner), at.checked_sub(late));
                    if is_new && has > allowed {
                        excesses.push(format!(
                            "at version {version} {owner} has {has} pods and is to have {allowed}"
                        ));
                    }
                }
            }
        }
        excesses
    }
}

/// The most that was wanted since then.
fn most_since(wanted: Option<&Vec<(Instant, usize)>>, since: Option<Instant>) -> usize {
    let wanted = wanted.map(Vec::as_slice).unwrap_or_default();
    // A number holds until there is another one.
    let ended = wanted.iter().skip(1).map(|(at, _)| Some(*at)).chain([None]);
    let held = wanted.iter().zip(ended).filter(|(_, ended)| ended.is_none_or(|ended| Some(ended) >= since));
    held.map(|((_, number), _)| *number).max().unwrap_or_default()
}

fn watch<K>(
    server: &EmbeddedApiserver,
    facts: Arc<Mutex<Vec<Fact>>>,
    what: impl Fn(&K, bool, bool) -> What + Send + 'static,
) -> impl Future<Output = ()> + Send + 'static
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
        + Clone
        + Debug
        + DeserializeOwned
        + Send
        + 'static,
{
    let api: Api<K> = Api::namespaced(server.quiet_client(), "default");
    async move {
        let mut version = "1".to_owned();
        loop {
            let Ok(events) = api.watch(&WatchParams::default(), &version).await else { continue };
            let mut events = events.boxed();
            while let Ok(Some(event)) = events.try_next().await {
                let (object, is_gone, is_new) = match &event {
                    WatchEvent::Added(object) => (object, false, true),
                    WatchEvent::Modified(object) => (object, false, false),
                    WatchEvent::Deleted(object) => (object, true, false),
                    _ => continue,
                };
                version = object.resource_version().unwrap();
                let what = what(object, is_gone, is_new);
                facts.lock().push(Fact { version: version.parse().unwrap(), at: Instant::now(), what });
            }
        }
    }
}
