//! The columns of common kinds, the same as those of kubectl. Other kinds have a name and an age.

mod cells;
mod pod;

use k8s_openapi::jiff::Timestamp;
use kube_informer::kind::KindInfo;
use serde_json::Value;

use self::cells::{
    access_modes, condition, containers, event_message, event_object, first, images, job_completions,
    job_duration, job_status, join, last_schedule, last_seen, name_of_claim, node_address, node_kernel,
    node_roles, node_status, number, of, ports, service_external_ip, size, suspended, text, text_or,
    unless_deleted,
};
use crate::get::age::since;

pub(crate) use self::cells::labels;

/// A column of a table.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// Whether only `-o wide` has it.
    pub(crate) is_wide: bool,
    pub(crate) cell: fn(&Value, Timestamp) -> String,
}

const fn column(title: &'static str, cell: fn(&Value, Timestamp) -> String) -> Column {
    Column { title, is_wide: false, cell }
}

const fn wide(title: &'static str, cell: fn(&Value, Timestamp) -> String) -> Column {
    Column { title, is_wide: true, cell }
}

pub(crate) const NAME: &str = "NAME";
const AGE: &str = "AGE";

const fn name() -> Column {
    column(NAME, |it, _| text_or(it, "/metadata/name", ""))
}

const fn age() -> Column {
    column(AGE, |it, now| since(it, "/metadata/creationTimestamp", now))
}

const CONTAINERS: &str = "/spec/template/spec/containers";

const PODS: &[Column] = &[
    name(),
    column("READY", |pod, _| pod::ready(pod)),
    column("STATUS", |pod, _| pod::status(pod)),
    column("RESTARTS", pod::restarts),
    age(),
    wide("IP", |pod, _| text(pod, "/status/podIPs/0/ip")),
    wide("NODE", |pod, _| text(pod, "/spec/nodeName")),
    wide("NOMINATED NODE", |pod, _| text(pod, "/status/nominatedNodeName")),
    wide("READINESS GATES", |pod, _| pod::readiness_gates(pod)),
];

const DEPLOYMENTS: &[Column] = &[
    name(),
    column("READY", |it, _| of(it, "/status/readyReplicas", "/spec/replicas")),
    column("UP-TO-DATE", |it, _| number(it, "/status/updatedReplicas")),
    column("AVAILABLE", |it, _| number(it, "/status/availableReplicas")),
    age(),
    wide("CONTAINERS", |it, _| containers(it, CONTAINERS)),
    wide("IMAGES", |it, _| images(it, CONTAINERS)),
    wide("SELECTOR", |it, _| cells::selector(it, "/spec/selector")),
];

const REPLICA_SETS: &[Column] = &[
    name(),
    column("DESIRED", |it, _| number(it, "/spec/replicas")),
    column("CURRENT", |it, _| number(it, "/status/replicas")),
    column("READY", |it, _| number(it, "/status/readyReplicas")),
    age(),
    wide("CONTAINERS", |it, _| containers(it, CONTAINERS)),
    wide("IMAGES", |it, _| images(it, CONTAINERS)),
    wide("SELECTOR", |it, _| cells::selector(it, "/spec/selector")),
];

const STATEFUL_SETS: &[Column] = &[
    name(),
    column("READY", |it, _| of(it, "/status/readyReplicas", "/spec/replicas")),
    age(),
    wide("CONTAINERS", |it, _| containers(it, CONTAINERS)),
    wide("IMAGES", |it, _| images(it, CONTAINERS)),
];

const DAEMON_SETS: &[Column] = &[
    name(),
    column("DESIRED", |it, _| number(it, "/status/desiredNumberScheduled")),
    column("CURRENT", |it, _| number(it, "/status/currentNumberScheduled")),
    column("READY", |it, _| number(it, "/status/numberReady")),
    column("UP-TO-DATE", |it, _| number(it, "/status/updatedNumberScheduled")),
    column("AVAILABLE", |it, _| number(it, "/status/numberAvailable")),
    column("NODE SELECTOR", |it, _| labels(it, "/spec/template/spec/nodeSelector")),
    age(),
    wide("CONTAINERS", |it, _| containers(it, CONTAINERS)),
    wide("IMAGES", |it, _| images(it, CONTAINERS)),
    wide("SELECTOR", |it, _| cells::selector(it, "/spec/selector")),
];

