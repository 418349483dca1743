//! The whole content after every change: what client-go's UndeltaStore does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;

use crate::handler::Registration;
use crate::handler::builder::Options;
use crate::handler::post::Post;
use crate::handler::runner::Finish;
use crate::object::Object;
use crate::report::Cause;
use crate::shared::SharedInformer;
use crate::shared::core::Stopped;
use crate::shared::writer::Runner;
use crate::store::indexer::Indexer;

impl<K: 'static> SharedInformer<K> {
    /// Calls a function with all objects of the cache: once it has been filled, and after every change.
    ///
    /// Changes that come while the function runs are one call. For code that works on the whole set, such as all pods
    /// of a node.
    pub fn on_full_state(
        &self,
        function: impl FnMut(&[Object<K>]) + Send + 'static,
    ) -> Result<Registration, Stopped> {
        // To be told again of objects that have not changed is of no use to the whole.
        let post = self.core().post(&Options { resync: Some(Duration::ZERO), ..Options::default() });
        let future = push(post.clone(), self.core().indexer.clone(), function).boxed();
        self.core().join(post.clone(), Some(Runner { future, blocking: false }))?;
        Ok(Registration::new(post))
    }
}

async fn push<K: 'static>(
    post: Arc<Post>,
    indexer: Arc<Indexer>,
    mut function: impl FnMut(&[Object<K>]) + Send,
) {
    let _finish = Finish(post.clone());
    post.start();
    while post.next_state().await {
        let objects: Vec<_> = indexer.list().iter().cloned().map(Object::from_record).collect();
        let outcome = catch_unwind(AssertUnwindSafe(|| function(&objects)));
        post.counters.delivered.fetch_add(1, Ordering::Relaxed);
        post.mark_synced();
        if let Err(panic) = outcome {
            post.counters.panics.fetch_add(1, Ordering::Relaxed);
            let message = post.reporter.panic_text(&*panic);
            post.reporter.report(None, Cause::Handler { handler: post.name.clone(), message });
        }
    }
}
