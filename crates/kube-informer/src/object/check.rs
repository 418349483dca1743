//! The early type check. Objects are decoded only when a user asks, so without it an informer of a wrong type would look
//! healthy until then.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::key::ObjectKey;
use crate::report::Cause;

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
mod tests {
    use super::*;

    fn names(causes: &[Cause]) -> Vec<&'static str> {
        causes.iter().map(Cause::name).collect()
    }

    fn key(i: usize) -> ObjectKey {
        ObjectKey::cluster(format!("o{i}"))
    }

    fn fails(check: &TypeCheck, count: usize) -> Vec<Cause> {
        (0..count).flat_map(|i| check.judge(&key(i), Err("bad".into()))).collect()
    }

    #[test]
    fn the_first_16_and_every_1000th_are_due() {
        let check = TypeCheck::default();
        let due: Vec<usize> = (1..=3_000).filter(|_| check.is_due()).collect();
        assert_eq!(due, (1..=16).chain([1_000, 2_000, 3_000]).collect::<Vec<_>>());
    }

    #[test]
    fn all_of_the_first_failing_is_a_wrong_type_told_once() {
        let check = TypeCheck::default();
        assert_eq!(names(&fails(&check, 16)), ["wrong_type"]);
        assert_eq!(check.wrong_type().unwrap(), "o15: bad");
        assert!(fails(&check, 5).is_empty() && check.first_list_done().is_empty());
        assert!(check.judge(&key(0), Ok(())).is_empty());
        assert_eq!(check.wrong_type(), None, "one that decodes takes it back");
    }

    #[test]
    fn a_short_list_is_judged_at_its_end() {
        let check = TypeCheck::default();
        assert!(fails(&check, 2).is_empty());
        assert_eq!(names(&check.first_list_done()), ["wrong_type"]);
        assert!(check.first_list_done().is_empty());
    }

    #[test]
    fn single_failures_are_told_one_by_one() {
        let check = TypeCheck::default();
        assert!(fails(&check, 2).is_empty());
        assert_eq!(names(&check.judge(&key(2), Ok(()))), ["undecodable", "undecodable"]);
        assert_eq!(names(&fails(&check, 1)), ["undecodable"]);
        assert!(check.first_list_done().is_empty() && check.wrong_type().is_none());
    }

    #[test]
    fn after_an_empty_list_nothing_is_held_back() {
        let check = TypeCheck::default();
        assert!(check.first_list_done().is_empty());
        assert_eq!(fails(&check, 15).len(), 15);
        assert_eq!(names(&fails(&check, 1)), ["wrong_type"]);
    }
}
