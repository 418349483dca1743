//! The schemas of the built-in kinds for the embedded server, from the OpenAPI documents of the real one.
//!
//! They are two packed texts. One has a line for each schema: its name, the kind that it is the schema of, if any, and its
//! JSON. It has every schema once, where most documents repeat those of others. The other text has a line for each document:
//! its path, and JSON with its paths and the names of its schemas. Schemas keep their descriptions, which `kubectl explain` shows. Those of the paths are dropped: nothing shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use test_cluster::{Cluster, Options};

use crate::cargo::workspace_root;
use crate::report::{Outcome, Report};

/// Where the packed texts are.
const DIRECTORY: &str = "testkit/embedded-apiserver/src/openapi";
/// They are packed once and unpacked often.
const LEVEL: i32 = 22;

/// Writes the texts, or with `check` says whether they are those of the real server.
pub(super) fn step(report: &mut Report, check: bool) {
    report.step(if check { "codegen --check, OpenAPI" } else { "codegen, OpenAPI" }, || {
        if let Err(why) = test_cluster::available() {
            return Ok(Outcome::Skipped(format!("the documents come from a real server: {why}")));
        }
        let documents = fetch()?;
        let directory = workspace_root().join(DIRECTORY);
        let mut sizes = Vec::new();
        for (name, text) in pack(&documents)? {
            let path = directory.join(name);
            let is_same = unpacked(&path).is_ok_and(|there| there == text);
            if check && !is_same {
                bail!("{DIRECTORY}/{name} is not up to date, run `cargo xtask codegen`");
            }
            if !is_same {
                fs::create_dir_all(&directory)?;
                fs::write(&path, packed(&text)?).with_context(|| path.display().to_string())?;
            }
            sizes.push(format!("{name} {} KB", fs::metadata(&path)?.len() / 1000));
        }
        Ok(Outcome::Passed(format!("{} documents, {}", documents.len(), sizes.join(", "))))
    });
}

/// All documents of a server that serves every API there is, by their paths.
fn fetch() -> Result<BTreeMap<String, Value>> {
    let options = Options::default().feature_gate("AllAlpha", true).feature_gate("AllBeta", true);
    let cluster = Cluster::start(options.apiserver_arg("--runtime-config=api/all=true"))?;
    let index: Value = serde_json::from_str(&cluster.get("/openapi/v3")?)?;
    let paths = index["paths"].as_object().context("/openapi/v3 has no paths")?;
    let document = |(path, entry): (&String, &Value)| {
        let url = entry["serverRelativeURL"].as_str().context("a document without an address")?;
        Ok((path.clone(), serde_json::from_str(&cluster.get(url)?)?))
    };
    paths.iter().map(document).collect()
}

/// Both texts, with the names of their files.
fn pack(documents: &BTreeMap<String, Value>) -> Result<[(&'static str, String); 2]> {
    let mut schemas: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut parts = String::new();
    for (path, document) in documents {
        let mut shared = BTreeSet::new();
        // Options of requests name the kinds that they are for, which are not the same in every document.
        let mut own = serde_json::Map::new();
        for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
            if *schemas.entry(name).or_insert(schema) == schema {
                shared.insert(name);
            } else {
                own.insert(name.clone(), schema.clone());
            }
        }
        let mut paths = document["paths"].clone();
        remove_descriptions(&mut paths);
        let part = json!({ "paths": paths, "schemas": shared, "own": own });
        writeln!(parts, "{path}\t{part}")?;
    }
    let mut lines = String::new();
    for (name, schema) in schemas {
        writeln!(lines, "{name}\t{}\t{schema}", kind(schema))?;
    }
    Ok([("schemas.zst", lines), ("documents.zst", parts)])
}

/// The apiVersion and kind that a schema is for; empty if it is for a part of objects, or for options of many kinds.
fn kind(schema: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match schema["x-kubernetes-group-version-kind"].as_array().map(Vec::as_slice) {
        Some([only]) => {
            let (group, version, kind) = (text(&only["group"]), text(&only["version"]), text(&only["kind"]));
            let slash = if group.is_empty() { "" } else { "/" };
            format!("{group}{slash}{version} {kind}")
        }
        _ => String::new(),
    }
}

fn remove_descriptions(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, value| name != "description" || !value.is_string());
            members.values_mut().for_each(remove_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_descriptions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub(super) fn packed(text: &str) -> Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    zstd_safe::compress(&mut packed, text.as_bytes(), LEVEL).map_err(|code| problem("packed", code))?;
    Ok(packed)
}

/// The text in a file. Another version of zstd may pack the same text differently, so texts are compared, not files.
pub(super) fn unpacked(path: &Path) -> Result<String> {
    let packed = fs::read(path)?;
    let length = zstd_safe::get_frame_content_size(&packed).ok().flatten().context("not packed with zstd")?;
    let mut text = Vec::with_capacity(usize::try_from(length)?);
    zstd_safe::decompress(&mut text, &packed).map_err(|code| problem("unpacked", code))?;
    Ok(String::from_utf8(text)?)
}

fn problem(done: &str, code: usize) -> anyhow::Error {
    anyhow!("cannot be {done}: {}", zstd_safe::get_error_name(code))
}

#[cfg(test)]
mod tests;
