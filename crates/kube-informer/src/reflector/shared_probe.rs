//! What the scopes of all informers of one factory find out together: whether the server went back in time.
//!
//! Versions of one cluster are one count, so the newest object that any of its informers holds tells most. It is asked
//! for once however many watches are resumed at the same time. Where the answer gives reason for doubt every scope asks for itself:
//! a kind may be kept in a database of its own, whose versions have nothing to do with the others'.

use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::check::{Finding, Witness};
use crate::version::ResourceVersion;

/// The informers that watch one server, as far as its history is concerned.
#[derive(Default)]
pub(crate) struct SharedProbe {
    witnesses: Arc<Witnesses>,
    last: Mutex<Option<SharedQuestion>>,
}

type Witnesses = Mutex<Vec<Weak<Witness>>>;

/// A question that was asked, answered or not. Whoever waits for its answer drives it, so nobody is held up by somebody who
/// is busy with other things.
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

    /// Finds out for a scope whether the server is the one that it was. An answer to a question that was asked after
    /// `since`, when the scope's watch was accepted, will do, if it is that nothing has happened. All else is for each scope
    /// to find out: what it holds may have changed since the question was asked.
    pub(crate) async fn check(&self, scope: &Arc<Witness>, since: Instant) -> Finding {
        if keeps_to_itself(scope) {
            return scope.ask().await.0;
        }
        let Some(answer) = self.question(scope, since) else {
            return ask(scope, &self.witnesses, &Arc::downgrade(scope)).await.finding;
        };
        let answer = answer.await;
        if answer.finding == Finding::Same && !answer.version.is_older_than(&scope.version()) {
            return Finding::Same;
        }
        scope.ask().await.0
    }

    /// The question for all, asked now unless it was since then; `None` if the scope itself is the best to ask.
    fn question(&self, scope: &Arc<Witness>, since: Instant) -> Option<Shared<BoxFuture<'static, Verdict>>> {
        let mut last = self.last.lock();
        if let Some(question) = last.as_ref().filter(|question| question.at >= since) {
            return Some(question.answer.clone());
        }
        let witness = best_witness(&self.witnesses).filter(|witness| !Arc::ptr_eq(witness, scope))?;
        let (witnesses, asker) = (self.witnesses.clone(), Arc::downgrade(scope));
        let answer = async move { ask(&witness, &witnesses, &asker).await }.boxed().shared();
        *last = Some(SharedQuestion { at: Instant::now(), answer: answer.clone() });
        Some(answer)
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
