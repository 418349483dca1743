//! The early type check. Objects are decoded only when a user asks, so without it an informer of a wrong type would look
//! healthy until then.

use std::sync::atomic::{AtomicU64, Ordering};

use informer_wire::ObjectKey;
use parking_lot::Mutex;

use crate::cause::Cause;

/// How many of the first objects are decoded. If none of them decodes, the type is wrong.
const FIRST: usize = 16;

/// One object in this many is decoded after that.
const EVERY: u64 = 1_000;

/// Chooses objects that are decoded on trial, and decides by the results whether the type is wrong.
#[derive(Default)]
pub(crate) struct TypeCheck {
    seen: AtomicU64,
    trials: Mutex<Trials>,
}

/// The results so far.
#[derive(Default)]
struct Trials {
    /// The failures so far, as long as no object has decoded and it is not clear yet whether the type is wrong.
    failed: Vec<(ObjectKey, String)>,
    /// Whether it is clear.
    judged: bool,
    /// Whether the first list is complete.
    listed: bool,
    /// What the decoder said, if the type is wrong.
    wrong: Option<String>,
}

impl TypeCheck {
    /// Counts an object and says whether it is to be decoded on trial.
    pub(crate) fn is_due(&self) -> bool {
        let count = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        count <= FIRST as u64 || count.is_multiple_of(EVERY)
    }

    /// Takes in the result of one trial and returns what is to be reported. The caller does it: reporting runs user code,
    /// and here a lock is held.
    pub(crate) fn judge(&self, key: &ObjectKey, result: Result<(), String>) -> Vec<Cause> {
        let mut trials = self.trials.lock();
        let Err(message) = result else {
            // One object that decodes shows that the type is right, and that the others failed on their own.
            trials.wrong = None;
            trials.judged = true;
            let reported = trials.listed;
            let held = std::mem::take(&mut trials.failed);
            return held.into_iter().filter(|_| !reported).map(undecodable).collect();
        };
        if trials.judged {
            // While the type is wrong every object fails, and that has been reported once.
            let single = trials.wrong.is_none().then(|| undecodable((key.clone(), message)));
            return single.into_iter().collect();
        }
        trials.failed.push((key.clone(), message.clone()));
        if trials.failed.len() >= FIRST {
            return trials.wrong_type();
        }
        // During the first list failures are held back: at its end they may be one report of a wrong type. After it, the
        // next object may be long in coming, so each failure is reported at once.
        trials.listed.then(|| undecodable((key.clone(), message))).into_iter().collect()
    }

    /// The first list is complete: if all there were failed, the type is wrong.
    pub(crate) fn first_list_done(&self) -> Vec<Cause> {
        let mut trials = self.trials.lock();
        if std::mem::replace(&mut trials.listed, true) || trials.judged || trials.failed.is_empty() {
            return Vec::new();
        }
        trials.wrong_type()
    }

    /// What the decoder said, if the type is wrong.
    pub(crate) fn wrong_type(&self) -> Option<String> {
        self.trials.lock().wrong.clone()
    }
}

impl Trials {
    fn wrong_type(&mut self) -> Vec<Cause> {
        self.judged = true;
        let message = self.failed.pop().map(|(key, message)| format!("{key}: {message}")).unwrap_or_default();
        self.failed = Vec::new();
        self.wrong = Some(message.clone());
        vec![Cause::WrongType { message }]
    }
}

fn undecodable((key, message): (ObjectKey, String)) -> Cause {
    Cause::Undecodable { key, message }
}

#[cfg(test)]
mod tests;
