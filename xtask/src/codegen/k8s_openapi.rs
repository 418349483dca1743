//! The kinds of k8s-openapi that can be listed and watched, read from its sources.
//!
//! Its sources are generated, one directory per version of Kubernetes and one file per type, so that a few lines of
//! each tell all there is to know.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use informer_gen::{Availability, KindSpec, Place, SpecScope};

/// Can be listed but not watched: API version and kind.
const NOT_WATCHED: [(&str, &str); 1] = [("v1", "ComponentStatus")];

/// All kinds, with the versions of Kubernetes in which they are present.
pub(super) fn kinds(sources: &Path) -> Result<Vec<KindSpec>> {
    let versions = versions(sources)?;
    let mut all: BTreeMap<(String, String), (KindSpec, BTreeSet<u32>)> = BTreeMap::new();
    for (minor, directory) in &versions {
        for (path, text) in rust_files(directory)? {
            let Some(kind) = kind(directory, &path, &text).with_context(|| path.display().to_string())?
            else {
                continue;
            };
            let key = (kind.type_path.clone(), kind.group.clone());
            let (known, present) = all.entry(key).or_insert_with(|| (kind.clone(), BTreeSet::new()));
            let same = |of: &KindSpec| (of.version.clone(), of.kind.clone(), of.plural.clone(), of.scope);
            ensure!(same(known) == same(&kind), "{} is not the same as at {}", path.display(), known.place);
            present.insert(*minor);
        }
    }
    let minors: Vec<u32> = versions.keys().copied().collect();
    let with_availability = |(mut kind, present): (KindSpec, BTreeSet<u32>)| {
        kind.availability = availability(&minors, &present).with_context(|| kind.type_path.clone())?;
        Ok(kind)
    };
    all.into_values().map(with_availability).collect()
}

/// The directories `v1_33`, `v1_34` …, by their minor version.
fn versions(sources: &Path) -> Result<BTreeMap<u32, PathBuf>> {
    let mut versions = BTreeMap::new();
    for entry in fs::read_dir(sources).with_context(|| sources.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(minor) = name.strip_prefix("v1_").and_then(|minor| minor.parse().ok()) {
            versions.insert(minor, path);
        }
    }
    ensure!(!versions.is_empty(), "no directory v1_* in {}", sources.display());
    Ok(versions)
}

fn rust_files(directory: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else {
            let text = fs::read_to_string(&path)?;
            files.push((path, text));
        }
    }
    Ok(files)
}

/// The kind that a file defines, if it does, and if it can be listed and watched.
fn kind(directory: &Path, path: &Path, text: &str) -> Result<Option<KindSpec>> {
    let implements = |of: &str| {
        let start = format!("impl crate::{of} for ");
        text.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix(" {"))
    };
    let Some(name) = implements("ListableResource") else { return Ok(None) };
    ensure!(implements("Resource") == Some(name), "`impl crate::Resource for {name}` is not found");
    ensure!(implements("Metadata") == Some(name), "`impl crate::Metadata for {name}` is not found");
    let constant = |constant: &str| {
        let start = format!("    const {constant}: &'static str = \"");
        let value = text.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix("\";"));
        value.map(str::to_owned).with_context(|| format!("there is no {constant}"))
    };
    let scope = text.lines().find_map(|line| line.strip_prefix("    type Scope = crate::"));
    let scope = match scope {
        Some("NamespaceResourceScope;") => SpecScope::Namespaced,
        Some("ClusterResourceScope;") => SpecScope::Cluster,
        // A part of another object, which cannot be watched by itself.
        Some("SubResourceScope;") => return Ok(None),
        other => bail!("scope {other:?} is unknown"),
    };
    let kind = constant("KIND")?;
    if NOT_WATCHED.contains(&(constant("API_VERSION")?.as_str(), kind.as_str())) {
        return Ok(None);
    }
    let module = path.parent().unwrap_or(directory).strip_prefix(directory)?;
    let module: Vec<_> = module.iter().map(|name| name.to_string_lossy()).collect();
    Ok(Some(KindSpec {
        group: constant("GROUP")?,
        version: constant("VERSION")?,
        kind,
        plural: constant("URL_PATH_SEGMENT")?,
        scope,
        type_path: format!("k8s_openapi::{}::{name}", module.join("::")),
        indexes: Vec::new(),
        availability: Availability::ALWAYS,
        place: Place::file(path),
    }))
}

/// The first and the last version in which a kind is present, of all those that there are.
fn availability(all: &[u32], present: &BTreeSet<u32>) -> Result<Availability> {
    let (Some(first), Some(last)) = (present.first(), present.last()) else { bail!("it is never present") };
    let between: BTreeSet<u32> = all.iter().filter(|minor| (first..=last).contains(minor)).copied().collect();
    ensure!(between == *present, "it comes and goes: {present:?}");
    Ok(Availability {
        first: (all.first() != Some(first)).then_some(*first),
        last: (all.last() != Some(last)).then_some(*last),
    })
}

#[cfg(test)]
mod tests;
