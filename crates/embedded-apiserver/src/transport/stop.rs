//! The word to stop.

use std::future::pending;

use tokio::sync::watch;

/// Says when a transport is told to stop. One for each answer that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Option<watch::Receiver<bool>>);

impl Stop {
    /// And what to tell it with.
    pub(super) fn channel() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(Some(receiver)))
    }

    /// Of a transport that ends only with the answers that it carries.
    pub(super) fn never() -> Self {
        Self(None)
    }

    pub(crate) fn is_never(&self) -> bool {
        self.0.is_none()
    }

    /// Waits for it.
    pub(crate) async fn told(mut self) {
        match &mut self.0 {
            // Without a sender the transport is gone, and with it all that could wait.
            Some(stopped) => drop(stopped.wait_for(|stopped| *stopped).await),
            None => pending().await,
        }
    }
}
