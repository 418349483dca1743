//! One question for the scopes of all informers of a factory: did the server go back in time?
//!
//! Versions count up over all kinds of a cluster, so the newest object that any informer holds is the first that a restored
//! backup would lack. The server is asked for that one object, once, however many watches are resumed at the same time.
//! If the answer gives reason for doubt, every scope asks for an object of its own: a kind may be kept in another database,
//! whose versions have nothing to do with the others'.

use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use informer_wire::ResourceVersion;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::check::{Finding, Witness};

/// What the informers of one server share to find out whether it went back in time.
#[derive(Default)]
pub(crate) struct SharedProbe {
    witnesses: Arc<Witnesses>,
    last: Mutex<Option<SharedQuestion>>,
}

type Witnesses = Mutex<Vec<Weak<Witness>>>;

/// A question that was asked, answered or not. It is no task of its own: every scope that waits for the answer polls it, so
/// it makes progress as long as one of them is polled, and ends when none is left.
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
        if keeps_to_itself(scope) {
            return scope.ask().await.0;
        }
        let Some((answer, is_own)) = self.question(scope, since) else {
            return ask(scope, &self.witnesses, &Arc::downgrade(scope)).await.finding;
        };
        let answer = answer.await;
        let says_nothing_new =
            answer.finding == Finding::Same && !answer.version.is_older_than(&scope.version());
        if is_own || says_nothing_new {
            return answer.finding;
        }
        scope.ask().await.0
    }

    /// The question for all, asked now unless it was since then, and whether this scope asks it; `None` if the scope itself is
    /// the best to ask.
    fn question(
        &self,
        scope: &Arc<Witness>,
        since: Instant,
    ) -> Option<(Shared<BoxFuture<'static, Verdict>>, bool)> {
        let mut last = self.last.lock();
        if let Some(question) = last.as_ref().filter(|question| question.at >= since) {
            return Some((question.answer.clone(), false));
        }
        let witness = match best_witness(&self.witnesses) {
            Some(best) if Arc::ptr_eq(&best, scope) => return None,
            Some(best) => best,
            // Nobody holds anything: the version that the server is at says it for all.
            None => scope.clone(),
        };
        let is_own = Arc::ptr_eq(&witness, scope);
        let (witnesses, asker) = (self.witnesses.clone(), Arc::downgrade(scope));
        let answer = async move { ask(&witness, &witnesses, &asker).await }.boxed().shared();
        *last = Some(SharedQuestion { at: Instant::now(), answer: answer.clone() });
        Some((answer, is_own))
    }
}

/// The scope that holds the newest object of all.
fn best_witness(witnesses: &Witnesses) -> Option<Arc<Witness>> {
    let witnesses: Vec<_> = witnesses.lock().iter().filter_map(Weak::upgrade).collect();
    let mut best: Option<(Arc<Witness>, ResourceVersion)> = None;
    for witness in witnesses.into_iter().filter(|witness| !keeps_to_itself(witness)) {
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

/// Clusters often keep their Events in a database of its own: its versions tell nothing about other kinds.
fn keeps_to_itself(witness: &Witness) -> bool {
    witness.target.kind.plural() == "events"
}

#[cfg(test)]
mod tests;
