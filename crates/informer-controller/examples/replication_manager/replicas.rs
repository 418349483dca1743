//! ReplicaSets and ReplicationControllers: adopts pods that match and belong to nobody, lets go of those that do not match any
//! more, creates and deletes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use informer_controller::recorder::{Note, RecorderOptions};
use informer_controller::{Controller, Ctx, EventRecorder, Next, ReconcileError, WriteError, slow_start};
use k8s_openapi::api::core::v1::{Pod, PodCondition, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::jiff::Timestamp;
use kube_client::Client;
use kube_client::api::{GetParams, Patch, PatchParams};
use kube_client::core::{Request, Selector};
use kube_informer::error::ObjectError;
use kube_informer::{Index, Object, SharedInformer};
use serde::Deserialize;
use serde_json::{Value, json};

/// The most pods that one run creates or deletes.
const BURST: usize = 500;

/// What counts of a ReplicaSet, and of a ReplicationController.
#[derive(Debug, Deserialize)]
struct Set {
    spec: SetSpec,
    #[serde(default)]
    status: Value,
}

#[derive(Debug, Deserialize)]
struct SetSpec {
    replicas: Option<usize>,
    selector: Value,
    template: Value,
}

impl SetSpec {
    fn selector(&self) -> Option<Selector> {
        // A ReplicationController has labels, a ReplicaSet a selector.
        let selector: Selector = match BTreeMap::<String, String>::deserialize(&self.selector) {
            Ok(labels) => labels.into_iter().collect(),
            Err(_) => LabelSelector::deserialize(&self.selector).ok()?.try_into().ok()?,
        };
        (!selector.selects_all()).then_some(selector)
    }
}

/// The pods that all controllers share, and those of them that belong to nobody, by namespace.
#[derive(Clone)]
pub(crate) struct Pods {
    informer: SharedInformer<Pod>,
    orphans: Index<Pod, String>,
    client: Client,
}

impl Pods {
    pub(crate) fn new(informer: SharedInformer<Pod>, client: Client) -> Self {
        let orphans = informer.add_index("orphans", |pod: &Object<Pod>| {
            pod.controller_owner().is_none().then(|| pod.namespace().unwrap_or_default().to_owned())
        });
        Self { informer, orphans, client }
    }
}

pub(crate) fn controller<K: Send + Sync + 'static>(
    name: &'static str,
    sets: SharedInformer<K>,
    pods: &Pods,
) -> Controller<K> {
    let (lister, known) = (sets.lister(), pods.clone());
    Controller::new(name, sets)
        .recorder(EventRecorder::new(pods.client.clone(), name, RecorderOptions::default()))
        .owns(pods.informer.clone())
        // An orphan may be adopted by whoever it matches.
        .watches(pods.informer.clone(), move |pod, keys| {
            let sets = pod.controller_owner().is_none().then(|| lister.list()).into_iter().flatten();
            for set in sets.filter(|set| set.namespace() == pod.namespace()) {
                let selector = set.view::<Set>().ok().and_then(|set| set.spec.selector());
                keys.extend(selector.filter(|it| pod.labels().matches(it)).map(|_| set.key().clone()));
            }
        })
        .reconcile(move |ctx| reconcile(ctx, known.clone()))
}

async fn reconcile<K: Send + Sync + 'static>(ctx: Ctx<K>, pods: Pods) -> Result<Next, ReconcileError> {
    let Some(set) = ctx.object() else { return Ok(Next::Done) };
    let view: Set = set.view()?;
    let Some(selector) = view.spec.selector() else {
        return Err(ReconcileError::terminal("its selector selects nothing or everything"));
    };
    if ctx.is_stale() {
        // The cache lacks pods that were created: who counts them now creates too many.
        return Ok(Next::After(Duration::from_secs(1)));
    }
    let mut managed = Ok(());
    if set.deletion_timestamp().is_none() {
        claim(&ctx, set, &selector, &pods).await?;
        managed = manage(&ctx, set, &view.spec, &selector, &pods).await;
    }
    // What was just written is among them.
    write_status(&ctx, set, &view, &active(ctx.owned(), &selector)?).await?;
    managed.map(|()| Next::Done)
}

