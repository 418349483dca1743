//! Short forms for the tests of the store.

use std::sync::Arc;

use crate::delta::{Delta, DeltaChange};
use crate::object::origin::Origin;
use crate::object::record::Record;
use crate::object::testing;
use crate::scope::{Scope, ScopeId};
use crate::store::change::Change;
use crate::store::writer::{Applied, Writer};

/// Runs a future of the store to its end.
pub(super) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// A store with its writer, and records to put in.
pub(super) struct Bench {
    pub(super) origin: Arc<Origin>,
    pub(super) writer: Writer,
}

impl Bench {
    /// One scope: all.
    pub(super) fn new() -> Self {
        Self::of(vec![Scope::All])
    }

    pub(super) fn of(scopes: Vec<Scope>) -> Self {
        let mut writer = Writer::new();
        for (id, scope) in scopes.into_iter().enumerate() {
            writer.add_scope(id, scope);
        }
        Self { origin: testing::origin(), writer }
    }

    pub(super) fn record(&self, key: &str, uid: &str, version: &str) -> Arc<Record> {
        testing::record(&self.origin, key, uid, version)
    }

    pub(super) fn labelled(&self, key: &str, version: &str, labels: &[(&str, &str)]) -> Arc<Record> {
        testing::record_with(&self.origin, key, "u", version, labels, "")
    }

    pub(super) fn apply(&mut self, changes: Vec<DeltaChange>) -> Applied {
        self.apply_to(0, changes)
    }

    pub(super) fn apply_to(&mut self, scope: ScopeId, changes: Vec<DeltaChange>) -> Applied {
        run(self.writer.apply(changes.into_iter().map(|change| Delta { scope, change }).collect()))
    }

    /// Puts objects in, one event each, and tells what changed.
    pub(super) fn add(&mut self, records: &[&Arc<Record>]) -> Vec<String> {
        let applied =
            self.apply(records.iter().map(|record| DeltaChange::Added((*record).clone())).collect());
        told(&applied)
    }

    pub(super) fn version(&self) -> String {
        self.writer.indexer().version(0).to_string()
    }

    /// `key@version` of all objects, sorted.
    pub(super) fn content(&self) -> Vec<String> {
        names(self.writer.indexer().list().iter())
    }
}

pub(super) fn replaced(version: &str, objects: &[&Arc<Record>]) -> DeltaChange {
    DeltaChange::Replaced {
        version: version.into(),
        objects: objects.iter().map(|record| (*record).clone()).collect(),
        rewound: false,
    }
}

fn name(record: &Record) -> String {
    format!("{}@{}", record.key(), record.head.resource_version)
}

pub(super) fn names<'a>(records: impl IntoIterator<Item = &'a Arc<Record>>) -> Vec<String> {
    let mut names: Vec<_> = records.into_iter().map(|record| name(record)).collect();
    names.sort();
    names
}

/// What changed: `+ a@1`, `~ a@1 a@2`, `- a@2 (a@3)` with the last state where it is known.
pub(super) fn told(applied: &Applied) -> Vec<String> {
    let tell = |change: &Change| match change {
        Change::Added { new } => format!("+ {}", name(new)),
        Change::Updated { old, new } => format!("~ {} {}", name(old), name(new)),
        Change::Deleted { old, last: None } => format!("- {}", name(old)),
        Change::Deleted { old, last: Some(last) } => format!("- {} ({})", name(old), name(last)),
    };
    applied.changes.iter().map(tell).collect()
}
