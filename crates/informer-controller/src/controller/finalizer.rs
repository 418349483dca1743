//! An object is not gone before what belongs to it has been cleaned up.

use std::sync::Arc;

use futures::FutureExt as _;

use super::{Ctx, Filter, Next, Reconcile, ReconcileError};

/// The name that holds an object, and what is done before it is let go.
pub(super) struct Finalizer<K> {
    pub(super) name: Arc<str>,
    pub(super) cleanup: Arc<Reconcile<K>>,
}

impl<K: Send + Sync + 'static> Finalizer<K> {
    /// A function that reconciles, or cleans up.
    pub(super) fn wrap(self, reconcile: Arc<Reconcile<K>>) -> Arc<Reconcile<K>> {
        let finalizer = Arc::new(self);
        Arc::new(move |ctx| finalizer.clone().run(reconcile.clone(), ctx).boxed())
    }

    /// That deletion is asked for is never filtered out.
    pub(super) fn filter(only_if: Arc<Filter<K>>) -> Arc<Filter<K>> {
        Arc::new(move |old, new| {
            old.deletion_timestamp().is_some() != new.deletion_timestamp().is_some() || only_if(old, new)
        })
    }

    async fn run(
        self: Arc<Self>,
        reconcile: Arc<Reconcile<K>>,
        mut ctx: Ctx<K>,
    ) -> Result<Next, ReconcileError> {
        let Some(object) = ctx.object.clone() else { return reconcile(ctx).await };
        let is_held = object.finalizers().any(|other| other == &*self.name);
        let objects = ctx.objects(ctx.informer());
        match (object.deletion_timestamp().is_some(), is_held) {
            (false, true) => reconcile(ctx).await,
            (false, false) => match objects.add_finalizer(&object, &self.name).await {
                Ok(held) => {
                    ctx.object = Some(held);
                    reconcile(ctx).await
                }
                // It is gone, and reconciled when the cache knows it.
                Err(error) if error.is_not_found() => Ok(Next::Done),
                Err(error) => Err(error.into()),
            },
            (true, true) => match (self.cleanup)(ctx).await? {
                Next::Done => {
                    // What the function wrote of the object has made a new version of it.
                    let now = objects.get(object.key()).filter(|now| now.uid() == object.uid());
                    objects.remove_finalizer(&now.unwrap_or(object), &self.name).await?;
                    Ok(Next::Done)
                }
                not_yet => Ok(not_yet),
            },
            // Others hold it; there is nothing left to do here.
            (true, false) => Ok(Next::Done),
        }
    }
}
