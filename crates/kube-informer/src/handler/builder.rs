//! Building a handler from closures.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use informer_core::mailbox::delivery::Delivery;
use informer_core::mailbox::pending::Keep;

use crate::handler::event::Event;
use crate::handler::filter::Filtered;
use crate::handler::listener::Listener;
use crate::handler::runner::Callee;
use crate::handler::typed::TypedHandler;
use crate::object::Object;

/// Begins a handler without any functions. Set the functions for the events that you want to handle.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{Handler, handler};
///
/// let pods: Handler<Pod> = handler()
///     .on_add(|pod| println!("added {}", pod.name()))
///     .on_update(|old, new| println!("{} is now at {}", old.name(), new.resource_version()))
///     .on_delete(|pod| println!("deleted {}", pod.name()));
/// ```
pub fn handler<K: 'static>() -> Handler<K> {
    Handler {
        functions: Functions::default(),
        typed: Vec::new(),
        asynchronous: None,
        accept: Vec::new(),
        options: HandlerOptions::default(),
    }
}

/// Begins a handler with one asynchronous function. Each call is awaited before the function is called with the next
/// event.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{Event, Handler, async_handler};
///
/// let (queue, _receiver) = tokio::sync::mpsc::channel(16);
/// let pods: Handler<Pod> = async_handler(move |event: Event<Pod>| {
///     let queue = queue.clone();
///     async move {
///         if let Some(pod) = event.object() {
///             queue.send(pod.key().clone()).await.ok();
///         }
///     }
/// });
/// ```
pub fn async_handler<K: 'static, F, Fut>(function: F) -> Handler<K>
where
    F: FnMut(Event<K>) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    Handler { asynchronous: Some(Box::new(AsyncFunction { function, of: PhantomData })), ..handler() }
}

/// The functions to call when objects are added, updated and deleted. Made with [`handler`] or [`async_handler`].
///
/// The functions are called one at a time, in the informer's own tasks, never with a lock held. A function must not
/// block the thread (a call over [`Tuning::slow_call`](crate::source::Tuning::slow_call) is counted and logged once); use
/// [`async_handler`] to wait for something or [`Handler::blocking`] to give the handler a thread of its own. A panic is
/// caught, counted and reported.
///
/// Setting a function does not replace one that was set before: if `on_add` is set twice, both functions are called, in
/// the order in which they were set, and an object has to pass all filters. For one event, the functions that take an
/// [`Object`] are called first, then those that take the [decoded type](Handler::typed), then the asynchronous one; if
/// one panics, the remaining functions are not called for that event. Of options, such as [`named`](Handler::named) and
/// [`resync`](Handler::resync), the value set last is used.
pub struct Handler<K> {
    functions: Functions<K>,
    /// Functions that take the decoded type, called after the others.
    typed: Vec<Box<dyn Callee>>,
    /// Called last, since it is awaited.
    asynchronous: Option<Box<dyn Callee>>,
    /// An object is delivered only if all of these filters accept it.
    accept: Vec<Accept<K>>,
    options: HandlerOptions,
}

/// How a handler is run.
#[derive(Default)]
pub(crate) struct HandlerOptions {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) resync: Option<Duration>,
    pub(crate) every_event: Option<usize>,
    pub(crate) blocking: bool,
    pub(crate) keep: Keep,
    /// Whether each call is with the whole content of the cache.
    pub(crate) whole_state: bool,
}

type One<K> = Box<dyn FnMut(&Object<K>) + Send>;
type Two<K> = Box<dyn FnMut(&Object<K>, &Object<K>) + Send>;
type All<K> = Box<dyn FnMut(&Event<K>) + Send>;
type Accept<K> = Box<dyn FnMut(&Object<K>) -> bool + Send>;

struct Functions<K> {
    add: Vec<One<K>>,
    update: Vec<Two<K>>,
    delete: Vec<One<K>>,
    event: Vec<All<K>>,
}

impl<K> Default for Functions<K> {
    fn default() -> Self {
        Self { add: Vec::new(), update: Vec::new(), delete: Vec::new(), event: Vec::new() }
    }
}

