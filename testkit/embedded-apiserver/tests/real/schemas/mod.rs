//! Schemas of custom resources: the same definitions and the same writes to both servers.

mod definitions;
pub(crate) mod generate;
mod random;
#[cfg(feature = "cel")]
mod rules;
mod values;
mod versions;

use anyhow::{Context, Result, ensure};
use kube_client::Client;
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, Servers, Written, ask, ask_with, eventually, write};

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";

/// A definition of `things` with this version.
fn definition(version: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "things", "kind": "Thing" }, "versions": [version],
        },
    })
}

/// A version with this schema and one more field with a default, which tells that objects are read with it.
fn version(schema: &Value, mark: usize, more: &Value) -> Value {
    let mut schema = schema.clone();
    schema["properties"][format!("mark{mark}")] = json!({ "type": "boolean", "default": true });
    let mut version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        version[name] = value.clone();
    }
    version
}

/// The definition of `things` on both servers, with a schema that changes.
struct Things {
    servers: Servers,
    /// How many schemas it has had.
    mark: usize,
    /// How many writes the real server has accepted.
    accepted: usize,
}

impl Things {
    async fn define(test: &str) -> Result<Option<Self>> {
        let Some(servers) = Servers::start(test).await? else { return Ok(None) };
        let open = json!({ "type": "object" });
        for client in [&servers.real, &servers.embedded] {
            let made =
                ask_with(client, &format!("POST {DEFINITIONS}"), &definition(&version(&open, 0, &json!({}))))
                    .await?;
            ensure!(made.status == 201, "{made:?}");
            let probe =
                json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": "probe" } });
            let created =
                async || Ok(ask_with(client, &format!("POST {THINGS}"), &probe).await?.status == 201);
            eventually(created).await.context("the first object")?;
        }
        Ok(Some(Self { servers, mark: 0, accepted: 0 }))
    }

    /// Changes the schema and waits until objects are read with it.
    async fn change(&mut self, schema: &Value, more: &Value) -> Result<()> {
        self.mark += 1;
        let path = format!("{DEFINITIONS}/things.example.com");
        for client in [&self.servers.real, &self.servers.embedded] {
            let patch = json!({ "spec": { "versions": [version(schema, self.mark, more)] } });
            let changed = write(client, &format!("PATCH {path}"), MERGE, &patch.to_string()).await?;
            ensure!(changed.status == 200, "{schema}: {changed:?}");
            let mark = format!("mark{}", self.mark);
            let follows = async || Ok(ask(client, &format!("GET {THINGS}/probe")).await?.body[&mark] == true);
            eventually(follows).await.with_context(|| schema.to_string())?;
        }
        Ok(())
    }

    /// The answers of both servers to the same request, if they differ.
    async fn differ(&mut self, request: &str, media_type: &str, body: &str) -> Result<Option<String>> {
        let real = compared(write(&self.servers.real, request, media_type, body).await?);
        let embedded = compared(write(&self.servers.embedded, request, media_type, body).await?);
        self.accepted += usize::from(real.status < 300 && !request.starts_with("GET"));
        let differs = real != embedded;
        Ok(differs.then(|| format!("{request} {body}\n  real     {real:?}\n  embedded {embedded:?}")))
    }
}

/// The parts of an answer that are compared. The real server walks through maps in any order, so causes are sorted, and of
/// several the message that has them all is left out.
fn compared(mut written: Written) -> Written {
    if written.warnings.iter().all(|warning| warning.contains("failed rule")) {
        written.warnings.sort();
    }
    if let Some(causes) = written.body.pointer_mut("/details/causes").and_then(Value::as_array_mut) {
        let mut is_patch = false;
        for cause in causes.iter_mut().filter(|cause| cause["field"] == "patch") {
            // It shows the whole object, with managedFields.
            let problem = cause["message"].as_str().and_then(|message| message.split_once("}\": "));
            if let Some((_, problem)) = problem {
                cause["message"] = problem.into();
                is_patch = true;
            }
        }
        causes.sort_by_cached_key(ToString::to_string);
        if causes.len() > 1 || is_patch {
            written.body["message"] = Value::Null;
        }
    }
    written
}

/// A thing with these fields.
fn thing(name: &str, fields: &Value) -> Value {
    let mut thing = json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": name } });
    for (name, value) in fields.as_object().into_iter().flatten() {
        thing[name] = value.clone();
    }
    thing
}

/// The resource versions of an object on both servers.
async fn version_of(client: &Client, path: &str) -> Result<String> {
    Ok(ask(client, &format!("GET {path}")).await?.version)
}
