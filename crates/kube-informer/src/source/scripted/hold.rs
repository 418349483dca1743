//! A request held open until a test says otherwise.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds the next matching request back. Made by [`ScriptedSource::hold_next`](super::ScriptedSource::hold_next).
///
/// Released by [`release`](Self::release) or by dropping it.
#[derive(Debug)]
#[must_use = "dropping it releases the request"]
pub struct Hold {
    pub(super) gate: Arc<Gate>,
}

#[derive(Debug)]
pub(super) struct Gate {
    reached: watch::Sender<bool>,
    released: watch::Sender<bool>,
}

impl Gate {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { reached: watch::Sender::new(false), released: watch::Sender::new(false) })
    }

    /// A request has come to the gate and waits.
    pub(super) async fn pass(&self) {
        self.reached.send_replace(true);
        wait(&self.released).await;
    }
}

async fn wait(flag: &watch::Sender<bool>) {
    // The sender is in our hands, so the channel cannot be closed.
    let _ = flag.subscribe().wait_for(|set| *set).await;
}

impl Hold {
    /// Waits until a request is being held.
    pub async fn reached(&self) {
        wait(&self.gate.reached).await;
    }

    /// Lets the request go on: it is answered as if it had come just now.
    pub fn release(self) {}
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.gate.released.send_replace(true);
    }
}
