//! What is done to objects that own one another, and what is there afterwards.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use kube_client::Client;
use serde_json::{Value, json};

use super::ask;
use super::controllers::{change, create_namespace, get, new_uid, send, settle};

const HOLD: &str = "example.com/hold";

/// Kinds of objects: the prefix of their names in steps, the collection, `apiVersion` and `kind`.
const KINDS: &[(&str, &str, &str, &str)] = &[
    ("", "/api/v1/namespaces/{ns}/configmaps", "v1", "ConfigMap"),
    ("away", "/api/v1/namespaces/{ns}-away/configmaps", "v1", "ConfigMap"),
    ("job", "/apis/batch/v1/namespaces/{ns}/jobs", "batch/v1", "Job"),
    ("rc", "/api/v1/namespaces/{ns}/replicationcontrollers", "v1", "ReplicationController"),
    ("rs", "/apis/apps/v1/namespaces/{ns}/replicasets", "apps/v1", "ReplicaSet"),
    ("pod", "/api/v1/namespaces/{ns}/pods", "v1", "Pod"),
    ("widget", "/apis/compare.example.com/v1/namespaces/{ns}/widgets", "compare.example.com/v1", "Widget"),
    (ROLE, "/apis/rbac.authorization.k8s.io/v1/clusterroles", "rbac.authorization.k8s.io/v1", "ClusterRole"),
];
/// Cluster-scoped objects have the scenario in their names.
const ROLE: &str = "role";

/// The steps of a scenario, separated by semicolons:
///
/// - `+b <a! <c`: creates the ConfigMap `b` with the owners `a`, whose deletion it blocks, and `c`. `#hold` adds a finalizer,
///   and so do `#orphan` and `#foregroundDeletion`.
/// - `=b <a`: gives it other owners.
/// - `-a Foreground`: deletes it with that policy; `-a orphanDependents=true` with other options.
/// - `~b`: removes its finalizer `#hold`.
/// - `.`: waits for the garbage collector.
///
/// `role:x` is a cluster-scoped object, `away:x` a ConfigMap in another namespace, `job:x` a job and so on. These owners do not
/// exist: `none`, `uid:a` (the name of `a`, another uid), `name:a` and `kind:a` (its uid, another name or kind),
/// `unserved` (a kind that is not served).
pub(crate) struct Scenario<'a> {
    client: &'a Client,
    namespace: String,
    /// The uids of objects, by name.
    uids: BTreeMap<String, String>,
    /// The version at the start.
    since: String,
    deleted: Vec<String>,
}

