//! The signal to stop.

use std::future::pending;

use tokio::sync::watch;

/// Signals that a transport is to stop. Each answer in progress has a clone.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Option<watch::Receiver<bool>>);

impl Stop {
    /// With the sender that gives the signal.
    pub(super) fn channel() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(Some(receiver)))
    }

    /// For a transport that is never stopped.
    pub(super) fn never() -> Self {
        Self(None)
    }

    pub(crate) fn is_never(&self) -> bool {
        self.0.is_none()
    }

    /// Waits for the signal.
    pub(crate) async fn requested(mut self) {
        match &mut self.0 {
            // An error means that the sender was dropped: the transport is gone, and its connections with it.
            Some(stopped) => drop(stopped.wait_for(|stopped| *stopped).await),
            None => pending().await,
        }
    }
}