/// Lets go of pods that do not match any more, and adopts those that match and belong to nobody.
async fn claim<K: Send + Sync + 'static>(
    ctx: &Ctx<K>,
    set: &Object<K>,
    selector: &Selector,
    pods: &Pods,
) -> Result<(), ReconcileError> {
    let (objects, namespace) = (ctx.objects(&pods.informer), set.namespace().unwrap_or_default());
    let nobody = json!([{ "$patch": "delete", "uid": set.uid().to_string() }]);
    let released = ctx.owned::<Pod>().into_iter().filter(|pod| !pod.labels().matches(selector));
    let released = released.map(|pod| (pod, nobody.clone()));
    let adopted = active(objects.by_index(&pods.orphans, namespace)?, selector)?;
    if !adopted.is_empty() {
        // The cache may not know yet that the set was deleted, with pods that were to stay.
        let get =
            Request::new(set.kind().url_path(set.namespace())).get(set.name(), &GetParams::default())?;
        let live = &pods.client.request::<Value>(get).await?["metadata"];
        if live["uid"] != set.uid().to_string() || !live["deletionTimestamp"].is_null() {
            return Err(ReconcileError::msg("it was just deleted, and adopts nothing"));
        }
    }
    let adopted = adopted.into_iter().map(|(pod, _)| (pod, json!([owner(set)])));
    for (pod, owners) in released.chain(adopted) {
        let patch = json!({ "metadata": { "uid": pod.uid().to_string(), "ownerReferences": owners } });
        match objects.patch(pod.key(), &PatchParams::default(), &Patch::Strategic(patch)).await {
            // The pod may be gone, or another one of the same name.
            Err(error) if error.is_not_found() || error.is_conflict() || error.code() == Some(422) => {}
            patched => drop(patched?),
        }
    }
    Ok(())
}

/// Creates or deletes pods: one, two, four at a time, so that what is refused is refused a few times only.
async fn manage<K: Send + Sync + 'static>(
    ctx: &Ctx<K>,
    set: &Object<K>,
    spec: &SetSpec,
    selector: &Selector,
    pods: &Pods,
) -> Result<(), ReconcileError> {
    let (objects, mut own) = (ctx.objects(&pods.informer), active(ctx.owned(), selector)?);
    let (has, wanted) = (own.len(), spec.replicas.unwrap_or(1));
    if has == wanted {
        return Ok(());
    }
    if has < wanted {
        let mut pod = spec.template.clone();
        pod["metadata"]["generateName"] = format!("{}-", set.name()).into();
        pod["metadata"]["ownerReferences"] = json!([owner(set)]);
        let create = async |_| {
            let made = objects.create(&pod).await;
            made.map(|it| ctx.event(Note::normal("SuccessfulCreate", format!("Created pod: {}", it.name()))))
        };
        return Ok(slow_start((wanted - has).min(BURST), create).await?);
    }
    rank(&mut own, &on_nodes(ctx, set, pods)?);
    let delete = async |number: usize| {
        let pod = &own[number].0;
        let event = Note::normal("SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
        objects.delete(pod).await.map(|()| ctx.event(event))
    };
    Ok(slow_start((has - wanted).min(BURST), delete).await?)
}

pub(crate) fn owner<K>(set: &Object<K>) -> Value {
    json!({
        "apiVersion": set.kind().api_version(), "kind": set.kind().kind(),
        "name": set.name(), "uid": set.uid().to_string(), "controller": true, "blockOwnerDeletion": true,
    })
}

async fn write_status<K: Send + Sync + 'static>(
    ctx: &Ctx<K>,
    set: &Object<K>,
    view: &Set,
    own: &[(Object<Pod>, PodView)],
) -> Result<(), WriteError> {
    let labels = view.spec.template["metadata"]["labels"].as_object().cloned().unwrap_or_default();
    let has_all = |it: &Object<Pod>| labels.iter().all(|(key, value)| it.labels().get(key) == value.as_str());
    let ready = own.iter().filter(|(_, pod)| pod.ready().is_some()).count();
    let mut wanted = json!({
        "replicas": own.len(),
        "fullyLabeledReplicas": own.iter().filter(|(pod, _)| has_all(pod)).count(),
        "readyReplicas": ready,
        "availableReplicas": ready,
        "observedGeneration": set.generation(),
    });
    let number = |name: &str| view.status[name].as_i64().unwrap_or_default();
    let Some(fields) = wanted.as_object_mut() else { return Ok(()) };
    fields.retain(|name, value| number(name) != value.as_i64().unwrap_or_default());
    if fields.is_empty() {
        return Ok(());
    }
    let (sets, patch) = (ctx.objects(ctx.informer()), Patch::Merge(json!({ "status": wanted })));
    sets.patch_status(ctx.key(), &PatchParams::default(), &patch).await.map(drop)
}

