//! Objects of built-in kinds, and patches of them. What is generated is valid by itself: the embedded server checks little of
//! what built-in kinds demand.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::answers::{APPLY, JSON_PATCH, MERGE, STRATEGIC, Write};
use super::custom::operations;

pub(super) struct Kind {
    pub(super) collection: &'static str,
    api_version: &'static str,
    kind: &'static str,
    /// A valid object, and parts of one.
    object: fn(&mut Rng) -> Value,
    part: fn(&mut Rng) -> Value,
}

const KINDS: &[Kind] = &[
    Kind {
        collection: "/api/v1/namespaces/default/configmaps",
        api_version: "v1",
        kind: "ConfigMap",
        object: config,
        part: config,
    },
    Kind {
        collection: "/api/v1/namespaces/default/secrets",
        api_version: "v1",
        kind: "Secret",
        object: secret,
        part: secret,
    },
    Kind {
        collection: "/api/v1/namespaces/default/serviceaccounts",
        api_version: "v1",
        kind: "ServiceAccount",
        object: account,
        part: account,
    },
    Kind {
        collection: "/apis/apps/v1/namespaces/default/deployments",
        api_version: "apps/v1",
        kind: "Deployment",
        object: deployment,
        part: deployment_part,
    },
    Kind {
        collection: "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
        api_version: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        object: role,
        part: role,
    },
    Kind {
        collection: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        api_version: "coordination.k8s.io/v1",
        kind: "Lease",
        object: lease,
        part: lease,
    },
];

pub(super) fn any_kind(rng: &mut Rng) -> &'static Kind {
    // Half of them are deployments, which have most to merge.
    if rng.bool() { &KINDS[3] } else { &KINDS[rng.usize(..KINDS.len())] }
}

/// Whether the real server refuses an object of a built-in kind that the embedded server has not looked at.
pub(super) fn is_unchecked(collection: &str, real: &Value, embedded: &Value) -> bool {
    let is_builtin = KINDS.iter().any(|kind| kind.collection == collection);
    let causes = |answer: &Value| answer["body"]["details"]["causes"].as_array().cloned().unwrap_or_default();
    let (known, found) = (causes(real), causes(embedded));
    let is_less = match embedded["status"].as_u64() {
        Some(200 | 201) => true,
        Some(422) => found.len() < known.len() && found.iter().all(|cause| known.contains(cause)),
        _ => false,
    };
    is_builtin && real["status"] == 422 && is_less
}

impl Kind {
    fn typed(&self, mut object: Value) -> Value {
        object["apiVersion"] = self.api_version.into();
        object["kind"] = self.kind.into();
        if !object["metadata"].is_object() {
            object["metadata"] = json!({});
        }
        object
    }

    pub(super) fn create(&self, rng: &mut Rng) -> Write {
        let mut object = (self.object)(rng);
        object["metadata"] = metadata(rng);
        Write::post("?fieldManager=creator", self.typed(object))
    }

    /// A patch of what the object is now.
    pub(super) fn patch(&self, rng: &mut Rng, now: &Value) -> Write {
        let mut part = (self.part)(rng);
        if rng.bool() {
            part["metadata"] = metadata(rng);
        }
        match rng.u8(..4) {
            0 => {
                nulls(rng, &mut part);
                Write::patch(MERGE, "?fieldManager=merger".to_owned(), part)
            }
            1 => {
                if rng.u8(..3) > 0 {
                    directives(rng, &mut part);
                }
                Write::patch(STRATEGIC, "?fieldManager=merger".to_owned(), part)
            }
            2 => Write::patch(JSON_PATCH, String::new(), self.operations(rng, now, &part)),
            _ => {
                let manager = rng.choice(["one", "two"]).unwrap_or_default();
                let query = format!("?fieldManager={manager}&force={}", rng.bool());
                Write::patch(APPLY, query, self.typed(part))
            }
        }
    }

