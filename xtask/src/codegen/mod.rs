//! `cargo xtask codegen`: the accessors for all kinds of Kubernetes, from the sources of k8s-openapi, their schemas, from
//! a real kube-apiserver, and their defaults, from the Go code of Kubernetes.

mod defaults;
mod k8s_openapi;
mod openapi;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use informer_gen::{File, Model, Style, built_in_kinds, difference};

use crate::cargo::{Cargo, host, workspace_root};
use crate::report::{Outcome, Report};

/// Where the generated files are.
const DIRECTORY: &str = "crates/kube-informer/src/factory/generated";

/// That of rustfmt.toml.
const STYLE: Style = Style { max_width: 110, call_width: 110 };

/// Writes the files, or with `check` says whether they are what would be written.
pub(crate) fn step(report: &mut Report, check: bool) {
    report.step(if check { "codegen --check" } else { "codegen" }, || {
        let kinds = k8s_openapi::kinds(&sources()?)?;
        let found = format!("{} kinds of k8s-openapi", kinds.len());
        let files = built_in_kinds(&Model::of_built_in_kinds(kinds)?, "cargo xtask codegen", STYLE);
        let directory = workspace_root().join(DIRECTORY);
        let changes = changes(&directory, &files)?;
        if check && !changes.is_empty() {
            let changes: Vec<String> = changes.iter().map(Change::to_string).collect();
            bail!("not up to date, run `cargo xtask codegen`:\n{}", changes.join("\n"));
        }
        for change in &changes {
            change.make(&directory)?;
        }
        Ok(Outcome::Passed(format!("{found} in {} files, {} changed", files.len(), changes.len())))
    });
    openapi::step(report, check);
    defaults::step(report, check);
}

/// The directory with the sources of k8s-openapi, of the version that the workspace uses.
fn sources() -> Result<PathBuf> {
    // For all platforms cargo would download crates that nothing here needs.
    let metadata =
        Cargo::new(&format!("metadata --format-version 1 --filter-platform {}", host()?)).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut found = packages.iter().filter(|package| package["name"] == "k8s-openapi");
    let (Some(package), None) = (found.next(), found.next()) else {
        bail!("there must be exactly one k8s-openapi among the dependencies");
    };
    let manifest = package["manifest_path"].as_str().context("cargo metadata: no manifest_path")?;
    Ok(Path::new(manifest).with_file_name("src"))
}

/// What has to be done to a file.
enum Change<'a> {
    Write { file: &'a File, difference: String },
    Remove { name: String },
}

/// What has to be done so that the directory holds exactly these files.
fn changes<'a>(directory: &Path, files: &'a [File]) -> Result<Vec<Change<'a>>> {
    let mut changes = Vec::new();
    for file in files {
        let old = fs::read_to_string(directory.join(&file.name)).unwrap_or_default();
        if let Some(difference) = difference(&old, &file.text) {
            changes.push(Change::Write { file, difference });
        }
    }
    let there: Vec<_> = fs::read_dir(directory).map(Iterator::collect).unwrap_or_default();
    for entry in there {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !files.iter().any(|file| file.name == name) {
            changes.push(Change::Remove { name });
        }
    }
    Ok(changes)
}

impl Change<'_> {
    fn make(&self, directory: &Path) -> Result<()> {
        match self {
            Self::Write { file, .. } => {
                fs::create_dir_all(directory)?;
                fs::write(directory.join(&file.name), &file.text)?;
            }
            Self::Remove { name } => fs::remove_file(directory.join(name))?,
        }
        Ok(())
    }
}

impl std::fmt::Display for Change<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Write { file, difference } => write!(f, "{DIRECTORY}/{}, {difference}", file.name),
            Self::Remove { name } => write!(f, "{DIRECTORY}/{name} is no longer needed"),
        }
    }
}

#[cfg(test)]
mod tests;
