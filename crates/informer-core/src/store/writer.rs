//! The one writer of a store: plans, runs index functions, commits, in this order and never two at a time.

use std::mem;
use std::sync::Arc;

use informer_wire::{ObjectKey, ResourceVersion};

use crate::delta::Delta;
use crate::object::record::Record;
use crate::scope::{Scope, ScopeId};
use crate::store::apply::{self, PlanInput};
use crate::store::change::Change;
use crate::store::index::{IndexFailure, IndexValue};
use crate::store::index_build::{EVALUATION, IndexBuild};
use crate::store::index_error::IndexError;
use crate::store::index_reader::IndexReader;
use crate::store::indexer::Indexer;
use crate::store::pace::{self, Pace, STEP, yield_now};
use crate::store::plan::{Counts, Edit, Plan};
use crate::store::replace::{PlanProgress, ReplacePlanner};
use crate::store::state::{BrokenIndex, IndexSlot, Rubble, Stages};

/// Up to this many edits are made in place under the lock. More are made on a copy, which then takes the old one's place.
const IN_PLACE: usize = 1_000;

/// In place only if there is no more work than this, index values counted: readers wait meanwhile, about 2 ms at most.
const WORK_IN_PLACE: usize = 10_000;

/// In place only with up to this many copies of shards that snapshots hold, or the copying would be done under the lock.
const COPIES_IN_PLACE: usize = 64;

/// How many edits are made on a copy between two pauses: each may have to copy a shard of the store and of every index.
const CHUNK: usize = 64;

/// How many index values are filed between two pauses. Those of one object are filed together, however many.
const CHUNK_WORK: usize = 1_024;

/// The writing end of an [`Indexer`]. There is exactly one.
#[derive(Default)]
pub struct Writer {
    indexer: Arc<Indexer>,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub struct Applied {
    /// In order. The store already shows the last of them. Can be a million: free them with [`pace::free`].
    pub changes: Vec<Change>,
    /// Scopes that have been listed for the first time.
    pub first_sync: Vec<ScopeId>,
    /// The versions that scopes have come to.
    pub versions: Vec<(ScopeId, ResourceVersion)>,
    /// Keys that were looked up on their own, and the version of the answer.
    pub barriers: Vec<(ScopeId, ObjectKey, Option<ResourceVersion>)>,
    /// Whether a scope was removed, or its server found to have gone back in time.
    pub upset: bool,
    /// Deltas that changed nothing.
    pub counts: Counts,
    /// To be counted and reported by the caller.
    pub failures: Vec<IndexFailure>,
}

impl Writer {
    /// An empty store that takes nothing in before it has a scope, and its writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The reading end.
    pub fn indexer(&self) -> &Arc<Indexer> {
        &self.indexer
    }

    /// Applies a batch: one commit for the events up to a `Replaced`, one for the `Replaced`, and so on.
    ///
    /// Pauses often. If it is dropped at a pause or panics, the store is as the last complete commit left it; the rest of
    /// the batch is lost.
    pub async fn apply(&mut self, deltas: Vec<Delta>) -> Applied {
        let mut applied = Applied::default();
        for step in apply::plan_inputs(deltas) {
            let plan = self.plan(step).await;
            self.commit(plan, &mut applied).await;
        }
        applied
    }

    /// Plans one commit, which has to be made before anything else is planned: by [`apply_plan`](Self::apply_plan), whole or
    /// [one by one](Plan::one_by_one).
    pub async fn plan(&self, step: PlanInput) -> Plan {
        match step {
            PlanInput::Events(events) => apply::plan(&self.indexer.state.read(), events),
            PlanInput::Replace { scope, version, objects, rewound } => {
                self.replace(scope, version, objects, rewound).await
            }
        }
    }

    /// Makes the commit that was planned last, or a part of it.
    pub async fn apply_plan(&mut self, plan: Plan) -> Applied {
        let mut applied = Applied::default();
        self.commit(plan, &mut applied).await;
        applied
    }

    /// Begins to take in what comes from a scope. Scopes must not overlap.
    pub fn add_scope(&mut self, id: ScopeId, scope: Scope) {
        self.indexer.state.write().add_scope(id, scope);
    }

    /// Plans to forget a scope and all its objects. What comes from it after that is ignored.
    ///
    /// Pauses only if there are objects.
    pub async fn plan_removal(&self, scope: ScopeId) -> Plan {
        let mut plan = Plan { ended: Some(scope), ..Plan::default() };
        let stored = self.indexer.scope_snapshot(scope);
        plan.edits.reserve_exact(stored.len());
        plan.changes.reserve_exact(stored.len());
        let mut pace = Pace::default();
        for part in 0..stored.parts() {
            for old in stored.part(part) {
                plan.edits.push(Edit::Remove(old.clone()));
                plan.changes.push(Change::Deleted { old: old.clone(), last: None });
            }
            pace.work(stored.part(part).count()).await;
        }
        // A snapshot that is still held would make every edit below copy the shard that it touches.
        drop(stored);
        plan
    }

    async fn replace(
        &self,
        scope: ScopeId,
        version: ResourceVersion,
        objects: Vec<Arc<Record>>,
        rewound: bool,
    ) -> Plan {
        let planner = ReplacePlanner::new(&self.indexer.state.read(), scope, version, objects, rewound);
        let mut planner = match planner {
            Ok(planner) => planner,
            Err(objects) => {
                pace::free(objects).await;
                return Plan::default();
            }
        };
        while planner.step(STEP) == PlanProgress::More {
            yield_now().await;
        }
        planner.finish()
    }

