//! Turns the table of built-in kinds into resources.

use std::sync::Arc;

use super::builtin_table::GROUPS;
use super::{Field, FieldRefusal, Generation, Resource, Subresource};
use crate::request::Verb;

/// A group of built-in kinds.
pub(super) struct Group {
    pub(super) name: &'static str,
    /// The preferred version first.
    pub(super) versions: &'static [&'static str],
    pub(super) kinds: &'static [Kind],
}

/// A row of the table: a kind, and its differences from the defaults.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    plural: &'static str,
    kind: &'static str,
    namespaced: bool,
    /// The versions in which Kubernetes 1.36 serves it; if empty, all versions of the group.
    versions: &'static [&'static str],
    /// Further versions in which other releases from 1.33 to 1.37 serve it.
    other_releases: &'static [&'static str],
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    verbs: &'static [Verb],
    subresources: &'static [SubresourceRow],
    fields: &'static [Selectable],
    /// Those of another API of the same objects.
    other_fields: &'static [Selectable],
    field_refusal: FieldRefusal,
    generation: Generation,
    delete_answers_object: bool,
    create_on_update: bool,
    unconditional_update: bool,
    cached: bool,
}

/// A subresource in the table.
#[derive(Clone, Copy)]
pub(super) struct SubresourceRow {
    pub(super) name: &'static str,
    /// The group, version and kind that is read and written there, if it is not the object itself. Group and version are
    /// empty if they are those of the resource.
    pub(super) kind: Option<(&'static str, &'static str, &'static str)>,
    pub(super) verbs: &'static [Verb],
}

/// A field for selectors: its name, its paths, and its value if it is missing.
pub(super) type Selectable = (&'static str, &'static [&'static str], &'static str);

pub(super) const fn namespaced(plural: &'static str, kind: &'static str) -> Kind {
    Kind {
        plural,
        kind,
        namespaced: true,
        versions: &[],
        other_releases: &[],
        short_names: &[],
        categories: &[],
        verbs: &Verb::ALL,
        subresources: &[],
        fields: &[],
        other_fields: &[],
        field_refusal: FieldRefusal::OnlyMetadata,
        generation: Generation::None,
        delete_answers_object: false,
        create_on_update: false,
        unconditional_update: true,
        cached: true,
    }
}

pub(super) const fn cluster(plural: &'static str, kind: &'static str) -> Kind {
    Kind { namespaced: false, ..namespaced(plural, kind) }
}

impl Kind {
    pub(super) const fn versions(self, versions: &'static [&'static str]) -> Self {
        Self { versions, ..self }
    }

    pub(super) const fn other_releases(self, other_releases: &'static [&'static str]) -> Self {
        Self { other_releases, ..self }
    }

    pub(super) const fn short(self, short_names: &'static [&'static str]) -> Self {
        Self { short_names, ..self }
    }

    pub(super) const fn categories(self, categories: &'static [&'static str]) -> Self {
        Self { categories, ..self }
    }

    /// Puts it into the category `all`: `kubectl get all` shows it.
    pub(super) const fn in_all(self) -> Self {
        self.categories(&["all"])
    }

    pub(super) const fn only(self, verbs: &'static [Verb]) -> Self {
        Self { verbs, ..self }
    }

    pub(super) const fn with(self, subresources: &'static [SubresourceRow]) -> Self {
        Self { subresources, ..self }
    }

    pub(super) const fn fields(self, field_refusal: FieldRefusal, fields: &'static [Selectable]) -> Self {
        Self { fields, field_refusal, ..self }
    }

    pub(super) const fn other_fields(self, other_fields: &'static [Selectable]) -> Self {
        Self { other_fields, ..self }
    }

    pub(super) const fn generation(self, generation: Generation) -> Self {
        Self { generation, ..self }
    }

    pub(super) const fn counts_changes(self) -> Self {
        self.generation(Generation::Content)
    }

    pub(super) const fn answers_deleted(self) -> Self {
        Self { delete_answers_object: true, ..self }
    }

    pub(super) const fn put_creates(self) -> Self {
        Self { create_on_update: true, ..self }
    }

    pub(super) const fn put_needs_version(self) -> Self {
        Self { unconditional_update: false, ..self }
    }

    pub(super) const fn uncached(self) -> Self {
        Self { cached: false, ..self }
    }

    fn is_served_in(&self, version: &str) -> bool {
        let in_all = self.versions.is_empty() && self.other_releases.is_empty();
        in_all || self.versions.contains(&version) || self.other_releases.contains(&version)
    }

    fn resource(&self, group: &Arc<str>, version: &Arc<str>) -> Resource {
        Resource {
            group: group.clone(),
            version: version.clone(),
            kind: self.kind.into(),
            list_kind: format!("{}List", self.kind).into(),
            plural: self.plural.into(),
            singular: self.kind.to_ascii_lowercase().into(),
            namespaced: self.namespaced,
            short_names: self.short_names.iter().map(|&name| name.into()).collect(),
            categories: self.categories.iter().map(|&name| name.into()).collect(),
            verbs: self.verbs.to_vec(),
            subresources: self.subresources.iter().map(|part| part.subresource(self.kind)).collect(),
            fields: self.fields.iter().map(field).collect(),
            stored_fields: self.fields.iter().chain(self.other_fields).map(field).collect(),
            field_refusal: self.field_refusal,
            generation: self.generation,
            delete_answers_object: self.delete_answers_object,
            create_on_update: self.create_on_update,
            unconditional_update: self.unconditional_update,
            custom: false,
            schemas: None,
            cached: self.cached,
        }
    }
}

impl SubresourceRow {
    fn subresource(&self, own_kind: &str) -> Subresource {
        let (group, version, kind) = self.kind.unwrap_or(("", "", own_kind));
        Subresource {
            name: self.name.into(),
            kind: kind.into(),
            group_version: (!version.is_empty()).then(|| (group.into(), version.into())),
            verbs: self.verbs.to_vec(),
            scale: None,
        }
    }
}

fn field(&(label, paths, default): &Selectable) -> Field {
    let paths = paths.iter().map(|&path| path.into()).collect();
    Field { label: label.into(), paths, default }
}

/// All built-in resources, in the order of discovery: groups and versions by preference, plurals by name.
pub(super) fn resources() -> Vec<Resource> {
    let mut resources = Vec::new();
    for group in GROUPS {
        let name: Arc<str> = group.name.into();
        for &version in group.versions {
            let served = group.kinds.iter().filter(|kind| kind.is_served_in(version));
            let version: Arc<str> = version.into();
            resources.extend(served.map(|kind| kind.resource(&name, &version)));
        }
    }
    resources
}

#[cfg(test)]
mod tests;
