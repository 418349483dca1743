//! Objects as a table.

use std::time::Duration;

use serde_json::Value;

use crate::plain::plain;

/// A column besides name, namespace and age.
struct Column {
    title: &'static str,
    cell: fn(&Value) -> String,
}

/// The columns of common kinds. Other kinds have only name and age.
fn columns(kind: &str) -> &'static [Column] {
    match kind {
        "Pod" => &[
            Column { title: "READY", cell: ready_containers },
            Column { title: "STATUS", cell: pod_status },
            Column { title: "RESTARTS", cell: restarts },
            Column { title: "NODE", cell: |pod| text(pod, "/spec/nodeName") },
        ],
        "Deployment" => &[
            Column { title: "READY", cell: |it| of(it, "/status/readyReplicas", "/spec/replicas") },
            Column { title: "UP-TO-DATE", cell: |it| number(it, "/status/updatedReplicas") },
            Column { title: "AVAILABLE", cell: |it| number(it, "/status/availableReplicas") },
        ],
        "ReplicaSet" | "StatefulSet" => {
            &[Column { title: "READY", cell: |it| of(it, "/status/readyReplicas", "/spec/replicas") }]
        }
        "DaemonSet" => &[Column {
            title: "READY",
            cell: |it| of(it, "/status/numberReady", "/status/desiredNumberScheduled"),
        }],
        "Job" => {
            &[Column { title: "COMPLETIONS", cell: |it| of(it, "/status/succeeded", "/spec/completions") }]
        }
        "Node" => &[
            Column { title: "STATUS", cell: node_status },
            Column { title: "VERSION", cell: |node| text(node, "/status/nodeInfo/kubeletVersion") },
        ],
        "Namespace" | "PersistentVolume" | "PersistentVolumeClaim" => {
            &[Column { title: "STATUS", cell: |it| text(it, "/status/phase") }]
        }
        "Service" => &[
            Column { title: "TYPE", cell: |service| text(service, "/spec/type") },
            Column { title: "CLUSTER-IP", cell: |service| text(service, "/spec/clusterIP") },
        ],
        "ConfigMap" | "Secret" => &[Column { title: "DATA", cell: entries }],
        "Event" => &[
            Column { title: "TYPE", cell: |event| text(event, "/type") },
            Column { title: "REASON", cell: |event| text(event, "/reason") },
            Column { title: "OBJECT", cell: event_object },
            Column { title: "MESSAGE", cell: event_message },
        ],
        _ => &[],
    }
}

/// One line of the table.
pub(crate) struct Row<'a> {
    pub(crate) namespace: Option<&'a str>,
    pub(crate) name: &'a str,
    pub(crate) age: Option<Duration>,
    pub(crate) object: &'a Value,
}

/// The table, with a column for the namespace if wanted. Ends with a line break.
pub(crate) fn table(kind: &str, rows: &[Row<'_>], with_namespace: bool) -> String {
    let columns = columns(kind);
    let mut titles = Vec::new();
    titles.extend(with_namespace.then(|| "NAMESPACE".to_owned()));
    titles.push("NAME".to_owned());
    titles.extend(columns.iter().map(|column| column.title.to_owned()));
    titles.push("AGE".to_owned());
    let mut lines = vec![titles];
    for row in rows {
        let mut cells = Vec::new();
        cells.extend(with_namespace.then(|| row.namespace.unwrap_or_default().to_owned()));
        cells.push(row.name.to_owned());
        cells.extend(columns.iter().map(|column| (column.cell)(row.object)));
        cells.push(row.age.map_or_else(|| "-".to_owned(), age));
        lines.push(cells.iter().map(|cell| plain(cell).into_owned()).collect());
    }
    aligned(&lines)
}

/// The columns of an object in one line: `ready 1/2, status Running`. Empty for kinds without columns.
pub(crate) fn summary(kind: &str, object: &Value) -> String {
    let cells = columns(kind).iter().map(|column| (column.title.to_lowercase(), (column.cell)(object)));
    let told: Vec<_> =
        cells.filter(|(_, cell)| cell != "-").map(|(title, cell)| format!("{title} {cell}")).collect();
    told.join(", ")
}

fn aligned(lines: &[Vec<String>]) -> String {
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut out = String::new();
    for cells in lines {
        let mut line = String::new();
        for (cell, &width) in cells.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width + 3 - cell.chars().count()));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// `12s`, `5m`, `3h`, `41d`: the coarsest unit of which there are at least two, as kubectl does.
pub(crate) fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

fn text(object: &Value, pointer: &str) -> String {
    match object.pointer(pointer).and_then(Value::as_str) {
        Some(text) if !text.is_empty() => text.to_owned(),
        _ => "-".to_owned(),
    }
}

fn number(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default().to_string()
}

fn of(object: &Value, part: &str, whole: &str) -> String {
    format!("{}/{}", number(object, part), number(object, whole))
}

fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn ready_containers(pod: &Value) -> String {
    let ready =
        list(pod, "/status/containerStatuses").iter().filter(|status| status["ready"] == true).count();
    format!("{ready}/{}", list(pod, "/spec/containers").len())
}

/// The reason why a container waits or has ended, which says more than the phase; otherwise the phase.
fn pod_status(pod: &Value) -> String {
    if pod.pointer("/metadata/deletionTimestamp").is_some_and(Value::is_string) {
        return "Terminating".to_owned();
    }
    let reason = |status: &Value| {
        let state = ["/state/waiting/reason", "/state/terminated/reason"];
        state.iter().find_map(|pointer| status.pointer(pointer)?.as_str().map(str::to_owned))
    };
    let of_container = list(pod, "/status/containerStatuses").iter().find_map(reason);
    of_container.unwrap_or_else(|| text(pod, "/status/phase"))
}

fn restarts(pod: &Value) -> String {
    let count = |status: &Value| status["restartCount"].as_i64().unwrap_or_default();
    list(pod, "/status/containerStatuses").iter().map(count).sum::<i64>().to_string()
}

fn node_status(node: &Value) -> String {
    let ready = list(node, "/status/conditions").iter().find(|condition| condition["type"] == "Ready");
    let is_ready = ready.is_some_and(|condition| condition["status"] == "True");
    let cordoned = node.pointer("/spec/unschedulable") == Some(&Value::Bool(true));
    let status = if is_ready { "Ready" } else { "NotReady" };
    if cordoned { format!("{status},SchedulingDisabled") } else { status.to_owned() }
}

/// The object that an Event is about, such as `pod/web-0`. Its field has another name in the group `events.k8s.io`.
fn event_object(event: &Value) -> String {
    let part = |field: &str| {
        let of =
            |object: &str| event.pointer(&format!("/{object}/{field}"))?.as_str().filter(|it| !it.is_empty());
        of("involvedObject").or_else(|| of("regarding"))
    };
    match (part("kind"), part("name")) {
        (Some(kind), Some(name)) => format!("{}/{name}", kind.to_lowercase()),
        (_, Some(name)) => name.to_owned(),
        _ => "-".to_owned(),
    }
}

fn event_message(event: &Value) -> String {
    match text(event, "/message") {
        none if none == "-" => text(event, "/note"),
        message => message,
    }
}

fn entries(object: &Value) -> String {
    let count = |member: &str| object[member].as_object().map_or(0, serde_json::Map::len);
    (count("data") + count("binaryData")).to_string()
}

#[cfg(test)]
mod tests;