impl<K: 'static> Handler<K> {
    /// Called with every object that is new to this handler.
    #[must_use]
    pub fn on_add(mut self, function: impl FnMut(&Object<K>) + Send + 'static) -> Self {
        self.functions.add.push(Box::new(function));
        self
    }

    /// Called with the state that this handler was last called with, and the new state.
    #[must_use]
    pub fn on_update(mut self, function: impl FnMut(&Object<K>, &Object<K>) + Send + 'static) -> Self {
        self.functions.update.push(Box::new(function));
        self
    }

    /// Called with the last known state of an object that is gone.
    #[must_use]
    pub fn on_delete(mut self, function: impl FnMut(&Object<K>) + Send + 'static) -> Self {
        self.functions.delete.push(Box::new(function));
        self
    }

    /// Called with every event and all its details: initial or not, resync or not, final state known or not.
    #[must_use]
    pub fn on_event(mut self, function: impl FnMut(&Event<K>) + Send + 'static) -> Self {
        self.functions.event.push(Box::new(function));
        self
    }

    /// A name for logs, metrics and errors. In metrics all handlers of an informer without one are `unnamed`.
    #[must_use]
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Calls the handler again for every cached object once per period; zero means never. Nothing is fetched from the
    /// server.
    ///
    /// Overrides the informer's default. Periods under [`Tuning::minimum_resync`](crate::source::Tuning::minimum_resync), a
    /// second by default, count as that.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.options.resync = Some(period);
        self
    }

    /// Keeps up to `limit` events in stream order instead of merging them per key.
    ///
    /// Over the limit the handler gets an [`Event::Merged`], and events are merged per key until it has caught up.
    #[must_use]
    pub fn every_event(mut self, limit: usize) -> Self {
        self.options.every_event = Some(limit);
        self
    }

    /// Gives the handler a thread of its own, so that its functions may block.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.options.blocking = true;
        self
    }

    /// Calls the handler only for objects that the predicate accepts, as if the others did not exist.
    ///
    /// An update after which the predicate newly accepts an object is delivered as an add. An update after which it no
    /// longer does is delivered as a delete, with the last accepted state and `final_state_known: false`, since the
    /// object itself still exists. The filter applies to all functions of the handler, also to those set later; an
    /// object has to pass all filters.
    #[must_use]
    pub fn filter(mut self, accept: impl FnMut(&Object<K>) -> bool + Send + 'static) -> Self {
        self.accept.push(Box::new(accept));
        self
    }

    /// Continues with functions that take the decoded type, in addition to the functions that the handler already has.
    pub fn typed(self) -> TypedHandler<K> {
        TypedHandler::new(self)
    }

    /// Adds functions that take the decoded type.
    pub(crate) fn also(mut self, typed: Box<dyn Callee>, keep: Keep) -> Self {
        self.typed.push(typed);
        // Only raised, never lowered: functions added before may need the kept versions.
        if keep == Keep::Told {
            self.options.keep = keep;
        }
        self
    }

    pub(crate) fn into_parts(self) -> (Box<dyn Callee>, HandlerOptions) {
        let Self { functions, typed, asynchronous, mut accept, options } = self;
        let callee = Box::new(Calls { functions, typed, asynchronous });
        if accept.is_empty() {
            return (callee, options);
        }
        let all = move |object: &Object<K>| accept.iter_mut().all(|accept| accept(object));
        (Box::new(Filtered::new(callee, all)), options)
    }
}

struct Calls<K> {
    functions: Functions<K>,
    typed: Vec<Box<dyn Callee>>,
    asynchronous: Option<Box<dyn Callee>>,
}

impl<K: 'static> Callee for Calls<K> {
    fn call(&mut self, delivery: Delivery, listener: &Listener) -> Option<BoxFuture<'static, ()>> {
        let event = Event::of(delivery.clone());
        let functions = &mut self.functions;
        functions.event.iter_mut().for_each(|function| function(&event));
        match &event {
            Event::Added { object, .. } => functions.add.iter_mut().for_each(|function| function(object)),
            Event::Updated { old, new, .. } => {
                functions.update.iter_mut().for_each(|function| function(old, new));
            }
            Event::Deleted { object, .. } => {
                functions.delete.iter_mut().for_each(|function| function(object));
            }
            Event::Merged => {}
        }
        for typed in &mut self.typed {
            // Typed functions are not asynchronous: there is nothing to await.
            typed.call(delivery.clone(), listener);
        }
        self.asynchronous.as_mut()?.call(delivery, listener)
    }
}

struct AsyncFunction<K, F> {
    function: F,
    of: PhantomData<fn() -> K>,
}

impl<K, F, Fut> Callee for AsyncFunction<K, F>
where
    K: 'static,
    F: FnMut(Event<K>) -> Fut + Send,
    Fut: Future<Output = ()> + Send + 'static,
{
    fn call(&mut self, delivery: Delivery, _: &Listener) -> Option<BoxFuture<'static, ()>> {
        Some((self.function)(Event::of(delivery)).boxed())
    }
}

impl<K> std::fmt::Debug for Handler<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handler").field("name", &self.options.name).finish_non_exhaustive()
    }
}