    fn operations(&self, rng: &mut Rng, now: &Value, part: &Value) -> Value {
        match (self.kind, rng.u8(..3)) {
            (_, 0) => {
                let labels = metadata(rng)["labels"].take();
                operations(rng, "/metadata/labels", &now["metadata"]["labels"], &labels)
            }
            ("Deployment", 1) => {
                let container = container(rng);
                let now = &now["spec"]["template"]["spec"]["containers"][0];
                // Neither its name nor its image may go.
                let mut known = Map::new();
                for name in ["env", "args", "resources"] {
                    known.extend(now.get(name).map(|value| (name.to_owned(), value.clone())));
                }
                operations(rng, "/spec/template/spec/containers/0", &known.into(), &container)
            }
            ("Deployment", _) => {
                json!([{ "op": "replace", "path": "/spec/replicas", "value": rng.u8(..4) }])
            }
            ("ConfigMap" | "Secret", _) => operations(rng, "/data", &now["data"], &part["data"]),
            _ => {
                let annotations = metadata(rng)["annotations"].take();
                operations(rng, "/metadata/annotations", &now["metadata"]["annotations"], &annotations)
            }
        }
    }
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const TEXTS: [&str; 4] = ["", "x", "y", "long text"];

fn one<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[rng.usize(..of.len())]
}

/// Some of the names with values.
fn map(rng: &mut Rng, values: &[&str]) -> Value {
    let mut map = Map::new();
    for name in NAMES {
        if rng.bool() {
            map.insert(name.to_owned(), one(rng, values).into());
        }
    }
    map.into()
}

/// Items with different names.
fn named(rng: &mut Rng, names: &[&str], item: fn(&mut Rng, &str) -> Value) -> Value {
    let mut names = names.to_vec();
    rng.shuffle(&mut names);
    names.truncate(rng.usize(1..=names.len()));
    names.into_iter().map(|name| item(rng, name)).collect()
}

/// Takes some members of an object.
fn some(rng: &mut Rng, object: Value) -> Value {
    let Value::Object(mut members) = object else { return object };
    members.retain(|_, _| rng.bool());
    members.into()
}

fn metadata(rng: &mut Rng) -> Value {
    let object = json!({
        "labels": map(rng, &["x", "y"]), "annotations": map(rng, &TEXTS),
        "finalizers": named(rng, &["x.io/a", "x.io/b"], |_, name| name.into()),
    });
    some(rng, object)
}

fn config(rng: &mut Rng) -> Value {
    json!({ "data": map(rng, &TEXTS) })
}

fn secret(rng: &mut Rng) -> Value {
    let object = json!({ "data": map(rng, &["", "eA==", "eHk="]), "stringData": map(rng, &TEXTS) });
    some(rng, object)
}

fn account(rng: &mut Rng) -> Value {
    let reference = |_: &mut Rng, name: &str| json!({ "name": name });
    let object = json!({
        "secrets": named(rng, &NAMES, reference), "imagePullSecrets": named(rng, &NAMES, reference),
        "automountServiceAccountToken": rng.bool(),
    });
    some(rng, object)
}

fn role(rng: &mut Rng) -> Value {
    let rule = |rng: &mut Rng, name: &str| json!({ "apiGroups": [""], "resources": [name], "verbs": [one(rng, &NAMES)] });
    json!({ "rules": named(rng, &NAMES, rule) })
}

fn lease(rng: &mut Rng) -> Value {
    let object = json!({
        "holderIdentity": one(rng, &["x", "y"]), "leaseDurationSeconds": rng.u8(1..9),
        "renewTime": "2026-01-01T00:00:00.000000Z", "leaseTransitions": rng.u8(..3),
    });
    json!({ "spec": some(rng, object) })
}

fn container(rng: &mut Rng) -> Value {
    let env = |rng: &mut Rng, name: &str| json!({ "name": name, "value": one(rng, &TEXTS) });
    let object = json!({
        "env": named(rng, &NAMES, env), "args": named(rng, &NAMES, |_, name| name.into()),
        "resources": { "limits": { "cpu": one(rng, &["1", "500m", "0.1"]) } },
        "imagePullPolicy": one(rng, &["Always", "Never"]),
    });
    some(rng, object)
}

fn named_container(rng: &mut Rng, name: &str) -> Value {
    let mut container = container(rng);
    container["name"] = name.into();
    container["image"] = one(rng, &["i", "i:1", "j:latest"]).into();
    if rng.bool() {
        // The real server warns of ports that two containers have.
        let first = 80 + 10 * NAMES.iter().position(|known| *known == name).unwrap_or_default();
        let ports = (first..first + rng.usize(1..4)).map(|number| {
            json!({ "containerPort": number, "name": format!("p{number}"), "protocol": one(rng, &["TCP", "UDP"]) })
        });
        container["ports"] = ports.collect();
    }
    container
}

