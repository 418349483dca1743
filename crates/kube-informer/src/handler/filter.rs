//! A predicate in front of a handler.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use futures::future::BoxFuture;
use informer_core::mailbox::delivery::Delivery;
use informer_core::object::record::Record;
use informer_wire::ObjectKey;

use crate::handler::listener::Listener;
use crate::handler::runner::Callee;
use crate::object::Object;

/// Passes on what the predicate accepts and turns updates that cross it into adds and deletes.
///
/// It remembers which keys it has passed on, so that a delete is never lost: neither when updates were merged nor when
/// the predicate answers differently than before.
pub(crate) struct Filtered<K, F> {
    inner: Box<dyn Callee>,
    accept: F,
    passed: HashSet<ObjectKey>,
    /// The version that was passed on last, of objects of which the predicate panicked about a later one.
    behind: HashMap<ObjectKey, Arc<Record>>,
    of: PhantomData<fn() -> K>,
}

impl<K, F> Filtered<K, F> {
    pub(crate) fn new(inner: Box<dyn Callee>, accept: F) -> Self {
        Self { inner, accept, passed: HashSet::new(), behind: HashMap::new(), of: PhantomData }
    }
}

impl<K, F: FnMut(&Object<K>) -> bool> Filtered<K, F> {
    /// What the predicate says of an update, after which `old` is the version that was passed on last, if one was. If it panics,
    /// nothing is passed on.
    fn accepts_update(&mut self, old: &mut Arc<Record>, new: &Arc<Record>) -> bool {
        let told = self.behind.remove(new.key()).unwrap_or_else(|| old.clone());
        let accept = AssertUnwindSafe(|| (self.accept)(&Object::from_record(new.clone())));
        match catch_unwind(accept) {
            Ok(accepted) => {
                *old = told;
                accepted
            }
            Err(panic) => {
                if self.passed.contains(new.key()) {
                    self.behind.insert(new.key().clone(), told);
                }
                resume_unwind(panic)
            }
        }
    }
}

impl<K: 'static, F: FnMut(&Object<K>) -> bool + Send> Callee for Filtered<K, F> {
    fn call(&mut self, delivery: Delivery, listener: &Listener) -> Option<BoxFuture<'static, ()>> {
        let seen = match delivery {
            Delivery::Added { new, initial } => {
                if !(self.accept)(&Object::from_record(new.clone())) {
                    return None;
                }
                self.passed.insert(new.key().clone());
                Delivery::Added { new, initial }
            }
            Delivery::Updated { mut old, new, resync } => {
                // What was not told is told now.
                let resync = resync && !self.behind.contains_key(new.key());
                let accepted = self.accepts_update(&mut old, &new);
                match (self.passed.contains(new.key()), accepted) {
                    (true, true) => Delivery::Updated { old, new, resync },
                    (false, true) => {
                        self.passed.insert(new.key().clone());
                        Delivery::Added { new, initial: false }
                    }
                    (true, false) => {
                        self.passed.remove(new.key());
                        // The object still exists and may go on changing, so this is the last state that passed, not the
                        // final one.
                        Delivery::Deleted { object: old, told: None, final_state_known: false }
                    }
                    (false, false) => return None,
                }
            }
            Delivery::Deleted { object, told, final_state_known } => {
                let told = self.behind.remove(object.key()).or(told);
                if !self.passed.remove(object.key()) {
                    return None;
                }
                Delivery::Deleted { object, told, final_state_known }
            }
            Delivery::Merged => Delivery::Merged,
        };
        self.inner.call(seen, listener)
    }
}
