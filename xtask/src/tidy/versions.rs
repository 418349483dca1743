//! What pages tell people to put into their `Cargo.toml`, and the Rust that they name, are what the workspace has: nothing else
//! would notice that they are old.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::pages::{blocks, is_page};
use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

const WORKSPACE: &str = "Cargo.toml";

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(workspace) = tree.file(WORKSPACE) else { return Vec::new() };
    let workspace = match DeTable::parse(&workspace.text) {
        Ok(table) => DeValue::Table(table.into_inner()),
        Err(error) => return vec![Problem::new(WORKSPACE, 0, error.to_string())],
    };
    let pages = tree.files().iter().filter(|file| is_page(file));
    pages.flat_map(|page| problems(page, &workspace)).collect()
}

fn problems(page: &SourceFile, workspace: &DeValue<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (line, block) in blocks(page).filter(|(_, block)| block.language == "toml") {
        let found = match DeTable::parse(block.text) {
            Ok(table) => manifest(&DeValue::Table(table.into_inner()), workspace),
            Err(error) => vec![error.to_string()],
        };
        problems.extend(found.into_iter().map(|text| Problem::new(&page.path, line, text)));
    }
    for (number, line) in page.lines() {
        let found = added(line, workspace).into_iter().chain(rust(line, workspace));
        problems.extend(found.map(|text| Problem::new(&page.path, number, text)));
    }
    problems
}

/// Dependencies of a manifest that the workspace has otherwise.
fn manifest(manifest: &DeValue<'_>, workspace: &DeValue<'_>) -> Vec<String> {
    let tables = ["dependencies", "dev-dependencies"].iter().filter_map(|name| manifest.get(*name));
    let mut problems = Vec::new();
    for (name, dependency) in tables.filter_map(|table| table.get_ref().as_table()).flatten() {
        let (name, dependency) = (name.get_ref(), dependency.get_ref());
        if let Some(version) = version(dependency) {
            problems.extend(is_of_workspace(name, version, workspace));
        } else if text(dependency, &["git"]) != text(workspace, &["workspace", "package", "repository"]) {
            problems.push(format!("`{name}` has no version, and is not from our repository"));
        }
    }
    problems
}

/// `cargo add name@version`, with a version that the workspace does not have.
fn added(line: &str, workspace: &DeValue<'_>) -> Vec<String> {
    let Some((_, arguments)) = line.split_once("cargo add ") else { return Vec::new() };
    let versions = arguments.split_whitespace().filter_map(|word| word.split_once('@'));
    versions.filter_map(|(name, version)| is_of_workspace(name, version, workspace)).collect()
}

/// "Rust 1.89 or newer", where another one is needed.
fn rust(line: &str, workspace: &DeValue<'_>) -> Option<String> {
    let (before, _) = line.split_once(" or newer")?;
    let (_, named) = before.rsplit_once("Rust ")?;
    let needed = text(workspace, &["workspace", "package", "rust-version"])?;
    let is_version = named.chars().all(|c| c.is_ascii_digit() || c == '.');
    (is_version && named != needed).then(|| format!("Rust {needed} is needed, not {named}: see {WORKSPACE}"))
}

/// What is wrong if it is not the version of the workspace.
fn is_of_workspace(name: &str, version: &str, workspace: &DeValue<'_>) -> Option<String> {
    let ours = member(workspace, &["workspace", "dependencies", name]).and_then(self::version);
    (ours != Some(version)).then(|| {
        let ours = ours.map_or_else(|| "does not have it".to_owned(), |ours| format!("has {ours}"));
        format!("`{name}` in version {version}, but {WORKSPACE} {ours}")
    })
}

/// `name = "1"` or `name = { version = "1" }`.
fn version<'a>(dependency: &'a DeValue<'_>) -> Option<&'a str> {
    dependency.as_str().or_else(|| text(dependency, &["version"]))
}

fn text<'a>(value: &'a DeValue<'_>, path: &[&str]) -> Option<&'a str> {
    member(value, path)?.as_str()
}

fn member<'a, 'b>(value: &'a DeValue<'b>, path: &[&str]) -> Option<&'a DeValue<'b>> {
    path.iter().try_fold(value, |value, name| value.get(*name).map(Spanned::get_ref))
}

#[cfg(test)]
mod tests;
