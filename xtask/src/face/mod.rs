//! The faces of the libraries: how many names they have, whether those say what they are, and which types of others are in
//! signatures.

mod items;
mod limits;
pub(crate) mod rustdoc;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, bail};

use self::items::Face;
use self::limits::{LIMITS, Limits, TWINS};
use crate::cargo::workspace_root;
use crate::packages;
use crate::report::{Outcome, Report};

/// The accessors for the kinds of Kubernetes: hundreds of types that one need not know, and generated.
const GENERATED: &str = "groups";

/// Whose types the accessors name, besides those that the list has.
const OF_THE_ACCESSORS: &str = "k8s_openapi::";

/// Looks at every library that is published: each within its limits, and no name twice among them.
pub(crate) fn step(report: &mut Report) {
    report.step("face", || {
        let packages = packages::published()?;
        let libraries: Vec<&str> =
            packages.iter().filter(|package| package.has_library).map(|package| &*package.name).collect();
        let described = match rustdoc::describe(&libraries)? {
            Ok(described) => described,
            Err(why) => return Ok(Outcome::Skipped(why)),
        };
        let mut faces = BTreeMap::new();
        for (library, json) in libraries.into_iter().zip(&described) {
            faces.insert(library, items::read(json, &[GENERATED])?);
        }
        learn(&mut faces);
        let mut problems = unknown(&faces, LIMITS);
        for limits in LIMITS {
            let Some(face) = faces.get(limits.library) else { continue };
            let listed = limits.foreign.map(|path| fs::read_to_string(workspace_root().join(path)));
            let listed = listed.transpose().with_context(|| format!("the list of {}", limits.library))?;
            let listed = listed.map(|list| foreign_types(&list));
            let found = check(face, limits, listed.as_ref());
            problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", limits.library)));
        }
        problems.extend(twins(&faces, TWINS));
        problems.iter().for_each(|problem| eprintln!("{problem}"));
        let counts = faces.iter().map(|(library, face)| format!("{library}: {}", counts(face)));
        let counts = counts.collect::<Vec<_>>().join("; ");
        match problems.len() {
            0 => Ok(Outcome::Passed(counts)),
            many => bail!("{counts}; {many} problems"),
        }
    });
}

/// What one library names of another one of ours is as the other has it, with all that it names, and no foreign type itself.
fn learn(faces: &mut BTreeMap<&str, Face>) {
    let mut own = BTreeMap::new();
    for (library, face) in &*faces {
        for (path, described) in face.types.iter().filter(|(_, described)| described.of.is_none()) {
            let name = path.rsplit("::").next().unwrap_or(path).to_owned();
            own.insert((library.replace('-', "_"), name), described.clone());
        }
    }
    let is_ours = |path: &str| own.keys().any(|(library, _)| path.split("::").next() == Some(library));
    for face in faces.values_mut() {
        for described in face.types.values_mut() {
            let Some((library, path)) = described.of.as_deref().and_then(|of| of.split_once("::")) else {
                continue;
            };
            let name = path.rsplit("::").next().unwrap_or(path);
            if let Some(known) = own.get(&(library.to_owned(), name.to_owned())) {
                described.is_error = known.is_error;
                described.is_exhaustive = known.is_exhaustive;
                face.foreign.extend(known.foreign.iter().cloned());
            }
        }
        face.foreign.retain(|path| !is_ours(path));
        face.foreign_aside.retain(|path| !is_ours(path));
    }
}

/// Libraries without limits, and limits without a library.
fn unknown(faces: &BTreeMap<&str, Face>, limits: &[Limits]) -> Vec<String> {
    let has_limits = |library: &str| limits.iter().any(|limits| limits.library == library);
    let new = faces.keys().filter(|library| !has_limits(library));
    let gone = limits.iter().filter(|limits| !faces.contains_key(limits.library));
    new.map(|library| format!("{library} has no limits: see xtask/src/face/limits.rs"))
        .chain(
            gone.map(|limits| format!("{} has limits, and is no library that is published", limits.library)),
        )
        .collect()
}

/// Types of one name that two libraries have, each its own. `known` are those that there may still be.
fn twins(faces: &BTreeMap<&str, Face>, known: &[(&str, &str)]) -> Vec<String> {
    let mut homes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (library, face) in faces {
        for (path, _) in face.types.iter().filter(|(_, described)| described.of.is_none()) {
            homes.entry(path.rsplit("::").next().unwrap_or(path)).or_default().insert(*library);
        }
    }
    homes.retain(|_, libraries| libraries.len() > 1);
    let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
    let new = homes.iter().filter(|(name, _)| !is_known(name));
    let gone = known.iter().filter(|(name, _)| !homes.contains_key(name));
    new.map(|(name, libraries)| {
        let libraries = libraries.iter().copied().collect::<Vec<_>>().join(" and ");
        format!("{libraries} have a type `{name}` each: one of them needs another name, or is not needed")
    })
    .chain(gone.map(|(name, _)| format!("`{name}` is in TWINS, and has no twin")))
    .collect()
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
fn check(face: &Face, limits: &Limits, foreign: Option<&BTreeSet<String>>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut at_most = |limit: usize, what: &str, names: Vec<&str>| {
        if names.len() > limit {
            problems.push(format!("{} {what}, at most {limit}: {}", names.len(), names.join(", ")));
        }
    };
    at_most(limits.root, "names in the root", face.root.iter().map(String::as_str).collect());
    at_most(limits.types, "types", face.types.keys().map(String::as_str).collect());
    at_most(limits.errors, "types of errors", errors(face).collect());
    if limits.is_inner {
        return problems;
    }
    let misnamed: BTreeSet<&str> = errors(face).filter(|path| !path.ends_with("Error")).collect();
    let say_so = |path: &&str| format!("{path} is an error, and its name does not say so: call it …Error");
    problems.extend(differences(&misnamed, limits.misnamed, "misnamed", say_so));
    let exhaustive = face.types.iter().filter(|(_, described)| described.is_exhaustive);
    let exhaustive: BTreeSet<&str> = exhaustive.map(|(path, _)| path.as_str()).collect();
    let grow = |path: &&str| format!("{path} cannot grow without breaking users: make it #[non_exhaustive]");
    problems.extend(differences(&exhaustive, limits.complete, "complete", grow));
    if let (Some(path), Some(foreign)) = (limits.foreign, foreign) {
        problems.extend(check_foreign(face, path, foreign));
    }
    problems
}

/// What is found and in no list, and what is in the list and not found.
fn differences(
    found: &BTreeSet<&str>,
    listed: &[&str],
    list: &str,
    problem: impl Fn(&&str) -> String,
) -> Vec<String> {
    let listed: BTreeSet<&str> = listed.iter().copied().collect();
    let new = found.difference(&listed).map(problem);
    let gone = listed.difference(found).map(|path| format!("{path} is in `{list}`, and need not be"));
    new.chain(gone).collect()
}

fn check_foreign(face: &Face, list: &str, foreign: &BTreeSet<String>) -> Vec<String> {
    let mut problems = Vec::new();
    for path in face.foreign.difference(foreign) {
        problems.push(format!("{path} is in a public signature, and not in {list}"));
    }
    for path in foreign.difference(&face.foreign) {
        problems.push(format!("{path} is in {list}, and in no public signature"));
    }
    let unlisted = face.foreign_aside.iter().filter(|path| !foreign.contains(*path));
    for path in unlisted.filter(|path| !path.starts_with(OF_THE_ACCESSORS)) {
        problems.push(format!("{path} is in a signature of `{GENERATED}`, and not in {list}"));
    }
    problems
}
