//! Custom resources whose schemas change.

use anyhow::{Context as _, Result, ensure};
use fastrand::Rng;
use serde_json::{Value, json};

use super::answers::{APPLY, JSON_PATCH, MERGE, Write};
use super::plan::is_too_busy;
use crate::schemas::generate::{near, schema};
use crate::support::{DEFINITIONS, Servers, ask, ask_with, eventually, write};

const GROUP: &str = "differential.example.com";

/// How often a real server that has no time is asked again.
const ATTEMPTS: usize = 3;

/// A definition on both servers, with a schema that changes.
pub(super) struct Slot<'a> {
    pub(super) servers: &'a Servers,
    number: u64,
    /// How many schemas it has had.
    mark: usize,
}

impl<'a> Slot<'a> {
    pub(super) async fn define(servers: &'a Servers, number: u64) -> Result<Self> {
        let slot = Self { servers, number, mark: 0 };
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("things{number}.{GROUP}") },
            "spec": {
                "group": GROUP, "scope": "Namespaced",
                "names": { "plural": format!("things{number}"), "kind": format!("Thing{number}") },
                "versions": [slot.version(&json!({ "type": "object" }), 0)],
            },
        });
        for client in [&servers.real, &servers.embedded] {
            let made = ask_with(client, &format!("POST {DEFINITIONS}"), &definition).await?;
            ensure!(made.status == 201, "{made:?}");
            let (post, probe) = (format!("POST {}", slot.collection()), slot.object("probe", &Value::Null));
            eventually(async || Ok(ask_with(client, &post, &probe).await?.status == 201)).await?;
        }
        Ok(slot)
    }

    pub(super) fn collection(&self) -> String {
        format!("/apis/{GROUP}/v1/namespaces/default/things{}", self.number)
    }

    /// A version with one more field with a default, which tells that objects are read with it.
    fn version(&self, schema: &Value, mark: usize) -> Value {
        let mut schema = schema.clone();
        schema["properties"][format!("mark{mark}")] = json!({ "type": "boolean", "default": true });
        json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } })
    }

    fn object(&self, name: &str, spec: &Value) -> Value {
        let kind = format!("Thing{}", self.number);
        let mut object =
            json!({ "apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": { "name": name } });
        if !spec.is_null() {
            object["spec"] = spec.clone();
        }
        object
    }

    /// Changes the schema of `spec`. Returns whether it is accepted, or how the servers differ.
    pub(super) async fn change(&mut self, spec: &Value) -> Result<Result<bool, String>> {
        let root = json!({ "type": "object", "properties": { "spec": spec } });
        let body = json!({ "spec": { "versions": [self.version(&root, self.mark + 1)] } }).to_string();
        let path = format!("PATCH {DEFINITIONS}/things{}.{GROUP}", self.number);
        let mut real = write(&self.servers.real, &path, MERGE, &body).await?;
        for _ in 0..ATTEMPTS {
            if is_too_busy(Some(real.status.into())) {
                real = write(&self.servers.real, &path, MERGE, &body).await?;
            }
        }
        let embedded = write(&self.servers.embedded, &path, MERGE, &body).await?;
        if real.status != embedded.status {
            return Ok(Err(format!("  real     {real:?}\n  embedded {embedded:?}")));
        }
        if real.status != 200 {
            return Ok(Ok(false));
        }
        self.mark += 1;
        let (probe, mark) = (format!("GET {}/probe", self.collection()), format!("mark{}", self.mark));
        for client in [&self.servers.real, &self.servers.embedded] {
            let follows = async || Ok(ask(client, &probe).await?.body[&mark] == true);
            eventually(follows).await.with_context(|| spec.to_string())?;
        }
        Ok(Ok(true))
    }

    /// A new object of about that schema.
    pub(super) fn create(&self, rng: &mut Rng, spec: &Value) -> Write {
        let validation =
            rng.choice(["", "?fieldValidation=Strict", "?fieldValidation=Ignore"]).unwrap_or_default();
        Write::post(validation, self.object("", &near(rng, spec, 12)))
    }

    /// A patch of what the object is now.
    pub(super) fn patch(&self, rng: &mut Rng, spec: &Value, now: &Value) -> Write {
        let value = near(rng, spec, 8);
        match rng.u8(..3) {
            0 => Write::patch(MERGE, "?fieldManager=merger".to_owned(), json!({ "spec": value })),
            1 => {
                let operations = operations(rng, "/spec", &now["spec"], &value);
                Write::patch(JSON_PATCH, String::new(), operations)
            }
            _ => {
                let manager = rng.choice(["one", "two"]).unwrap_or_default();
                let query = format!("?fieldManager={manager}&force={}", rng.bool());
                Write::patch(APPLY, query, self.object("", &value))
            }
        }
    }
}

/// A schema for `spec`.
pub(super) fn any_schema(rng: &mut Rng) -> Value {
    schema(rng, 3)
}

/// A few operations that make a part of an object more like another value.
pub(super) fn operations(rng: &mut Rng, path: &str, now: &Value, value: &Value) -> Value {
    let (Some(now), Some(value)) = (now.as_object(), value.as_object()) else {
        return json!([{ "op": "add", "path": path, "value": value }]);
    };
    let place = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    let mut operations: Vec<Value> = value
        .iter()
        .map(|(name, value)| {
            let op = if now.contains_key(name) && rng.bool() { "replace" } else { "add" };
            json!({ "op": op, "path": place(name), "value": value })
        })
        .collect();
    let removed = now.keys().filter(|name| !value.contains_key(*name));
    operations.extend(removed.map(|name| json!({ "op": "remove", "path": place(name) })));
    rng.shuffle(&mut operations);
    operations.truncate(3);
    operations.into()
}
