//! The early type check: lazy decoding must not hide that the informer's type is wrong.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::key::ObjectKey;
use crate::report::Cause;

/// How many objects are decoded at the start, and judged together.
const FIRST: usize = 16;

/// One object in this many is decoded after that.
const EVERY: u64 = 1_000;

/// Which objects to decode on trial, and what follows from the results.
#[derive(Default)]
pub(crate) struct TypeCheck {
    seen: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The first failures, as long as all failed and it is not clear yet whether the type is wrong.
    failed: Vec<(ObjectKey, String)>,
    judged: bool,
    listed: bool,
    wrong: Option<String>,
}

impl TypeCheck {
    /// Counts an object and says whether it is to be decoded on trial.
    pub(crate) fn is_due(&self) -> bool {
        let count = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        count <= FIRST as u64 || count.is_multiple_of(EVERY)
    }

    /// Takes in the result of one trial; gives what is to be reported, by the caller, who holds no lock.
    pub(crate) fn judge(&self, key: &ObjectKey, result: Result<(), String>) -> Vec<Cause> {
        let mut state = self.state.lock();
        let Err(message) = result else {
            // One that decodes shows that the type is not wrong: the others were single failures after all.
            state.wrong = None;
            state.judged = true;
            let told = state.listed;
            let held = std::mem::take(&mut state.failed);
            return held.into_iter().filter(|_| !told).map(undecodable).collect();
        };
        if state.judged {
            // Everything fails while the type is wrong; that was said once.
            let single = state.wrong.is_none().then(|| undecodable((key.clone(), message)));
            return single.into_iter().collect();
        }
        state.failed.push((key.clone(), message.clone()));
        if state.failed.len() >= FIRST {
            return state.wrong_type();
        }
        // Before the list ends they are held back to be told as one; after it nothing says when more will come.
        state.listed.then(|| undecodable((key.clone(), message))).into_iter().collect()
    }

    /// The first list is complete: if all there were failed, the type is wrong.
    pub(crate) fn first_list_done(&self) -> Vec<Cause> {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.listed, true) || state.judged || state.failed.is_empty() {
            return Vec::new();
        }
        state.wrong_type()
    }

    /// What the decoder said, if the type is wrong.
    pub(crate) fn wrong_type(&self) -> Option<String> {
        self.state.lock().wrong.clone()
    }
}

impl State {
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
