//! The documents of discovery that a client needs to find what was recorded, where the recording has none.

use kube_informer::kind::KindInfo;
use serde_json::{Value, json};

/// What a recording can be asked for. A kind whose name is not known cannot be found by it.
pub(super) fn document(path: &str, kinds: &[KindInfo]) -> Option<Value> {
    let kinds: Vec<&KindInfo> = kinds.iter().filter(|kind| !kind.kind().is_empty()).collect();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match *parts.as_slice() {
        ["version"] => Some(json!({ "major": "1", "minor": "", "gitVersion": "v1.0.0-recording" })),
        ["api"] => {
            Some(json!({ "kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [] }))
        }
        ["apis"] => {
            let mut names: Vec<&str> = kinds.iter().map(|kind| kind.group()).collect();
            names.sort_unstable();
            names.dedup();
            let groups: Vec<Value> = names.into_iter().filter_map(|name| group(name, &kinds)).collect();
            Some(json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups }))
        }
        ["api", version] if version == "v1" => Some(resources("", version, &kinds)),
        ["apis", name] => {
            let mut group = group(name, &kinds)?;
            (group["kind"], group["apiVersion"]) = ("APIGroup".into(), "v1".into());
            Some(group)
        }
        ["apis", name, version] => {
            let is_there = kinds.iter().any(|kind| (kind.group(), kind.version()) == (name, version));
            is_there.then(|| resources(name, version, &kinds))
        }
        _ => None,
    }
}

/// A namespace of which only its objects were recorded.
pub(super) fn namespace(name: &str) -> Value {
    json!({ "kind": "Namespace", "apiVersion": "v1", "metadata": { "name": name }, "status": { "phase": "Active" } })
}

fn group(name: &str, kinds: &[&KindInfo]) -> Option<Value> {
    let mut versions: Vec<Value> = Vec::new();
    for kind in kinds.iter().filter(|kind| !name.is_empty() && kind.group() == name) {
        let version = json!({ "groupVersion": kind.api_version(), "version": kind.version() });
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    let preferred = versions.first()?.clone();
    Some(json!({ "name": name, "versions": versions, "preferredVersion": preferred }))
}

fn resources(group: &str, version: &str, kinds: &[&KindInfo]) -> Value {
    let of_group = kinds.iter().filter(|kind| kind.group() == group && kind.version() == version);
    let resources: Vec<Value> = of_group
        .map(|kind| {
            json!({ "name": kind.plural(), "singularName": kind.kind().to_lowercase(), "kind": kind.kind(),
                "namespaced": kind.is_namespaced().unwrap_or_default(), "verbs": ["get", "list", "watch"] })
        })
        .collect();
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    json!({ "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": resources })
}
