//! Conditions of a status, as apimachinery's `meta.SetStatusCondition` and its siblings keep them.
//!
//! ```
//! use informer_controller::conditions;
//!
//! let mut all = Vec::new();
//! let ready = conditions::new("Ready", true, "AllReady", "3 of 3 pods are ready", Some(1));
//! assert!(conditions::set(&mut all, ready));
//! assert!(conditions::is_true(&all, "Ready"));
//! ```
//!
//! The time of a condition is that of the runtime: on tokio's paused time it stands still and is advanced with it, so tests see
//! the differences that their own time makes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

use crate::clock;

/// A condition that is so, or not so, from now on. The generation is that of the object that it was found out of.
pub fn new(
    type_: impl Into<String>,
    is_so: bool,
    reason: impl Into<String>,
    message: impl Into<String>,
    generation: Option<i64>,
) -> Condition {
    Condition {
        type_: type_.into(),
        status: if is_so { "True" } else { "False" }.to_owned(),
        reason: reason.into(),
        message: message.into(),
        observed_generation: generation,
        last_transition_time: now(),
    }
}

/// Like [`new`], for what cannot be found out.
pub fn unknown(
    type_: impl Into<String>,
    reason: impl Into<String>,
    message: impl Into<String>,
    generation: Option<i64>,
) -> Condition {
    Condition { status: "Unknown".to_owned(), ..new(type_, false, reason, message, generation) }
}

/// Puts a condition in the place of the one of its type, or at the end. `lastTransitionTime` changes only if `status` does.
/// Whether anything changed.
pub fn set(all: &mut Vec<Condition>, condition: Condition) -> bool {
    let Some(old) = all.iter_mut().find(|old| old.type_ == condition.type_) else {
        all.push(condition);
        return true;
    };
    let mut new = condition;
    if old.status == new.status {
        new.last_transition_time = old.last_transition_time.clone();
    }
    let is_change = *old != new;
    *old = new;
    is_change
}

/// The condition of a type.
pub fn find<'a>(all: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    all.iter().find(|condition| condition.type_ == type_)
}

/// Whether there is one of that type, and it is so.
pub fn is_true(all: &[Condition], type_: &str) -> bool {
    find(all, type_).is_some_and(|condition| condition.status == "True")
}

/// Takes out the condition of a type. Whether there was one.
pub fn remove(all: &mut Vec<Condition>, type_: &str) -> bool {
    let before = all.len();
    all.retain(|condition| condition.type_ != type_);
    all.len() != before
}

/// The server keeps whole seconds: more would look like a change when it is read again.
fn now() -> Time {
    let now = clock::now();
    Time(Timestamp::from_second(now.as_second()).unwrap_or(now))
}

#[cfg(test)]
mod tests;
