//! What a commit is going to do, worked out before any lock is taken.

use std::sync::Arc;
use std::{iter, mem};

use informer_wire::key::{KeyRef, ObjectKey};
use informer_wire::{ResourceVersion, Uid};

use crate::object::record::Record;
use crate::scope::ScopeId;
use crate::store::change::Change;

/// How many incarnations that are gone a store remembers.
pub(crate) const REMEMBERED: usize = 1_024;

/// The difference between the stored state and the next.
#[derive(Debug, Default)]
pub struct Plan {
    /// Everything that happens, in order, several changes of one key included.
    pub changes: Vec<Change>,
    /// The result of these changes: at most one edit per key.
    pub(crate) edits: Vec<Edit>,
    /// The new versions of scopes, by scope.
    pub versions: Vec<(ScopeId, ResourceVersion)>,
    /// Scopes whose whole content is known from this commit on, for the first time.
    pub first_sync: Vec<ScopeId>,
    /// A scope that is no longer looked at.
    pub ended: Option<ScopeId>,
    /// Barriers that are set, in order: the key, and the version of the answer to its lookup. `None` lifts the barrier.
    pub barriers: Vec<(ScopeId, ObjectKey, Option<ResourceVersion>)>,
    /// A scope whose server went back in time.
    pub rewound: Option<ScopeId>,
    /// Incarnations that are gone at the server, the first of them if they are very many.
    pub removed: Vec<Uid>,
    /// Deltas that changed nothing.
    pub counts: Counts,
    /// Records of deltas that changed nothing. They may hold values of users, whose `Drop` must not run while the store is locked for
    /// the planning.
    pub discarded: Vec<Arc<Record>>,
}

impl Plan {
    /// Whether the store is the same afterwards.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.changes.is_empty()
            && self.versions.is_empty()
            && self.first_sync.is_empty()
            && self.ended.is_none()
            && self.barriers.is_empty()
            && self.rewound.is_none()
    }

    /// The same as a plan for each change, and what concerns scopes with the last of them. The first list of a scope stays whole.
    ///
    /// A rewind comes first and alone: the changes that follow show a history that callers do not wait for.
    pub fn one_by_one(mut self) -> impl Iterator<Item = Self> {
        let mut changes = Vec::new();
        if self.first_sync.is_empty() && self.changes.len() > 1 {
            changes = mem::take(&mut self.changes);
        }
        let mut rewound = None;
        if !changes.is_empty() && self.rewound.is_some() {
            rewound = Some(Self { rewound: self.rewound.take(), ..Self::default() });
        }
        let mut changes = changes.into_iter();
        if let Some(last) = changes.next_back() {
            self.edits = vec![Edit::of(&last)];
            self.changes = vec![last];
        }
        let single =
            |change| Self { edits: vec![Edit::of(&change)], changes: vec![change], ..Self::default() };
        rewound.into_iter().chain(changes.map(single)).chain(iter::once(self))
    }

    /// Notes that an incarnation is gone.
    pub fn removed(&mut self, record: &Record) {
        if self.removed.len() < REMEMBERED && !record.head.uid.is_empty() {
            self.removed.push(record.head.uid.clone());
        }
    }
}

/// What becomes of one key.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Put(Arc<Record>),
    /// The key of this record leaves the store. Nothing happens if it is not there.
    Remove(Arc<Record>),
}

impl Edit {
    /// What one change makes of its key.
    fn of(change: &Change) -> Self {
        match change {
            Change::Added { new } | Change::Updated { new, .. } => Self::Put(new.clone()),
            Change::Deleted { old, .. } => Self::Remove(old.clone()),
        }
    }

    pub(crate) fn key(&self) -> KeyRef<'_> {
        match self {
            Self::Put(record) | Self::Remove(record) => record.key().into(),
        }
    }

    /// The record that is there afterwards.
    pub(crate) fn record(&self) -> Option<&Arc<Record>> {
        match self {
            Self::Put(record) => Some(record),
            Self::Remove(_) => None,
        }
    }
}

/// Deltas that changed nothing, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Not newer than what is stored.
    pub duplicates: u64,
    /// Deletes of keys that are not stored.
    pub unknown_deletes: u64,
    /// Objects outside the scope they were sent for.
    pub outside_scope: u64,
}

impl Counts {
    /// Adds those of another batch.
    pub fn add(&mut self, more: Self) {
        self.duplicates += more.duplicates;
        self.unknown_deletes += more.unknown_deletes;
        self.outside_scope += more.outside_scope;
    }
}

#[cfg(test)]
mod tests;
