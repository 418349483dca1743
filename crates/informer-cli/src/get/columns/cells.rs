//! What stands in the cells of tables.

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use crate::get::age::{age, since, time};

pub(super) const NONE: &str = "<none>";

pub(super) fn text(object: &Value, pointer: &str) -> String {
    text_or(object, pointer, NONE)
}

pub(super) fn text_or(object: &Value, pointer: &str, otherwise: &str) -> String {
    let found = object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    found.unwrap_or(otherwise).to_owned()
}

/// The first that is not `<none>`.
pub(super) fn first(texts: &[String]) -> String {
    texts.iter().find(|text| *text != NONE).map_or_else(|| NONE.to_owned(), Clone::clone)
}

pub(super) fn number(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default().to_string()
}

pub(super) fn of(object: &Value, part: &str, whole: &str) -> String {
    format!("{}/{}", number(object, part), number(object, whole))
}

pub(super) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// How many members or elements.
pub(super) fn size(object: &Value, pointer: &str) -> usize {
    match object.pointer(pointer) {
        Some(Value::Object(members)) => members.len(),
        Some(Value::Array(items)) => items.len(),
        _ => 0,
    }
}

pub(super) fn join(texts: &[String], with: &str) -> String {
    texts.join(with)
}

fn or_none(text: String) -> String {
    if text.is_empty() { NONE.to_owned() } else { text }
}

/// The texts of one field of all elements, separated by commas.
fn each(items: &[Value], pointer: &str) -> String {
    items.iter().map(|item| text_or(item, pointer, "")).collect::<Vec<_>>().join(",")
}

/// `a=b,c=d`, sorted as texts.
pub(crate) fn labels(object: &Value, pointer: &str) -> String {
    let members = object.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    let mut pairs: Vec<_> =
        members.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default())).collect();
    pairs.sort_unstable();
    or_none(pairs.join(","))
}

/// A label selector, sorted by key: `app=web,tier in (a,b),!gone`.
pub(super) fn selector(object: &Value, pointer: &str) -> String {
    let Some(selector) = object.pointer(pointer) else { return NONE.to_owned() };
    let mut parts: Vec<(String, String)> = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        parts.push((key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    for expression in list(selector, "/matchExpressions") {
        let key = text_or(expression, "/key", "");
        let mut values: Vec<_> = list(expression, "/values").iter().filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let part = match expression["operator"].as_str() {
            Some("In") => format!("{key} in ({values})"),
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("Exists") => key.clone(),
            _ => format!("!{key}"),
        };
        parts.push((key, part));
    }
    parts.sort();
    or_none(parts.into_iter().map(|(_, part)| part).collect::<Vec<_>>().join(","))
}

pub(super) fn containers(object: &Value, pointer: &str) -> String {
    each(list(object, pointer), "/name")
}

pub(super) fn images(object: &Value, pointer: &str) -> String {
    each(list(object, pointer), "/image")
}

/// The status of a condition, `Unknown` if there is none.
pub(super) fn condition(object: &Value, of_type: &str) -> String {
    let conditions = list(object, "/status/conditions");
    let found = conditions.iter().find(|condition| condition["type"] == of_type);
    found.map_or_else(|| "Unknown".to_owned(), |condition| text_or(condition, "/status", "Unknown"))
}

pub(super) fn unless_deleted(object: &Value, pointer: &str) -> String {
    match object.pointer("/metadata/deletionTimestamp") {
        Some(Value::String(_)) => "Terminating".to_owned(),
        _ => text_or(object, pointer, ""),
    }
}

pub(super) fn node_status(node: &Value) -> String {
    let has_ready = list(node, "/status/conditions").iter().any(|condition| condition["type"] == "Ready");
    let status = match condition(node, "Ready").as_str() {
        "True" => "Ready",
        _ if has_ready => "NotReady",
        _ => "Unknown",
    };
    match node.pointer("/spec/unschedulable") {
        Some(Value::Bool(true)) => format!("{status},SchedulingDisabled"),
        _ => status.to_owned(),
    }
}

pub(super) fn node_roles(node: &Value) -> String {
    let labels = node.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
    let role = |(name, value): (&String, &Value)| match name.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role.to_owned()),
        None if name == "kubernetes.io/role" => value.as_str().map(str::to_owned),
        None => None,
    };
    let mut roles: Vec<_> = labels.filter_map(role).filter(|role| !role.is_empty()).collect();
    roles.sort_unstable();
    roles.dedup();
    or_none(roles.join(","))
}

