//! The defaults that are not in the table, because they depend on more than whether a field is set.

use serde_json::{Map, Value, json};

use crate::kinds::Resource;

/// What is done to an object as it was sent.
pub(super) fn before(resource: &Resource, object: &mut Map<String, Value>) {
    match (&*resource.group, &*resource.plural) {
        ("", "pods") => pod(object),
        ("", "limitranges") => limit_range(object),
        ("", "replicationcontrollers") => replication_controller(object),
        _ => {}
    }
}

/// What is done to an object that has all other defaults.
pub(super) fn after(resource: &Resource, object: &mut Map<String, Value>) {
    if let ("", "services") = (&*resource.group, &*resource.plural) {
        service(object);
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