const JOBS: &[Column] = &[
    name(),
    column("STATUS", |job, _| job_status(job)),
    column("COMPLETIONS", |job, _| job_completions(job)),
    column("DURATION", job_duration),
    age(),
    wide("CONTAINERS", |it, _| containers(it, CONTAINERS)),
    wide("IMAGES", |it, _| images(it, CONTAINERS)),
    wide("SELECTOR", |it, _| cells::selector(it, "/spec/selector")),
];

const CRON_JOBS: &[Column] = &[
    name(),
    column("SCHEDULE", |it, _| text_or(it, "/spec/schedule", "")),
    column("TIMEZONE", |it, _| text(it, "/spec/timeZone")),
    column("SUSPEND", |it, _| suspended(it)),
    column("ACTIVE", |it, _| size(it, "/status/active").to_string()),
    column("LAST SCHEDULE", last_schedule),
    age(),
    wide("CONTAINERS", |it, _| containers(it, "/spec/jobTemplate/spec/template/spec/containers")),
    wide("IMAGES", |it, _| images(it, "/spec/jobTemplate/spec/template/spec/containers")),
    wide("SELECTOR", |it, _| cells::selector(it, "/spec/jobTemplate/spec/selector")),
];

const SERVICES: &[Column] = &[
    name(),
    column("TYPE", |it, _| text_or(it, "/spec/type", "")),
    column("CLUSTER-IP", |it, _| first(&[text(it, "/spec/clusterIPs/0"), text(it, "/spec/clusterIP")])),
    column("EXTERNAL-IP", |it, _| service_external_ip(it)),
    column("PORT(S)", |it, _| ports(it)),
    age(),
    wide("SELECTOR", |it, _| labels(it, "/spec/selector")),
];

const NODES: &[Column] = &[
    name(),
    column("STATUS", |node, _| node_status(node)),
    column("ROLES", |node, _| node_roles(node)),
    age(),
    column("VERSION", |node, _| text_or(node, "/status/nodeInfo/kubeletVersion", "")),
    wide("INTERNAL-IP", |node, _| node_address(node, "InternalIP")),
    wide("EXTERNAL-IP", |node, _| node_address(node, "ExternalIP")),
    wide("OS-IMAGE", |node, _| text_or(node, "/status/nodeInfo/osImage", "<unknown>")),
    wide("KERNEL-VERSION", |node, _| node_kernel(node)),
    wide("CONTAINER-RUNTIME", |node, _| {
        text_or(node, "/status/nodeInfo/containerRuntimeVersion", "<unknown>")
    }),
];

const NAMESPACES: &[Column] = &[name(), column("STATUS", |it, _| text_or(it, "/status/phase", "")), age()];

const VOLUMES: &[Column] = &[
    name(),
    column("CAPACITY", |it, _| text_or(it, "/spec/capacity/storage", "0")),
    column("ACCESS MODES", |it, _| access_modes(it, "/spec/accessModes")),
    column("RECLAIM POLICY", |it, _| text_or(it, "/spec/persistentVolumeReclaimPolicy", "")),
    column("STATUS", |it, _| unless_deleted(it, "/status/phase")),
    column("CLAIM", |it, _| name_of_claim(it)),
    column("STORAGECLASS", |it, _| text_or(it, "/spec/storageClassName", "")),
    column("VOLUMEATTRIBUTESCLASS", |it, _| text_or(it, "/spec/volumeAttributesClassName", "<unset>")),
    column("REASON", |it, _| text_or(it, "/status/reason", "")),
    age(),
    wide("VOLUMEMODE", |it, _| text_or(it, "/spec/volumeMode", "<unset>")),
];

const CLAIMS: &[Column] = &[
    name(),
    column("STATUS", |it, _| unless_deleted(it, "/status/phase")),
    column("VOLUME", |it, _| text_or(it, "/spec/volumeName", "")),
    column("CAPACITY", |it, _| match it.pointer("/spec/volumeName") {
        Some(_) => text_or(it, "/status/capacity/storage", "0"),
        None => String::new(),
    }),
    column("ACCESS MODES", |it, _| match it.pointer("/spec/volumeName") {
        Some(_) => access_modes(it, "/status/accessModes"),
        None => String::new(),
    }),
    column("STORAGECLASS", |it, _| text_or(it, "/spec/storageClassName", "")),
    column("VOLUMEATTRIBUTESCLASS", |it, _| text_or(it, "/spec/volumeAttributesClassName", "<unset>")),
    age(),
    wide("VOLUMEMODE", |it, _| text_or(it, "/spec/volumeMode", "<unset>")),
];

