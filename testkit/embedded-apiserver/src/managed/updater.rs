//! Who owns which fields after a write, and what an applied configuration makes of an object.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::compare::{Comparison, compare};
use super::element::{self, Element};
use super::field_set::field_set;
use super::merge::merge;
use super::reconcile::reconcile;
use super::remove::without;
use super::set::Set;
use super::types::Type;

/// The fields of one manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(crate) set: Set,
    /// The apiVersion that the paths are those of.
    pub(crate) version: String,
    /// By `Apply`, not by `Update`.
    pub(crate) applied: bool,
}

/// The managers of an object.
pub(crate) type Managers = BTreeMap<String, Owned>;

/// A value with its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed<'s> {
    pub(crate) value: Rc<Value>,
    pub(crate) of: Type<'s>,
}

impl<'s> Typed<'s> {
    pub(crate) fn new(value: Value, of: Type<'s>) -> Self {
        Self { value: Rc::new(value), of }
    }

    pub(crate) fn field_set(&self) -> Result<Set, String> {
        field_set(&self.value, self.of)
    }

    /// Its fields, and the structs on the way to them.
    fn named_set(&self) -> Result<Set, String> {
        Ok(self.field_set()?.with_named_fields(Some(self.of)))
    }

    fn without(&self, fields: &Set) -> Self {
        Self::new(without(&self.value, fields, self.of), self.of)
    }
}

/// The versions that an object can be had in.
pub(crate) trait Versions<'s> {
    /// The object in another version; `None` if that version is not served any more.
    fn convert(&self, object: &Typed<'s>, version: &str) -> Result<Option<Typed<'s>>, String>;

    /// Without the fields that such a write does not change, whatever it says, and that nobody comes to own by it.
    fn written(&self, version: &str, set: Set) -> Set;
}

/// Why a configuration was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It changes fields that others own.
    Conflicts(Vec<Conflict>),
    Problem(String),
}

impl From<String> for Failure {
    fn from(problem: String) -> Self {
        Self::Problem(problem)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) manager: String,
    pub(crate) path: Vec<Element>,
}

/// A write: by whom, of which version.
#[derive(Clone, Copy)]
pub(crate) struct Updater<'a, 's> {
    pub(crate) versions: &'a dyn Versions<'s>,
    pub(crate) manager: &'a str,
    pub(crate) version: &'a str,
}

