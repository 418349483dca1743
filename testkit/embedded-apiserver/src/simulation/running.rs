//! A running simulation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::apply::Applier;
use super::world::World;
use crate::server::EmbeddedApiserver;

/// A running simulation. It ends when this value is dropped, or on [`stop`](Self::stop).
#[derive(Debug)]
pub struct RunningSimulation {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    writes: Arc<AtomicU64>,
}

impl RunningSimulation {
    pub(super) fn start(server: EmbeddedApiserver, world: World, applier: Applier, rate: f64) -> Self {
        let (stop, stopped) = watch::channel(false);
        let writes = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(run(server, world, applier, rate, stopped, writes.clone()));
        Self { task, stop, writes }
    }

    /// How many writes it has made, without those that created the objects at the start.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Ends it after the current write.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if let Err(error) = (&mut self.task).await {
            tracing::warn!(%error, "the simulation failed");
        }
    }
}

impl Drop for RunningSimulation {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The write number `n` is due `n / rate` seconds after the start. If the machine is slower than that, writes follow
/// one another without a pause.
async fn run(
    server: EmbeddedApiserver,
    mut world: World,
    mut applier: Applier,
    rate: f64,
    mut stopped: watch::Receiver<bool>,
    writes: Arc<AtomicU64>,
) {
    let start = Instant::now();
    for number in 1_u32.. {
        let after = Duration::try_from_secs_f64(f64::from(number) / rate).ok();
        let due = after.and_then(|after| start.checked_add(after));
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => return,
            () = until(due) => {}
        }
        let milliseconds = after.map_or(0, |after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
        let write = world.next(milliseconds, server.api().clock.now());
        applier.apply(server.api(), write).await;
        writes.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until a time, or for ever.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
