//! The packages of the workspace that are for others to use.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo::Cargo;

/// One package that is published.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The oldest Rust that it says it builds with.
    pub(crate) rust_version: String,
    /// Whether others can depend on it, or only run it.
    pub(crate) has_library: bool,
    /// What docs.rs is asked to switch on.
    pub(crate) docs_features: Vec<String>,
    /// What crates.io shows of a package, and this one does not have.
    pub(crate) lacks: Vec<&'static str>,
}

/// All of them, as cargo knows them.
pub(crate) fn published() -> Result<Vec<Package>> {
    let metadata = Cargo::new("metadata --no-deps --format-version 1 --locked").output()?;
    read(&serde_json::from_slice(&metadata).context("cargo metadata")?)
}

fn read(metadata: &Value) -> Result<Vec<Package>> {
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    // `publish` is a list of registries: an empty one is `publish = false`, none at all means anywhere.
    packages.iter().filter(|package| package["publish"].is_null()).map(package).collect()
}

fn package(package: &Value) -> Result<Package> {
    let text = |name: &str| package[name].as_str().map(str::to_owned);
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let kinds = list(&package["targets"]).into_iter().flat_map(|target| list(&target["kind"]));
    let docs_rs = &package["metadata"]["docs"]["rs"];
    let features = list(&docs_rs["features"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let is_missing = |name: &&str| match &package[*name] {
        Value::Array(entries) => entries.is_empty(),
        value => value.is_null(),
    };
    let shown = ["description", "license", "repository", "readme", "keywords", "categories", "rust_version"];
    Ok(Package {
        name: text("name").context("a package without a name")?,
        rust_version: text("rust_version").unwrap_or_default(),
        has_library: kinds.into_iter().any(|kind| kind == "lib"),
        docs_features: features,
        lacks: shown.into_iter().filter(is_missing).collect(),
    })
}

#[cfg(test)]
mod tests;
