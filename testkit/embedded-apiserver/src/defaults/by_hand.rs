//! The defaults that are not in the table, because they depend on more than whether a field is set.

use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use crate::kinds::Resource;

/// What is done to an object as it was sent.
pub(super) fn before(resource: &Resource, object: &mut Map<String, Value>) {
    if matches!(&*resource.group, "" | "apps" | "batch") {
        service_account(object);
    }
    match (&*resource.group, &*resource.plural) {
        ("", "pods") => pod(object),
        ("", "limitranges") => limit_range(object),
        ("", "replicationcontrollers") => replication_controller(object),
        ("", "secrets") => secret(object),
        _ => {}
    }
}

/// What is done to an object that has all other defaults.
pub(super) fn after(resource: &Resource, object: &mut Map<String, Value>) {
    match (&*resource.group, &*resource.plural) {
        ("", "services") => service(object),
        ("", "namespaces") => namespace(object),
        ("batch", "jobs") => job(object),
        ("apps", "daemonsets") => daemon_set(object),
        _ => {}
    }
}

/// Containers request what they are limited to, and those in the network of the host use its ports. Other than most defaults
/// these are not in the templates of pods.
fn pod(pod: &mut Map<String, Value>) {
    let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) else { return };
    let is_in_host_network = spec.get("hostNetwork") == Some(&Value::Bool(true));
    for containers in ["containers", "initContainers"] {
        for container in items(spec, containers) {
            if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) {
                add(resources, "requests", "limits");
            }
            for port in items(container, "ports").filter(|_| is_in_host_network) {
                if let Some(own) = port.get("containerPort").cloned()
                    && !port.contains_key("hostPort")
                {
                    port.insert("hostPort".to_owned(), own);
                }
            }
        }
    }
}

/// The old name of the field follows the new one.
fn service_account(object: &mut Map<String, Value>) {
    let Some(spec) = object.get_mut("spec") else { return };
    for path in ["", "/template/spec", "/jobTemplate/spec/template/spec"] {
        let pod = spec.pointer_mut(path).and_then(Value::as_object_mut);
        if let Some(pod) = pod.filter(|pod| pod.get("serviceAccountName").is_some_and(|name| *name != ""))
            && let Some(name) = pod.get("serviceAccountName").filter(|name| name.is_string()).cloned()
            && let Some(old) = pod.get_mut("serviceAccount")
        {
            *old = name;
        }
    }
}

/// The limits of containers default to their maximum, what they request to the limit or the minimum.
fn limit_range(range: &mut Map<String, Value>) {
    let Some(spec) = range.get_mut("spec").and_then(Value::as_object_mut) else { return };
    for limit in items(spec, "limits").filter(|limit| limit.get("type") == Some(&json!("Container"))) {
        for (name, from) in [("default", "max"), ("defaultRequest", "default"), ("defaultRequest", "min")] {
            add(limit, name, from);
        }
    }
}

/// A ReplicationController has the labels of its pods, and selects by them.
fn replication_controller(controller: &mut Map<String, Value>) {
    let Some(labels) = controller.get("spec").and_then(|spec| spec.pointer("/template/metadata/labels"))
    else {
        return;
    };
    let labels = labels.clone();
    for (part, name) in [("metadata", "labels"), ("spec", "selector")] {
        let Some(part) = controller.get_mut(part).and_then(Value::as_object_mut) else { continue };
        if part.get(name).and_then(Value::as_object).is_none_or(Map::is_empty) {
            part.insert(name.to_owned(), labels.clone());
        }
    }
}

/// Without an affinity there is nothing to configure; addresses of balancers are used as they are.
fn service(service: &mut Map<String, Value>) {
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if spec.get("sessionAffinity") == Some(&json!("None")) {
        spec.remove("sessionAffinityConfig");
    }
    let is_balanced = spec.get("type") == Some(&json!("LoadBalancer"));
    let balancer = service.get_mut("status").and_then(|status| status.get_mut("loadBalancer"));
    if let Some(balancer) = balancer.and_then(Value::as_object_mut).filter(|_| is_balanced) {
        for ingress in items(balancer, "ingress").filter(|ingress| ingress.contains_key("ip")) {
            ingress.entry("ipMode").or_insert_with(|| "VIP".into());
        }
    }
}

/// `stringData` becomes `data`, in base64.
fn secret(secret: &mut Map<String, Value>) {
    let Some(Value::Object(texts)) = secret.remove("stringData") else { return };
    let Value::Object(data) = secret.entry("data").or_insert_with(|| json!({})) else { return };
    for (key, text) in texts {
        let bytes = ByteString(text.as_str().unwrap_or_default().as_bytes().to_vec());
        data.insert(key, serde_json::to_value(bytes).unwrap_or_default());
    }
}

/// A namespace has a label with its name, if it has one yet.
fn namespace(namespace: &mut Map<String, Value>) {
    let Some(Value::Object(metadata)) = namespace.get_mut("metadata") else { return };
    let Some(name) = metadata.get("name").cloned() else { return };
    if let Value::Object(labels) = metadata.entry("labels").or_insert_with(|| json!({})) {
        labels.insert("kubernetes.io/metadata.name".to_owned(), name);
    }
}

/// A Job has the labels of its pods, if they have any and it has none.
fn job(job: &mut Map<String, Value>) {
    let labels = job.get("spec").and_then(|spec| spec.pointer("/template/metadata/labels")).cloned();
    let metadata = job.get_mut("metadata").and_then(Value::as_object_mut);
    if let (Some(labels), Some(metadata)) = (labels, metadata) {
        metadata.entry("labels").or_insert(labels);
    }
}

/// The number of a DaemonSet's template is a field of its own in the server, and an annotation for others.
fn daemon_set(set: &mut Map<String, Value>) {
    let Some(Value::Object(metadata)) = set.get_mut("metadata") else { return };
    if let Value::Object(annotations) = metadata.entry("annotations").or_insert_with(|| json!({})) {
        annotations.entry("deprecated.daemonset.template.generation").or_insert_with(|| "0".into());
    }
}

/// The structs in a list.
fn items<'a>(
    object: &'a mut Map<String, Value>,
    name: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> + use<'a> {
    let list = object.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Adds to a map what it does not have of another one.
fn add(object: &mut Map<String, Value>, name: &str, from: &str) {
    let Some(Value::Object(more)) = object.get(from).cloned() else { return };
    let map = object.entry(name).or_insert_with(|| json!({}));
    if let Value::Object(map) = map {
        for (key, value) in more {
            map.entry(key).or_insert(value);
        }
    }
}