pub(super) fn node_address(node: &Value, of_type: &str) -> String {
    let address = list(node, "/status/addresses").iter().find(|address| address["type"] == of_type);
    address.map_or_else(|| NONE.to_owned(), |address| text(address, "/address"))
}

pub(super) fn node_kernel(node: &Value) -> String {
    let kernel = text_or(node, "/status/nodeInfo/kernelVersion", "<unknown>");
    match text_or(node, "/status/nodeInfo/architecture", "") {
        none if none.is_empty() => kernel,
        architecture => format!("{kernel} ({architecture})"),
    }
}

pub(super) fn ports(service: &Value) -> String {
    let port = |port: &Value| {
        let protocol = text_or(port, "/protocol", "TCP");
        match port["nodePort"].as_i64() {
            Some(node) if node > 0 => format!("{}:{node}/{protocol}", number(port, "/port")),
            _ => format!("{}/{protocol}", number(port, "/port")),
        }
    };
    or_none(list(service, "/spec/ports").iter().map(port).collect::<Vec<_>>().join(","))
}

/// The addresses of a load balancer.
pub(super) fn balancer(object: &Value) -> String {
    let ingress = list(object, "/status/loadBalancer/ingress").iter();
    let address = |it: &Value| {
        Some(text_or(it, "/ip", it["hostname"].as_str().unwrap_or_default())).filter(|it| !it.is_empty())
    };
    ingress.filter_map(address).collect::<Vec<_>>().join(",")
}

pub(super) fn service_external_ip(service: &Value) -> String {
    let own =
        list(service, "/spec/externalIPs").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",");
    match service.pointer("/spec/type").and_then(Value::as_str) {
        Some("LoadBalancer") => match (balancer(service), own) {
            (given, own) if given.is_empty() && own.is_empty() => "<pending>".to_owned(),
            (given, own) if given.is_empty() || own.is_empty() => given + &own,
            (given, own) => format!("{given},{own}"),
        },
        Some("ExternalName") => text_or(service, "/spec/externalName", ""),
        Some("ClusterIP" | "NodePort") => or_none(own),
        _ => "<unknown>".to_owned(),
    }
}

/// The hosts of an Ingress, three of them at most.
pub(super) fn hosts(ingress: &Value) -> String {
    let rules = list(ingress, "/spec/rules").iter();
    let hosts: Vec<_> =
        rules.map(|rule| text_or(rule, "/host", "")).filter(|host| !host.is_empty()).collect();
    match hosts.len() {
        0 => "*".to_owned(),
        1..=3 => hosts.join(","),
        more => format!("{} + {} more...", hosts[..3].join(","), more - 3),
    }
}

pub(super) fn access_modes(object: &Value, pointer: &str) -> String {
    let modes: Vec<_> = list(object, pointer).iter().filter_map(Value::as_str).collect();
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    known
        .iter()
        .filter(|(mode, _)| modes.contains(mode))
        .map(|(_, short)| *short)
        .collect::<Vec<_>>()
        .join(",")
}

pub(super) fn name_of_claim(volume: &Value) -> String {
    match volume.pointer("/spec/claimRef") {
        Some(claim) => format!("{}/{}", text_or(claim, "/namespace", ""), text_or(claim, "/name", "")),
        None => String::new(),
    }
}

