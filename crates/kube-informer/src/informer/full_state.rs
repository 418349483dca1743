//! The whole content after every change: what client-go's UndeltaStore does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use informer_core::store::indexer::Indexer;
use tokio::time::Instant;

use crate::error::InformerError;
use crate::handler::Registration;
use crate::handler::builder::HandlerOptions;
use crate::handler::listener::Listener;
use crate::handler::runner::Finish;
use crate::informer::SharedInformer;
use crate::informer::processor::Runner;
use crate::object::Object;
use crate::report::Cause;

impl<K: 'static> SharedInformer<K> {
    /// Adds a handler that is called with all objects of the cache: once when the cache has been filled, and then after
    /// every change.
    ///
    /// All changes that arrive while the function runs lead to one further call. For code that works on the whole set,
    /// such as all pods of a node.
    pub fn add_full_state_handler(
        &self,
        function: impl FnMut(&[Object<K>]) + Send + 'static,
    ) -> Result<Registration, InformerError> {
        // No resync: calling the function again with an unchanged set is of no use.
        let resync = Some(Duration::ZERO);
        let options = HandlerOptions { resync, whole_state: true, ..HandlerOptions::default() };
        let listener = self.engine().listener(&options);
        let future = push(listener.clone(), self.engine().indexer.clone(), function).boxed();
        self.engine().join(listener.clone(), Some(Runner { future, blocking: false }), false)?;
        Ok(Registration::new(listener))
    }
}

async fn push<K: 'static>(
    listener: Arc<Listener>,
    indexer: Arc<Indexer>,
    mut function: impl FnMut(&[Object<K>]) + Send,
) {
    let _finish = Finish(listener.clone());
    listener.start();
    while listener.next_state().await {
        let objects: Vec<_> = indexer.list().iter().cloned().map(Object::from_record).collect();
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| function(&objects)));
        listener.counters.called(started.elapsed());
        listener.mark_synced();
        if let Err(panic) = outcome {
            listener.counters.panics.fetch_add(1, Ordering::Relaxed);
            let message = listener.reporter.panic_text(&*panic);
            listener.reporter.report(None, Cause::Handler { handler: listener.name.clone(), message });
        }
    }
}