impl<'s> Updater<'_, 's> {
    /// The managers after an update. What it changes, its manager owns, and nobody else.
    pub(crate) fn update(
        &self,
        live: &Typed<'s>,
        new: &Typed<'s>,
        managers: &Managers,
    ) -> Result<Managers, Failure> {
        let mut managers = self.reconciled(live, managers)?;
        let changes = self.take_over(live, new, &mut managers, true)?;
        let before = managers.remove(self.manager).map(|owned| owned.set).unwrap_or_default();
        let set = before.difference(&changes.removed).union(&changes.modified).union(&changes.added);
        self.own(self.versions.written(self.version, set), false, &mut managers);
        Ok(managers)
    }

    /// The object and the managers after a configuration has been applied; `None` if the object stays as it is.
    pub(crate) fn apply(
        &self,
        live: &Typed<'s>,
        config: &Typed<'s>,
        managers: &Managers,
        force: bool,
    ) -> Result<(Option<Typed<'s>>, Managers), Failure> {
        let mut managers = self.reconciled(live, managers)?;
        let merged = merge(&live.value, &config.value, config.of);
        let merged = merged.map_err(|problem| format!("failed to merge config: {problem}"))?;
        let merged = Typed::new(merged, config.of);
        let last = managers.remove(self.manager);
        let set = self.versions.written(self.version, config.field_set()?);
        let applied = Owned { set, version: self.version.to_owned(), applied: true };
        managers.insert(self.manager.to_owned(), applied);
        let new = match last.filter(|last| !last.set.is_empty()) {
            Some(last) => self.pruned(&merged, &managers, &last)?,
            None => merged,
        };
        self.take_over(live, &new, &mut managers, force)?;
        let is_same = element::equal(&live.value, &new.value);
        Ok(((!is_same).then_some(new), managers))
    }

    /// Field sets as of today's types.
    fn reconciled(&self, live: &Typed<'s>, managers: &Managers) -> Result<Managers, String> {
        let mut reconciled = Managers::new();
        for (manager, owned) in managers {
            if let Some(live) = self.versions.convert(live, &owned.version)? {
                let set = reconcile(&owned.set, live.of)?;
                reconciled.insert(manager.clone(), Owned { set, ..owned.clone() });
            }
        }
        Ok(reconciled)
    }

    fn own(&self, set: Set, applied: bool, managers: &mut Managers) {
        if !set.is_empty() {
            managers
                .insert(self.manager.to_owned(), Owned { set, version: self.version.to_owned(), applied });
        }
    }

    /// Takes from other managers what is changed and what is gone. Without `force`, changing what they own is a conflict.
    fn take_over(
        &self,
        old: &Typed<'s>,
        new: &Typed<'s>,
        managers: &mut Managers,
        force: bool,
    ) -> Result<Comparison, Failure> {
        let changes = self.compared(old, new, self.version)?;
        let mut by_version: BTreeMap<String, Option<Comparison>> =
            BTreeMap::from([(self.version.to_owned(), Some(changes.clone()))]);
        let mut conflicts = Vec::new();
        let mut left = Managers::new();
        for (manager, owned) in std::mem::take(managers) {
            if manager == self.manager {
                left.insert(manager, owned);
                continue;
            }
            if !by_version.contains_key(&owned.version) {
                let versions = self.versions;
                let converted =
                    (versions.convert(old, &owned.version)?, versions.convert(new, &owned.version)?);
                let changes = match converted {
                    (Some(old), Some(new)) => Some(self.compared(&old, &new, &owned.version)?),
                    _ => None,
                };
                by_version.insert(owned.version.clone(), changes);
            }
            let Some(Some(changes)) = by_version.get(&owned.version) else { continue };
            let contested = owned.set.intersection(&changes.modified.union(&changes.added));
            let paths = contested.paths().into_iter();
            conflicts.extend(paths.map(|path| Conflict { manager: manager.clone(), path }));
            let set = owned.set.difference(&contested).difference(&changes.removed);
            left.insert(manager, Owned { set, ..owned });
        }
        if !force && !conflicts.is_empty() {
            return Err(Failure::Conflicts(conflicts));
        }
        left.retain(|_, owned| !owned.set.is_empty());
        *managers = left;
        Ok(changes)
    }

    fn compared(&self, old: &Typed<'s>, new: &Typed<'s>, version: &str) -> Result<Comparison, String> {
        let changes = compare(&old.value, &new.value, new.of);
        let changes = changes.map_err(|problem| format!("failed to compare objects: {problem}"))?;
        let written = |set| self.versions.written(version, set);
        Ok(Comparison {
            added: written(changes.added),
            modified: written(changes.modified),
            removed: written(changes.removed),
        })
    }

    /// Without what the manager applied the last time, does not apply now, and nobody else owns.
    fn pruned(&self, merged: &Typed<'s>, managers: &Managers, last: &Owned) -> Result<Typed<'s>, String> {
        let Some(merged_then) = self.versions.convert(merged, &last.version)? else {
            return Ok(merged.clone());
        };
        let pruned = merged_then.without(&last.set.with_named_fields(Some(merged_then.of)));
        let pruned = self.with_owned(&merged_then, pruned, managers, &last.version)?;
        // Only what the manager had applied goes.
        let pruned = match self.versions.convert(&pruned, &last.version)? {
            None => merged_then,
            Some(pruned) => {
                let gone = merged_then.named_set()?.difference(&pruned.named_set()?);
                let last = last.set.with_named_fields(Some(merged_then.of));
                merged_then.without(&gone.intersection(&last))
            }
        };
        let back = self.versions.convert(&pruned, self.version)?;
        back.ok_or_else(|| format!("version {} is not served", self.version))
    }

    /// Puts back what has an owner, of whatever version.
    fn with_owned(
        &self,
        merged: &Typed<'s>,
        pruned: Typed<'s>,
        managers: &Managers,
        first: &str,
    ) -> Result<Typed<'s>, String> {
        let mut by_version: BTreeMap<&str, Set> = BTreeMap::new();
        for owned in managers.values() {
            by_version.entry(&owned.version).or_default().add(&owned.set);
        }
        // The version of the object comes first, because other versions may need what was taken from it.
        let first = by_version.remove_entry(first);
        let mut merged = merged.clone();
        let mut pruned = pruned;
        for (version, owned) in first.into_iter().chain(by_version) {
            let convert = |object: &Typed<'s>| self.versions.convert(object, version);
            let (Some(all), Some(some)) = (convert(&merged)?, convert(&pruned)?) else { continue };
            let kept = some.named_set()?.union(&owned.with_named_fields(Some(all.of)));
            pruned = all.without(&all.named_set()?.difference(&kept));
            merged = all;
        }
        Ok(pruned)
    }
}

#[cfg(test)]
mod tests;