pub(super) fn job_status(job: &Value) -> String {
    let has = |of_type: &str| condition(job, of_type) == "True";
    let deleted = job.pointer("/metadata/deletionTimestamp").is_some_and(Value::is_string);
    let states = [
        (has("Complete"), "Complete"),
        (has("Failed"), "Failed"),
        (deleted, "Terminating"),
        (has("Suspended"), "Suspended"),
        (has("FailureTarget"), "FailureTarget"),
        (has("SuccessCriteriaMet"), "SuccessCriteriaMet"),
    ];
    states.iter().find(|(is, _)| *is).map_or("Running", |(_, state)| state).to_owned()
}

pub(super) fn job_completions(job: &Value) -> String {
    let done = number(job, "/status/succeeded");
    let parallel = job.pointer("/spec/parallelism").and_then(Value::as_i64).unwrap_or(0);
    match job.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(wanted) => format!("{done}/{wanted}"),
        None if parallel > 1 => format!("{done}/1 of {parallel}"),
        None => format!("{done}/1"),
    }
}

pub(super) fn job_duration(job: &Value, now: Timestamp) -> String {
    let Some(start) = time(job, "/status/startTime") else { return String::new() };
    let end = time(job, "/status/completionTime").unwrap_or(now);
    age(end.as_second() - start.as_second())
}

pub(super) fn suspended(job: &Value) -> String {
    match job.pointer("/spec/suspend") {
        Some(Value::Bool(true)) => "True".to_owned(),
        Some(Value::Bool(false)) => "False".to_owned(),
        _ => "<unset>".to_owned(),
    }
}

pub(super) fn last_schedule(job: &Value, now: Timestamp) -> String {
    match time(job, "/status/lastScheduleTime") {
        Some(_) => since(job, "/status/lastScheduleTime", now),
        None => NONE.to_owned(),
    }
}

/// The object that an Event is about, such as `pod/web-0`. Its field has another name in the group `events.k8s.io`.
pub(super) fn event_object(event: &Value) -> String {
    let part = |field: &str| {
        let of =
            |object: &str| event.pointer(&format!("/{object}/{field}"))?.as_str().filter(|it| !it.is_empty());
        of("involvedObject").or_else(|| of("regarding"))
    };
    match (part("kind"), part("name")) {
        (Some(kind), Some(name)) => format!("{}/{name}", kind.to_lowercase()),
        (kind, name) => name.or(kind).unwrap_or_default().to_lowercase(),
    }
}

pub(super) fn event_message(event: &Value) -> String {
    let message = text_or(event, "/message", "") + &text_or(event, "/note", "");
    message.trim().to_owned()
}

pub(super) fn event_source(event: &Value) -> String {
    let part = |core: &str, other: &str| text_or(event, core, &text_or(event, other, ""));
    let component = part("/source/component", "/deprecatedSource/component");
    let component =
        if component.is_empty() { part("/reportingComponent", "/reportingController") } else { component };
    let host = part("/source/host", "/deprecatedSource/host");
    let host = if host.is_empty() { text_or(event, "/reportingInstance", "") } else { host };
    if host.is_empty() { component } else { format!("{component}, {host}") }
}

/// The first of these times that an Event has.
fn seen(event: &Value, pointers: &[&str], now: Timestamp) -> String {
    let found = pointers.iter().find(|pointer| time(event, pointer).is_some());
    found.map_or_else(|| "<unknown>".to_owned(), |pointer| since(event, pointer, now))
}

pub(super) fn first_seen(event: &Value, now: Timestamp) -> String {
    seen(event, &["/firstTimestamp", "/deprecatedFirstTimestamp", "/eventTime"], now)
}

pub(super) fn last_seen(event: &Value, now: Timestamp) -> String {
    let times = [
        "/series/lastObservedTime",
        "/lastTimestamp",
        "/deprecatedLastTimestamp",
        "/firstTimestamp",
        "/deprecatedFirstTimestamp",
        "/eventTime",
    ];
    seen(event, &times, now)
}

pub(super) fn event_count(event: &Value) -> String {
    let counts = ["/series/count", "/count", "/deprecatedCount"];
    let count = counts.iter().find_map(|pointer| event.pointer(pointer)?.as_i64().filter(|count| *count > 0));
    count.unwrap_or(1).to_string()
}
