//! Checks of kinds before code is generated for them.

use std::collections::BTreeMap;

use informer_wire::Path;

use crate::model::{KindSpec, Model};
use crate::names::{is_identifier, is_label};
use crate::problem::{InputError, Place};

/// Groups of Kubernetes whose whole name is one word: the factory has functions of these names itself.
const ONE_WORD_GROUPS: [&str; 5] = ["apps", "autoscaling", "batch", "core", "policy"];

pub(crate) fn check(kind: &KindSpec, problems: &mut InputError) {
    let mut add = |message: String| problems.add(&kind.place, message);
    if !kind.group.is_empty() && !kind.group.split('.').all(is_label) {
        add(format!(
            "group {:?} is not a DNS name: lower-case letters, digits, `-` and dots, as in example.com",
            kind.group
        ));
    }
    if !is_label(&kind.version) || !is_identifier(&kind.version.replace('-', "_")) {
        add(format!("version {:?} is not a version such as v1 or v1beta1", kind.version));
    }
    let capital = kind.kind.starts_with(|first: char| first.is_ascii_uppercase());
    if !capital || !kind.kind.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        add(format!(
            "kind {:?} is not a name in camel case, such as Widget: a capital letter, then letters and digits",
            kind.kind
        ));
    }
    if !is_label(&kind.plural) || kind.plural.starts_with(|first: char| first.is_ascii_digit()) {
        add(format!(
            "plural {:?} is not the name of a resource in URLs, such as widgets: lower-case letters, digits and `-`",
            kind.plural
        ));
    }
    if let Err(message) = check_type_path(&kind.type_path) {
        add(message);
    }
    let mut names: Vec<&str> = Vec::new();
    for index in &kind.indexes {
        let snake = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        let mut add = |message: String| problems.add(&index.place, message);
        if !is_identifier(&index.name) || !index.name.chars().all(snake) {
            add(format!("index {:?} is not a name in snake case, such as node", index.name));
        } else if names.contains(&index.name.as_str()) {
            add(format!("{} has two indexes {:?}", kind.kind, index.name));
        }
        names.push(&index.name);
        if let Err(error) = Path::parse_plain(&index.path) {
            add(error.to_string());
        }
        if syn::parse_str::<syn::Type>(&index.value_type).is_err() {
            add(format!("{:?} is not a Rust type", index.value_type));
        }
    }
}

/// Refuses the core group and other groups that the factory has accessors for: a method of the factory takes precedence
/// over one of an extension trait.
pub(crate) fn check_custom_group(kind: &KindSpec, problems: &mut InputError) {
    if kind.group.is_empty() {
        problems.add(&kind.place, "the core group has accessors on the factory itself: factory.core()");
    } else if ONE_WORD_GROUPS.contains(&kind.group.as_str()) {
        let group = &kind.group;
        problems.add(
            &kind.place,
            format!("group {group:?} has accessors on the factory itself: factory.{group}()"),
        );
    }
}

fn check_type_path(path: &str) -> Result<(), String> {
    let bad = |why: &str| Err(format!("type {path:?} {why}, such as crate::Widget or my_kinds::Widget"));
    let Ok(parsed) = syn::parse_str::<syn::Path>(path) else {
        return bad("is not the path of a Rust type");
    };
    let first = parsed.segments.first().map(|segment| segment.ident.to_string()).unwrap_or_default();
    match first.as_str() {
        "self" | "super" | "Self" => bad("must not depend on the module it is used in: give the whole path"),
        _ if parsed.segments.len() < 2 => {
            bad("must not depend on the module it is used in: give the whole path")
        }
        _ => Ok(()),
    }
}

/// Refuses a kind or a resource that is in one version of a group twice.
pub(crate) fn check_duplicates(kinds: &[KindSpec], problems: &mut InputError) {
    let mut by_kind: BTreeMap<(String, &str), &Place> = BTreeMap::new();
    let mut by_plural: BTreeMap<(String, &str), &Place> = BTreeMap::new();
    for kind in kinds {
        let api_version = kind.api_version();
        if let Some(first) = by_kind.get(&(api_version.clone(), kind.kind.as_str())) {
            problems.add(
                &kind.place,
                format!("kind {} of {api_version} is there twice, first at {first}", kind.kind),
            );
            continue;
        }
        if let Some(first) = by_plural.get(&(api_version.clone(), kind.plural.as_str())) {
            problems.add(
                &kind.place,
                format!("plural {:?} of {api_version} is there twice, first at {first}", kind.plural),
            );
        }
        by_kind.insert((api_version.clone(), &kind.kind), &kind.place);
        by_plural.insert((api_version, &kind.plural), &kind.place);
    }
}

/// Refuses names that are different in Kubernetes but the same in Rust.
pub(crate) fn check_names(model: &Model, problems: &mut InputError) {
    let mut groups: BTreeMap<&str, &str> = BTreeMap::new();
    for group in &model.groups {
        let place = group.kinds().next().map(|kind| &kind.place);
        if let (Some(other), Some(place)) = (groups.insert(&group.function, &group.name), place) {
            problems.add(place, format!("groups {other} and {} are both {}()", group.name, group.function));
        }
        for version in &group.versions {
            let mut functions: BTreeMap<String, &KindSpec> = BTreeMap::new();
            for kind in &version.kinds {
                let indexes =
                    kind.spec.indexes.iter().map(|index| format!("{}_by_{}", kind.function, index.name));
                for function in std::iter::once(kind.function.clone()).chain(indexes) {
                    let Some(other) = functions.insert(function.clone(), &kind.spec) else { continue };
                    // A duplicate kind, plural or index has been reported already.
                    if other.kind == kind.spec.kind || other.plural == kind.spec.plural {
                        continue;
                    }
                    let (other, kind) = (&other.kind, &kind.spec);
                    let message = format!("kinds {other} and {} both need {function}()", kind.kind);
                    problems.add(&kind.place, message);
                }
            }
        }
    }
}
