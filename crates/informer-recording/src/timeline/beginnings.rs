//! From which versions on the objects of a recording have a history.

use std::collections::HashMap;
use std::sync::Arc;

use super::Key;
use super::observations::Scope;

/// What has had its first list or watch, and the version of that.
#[derive(Default)]
pub(super) struct Beginnings {
    scopes: HashMap<Arc<Scope>, u64>,
    /// Of those that are every object of a namespace, because they are asked for with every object.
    namespaces: HashMap<String, u64>,
    everything: Option<u64>,
}

impl Beginnings {
    pub(super) fn has(&self, scope: &Scope) -> bool {
        self.scopes.contains_key(scope)
    }

    pub(super) fn begin(&mut self, scope: &Arc<Scope>, version: u64) {
        self.scopes.insert(scope.clone(), version);
        match &scope.namespace {
            _ if !scope.is_whole() => {}
            Some(namespace) => {
                self.namespaces.insert(namespace.clone(), version);
            }
            None => self.everything = Some(version),
        }
    }

    /// Whether an object of this version came after the beginning of what is seen of all objects like it.
    pub(super) fn is_history(&self, scope: &Scope, key: &Key, version: u64) -> bool {
        let beginnings =
            [self.everything, self.namespaces.get(&key.namespace).copied(), self.scopes.get(scope).copied()];
        beginnings.into_iter().flatten().any(|beginning| beginning < version)
    }

    /// The oldest version from which on somebody was told everything. A watch from no version at all is not a state that
    /// anybody has seen.
    pub(super) fn oldest(&self) -> u64 {
        self.scopes.values().copied().filter(|version| *version > 0).min().unwrap_or_default()
    }
}
