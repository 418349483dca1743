//! One question for all scopes with objects of one resource, whichever informers of a factory they belong to: did the server
//! go back in time?
//!
//! Versions of one resource count up, so the newest object that any of its informers holds is the first that a restored
//! backup would lack. The server is asked for that one object, once, however many watches are resumed at the same time.
//! If the answer gives reason for doubt, every scope asks for an object of its own.
//!
//! Each resource has its own question, because it may be kept in a database of its own (an aggregated API server, the option
//! `--etcd-servers-overrides`), whose versions have nothing to do with the others'.

use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use hashbrown::HashMap;
use informer_wire::{KindInfo, ResourceId, ResourceVersion};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::check::{Finding, Witness};

/// What the informers of one server share: a question for each resource that some of them hold.
#[derive(Default)]
pub(crate) struct SharedProbes(Mutex<HashMap<ResourceId, Weak<SharedProbe>>>);

impl SharedProbes {
    /// What is shared by the informers of this kind.
    pub(crate) fn of(&self, kind: &KindInfo) -> Arc<SharedProbe> {
        let mut probes = self.0.lock();
        let resource = ResourceId::of(kind);
        if let Some(probe) = probes.get(&resource).and_then(Weak::upgrade) {
            return probe;
        }
        // Kinds come and go where they are known at run time only.
        probes.retain(|_, probe| probe.strong_count() > 0);
        let probe = Arc::default();
        probes.insert(resource, Arc::downgrade(&probe));
        probe
    }
}

/// What the informers of one resource share to find out whether the server went back in time.
#[derive(Default)]
pub(crate) struct SharedProbe {
    witnesses: Arc<Witnesses>,
    last: Mutex<Option<SharedQuestion>>,
}

type Witnesses = Mutex<Vec<Weak<Witness>>>;

/// A question that was asked, answered or not. It is no task of its own: every scope that waits for the answer polls it, so
/// it makes progress as long as one of them is polled, and rests when none is left.
struct SharedQuestion {
    at: Instant,
    answer: Shared<BoxFuture<'static, Verdict>>,
}

#[derive(Clone)]
struct Verdict {
    finding: Finding,
    version: ResourceVersion,
}

impl SharedProbe {
    pub(crate) fn join(&self, witness: &Arc<Witness>) {
        let mut witnesses = self.witnesses.lock();
        witnesses.retain(|other| other.strong_count() > 0);
        witnesses.push(Arc::downgrade(witness));
    }

    /// Finds out for a scope whether the server went back in time. `since` is when the scope's watch was accepted: the answer
    /// to a question that another scope asked after that is used too, but only if it is that nothing has happened. With any
    /// other answer the scope asks for itself, because its own newest object may be another one.
    pub(crate) async fn check(&self, scope: &Arc<Witness>, since: Instant) -> Finding {
        let (answer, is_own) = self.question(scope, since);
        let answer = answer.await;
        let says_nothing_new =
            answer.finding == Finding::Same && !answer.version.is_older_than(&scope.version());
        if is_own || says_nothing_new {
            return answer.finding;
        }
        scope.ask().await.0
    }

    /// The question for all, asked now unless it was since then, and whether it is about this scope's own object.
    fn question(&self, scope: &Arc<Witness>, since: Instant) -> (Shared<BoxFuture<'static, Verdict>>, bool) {
        let mut last = self.last.lock();
        if let Some(question) = last.as_ref().filter(|question| question.at >= since) {
            return (question.answer.clone(), false);
        }
        // If nobody holds anything, the version that the server is at says it for all.
        let witness = best_witness(&self.witnesses).unwrap_or_else(|| scope.clone());
        let is_own = Arc::ptr_eq(&witness, scope);
        let (witnesses, asker) = (self.witnesses.clone(), Arc::downgrade(scope));
        let answer = async move { ask(&witness, &witnesses, &asker).await }.boxed().shared();
        *last = Some(SharedQuestion { at: Instant::now(), answer: answer.clone() });
        (answer, is_own)
    }
}

/// The scope that holds the newest object of all.
fn best_witness(witnesses: &Witnesses) -> Option<Arc<Witness>> {
    let witnesses: Vec<_> = witnesses.lock().iter().filter_map(Weak::upgrade).collect();
    let mut best: Option<(Arc<Witness>, ResourceVersion)> = None;
    for witness in witnesses {
        let Some(seen) = witness.last_seen() else { continue };
        let is_newer = |(_, version): &(_, ResourceVersion)| version.is_older_than(&seen.version);
        if best.as_ref().is_none_or(is_newer) {
            best = Some((witness, seen.version));
        }
    }
    best.map(|(witness, _)| witness)
}

/// Asks one scope, and has the others ask for themselves if its answer gives reason for doubt.
async fn ask(witness: &Witness, witnesses: &Witnesses, asker: &Weak<Witness>) -> Verdict {
    let (finding, version) = witness.ask().await;
    if matches!(finding, Finding::Rewound | Finding::Missing { .. }) {
        raise_doubt(witnesses, asker);
    }
    Verdict { finding, version }
}

/// Has every other scope ask for itself.
fn raise_doubt(witnesses: &Witnesses, except: &Weak<Witness>) {
    for witness in witnesses.lock().iter().filter(|witness| !witness.ptr_eq(except)).filter_map(Weak::upgrade)
    {
        witness.doubt.notify_one();
    }
}

#[cfg(test)]
mod tests;