impl<'a> Scenario<'a> {
    pub(crate) async fn run(client: &'a Client, name: &str, steps: &str) -> Result<Scenario<'a>> {
        create_namespace(client, name).await?;
        create_namespace(client, &format!("{name}-away")).await?;
        let path = format!("/api/v1/namespaces/{name}/configmaps");
        let since = get(client, &path).await?.version;
        let namespace = name.to_owned();
        let mut scenario = Self { client, namespace, uids: BTreeMap::new(), since, deleted: Vec::new() };
        for step in steps.split(';').map(str::trim) {
            scenario.step(step).await.with_context(|| format!("{name}: {step}"))?;
        }
        // Twice, for what follows from what the collector has done.
        scenario.settle().await?;
        scenario.settle().await?;
        Ok(scenario)
    }

    pub(crate) async fn settle(&mut self) -> Result<()> {
        self.deleted = settle(self.client, &self.namespace, &self.since).await?;
        Ok(())
    }

    async fn step(&mut self, step: &str) -> Result<()> {
        let (verb, rest) = step.split_at(1);
        let mut words = rest.split_whitespace();
        let name = words.next().unwrap_or_default();
        match verb {
            "." => self.settle().await?,
            "+" => {
                let mut object = self.object(name, words.clone());
                let finalizers = words.filter_map(|word| word.strip_prefix('#'));
                let finalizers = finalizers.map(|name| if name == "hold" { HOLD } else { name });
                object["metadata"]["finalizers"] = finalizers.collect::<Vec<_>>().into();
                let (collection, ..) = self.place(name);
                let created = send(self.client, &format!("POST {collection}"), &object).await?;
                let uid = created.body["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
                self.uids.insert(name.to_owned(), uid);
            }
            "=" => {
                let owners = self.object(name, words)["metadata"]["ownerReferences"].clone();
                let change_owners =
                    |object: &mut Value| object["metadata"]["ownerReferences"] = owners.clone();
                change(self.client, &self.path(name), change_owners).await?;
            }
            "-" => {
                let query = match words.next() {
                    None => String::new(),
                    Some(option) if option.contains('=') => format!("?{option}"),
                    Some(policy) => format!("?propagationPolicy={policy}"),
                };
                let answer = ask(self.client, &format!("DELETE {}{query}", self.path(name))).await?;
                // In a random scenario it may have been collected.
                anyhow::ensure!(matches!(answer.status, 200 | 404), "{answer:?}");
            }
            "~" => {
                let free = |object: &mut Value| {
                    if let Some(finalizers) = object["metadata"]["finalizers"].as_array_mut() {
                        finalizers.retain(|finalizer| finalizer != HOLD);
                    }
                };
                change(self.client, &self.path(name), free).await?;
            }
            _ => anyhow::bail!("no such step"),
        }
        Ok(())
    }

    /// The collection of an object, its `apiVersion`, kind and name.
    fn place(&self, name: &str) -> (String, &'static str, &'static str, String) {
        let (prefix, short) = name.split_once(':').unwrap_or(("", name));
        let kind = KINDS.iter().find(|kind| kind.0 == prefix);
        let (prefix, collection, version, kind) = *kind.unwrap_or(&KINDS[0]);
        let name = if prefix == ROLE { format!("{}-{short}", self.namespace) } else { short.to_owned() };
        (collection.replace("{ns}", &self.namespace), version, kind, name)
    }

    fn path(&self, name: &str) -> String {
        let (collection, _, _, name) = self.place(name);
        format!("{collection}/{name}")
    }

    fn object<'w>(&self, name: &str, words: impl Iterator<Item = &'w str>) -> Value {
        let owners: Vec<Value> =
            words.filter_map(|word| word.strip_prefix('<')).map(|owner| self.reference(owner)).collect();
        let (_, version, kind, name) = self.place(name);
        let labels = json!({ "app": "x" });
        let pod = |restart: &str| json!({ "restartPolicy": restart, "containers": [{ "name": "c", "image": "i" }] });
        let template = |restart: &str| json!({ "metadata": { "labels": labels }, "spec": pod(restart) });
        let mut object = json!({
            "apiVersion": version, "kind": kind, "metadata": { "name": name, "ownerReferences": owners },
        });
        match kind {
            "ClusterRole" => object["rules"] = json!([]),
            "Pod" => object["spec"] = pod("Always"),
            "Job" => object["spec"] = json!({ "template": template("Never") }),
            "ReplicationController" => {
                object["spec"] = json!({ "selector": labels, "template": template("Always") });
            }
            "ReplicaSet" => {
                let selector = json!({ "matchLabels": labels });
                object["spec"] = json!({ "selector": selector, "template": template("Always") });
            }
            _ => {}
        }
        object
    }

    fn reference(&self, owner: &str) -> Value {
        let (owner, blocks) = owner.strip_suffix('!').map_or((owner, false), |owner| (owner, true));
        let (how, of) = owner.split_once(':').unwrap_or(("", owner));
        let uid = |name: &str| self.uids.get(name).cloned().unwrap_or_default();
        let (_, version, kind, name) = self.place(owner);
        let (version, kind, name, uid) = match how {
            "uid" => (version, kind, name, new_uid()),
            "name" => (version, kind, format!("not-{of}"), uid(of)),
            "kind" => (version, "Secret", name, uid(of)),
            _ if of == "unserved" => ("unserved.example.com/v1", "Widget", "w".to_owned(), new_uid()),
            _ if of == "none" => (version, kind, name, new_uid()),
            _ => (version, kind, name, uid(owner)),
        };
        let mut reference = json!({ "apiVersion": version, "kind": kind, "name": name, "uid": uid });
        if blocks {
            reference["blockOwnerDeletion"] = true.into();
        }
        reference
    }

    /// What there is, and what was deleted in which order. Uids are replaced by names.
    pub(crate) async fn outcome(&self) -> Result<Outcome> {
        let mut objects = Vec::new();
        let namespace = &self.namespace;
        let away = format!("{namespace}-away");
        for (_, collection, ..) in KINDS {
            let list = get(self.client, &collection.replace("{ns}", namespace)).await?.body;
            objects.extend(list["items"].as_array().cloned().unwrap_or_default());
        }
        let is_ours = |object: &&Value| {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let namespaced = object["metadata"]["namespace"].is_string();
            (namespaced || name.starts_with(&format!("{namespace}-"))) && !name.starts_with("last-")
        };
        let told = objects.iter().filter(is_ours).map(|object| self.tell(object)).collect();
        let mut events = Vec::new();
        for namespace in [&**namespace, &*away, "default"] {
            let list = get(self.client, &format!("/api/v1/namespaces/{namespace}/events")).await?.body;
            for event in list["items"].as_array().into_iter().flatten() {
                let involved = &event["involvedObject"];
                let name = involved["name"].as_str().unwrap_or_default();
                // Of the objects in `default` only those of this scenario count.
                if namespace != "default" || name.starts_with(&*self.namespace) {
                    let text =
                        json!([event["type"], event["reason"], involved, event["message"], event["source"]]);
                    events.push(self.without_uids(&text.to_string()));
                }
            }
        }
        events.sort();
        Ok(Outcome { objects: told, deleted: self.deleted.clone(), events })
    }

    fn tell(&self, object: &Value) -> String {
        let metadata = &object["metadata"];
        let terminating = metadata["deletionTimestamp"].is_string();
        let parts = json!([metadata["ownerReferences"], metadata["finalizers"], terminating]);
        self.without_uids(&format!("{} {parts}", metadata["name"]))
    }

    fn without_uids(&self, text: &str) -> String {
        let named = self.uids.iter().fold(text.to_owned(), |text, (name, uid)| text.replace(uid, name));
        // What is left are uids that no object has.
        let mut parts = named.split("-0000-4000-8000-");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| {
            let kept = text.len().saturating_sub(8);
            format!("{}(no uid){}", &text[..kept], part.get(12..).unwrap_or_default())
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) objects: Vec<String>,
    pub(crate) deleted: Vec<String>,
    pub(crate) events: Vec<String>,
}