    async fn commit(&self, mut plan: Plan, applied: &mut Applied) {
        if plan.changes_nothing() {
            return applied.counts.add(plan.counts);
        }
        let mut stages = self.stage(&plan, &mut applied.failures).await;
        if plan.edits.len() > STEP {
            yield_now().await;
        }
        let mut broken = Vec::new();
        if self.fits_in_place(&plan.edits, &stages) {
            let mut state = self.indexer.state.write();
            state.edit(0, &plan.edits, &mut stages, &mut broken);
            state.edit_keys(&plan.edits);
            state.seal(&plan);
        } else {
            self.commit_beside(&plan, &mut stages, &mut broken).await;
        }
        applied.failures.extend(broken.into_iter().map(BrokenIndex::into_failure));
        if applied.changes.is_empty() {
            applied.changes = mem::take(&mut plan.changes);
        } else {
            applied.changes.append(&mut plan.changes);
        }
        applied.first_sync.append(&mut plan.first_sync);
        applied.versions.append(&mut plan.versions);
        applied.barriers.append(&mut plan.barriers);
        applied.upset |= plan.ended.is_some() || plan.rewound.is_some();
        applied.counts.add(plan.counts);
        pace::free(plan.edits).await;
        let mut pace = Pace::default();
        for mut stage in stages {
            while stage.free_some(STEP) {
                pace.work(STEP).await;
            }
        }
    }

    /// Whether a commit is made quickly enough for readers to wait for it.
    fn fits_in_place(&self, edits: &[Edit], stages: &Stages) -> bool {
        if edits.len() > IN_PLACE {
            return false;
        }
        let state = self.indexer.state.read();
        let few_copies = edits.len() <= COPIES_IN_PLACE || state.copies_for(edits) <= COPIES_IN_PLACE;
        let work = || edits.iter().enumerate().map(|(at, edit)| state.work(at, edit, stages)).sum::<usize>();
        few_copies && (stages.is_empty() || work() <= WORK_IN_PLACE)
    }

    /// Runs the index functions on everything the plan puts in. No lock is held.
    async fn stage(&self, plan: &Plan, failures: &mut Vec<IndexFailure>) -> Stages {
        let (names, mut stages): (Vec<_>, Stages) = {
            let state = self.indexer.state.read();
            state.indexes().iter().map(|slot| (slot.name.clone(), slot.index.stage())).unzip()
        };
        if stages.is_empty() {
            return stages;
        }
        let mut pace = Pace::default();
        for edit in &plan.edits {
            for (name, stage) in names.iter().zip(&mut stages) {
                if let (Err(message), Some(record)) = (stage.stage(edit), edit.record()) {
                    let key = record.key().clone();
                    failures.push(IndexFailure { index: name.clone(), key, message });
                }
            }
            pace.work(EVALUATION * stages.len()).await;
        }
        stages
    }

    async fn commit_beside(&self, plan: &Plan, stages: &mut Stages, broken: &mut Vec<BrokenIndex>) {
        // So few edits are made in the map by key while the states are exchanged, which is quicker than copying parts of it.
        let keys_last = plan.edits.len() <= IN_PLACE;
        let mut next = {
            let state = self.indexer.state.read();
            if keys_last { state.copy_without_keys() } else { state.copy() }
        };
        let mut done = 0;
        while done < plan.edits.len() {
            yield_now().await;
            let (mut end, mut work) = (done, 0);
            while end < plan.edits.len().min(done + CHUNK) && work < CHUNK_WORK {
                work += next.work(end, &plan.edits[end], stages);
                end += 1;
            }
            next.edit(done, &plan.edits[done..end], stages, broken);
            if !keys_last {
                next.edit_keys(&plan.edits[done..end]);
            }
            done = end;
        }
        next.seal(plan);
        let old = {
            let mut state = self.indexer.state.write();
            if keys_last {
                next.take_keys(&mut state, &plan.edits);
            }
            mem::replace(&mut *state, next)
        };
        free(old.into()).await;
    }

    /// Makes an index visible, with all objects that are there in it. Quick if the build is nearly up to date.
    pub async fn add_index<V: IndexValue>(
        &mut self,
        mut build: IndexBuild<V>,
    ) -> Result<(IndexReader<V>, Vec<IndexFailure>), IndexError> {
        if self.indexer.state.read().indexes().iter().any(|slot| slot.name == *build.name()) {
            return Err(IndexError::Duplicate(build.name().clone()));
        }
        build.catch_up(self.indexer.list()).await;
        let IndexBuild { name, id, field, index, failures, broken, .. } = build;
        if let Some(message) = broken {
            return Err(IndexError::Function { index: name, message });
        }
        let slot = IndexSlot { name: name.clone(), field, id, index: Box::new(index) };
        self.indexer.state.write().indexes_mut().push(slot);
        Ok((IndexReader::new(self.indexer.clone(), name, id), failures))
    }

    /// Forgets an index; false if it is gone already. Readers of it get an error from then on.
    pub async fn remove_index<V: IndexValue>(&mut self, index: &IndexReader<V>) -> bool {
        let removed = {
            let mut state = self.indexer.state.write();
            let place = state.indexes().iter().position(|slot| Some(slot.id) == index.id());
            place.map(|place| state.indexes_mut().remove(place))
        };
        let Some(slot) = removed else { return false };
        free(slot.index.into()).await;
        true
    }
}

/// Frees a state or index that is no longer in use, with pauses.
pub(super) async fn free(mut rubble: Rubble) {
    let mut pace = Pace::default();
    while let Some(work) = rubble.free_some() {
        pace.work(work).await;
    }
}

#[cfg(test)]
mod tests;
