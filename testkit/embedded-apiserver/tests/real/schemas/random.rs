//! Random schemas, objects and patches on both servers.
//!
//! A round has two schemas. Objects are written under the first, then read, patched and written under the second.

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::generate::{near, schema};
use super::{JSON, MERGE, THINGS, Things, compared, thing, version};
use crate::support::{DEFINITIONS, ask, write};

const JSON_PATCH: &str = "application/json-patch+json";
/// How many objects a round stores.
const STORED: usize = 4;

/// The seeds of the rounds: the one of `SCHEMA_SEED`, or as many as `SCHEMA_SEEDS` says.
fn seeds() -> Result<Vec<u64>> {
    let number = |name: &str| {
        let text = std::env::var_os(name);
        let number =
            text.map(|text| text.to_str().context("not a number")?.parse::<u64>().map_err(Into::into));
        number.transpose().map_err(|error: anyhow::Error| error.context(format!("{name} is no number")))
    };
    Ok(match number("SCHEMA_SEED")? {
        Some(seed) => vec![seed],
        None => (0..number("SCHEMA_SEEDS")?.unwrap_or(30)).collect(),
    })
}

impl Things {
    /// Writes the definition with a schema that may be refused. Returns whether it is accepted, or how the servers differ.
    async fn try_schema(&mut self, schema: &Value) -> Result<Result<bool, String>> {
        let version = version(schema, self.mark + 1, &Value::Null);
        let body = json!({ "spec": { "versions": [version] } }).to_string();
        let path = format!("PATCH {DEFINITIONS}/things.example.com?dryRun=All");
        let real = compared(write(&self.servers.real, &path, MERGE, &body).await?);
        let embedded = compared(write(&self.servers.embedded, &path, MERGE, &body).await?);
        if real.status != embedded.status || real.status != 200 && real != embedded {
            return Ok(Err(format!("{schema}\n  real     {real:?}\n  embedded {embedded:?}")));
        }
        if real.status == 200 {
            self.change(schema, &Value::Null).await?;
        }
        Ok(Ok(real.status == 200))
    }

    /// A patch of `spec` as operations that can be carried out.
    async fn operations(&self, path: &str, rng: &mut Rng, schema: &Value) -> Result<Value> {
        let before = ask(&self.servers.real, &format!("GET {path}")).await?.body;
        let near = near(rng, schema, 4);
        let Some(spec) = before["spec"].as_object() else {
            return Ok(json!([{ "op": "add", "path": "/spec", "value": near }]));
        };
        let empty = Map::new();
        let added = near.as_object().unwrap_or(&empty).iter();
        let mut operations: Vec<Value> = added
            .map(|(name, value)| json!({ "op": "add", "path": format!("/spec/{name}"), "value": value }))
            .collect();
        let removed = spec.keys().filter(|name| near.get(name).is_none());
        operations.extend(removed.map(|name| json!({ "op": "remove", "path": format!("/spec/{name}") })));
        rng.shuffle(&mut operations);
        operations.truncate(2);
        Ok(operations.into())
    }

    /// Runs a round. Returns the number of answers that were compared, or the first that differs.
    async fn round(&mut self, seed: u64) -> Result<Result<usize, String>> {
        let mut rng = Rng::with_seed(seed);
        let mut count = 0;
        for is_second in [false, true] {
            #[cfg_attr(not(feature = "cel"), expect(unused_mut, reason = "it has no rules"))]
            let mut spec = schema(&mut rng, 3);
            #[cfg(feature = "cel")]
            super::generate::add_rules(&mut rng, &mut spec);
            let root = json!({ "type": "object", "properties": { "spec": spec } });
            count += 1;
            match self.try_schema(&root).await? {
                Ok(true) => {}
                // The objects are then under the schema before.
                Ok(false) => continue,
                Err(differs) => return Ok(Err(differs)),
            }
            let mut requests = Vec::new();
            for index in 0..STORED {
                let name = format!("x{seed}-{index}");
                let path = format!("{THINGS}/{name}");
                let create = (
                    format!("POST {THINGS}"),
                    JSON,
                    thing(&name, &json!({ "spec": near(&mut rng, &spec, 8) })),
                );
                if !is_second {
                    requests.push(create);
                    continue;
                }
                requests.push((format!("GET {path}"), JSON, Value::Null));
                if ask(&self.servers.real, &format!("GET {path}")).await?.status != 200 {
                    requests.push(create);
                    continue;
                }
                requests.push(match index % 2 {
                    0 => (format!("PATCH {path}"), MERGE, json!({ "spec": near(&mut rng, &spec, 6) })),
                    _ => {
                        (format!("PATCH {path}"), JSON_PATCH, self.operations(&path, &mut rng, &spec).await?)
                    }
                });
                requests.push((format!("GET {path}"), JSON, Value::Null));
            }
            for _ in 0..6 {
                let validation = rng.choice(["Ignore", "Warn", "Strict"]).unwrap_or_default();
                let path = format!("POST {THINGS}?dryRun=All&fieldValidation={validation}");
                requests.push((path, JSON, thing("dry", &json!({ "spec": near(&mut rng, &spec, 5) }))));
            }
            for (request, media_type, body) in requests {
                count += 1;
                if let Some(differs) = self.differ(&request, media_type, &body.to_string()).await? {
                    return Ok(Err(format!("{root}\n{differs}")));
                }
            }
        }
        Ok(Ok(count))
    }
}

#[tokio::test]
async fn random_schemas_and_objects_come_out_as_on_the_real_server() -> Result<()> {
    let test = "random_schemas_and_objects_come_out_as_on_the_real_server";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let mut count = 0;
    let mut problems = Vec::new();
    for seed in seeds()? {
        match things.round(seed).await? {
            Ok(compared) => count += compared,
            Err(problem) => problems.push(format!("SCHEMA_SEED={seed}: {problem}")),
        }
    }
    println!("{count} answers compared, {} writes accepted", things.accepted);
    ensure!(things.accepted > 0, "nothing was accepted");
    ensure!(problems.is_empty(), "{} seeds fail:\n{}", problems.len(), problems.join("\n"));
    things.servers.stop().await
}
