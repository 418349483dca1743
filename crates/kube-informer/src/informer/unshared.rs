//! An informer with one function that the informer calls itself.

use std::fmt;
use std::future::Future;
use std::ops::Deref;

use futures::future::BoxFuture;

use crate::handler::Event;
use crate::handler::builder::HandlerOptions;
use crate::handler::delivery::Delivery;
use crate::handler::listener::Listener;
use crate::handler::runner::Callee;
use crate::informer::SharedInformer;
use crate::informer::engine::RunError;
use crate::informer::process_loop::Command;

/// An informer whose one function is called right after each commit, by the task that made it.
///
/// While the function runs nothing newer is applied, so what it reads in the cache is the state it was told of, except
/// that other keys of the same batch may be further. A slow function slows the informer down: for anything but quick
/// bookkeeping use a [`SharedInformer`]. Everything else of a shared informer works here too.
pub struct Informer<K> {
    shared: SharedInformer<K>,
}

impl<K: 'static> Informer<K> {
    pub(crate) fn new(shared: SharedInformer<K>, function: impl FnMut(&Event<K>) + Send + 'static) -> Self {
        // Called after each commit, it keeps nothing waiting, so there is nothing to bound and nothing to merge.
        let options = HandlerOptions { every_event: Some(usize::MAX), ..HandlerOptions::default() };
        let listener = shared.engine().listener(&options);
        let attach = Command::Attach {
            listener,
            callee: Box::new(Function { function, of: std::marker::PhantomData }),
        };
        // A new informer has not stopped.
        shared.engine().command(attach).ok();
        Self { shared }
    }

    /// Runs the informer until `shutdown` resolves. See [`SharedInformer::run`].
    pub async fn run(&self, shutdown: impl Future<Output = ()>) -> Result<(), RunError> {
        self.shared.run(shutdown).await
    }
}

impl<K> Deref for Informer<K> {
    type Target = SharedInformer<K>;

    fn deref(&self) -> &SharedInformer<K> {
        &self.shared
    }
}

struct Function<K, F> {
    function: F,
    of: std::marker::PhantomData<fn() -> K>,
}

impl<K: 'static, F: FnMut(&Event<K>) + Send> Callee for Function<K, F> {
    fn call(&mut self, delivery: Delivery, _: &Listener) -> Option<BoxFuture<'static, ()>> {
        (self.function)(&delivery.into_event());
        None
    }
}

impl<K> fmt::Debug for Informer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Informer").field(&self.shared).finish()
    }
}
