//! The rules of `deny.toml` for dependencies: licences, unwanted and doubled crates, and where crates come from.
//!
//! They are written for cargo-deny, which the forge runs. Building cargo-deny takes several minutes, longer than any of our
//! own lints, so the rules that are used there are checked here, too, with what cargo knows of the dependencies. Known
//! vulnerabilities are left to the forge: they need a database from the network, and change while nothing here does.

mod licence;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use self::rules::Rules;
use crate::cargo::{Cargo, host, workspace_root};
use crate::report::{Outcome, Report};

pub(crate) fn step(report: &mut Report) {
    report.step("deny", || {
        let read = |name: &str| {
            fs::read_to_string(workspace_root().join(name)).with_context(|| format!("cannot read {name}"))
        };
        let rules = Rules::read(&read("deny.toml")?)?;
        let locked = locked(&read("Cargo.lock")?)?;
        // For all platforms cargo would download crates that nothing here needs.
        let metadata =
            format!("metadata --format-version 1 --locked --all-features --filter-platform {}", host()?);
        let metadata = serde_json::from_slice(&Cargo::new(&metadata).output()?).context("cargo metadata")?;
        // A workspace of its own, which nothing else here builds.
        let bench = "metadata --manifest-path bench/Cargo.toml --format-version 1 --locked";
        Cargo::new(bench)
            .output()
            .context("bench/Cargo.lock is not up to date: the same without --locked mends it")?;
        let problems = [check_lock(&rules, &locked), check_licences(&rules, &metadata)].concat();
        problems.iter().for_each(|problem| eprintln!("{problem}"));
        ensure!(problems.is_empty(), "{} problems with dependencies", problems.len());
        Ok(Outcome::Passed(format!("{} crates: licences, bans, sources", locked.len())))
    });
}

/// A crate in the lock file.
#[derive(Debug)]
struct Locked {
    name: String,
    version: String,
    /// None for those of the workspace.
    source: Option<String>,
}

fn locked(lock: &str) -> Result<Vec<Locked>> {
    let lock = rules::document(lock).context("Cargo.lock")?;
    let read = |package| {
        let text = |name: &str| rules::text(package, name);
        Some(Locked { name: text("name")?, version: text("version")?, source: text("source") })
    };
    let packages = rules::list(&lock, "package").context("Cargo.lock has no packages")?;
    let packages =
        packages.into_iter().map(|package| read(package).context("Cargo.lock: a package without a name"));
    packages.collect()
}

/// Bans and sources, for all platforms.
fn check_lock(rules: &Rules, locked: &[Locked]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for Locked { name, version, source } in locked {
        if let Some(reason) = rules.deny.get(name) {
            problems.push(format!("{name} is not wanted: {reason}"));
        }
        let registry = source.as_ref().map(|source| source.strip_prefix("registry+").unwrap_or(source));
        if let Some(registry) = registry.filter(|registry| !rules.registries.contains(*registry)) {
            problems.push(format!("{name} {version} comes from {registry}"));
        }
        if !rules.is_skipped(name, version) {
            versions.entry(name).or_default().push(version);
        }
    }
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        problems.push(format!("{name} is there in {} versions: {}", versions.len(), versions.join(", ")));
    }
    for (name, version) in &rules.skip {
        if !locked.iter().any(|locked| rules::matches(name, version, &locked.name, &locked.version)) {
            problems.push(format!("deny.toml skips {name}@{version}, which is not there"));
        }
    }
    problems
}

/// Licences, of what is built on this platform.
fn check_licences(rules: &Rules, metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut problems = BTreeSet::new();
    for package in packages {
        let (name, licence) = (package["name"].as_str().unwrap_or_default(), package["license"].as_str());
        match licence.map(|licence| licence::is_allowed(licence, &rules.allow)) {
            Some(Some(true)) => {}
            Some(Some(false)) => {
                problems
                    .insert(format!("the licence of {name} is not allowed: {}", licence.unwrap_or_default()));
            }
            Some(None) => {
                problems
                    .insert(format!("the licence of {name} cannot be read: {}", licence.unwrap_or_default()));
            }
            None => {
                problems.insert(format!("{name} does not say what its licence is"));
            }
        }
    }
    problems.into_iter().collect()
}
