//! Kinds as the inputs describe them, and the groups, versions and kinds with their Rust names that are made from them.

use std::collections::BTreeMap;

use crate::names::{group_function, identifier, plural_function, type_name};
use crate::problem::{InputError, Place};
use crate::rules;

/// Whether the objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecScope {
    /// In a namespace.
    Namespaced,
    /// Cluster-scoped.
    Cluster,
}

/// The minor versions of Kubernetes in which a kind of k8s-openapi is present, both ends included.
///
/// A missing bound means that there is no limit on that side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// The first version, such as 34 for Kubernetes 1.34.
    pub first: Option<u32>,
    /// The last version.
    pub last: Option<u32>,
}

impl Availability {
    /// In all versions.
    pub const ALWAYS: Self = Self { first: None, last: None };

    /// The versions from the first of either to the last of either.
    fn or(self, other: Self) -> Self {
        Self {
            first: self.first.zip(other.first).map(|(one, other)| one.min(other)),
            last: self.last.zip(other.last).map(|(one, other)| one.max(other)),
        }
    }

    /// The macros of k8s-openapi, the outermost first, that limit their contents to these versions.
    pub(crate) fn macros(self) -> Vec<String> {
        match (self.first, self.last) {
            (Some(first), Some(last)) if first == last => vec![format!("k8s_if_1_{first}")],
            (first, last) => {
                let first = first.map(|first| format!("k8s_if_ge_1_{first}"));
                first.into_iter().chain(last.map(|last| format!("k8s_if_le_1_{last}"))).collect()
            }
        }
    }
}

/// A kind as an input describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindSpec {
    /// The API group, such as `example.com`.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The kind, such as `Widget`.
    pub kind: String,
    /// The name of the resource in URLs, such as `widgets`.
    pub plural: String,
    /// Whether objects live in a namespace.
    pub scope: SpecScope,
    /// The path of the Rust type, such as `crate::Widget`.
    pub type_path: String,
    /// Typed indexes of its informer.
    pub indexes: Vec<IndexSpec>,
    /// In which versions of k8s-openapi it is present; [`Availability::ALWAYS`] for kinds of other crates.
    pub availability: Availability,
    /// Where it is in the input.
    pub place: Place,
}

/// An index as an input describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSpec {
    /// Its name, such as `node`.
    pub name: String,
    /// The field whose values are indexed, such as `spec.nodeName`.
    pub path: String,
    /// The Rust type of the values, such as `String`.
    pub value_type: String,
    /// Where it is in the input.
    pub place: Place,
}

/// All kinds in order, with the names that they get in Rust. The order of the input does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub(crate) groups: Vec<Group>,
}

/// A group and its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub(crate) name: String,
    pub(crate) function: String,
    pub(crate) type_name: String,
    pub(crate) versions: Vec<Version>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) function: String,
    pub(crate) type_name: String,
    pub(crate) kinds: Vec<Kind>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) function: String,
    pub(crate) spec: KindSpec,
}

/// How the Rust names of groups are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// From the first word, as in client-go: `rbac.authorization.k8s.io` is `rbac`.
    FirstWord,
    /// From the whole name, because groups of different authors may begin with the same word.
    Whole,
}

impl Model {
    /// A model of custom kinds.
    pub fn of_custom_kinds(kinds: Vec<KindSpec>) -> Result<Self, InputError> {
        let mut problems = InputError::default();
        for kind in &kinds {
            rules::check_custom_group(kind, &mut problems);
        }
        Self::new(kinds, Naming::Whole, problems)
    }

    /// A model of the built-in kinds.
    pub fn of_built_in_kinds(kinds: Vec<KindSpec>) -> Result<Self, InputError> {
        Self::new(kinds, Naming::FirstWord, InputError::default())
    }

    /// The groups, sorted by name.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn new(mut kinds: Vec<KindSpec>, naming: Naming, mut problems: InputError) -> Result<Self, InputError> {
        for kind in &mut kinds {
            rules::check(kind, &mut problems);
            kind.indexes.sort_by(|one, other| one.name.cmp(&other.name));
        }
        rules::check_duplicates(&kinds, &mut problems);
        let mut groups: BTreeMap<String, BTreeMap<String, Vec<KindSpec>>> = BTreeMap::new();
        for kind in kinds {
            let versions = groups.entry(kind.group.clone()).or_default();
            versions.entry(kind.version.clone()).or_default().push(kind);
        }
        let groups = groups.into_iter().map(|(name, versions)| Group::new(name, versions, naming)).collect();
        let model = Self { groups };
        rules::check_names(&model, &mut problems);
        problems.or(model)
    }
}

impl Group {
    fn new(name: String, versions: BTreeMap<String, Vec<KindSpec>>, naming: Naming) -> Self {
        let words = match (naming, name.split_once('.')) {
            _ if name.is_empty() => "core",
            (Naming::FirstWord, Some((first, _))) => first,
            _ => &name,
        };
        let (function, type_name) = (group_function(words), type_name(words));
        let versions =
            versions.into_iter().map(|(version, kinds)| Version::new(version, kinds, &type_name)).collect();
        Self { name, function, type_name, versions }
    }

    /// The name of its function on the factory, such as `rbac`.
    pub fn function(&self) -> &str {
        &self.function
    }

    /// The versions of Kubernetes in which it has a kind.
    pub fn availability(&self) -> Availability {
        union(self.versions.iter().map(Version::availability))
    }

    /// Its kinds, in order.
    pub fn kinds(&self) -> impl Iterator<Item = &KindSpec> {
        self.versions.iter().flat_map(|version| &version.kinds).map(|kind| &kind.spec)
    }
}

impl Version {
    fn new(name: String, mut kinds: Vec<KindSpec>, group: &str) -> Self {
        kinds.sort_by(|one, other| one.kind.cmp(&other.kind));
        let kind = |spec: KindSpec| Kind { function: plural_function(&spec.kind, &spec.plural), spec };
        let (function, type_name) = (identifier(&name), format!("{group}{}", type_name(&name)));
        Self { name, function, type_name, kinds: kinds.into_iter().map(kind).collect() }
    }

    pub(crate) fn availability(&self) -> Availability {
        union(self.kinds.iter().map(|kind| kind.spec.availability))
    }
}

fn union(all: impl Iterator<Item = Availability>) -> Availability {
    all.reduce(Availability::or).unwrap_or_default()
}

impl KindSpec {
    /// `v1` for the core group, `group/version` for the others.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// `pods` for the core group, `deployments.apps` for the others.
    pub(crate) fn resource(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }
}

#[cfg(test)]
mod tests;
