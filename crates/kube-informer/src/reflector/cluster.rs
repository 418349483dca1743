//! What the scopes of all informers of one factory find out together: whether the server went back in time.
//!
//! Versions of one cluster are one count, so the newest object that any of its informers holds tells most. It is asked
//! for once however many watches are resumed at the same time. Where the answer gives reason for doubt every scope asks for itself:
//! a kind may be kept in a database of its own, whose versions have nothing to do with the others'.

use std::cmp::Ordering;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::time::Instant;

use super::check::{Finding, Witness};
use crate::version::ResourceVersion;

/// The informers that watch one server, as far as its history is concerned.
#[derive(Default)]
pub(crate) struct Cluster {
    witnesses: Mutex<Vec<Weak<Witness>>>,
    /// The last question, and what came of it. Held while it is asked, so that the others wait for its answer.
    last: tokio::sync::Mutex<Option<Asked>>,
}

struct Asked {
    at: Instant,
    of: Weak<Witness>,
    finding: Finding,
    version: ResourceVersion,
}

impl Cluster {
    pub(crate) fn join(&self, witness: &Arc<Witness>) {
        let mut witnesses = self.witnesses.lock();
        witnesses.retain(|other| other.strong_count() > 0);
        witnesses.push(Arc::downgrade(witness));
    }

    /// Finds out for a scope whether the server is the one that it was. An answer to a question that was asked after
    /// `since`, when the scope's watch was accepted, will do.
    pub(crate) async fn check(&self, scope: &Arc<Witness>, since: Instant) -> Finding {
        if keeps_to_itself(scope) {
            return scope.ask().await.0;
        }
        let finding = {
            let mut last = self.last.lock().await;
            match &*last {
                Some(asked) if asked.at >= since => asked.for_scope(scope),
                _ => {
                    let witness = self.best_witness().unwrap_or_else(|| scope.clone());
                    let at = Instant::now();
                    let (finding, version) = witness.ask().await;
                    let asked = Asked { at, of: Arc::downgrade(&witness), finding, version };
                    if asked.is_doubtful() {
                        self.raise_doubt(scope);
                    }
                    last.insert(asked).for_scope(scope)
                }
            }
        };
        match finding {
            Some(finding) => finding,
            None => scope.ask().await.0,
        }
    }

    /// The scope that holds the newest object of all.
    fn best_witness(&self) -> Option<Arc<Witness>> {
        let witnesses: Vec<_> = self.witnesses.lock().iter().filter_map(Weak::upgrade).collect();
        let mut best: Option<(Arc<Witness>, _)> = None;
        for witness in witnesses.into_iter().filter(|witness| !keeps_to_itself(witness)) {
            let Some(seen) = witness.last_seen() else { continue };
            let newer = |(_, version)| seen.version.compare(version) == Some(Ordering::Greater);
            if best.as_ref().is_none_or(|(witness, version)| newer((witness, version))) {
                best = Some((witness, seen.version));
            }
        }
        best.map(|(witness, _)| witness)
    }

    /// Has every other scope ask for itself.
    fn raise_doubt(&self, except: &Arc<Witness>) {
        for witness in self.witnesses.lock().iter().filter_map(Weak::upgrade) {
            if !Arc::ptr_eq(&witness, except) {
                witness.doubt.notify_one();
            }
        }
    }
}

impl Asked {
    fn is_doubtful(&self) -> bool {
        matches!(self.finding, Finding::Rewound | Finding::Missing { .. })
    }

    /// What the answer means to this scope; `None` if it has to ask for itself.
    fn for_scope(&self, scope: &Arc<Witness>) -> Option<Finding> {
        let its_own = std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(scope));
        let good_for_all = self.finding == Finding::Same && !self.version.is_older_than(&scope.version());
        (its_own || good_for_all).then(|| self.finding.clone())
    }
}

/// Clusters often keep their Events in a database of its own: its versions tell nothing about other kinds.
fn keeps_to_itself(witness: &Witness) -> bool {
    witness.target.kind.plural() == "events"
}

#[cfg(test)]
mod tests;
