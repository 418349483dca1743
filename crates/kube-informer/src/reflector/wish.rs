//! What makes a reflector give up a running watch to read the list.

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::budget::Budget;
use super::interruption::Interruption;
use super::turn::turn;

/// Where wishes for a list come in.
pub(super) struct Wishes<'a> {
    pub(super) refresh: &'a Notify,
    pub(super) relist: Arc<Notify>,
    pub(super) probes: Arc<Mutex<Budget>>,
}

impl Wishes<'_> {
    /// Follows a watch, unless a list is wanted before it ends.
    pub(super) async fn interrupt<T>(
        &self,
        watch: impl Future<Output = Result<T, Interruption>>,
    ) -> Result<T, Interruption> {
        tokio::select! {
            biased;
            () = self.relist.notified() => Err(Interruption::Relist),
            () = self.paid_refresh() => Err(Interruption::PaidRefresh),
            ended = watch => ended,
        }
    }

    /// Waits for a refresh to be asked for, and then until it may be sent. The watch goes on meanwhile: giving it up while
    /// the list has to wait would leave the cache without any news.
    async fn paid_refresh(&self) {
        self.refresh.notified().await;
        let mut wish = Unpaid { refresh: Some(self.refresh) };
        turn(&self.probes).await;
        wish.refresh = None;
    }
}

/// A refresh that was asked for and not paid for. If the watch ends before it is, the wish has to be remembered for the
/// next one.
struct Unpaid<'a> {
    refresh: Option<&'a Notify>,
}

impl Drop for Unpaid<'_> {
    fn drop(&mut self) {
        if let Some(refresh) = self.refresh {
            refresh.notify_one();
        }
    }
}