const CONFIG_MAPS: &[Column] =
    &[name(), column("DATA", |it, _| (size(it, "/data") + size(it, "/binaryData")).to_string()), age()];

const SECRETS: &[Column] = &[
    name(),
    column("TYPE", |it, _| text_or(it, "/type", "")),
    column("DATA", |it, _| size(it, "/data").to_string()),
    age(),
];

const INGRESSES: &[Column] = &[
    name(),
    column("CLASS", |it, _| text(it, "/spec/ingressClassName")),
    column("HOSTS", |it, _| cells::hosts(it)),
    column("ADDRESS", |it, _| cells::balancer(it)),
    column("PORTS", |it, _| if size(it, "/spec/tls") > 0 { "80, 443".to_owned() } else { "80".to_owned() }),
    age(),
];

const EVENTS: &[Column] = &[
    column("LAST SEEN", last_seen),
    column("TYPE", |it, _| text_or(it, "/type", "")),
    column("REASON", |it, _| text_or(it, "/reason", "")),
    column("OBJECT", |it, _| event_object(it)),
    wide("SUBOBJECT", |it, _| {
        join(&[text_or(it, "/involvedObject/fieldPath", ""), text_or(it, "/regarding/fieldPath", "")], "")
    }),
    wide("SOURCE", |it, _| cells::event_source(it)),
    column("MESSAGE", |it, _| event_message(it)),
    wide("FIRST SEEN", cells::first_seen),
    wide("COUNT", |it, _| cells::event_count(it)),
    wide(NAME, |it, _| text_or(it, "/metadata/name", "")),
];

const DEFINITIONS: &[Column] =
    &[name(), column("CREATED AT", |it, _| text_or(it, "/metadata/creationTimestamp", ""))];

const API_SERVICES: &[Column] = &[
    name(),
    column("SERVICE", |it, _| match it.pointer("/spec/service/name") {
        Some(_) => join(&[text(it, "/spec/service/namespace"), text(it, "/spec/service/name")], "/"),
        None => "Local".to_owned(),
    }),
    column("AVAILABLE", |it, _| condition(it, "Available")),
    age(),
];

const OTHERS: &[Column] = &[name(), age()];

/// The columns of a kind.
pub(crate) fn columns(kind: &KindInfo) -> &'static [Column] {
    match (kind.group(), kind.kind()) {
        ("", "Pod") => PODS,
        ("", "Service") => SERVICES,
        ("", "Node") => NODES,
        ("", "Namespace") => NAMESPACES,
        ("", "PersistentVolume") => VOLUMES,
        ("", "PersistentVolumeClaim") => CLAIMS,
        ("", "ConfigMap") => CONFIG_MAPS,
        ("", "Secret") => SECRETS,
        ("" | "events.k8s.io", "Event") => EVENTS,
        ("apps", "Deployment") => DEPLOYMENTS,
        ("apps", "ReplicaSet") => REPLICA_SETS,
        ("apps", "StatefulSet") => STATEFUL_SETS,
        ("apps", "DaemonSet") => DAEMON_SETS,
        ("batch", "Job") => JOBS,
        ("batch", "CronJob") => CRON_JOBS,
        ("networking.k8s.io", "Ingress") => INGRESSES,
        ("apiextensions.k8s.io", "CustomResourceDefinition") => DEFINITIONS,
        ("apiregistration.k8s.io", "APIService") => API_SERVICES,
        _ => OTHERS,
    }
}

/// The columns of an object in one line: `ready 1/2, status Running`. Name, times and what is not known are left out. Empty
/// for kinds without columns of their own.
pub(crate) fn summary(kind: &KindInfo, object: &Value, with_wide: bool, now: Timestamp) -> String {
    let left_out = [NAME, AGE, "LAST SEEN", "FIRST SEEN", "CREATED AT"];
    let columns =
        columns(kind).iter().filter(|it| !left_out.contains(&it.title) && (with_wide || !it.is_wide));
    let cells = columns.map(|column| (column.title.to_lowercase(), (column.cell)(object, now)));
    let told = cells.filter(|(_, cell)| !matches!(cell.as_str(), "" | "<none>" | "<unset>" | "<unknown>"));
    told.map(|(title, cell)| format!("{title} {cell}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