/// What counts of a pod.
#[derive(Debug, Deserialize)]
pub(crate) struct PodView {
    spec: Placement,
    #[serde(default)]
    status: PodStatus,
}

#[derive(Debug, Deserialize)]
struct Placement {
    #[serde(default, rename = "nodeName")]
    node_name: String,
}

impl PodView {
    /// The condition that says so, if it is ready.
    pub(crate) fn ready(&self) -> Option<&PodCondition> {
        self.status.conditions.iter().flatten().find(|it| it.type_ == "Ready" && it.status == "True")
    }
}

/// Those that match, and run or are going to.
fn active(pods: Vec<Object<Pod>>, selector: &Selector) -> Result<Vec<(Object<Pod>, PodView)>, ObjectError> {
    let pods =
        pods.into_iter().filter(|pod| pod.deletion_timestamp().is_none() && pod.labels().matches(selector));
    let mut pods =
        pods.map(|pod| pod.view().map(|view: PodView| (pod, view))).collect::<Result<Vec<_>, _>>()?;
    pods.retain(|(_, pod)| !matches!(pod.status.phase.as_deref(), Some("Succeeded" | "Failed")));
    Ok(pods)
}

/// How many pods each node has of all sets of the same Deployment. Sets that belong to nobody do not count them.
fn on_nodes<K: Send + Sync + 'static>(
    ctx: &Ctx<K>,
    set: &Object<K>,
    pods: &Pods,
) -> Result<HashMap<String, usize>, ObjectError> {
    let Some(deployment) = set.controller_owner() else { return Ok(HashMap::new()) };
    let mut sets = ctx.informer().lister().list();
    sets.retain(|it| it.controller_owner().is_some_and(|owner| owner.uid == deployment.uid));
    let mut pods = ctx.objects(&pods.informer).in_namespace(set.namespace().unwrap_or_default());
    pods.retain(|pod| sets.iter().any(|set| Some(set.uid()) == pod.controller_owner().map(|it| &it.uid)));
    let mut on_nodes = HashMap::new();
    for (_, pod) in active(pods, &Selector::default())? {
        *on_nodes.entry(pod.spec.node_name).or_default() += 1;
    }
    Ok(on_nodes)
}

/// Sorts pods, those that are to go first at the beginning, as kube-controller-manager does.
fn rank(pods: &mut [(Object<Pod>, PodView)], on_nodes: &HashMap<String, usize>) {
    // Ages count by powers of two, so that those of about the same age go in no order that depends on it.
    let now = Timestamp::now();
    let age = |since: Timestamp| now.duration_since(since).as_nanos().checked_ilog2();
    pods.sort_by_cached_key(|(object, pod)| {
        let annotations = object.annotations().unwrap_or_default();
        let cost = annotations.get("controller.kubernetes.io/pod-deletion-cost");
        let restarts = pod.status.container_statuses.iter().flatten().map(|it| it.restart_count).max();
        let phases = ["Pending", "Unknown"].map(Some);
        (
            !pod.spec.node_name.is_empty(),
            phases.iter().position(|phase| pod.status.phase.as_deref() == *phase).unwrap_or(2),
            pod.ready().is_some(),
            cost.and_then(|cost| cost.parse::<i32>().ok()).unwrap_or(0),
            Reverse(on_nodes.get(&pod.spec.node_name).copied()),
            pod.ready().and_then(|ready| age(ready.last_transition_time.as_ref()?.0)),
            (Reverse(restarts), object.creation_timestamp().and_then(age), object.uid().to_string()),
        )
    });
}
