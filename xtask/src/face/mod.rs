//! The face of the library: how many names it has, and which types of others are in its signatures.

mod items;
pub(crate) mod rustdoc;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, bail};

use self::items::Face;
use crate::cargo::workspace_root;
use crate::packages;
use crate::report::{Outcome, Report};

/// The crate that is looked at.
const LIBRARY: &str = "kube-informer";

/// Names in its root, modules counted.
const ROOT_NAMES: usize = 32;

/// Public types and traits.
const TYPES: usize = 62;

/// Those that are errors.
const ERRORS: usize = 9;

/// The accessors for the kinds of Kubernetes: hundreds of types that one need not know, and generated.
const GENERATED: &str = "groups";

/// Whose types the accessors name, besides those that the list has.
const OF_THE_ACCESSORS: &str = "k8s_openapi::";

/// Types of others that signatures may name, one on each line. Their major versions are part of ours.
const FOREIGN: &str = "crates/kube-informer/public-foreign-types.txt";

/// Types to which nothing will be added, and why.
const COMPLETE: &[(&str, &str)] = &[];

pub(crate) fn step(report: &mut Report) {
    report.step("face", || {
        let packages = packages::published()?;
        let library = packages.iter().find(|package| package.name == LIBRARY);
        let library = library.with_context(|| format!("there is no {LIBRARY}"))?;
        let json = match rustdoc::describe(library)? {
            Ok(json) => json,
            Err(why) => return Ok(Outcome::Skipped(why)),
        };
        let face = items::read(&json, &[GENERATED])?;
        let listed = fs::read_to_string(workspace_root().join(FOREIGN))
            .with_context(|| format!("cannot read {FOREIGN}"))?;
        let problems = check(&face, &foreign_types(&listed), COMPLETE);
        problems.iter().for_each(|problem| eprintln!("{problem}"));
        let counts = counts(&face);
        match problems.len() {
            0 => Ok(Outcome::Passed(counts)),
            many => bail!("{counts}; {many} problems"),
        }
    });
}

fn counts(face: &Face) -> String {
    let (root, types, errors) = (face.root.len(), face.types.len(), errors(face).count());
    let foreign = face.foreign.len();
    format!("{root} names in the root, {types} types, {errors} of them errors, {foreign} foreign types")
}

fn errors(face: &Face) -> impl Iterator<Item = &str> {
    face.types.iter().filter(|(_, described)| described.is_error).map(|(path, _)| path.as_str())
}

/// The paths in the list, each perhaps with a comment.
fn foreign_types(list: &str) -> BTreeSet<String> {
    let paths = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    paths.filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// All that breaks a rule. Lists must be complete in both directions: an entry without use hides the next one.
fn check(face: &Face, foreign: &BTreeSet<String>, complete: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut at_most = |limit: usize, what: &str, names: Vec<&str>| {
        if names.len() > limit {
            problems.push(format!("{} {what}, at most {limit}: {}", names.len(), names.join(", ")));
        }
    };
    at_most(ROOT_NAMES, "names in the root", face.root.iter().map(String::as_str).collect());
    at_most(TYPES, "types", face.types.keys().map(String::as_str).collect());
    at_most(ERRORS, "types of errors", errors(face).collect());
    for path in errors(face).filter(|path| !path.ends_with("Error")) {
        problems.push(format!("{path} is an error, and its name does not say so: call it …Error"));
    }
    let complete: BTreeMap<&str, &str> = complete.iter().copied().collect();
    let exhaustive: BTreeSet<&str> = face
        .types
        .iter()
        .filter(|(_, described)| described.is_exhaustive)
        .map(|(path, _)| path.as_str())
        .collect();
    for path in exhaustive.iter().filter(|path| !complete.contains_key(**path)) {
        problems.push(format!("{path} cannot grow without breaking users: make it #[non_exhaustive]"));
    }
    for path in complete.keys().filter(|path| !exhaustive.contains(**path)) {
        problems.push(format!("{path} is in COMPLETE, and need not be"));
    }
    for path in face.foreign.difference(foreign) {
        problems.push(format!("{path} is in a public signature, and not in {FOREIGN}"));
    }
    for path in foreign.difference(&face.foreign) {
        problems.push(format!("{path} is in {FOREIGN}, and in no public signature"));
    }
    let unlisted = face.foreign_aside.iter().filter(|path| !foreign.contains(*path));
    for path in unlisted.filter(|path| !path.starts_with(OF_THE_ACCESSORS)) {
        problems.push(format!("{path} is in a signature of `{GENERATED}`, and not in {FOREIGN}"));
    }
    problems
}