fn pod(rng: &mut Rng) -> Value {
    let volume = |rng: &mut Rng, name: &str| match rng.u8(..3) {
        0 => json!({ "name": name, "emptyDir": {} }),
        1 => json!({ "name": name, "configMap": { "name": one(rng, &NAMES) } }),
        _ => json!({ "name": name, "hostPath": { "path": "/x" } }),
    };
    let toleration = |_: &mut Rng, name: &str| json!({ "key": name, "operator": "Exists" });
    let alias = |rng: &mut Rng, name: &str| json!({ "ip": name, "hostnames": [one(rng, &NAMES)] });
    let object = json!({
        "volumes": named(rng, &NAMES, volume), "nodeSelector": map(rng, &["x", "y"]),
        "tolerations": named(rng, &NAMES, toleration),
        "hostAliases": named(rng, &["10.0.0.1", "10.0.0.2"], alias),
        "imagePullSecrets": named(rng, &NAMES, |_, name| json!({ "name": name })),
        "terminationGracePeriodSeconds": rng.u8(..9), "serviceAccountName": one(rng, &NAMES),
    });
    some(rng, object)
}

fn deployment(rng: &mut Rng) -> Value {
    let mut pod = pod(rng);
    pod["containers"] = named(rng, &NAMES, named_container);
    let mut object = json!({
        "spec": {
            "selector": { "matchLabels": { "app": "x" } },
            "template": { "metadata": { "labels": { "app": "x" } }, "spec": pod },
        },
    });
    if rng.bool() {
        object["spec"]["replicas"] = rng.u8(..4).into();
    }
    object
}

fn deployment_part(rng: &mut Rng) -> Value {
    let strategy = if rng.bool() {
        json!({ "type": "Recreate", "rollingUpdate": null })
    } else {
        json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": one(rng, &["10%", "30%"]) } })
    };
    let spec = json!({
        "replicas": rng.u8(..4), "paused": rng.bool(), "minReadySeconds": rng.u8(..3), "strategy": strategy,
        "revisionHistoryLimit": rng.u8(..3),
    });
    let mut spec = some(rng, spec);
    let mut pod = pod(rng);
    if rng.bool() {
        pod["containers"] = named(rng, &NAMES, named_container);
    }
    spec["template"] = json!({ "spec": pod });
    json!({ "spec": spec })
}

/// Sets some members to null.
fn nulls(rng: &mut Rng, part: &mut Value) {
    if let Value::Object(members) = part {
        for (name, value) in members.iter_mut() {
            let is_optional =
                !matches!(name.as_str(), "containers" | "name" | "image" | "rules" | "metadata" | "spec");
            match rng.u8(..6) {
                0 if is_optional => *value = Value::Null,
                _ => nulls(rng, value),
            }
        }
    }
}

/// Adds directives of strategic merge patches.
fn directives(rng: &mut Rng, part: &mut Value) {
    nulls(rng, part);
    add_directives(rng, part);
}

fn add_directives(rng: &mut Rng, part: &mut Value) {
    let Value::Object(members) = part else { return };
    let names: Vec<String> = members.keys().cloned().collect();
    for name in names {
        let Some(value) = members.get_mut(&name) else { continue };
        match (name.as_str(), value) {
            ("env" | "volumes" | "hostAliases", Value::Array(items)) => {
                let key = if name == "hostAliases" { "ip" } else { "name" };
                if rng.u8(..3) == 0
                    && let Some(item) = items.last_mut()
                {
                    *item = json!({ key: item[key], "$patch": "delete" });
                } else if rng.u8(..4) == 0 {
                    items.push(json!({ "$patch": "replace" }));
                }
                if name != "hostAliases" && rng.u8(..3) == 0 {
                    let mut order: Vec<Value> = items
                        .iter()
                        .filter(|item| item.get("$patch").is_none())
                        .map(|item| json!({ key: item[key] }))
                        .collect();
                    rng.shuffle(&mut order);
                    members.insert(format!("$setElementOrder/{name}"), order.into());
                }
            }
            ("nodeSelector" | "labels" | "annotations" | "data", Value::Object(map)) => {
                if rng.u8(..4) == 0 {
                    map.insert("$patch".to_owned(), "replace".into());
                }
            }
            ("finalizers", Value::Array(items)) => {
                if rng.bool() {
                    let gone: Vec<Value> = items.drain(..1).collect();
                    members.insert("$deleteFromPrimitiveList/finalizers".to_owned(), gone.into());
                }
            }
            ("containers", Value::Array(items)) => {
                items.iter_mut().for_each(|item| add_directives(rng, item));
            }
            (_, value) => add_directives(rng, value),
        }
    }
}
