//! Handlers that take the decoded type.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::future::BoxFuture;
use informer_core::mailbox::delivery::Delivery;
use informer_core::mailbox::pending::Keep;
use informer_core::object::decoded;
use informer_core::object::record::Record;
use informer_wire::ObjectKey;
use serde::de::DeserializeOwned;

use crate::error::ObjectError;
use crate::handler::builder::Handler;
use crate::handler::listener::Listener;
use crate::handler::runner::Callee;
use crate::object::Object;
use crate::report::Cause;

type One<K> = Box<dyn FnMut(&K) + Send>;
type Two<K> = Box<dyn FnMut(&K, &K) + Send>;
type Failed<K> = Box<dyn FnMut(&Object<K>, &ObjectError) + Send>;

/// A handler whose functions take the decoded type. Made with [`Handler::typed`], finished with
/// [`TypedHandler::build`].
///
/// A version is decoded once for all handlers. An object that does not decode goes to
/// [`on_undecodable`](Self::on_undecodable), or is counted and reported to the informer's error callback.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{Handler, handler};
///
/// let pods: Handler<Pod> = handler::<Pod>()
///     .typed()
///     .on_add(|pod| println!("{:?}", pod.spec.as_ref().and_then(|spec| spec.node_name.as_ref())))
///     .build();
/// ```
pub struct TypedHandler<K> {
    handler: Handler<K>,
    functions: Functions<K>,
}

struct Functions<K> {
    add: Vec<One<K>>,
    update: Vec<Two<K>>,
    delete: Vec<One<K>>,
    undecodable: Vec<Failed<K>>,
    /// Objects whose latest version did not decode, and the version that the handler was called with last, if any. When a
    /// version decodes again it is delivered as an update of that one, or as an add.
    behind: HashMap<ObjectKey, Option<Arc<Record>>>,
    /// What the last call decoded, and of which object. Let go of one by one: should two of them panic when they are dropped,
    /// that would be the end of the process.
    decoded: Vec<(Arc<Record>, Arc<K>)>,
}

impl<K: 'static> TypedHandler<K> {
    pub(crate) fn new(handler: Handler<K>) -> Self {
        Self {
            handler,
            functions: Functions {
                add: Vec::new(),
                update: Vec::new(),
                delete: Vec::new(),
                undecodable: Vec::new(),
                behind: HashMap::new(),
                decoded: Vec::new(),
            },
        }
    }

    /// Called with every object that is new to this handler.
    #[must_use]
    pub fn on_add(mut self, function: impl FnMut(&K) + Send + 'static) -> Self {
        self.functions.add.push(Box::new(function));
        self
    }

    /// Called with the state that this handler was last called with, and the new state.
    #[must_use]
    pub fn on_update(mut self, function: impl FnMut(&K, &K) + Send + 'static) -> Self {
        self.functions.update.push(Box::new(function));
        self
    }

    /// Called with the last known state of an object that is gone.
    ///
    /// If the last state does not decode, or if another object was created under the same key before this handler was
    /// called, the function is called with the state that this handler was last called with. Without an
    /// [`on_update`](Self::on_update) function changed objects are not decoded for this handler, so it can happen that
    /// neither state decodes: then [`on_undecodable`](Self::on_undecodable) is called instead.
    #[must_use]
    pub fn on_delete(mut self, function: impl FnMut(&K) + Send + 'static) -> Self {
        self.functions.delete.push(Box::new(function));
        self
    }

    /// Called with an object that does not decode, instead of the other functions. For a deleted object,
    /// [`on_delete`](Self::on_delete) may be called after it with an earlier state that does decode.
    #[must_use]
    pub fn on_undecodable(mut self, function: impl FnMut(&Object<K>, &ObjectError) + Send + 'static) -> Self {
        self.functions.undecodable.push(Box::new(function));
        self
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> TypedHandler<K> {
    /// The handler, ready to be added to an informer.
    pub fn build(self) -> Handler<K> {
        let keep = if self.functions.delete.is_empty() { Keep::Final } else { Keep::Told };
        self.handler.also(Box::new(self.functions), keep)
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> From<TypedHandler<K>> for Handler<K> {
    fn from(typed: TypedHandler<K>) -> Self {
        typed.build()
    }
}

impl<K> Functions<K> {
    fn let_go(&mut self) {
        for (record, value) in self.decoded.drain(..) {
            decoded::let_go(value, record.key(), &record.origin);
        }
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> Functions<K> {
    fn decode(&mut self, record: Arc<Record>, listener: &Listener) -> Option<Arc<K>> {
        let object = Object::<K>::from_record(record);
        let error = match object.get() {
            Ok(decoded) => {
                self.decoded.push((object.record().clone(), decoded.clone()));
                return Some(decoded);
            }
            Err(error) => error,
        };
        listener.counters.undecodable.fetch_add(1, Ordering::Relaxed);
        self.undecodable.iter_mut().for_each(|function| function(&object, &error));
        if self.undecodable.is_empty() {
            let cause = Cause::Undecodable { key: object.key().clone(), message: error.message().to_owned() };
            listener.reporter.report(None, cause);
        }
        None
    }

    fn added(&mut self, new: Arc<Record>, listener: &Listener) {
        if self.add.is_empty() {
            return;
        }
        let key = new.key().clone();
        match self.decode(new, listener) {
            Some(new) => {
                self.behind.remove(&key);
                self.add.iter_mut().for_each(|function| function(&new));
            }
            None => {
                self.behind.insert(key, None);
            }
        }
    }

    fn updated(&mut self, old: Arc<Record>, new: Arc<Record>, listener: &Listener) {
        let told = match self.behind.get(new.key()) {
            Some(None) => return self.added(new, listener),
            Some(Some(told)) => told.clone(),
            None => old,
        };
        if self.update.is_empty() {
            return;
        }
        let key = new.key().clone();
        match self.decode(new, listener) {
            Some(new) => {
                self.behind.remove(&key);
                if let Some(old) = self.decode(told, listener) {
                    self.update.iter_mut().for_each(|function| function(&old, &new));
                }
            }
            None => {
                self.behind.insert(key, Some(told));
            }
        }
    }

    fn deleted(&mut self, object: Arc<Record>, told: Option<Arc<Record>>, listener: &Listener) {
        let (last, told) = match self.behind.remove(object.key()) {
            Some(None) => return,
            Some(Some(told)) => (told, Some(object)),
            None => (object, told),
        };
        if self.delete.is_empty() {
            return;
        }
        let last = self.decode(last, listener).or_else(|| self.decode(told?, listener));
        if let Some(last) = last {
            self.delete.iter_mut().for_each(|function| function(&last));
        }
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> Callee for Functions<K> {
    fn call(&mut self, delivery: Delivery, listener: &Listener) -> Option<BoxFuture<'static, ()>> {
        let called = catch_unwind(AssertUnwindSafe(|| match delivery {
            Delivery::Added { new, .. } => self.added(new, listener),
            Delivery::Updated { old, new, .. } => self.updated(old, new, listener),
            Delivery::Deleted { object, told, .. } => self.deleted(object, told, listener),
            Delivery::Merged => {}
        }));
        // The next call may be days away.
        self.let_go();
        if let Err(panic) = called {
            resume_unwind(panic);
        }
        None
    }
}

impl<K> std::fmt::Debug for TypedHandler<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TypedHandler").field(&self.handler).finish()
    }
}
