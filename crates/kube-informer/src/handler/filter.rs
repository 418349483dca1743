//! A predicate in front of a handler.

use std::collections::HashSet;
use std::marker::PhantomData;

use futures::future::BoxFuture;
use informer_wire::ObjectKey;

use crate::handler::delivery::Delivery;
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
    of: PhantomData<fn() -> K>,
}

impl<K, F> Filtered<K, F> {
    pub(crate) fn new(inner: Box<dyn Callee>, accept: F) -> Self {
        Self { inner, accept, passed: HashSet::new(), of: PhantomData }
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
            Delivery::Updated { old, new, resync } => {
                let accepted = (self.accept)(&Object::from_record(new.clone()));
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
