//! How far a cache has come.

use informer_wire::ResourceVersion;

use informer_core::scope::Scope;

/// How far a cache has come: the number of its last commit, and the resource version up to which each scope is
/// complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub(crate) commit: u64,
    pub(crate) rewinds: u64,
    pub(crate) versions: Vec<(Scope, ResourceVersion)>,
}

impl Progress {
    /// The number of the last commit. It grows with every commit, also with commits that change no object and only
    /// advance a scope's resource version.
    pub fn commit(&self) -> u64 {
        self.commit
    }

    /// How often the reflectors of all scopes together found that the server had gone back in time, those of namespaces that
    /// were removed since included. Writes that a caller waited for before that may be undone.
    pub fn rewinds(&self) -> u64 {
        self.rewinds
    }

    /// For each scope the version up to which it is complete, empty before its first list.
    pub fn versions(&self) -> impl ExactSizeIterator<Item = (&Scope, &ResourceVersion)> {
        self.versions.iter().map(|(scope, version)| (scope, version))
    }
}
