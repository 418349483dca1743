//! How users say what they want to hear: closures put together into a handler.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::handler::delivery::{Delivery, Event};
use crate::handler::filter::Filtered;
use crate::handler::listener::Listener;
use crate::handler::pending::Keep;
use crate::handler::runner::Callee;
use crate::handler::typed::TypedHandler;
use crate::object::Object;

/// Starts a handler. Functions that are not set are simply not called.
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

/// Starts a handler of one asynchronous function, which is awaited before it is called with the next event.
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

/// What to call when objects come, change and go. Made with [`handler`] or [`async_handler`].
///
/// Calls come one at a time, in the informer's own tasks, never with a lock held. A function must not block the thread
/// (a call over [`Options::slow_call`](crate::Options::slow_call) is counted and logged once); use [`async_handler`] to wait for something or
/// [`Handler::blocking`] to give the handler a thread of its own. A panic is caught, counted and reported.
///
/// What is added never takes the place of what was there: a function that is set twice is called twice, in the order in
/// which it was set, and an object has to pass all filters. Of one event the functions that take an [`Object`] hear first,
/// then those that take the [decoded type](Handler::typed), then the asynchronous one; after a panic the rest does not hear
/// of that event. Options, such as [`named`](Handler::named) and [`resync`](Handler::resync), are what was said last.
pub struct Handler<K> {
    functions: Functions<K>,
    /// Functions that take the decoded type, called after the others.
    typed: Vec<Box<dyn Callee>>,
    /// Called last, since it is awaited.
    asynchronous: Option<Box<dyn Callee>>,
    /// All of them have to accept.
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

    /// Called with what this handler was told last and what the cache holds now.
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

    /// Tells every cached object again each period; zero for never. Nothing is fetched from the server.
    ///
    /// Overrides the informer's default. Periods under [`Options::minimum_resync`](crate::Options::minimum_resync), a
    /// second by default, count as that.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.options.resync = Some(period);
        self
    }

    /// Keeps up to `limit` events in stream order instead of merging them per key.
    ///
    /// Over the limit the handler hears [`Event::Merged`] and events are merged per key until it has caught up.
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

    /// Tells the handler only of objects that the predicate accepts, as if the others did not exist.
    ///
    /// An update that makes an object acceptable is heard as an add, one that ends it as a delete (with the last state that
    /// was accepted, and `final_state_known: false`, since the object goes on without this handler). It counts for all
    /// functions of the handler, those added later too; several filters all have to accept.
    #[must_use]
    pub fn filter(mut self, accept: impl FnMut(&Object<K>) -> bool + Send + 'static) -> Self {
        self.accept.push(Box::new(accept));
        self
    }

    /// Goes on with functions that take the decoded type, beside those that the handler has already.
    pub fn typed(self) -> TypedHandler<K> {
        TypedHandler::new(self)
    }

    /// Calls functions of the decoded type too.
    pub(crate) fn also(mut self, typed: Box<dyn Callee>, keep: Keep) -> Self {
        self.typed.push(typed);
        // Others may need what these do without.
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
        let event = delivery.clone().into_event();
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
            // They are not asynchronous: there is nothing to await.
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
        Some((self.function)(delivery.into_event()).boxed())
    }
}

impl<K> std::fmt::Debug for Handler<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handler").field("name", &self.options.name).finish_non_exhaustive()
    }
}
