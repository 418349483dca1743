//! How far a cache has come.

use crate::scope::Scope;
use crate::version::ResourceVersion;

/// How far a cache has come: the number of its last commit, and what each scope is complete up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub(crate) commit: u64,
    pub(crate) rewinds: u64,
    pub(crate) versions: Vec<(Scope, ResourceVersion)>,
}

impl Progress {
    /// The number of the last commit. It goes up with every one, also with those that only move a version.
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// How often a server was found to have gone back in time, by any of the scopes. What was waited for before that may
    /// be undone.
    pub fn rewinds(&self) -> u64 {
        self.rewinds
    }

    /// For each scope the version up to which it is complete, empty before its first list.
    pub fn versions(&self) -> impl ExactSizeIterator<Item = (&Scope, &ResourceVersion)> {
        self.versions.iter().map(|(scope, version)| (scope, version))
    }
}
