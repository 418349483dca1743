//! What ends a command from outside: Ctrl-C, or SIGTERM.

use std::future::Future;
use std::time::Duration;

use crate::cluster::Cluster;
use crate::failure::Failure;

/// Waits until the user, or whoever started the command, wants it to end.
#[cfg(unix)]
pub(crate) async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => terminate.recv().await,
            // Without a handler it ends at once.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated => {}
    }
}

#[cfg(not(unix))]
pub(crate) async fn asked_to_end() {
    tokio::signal::ctrl_c().await.ok();
}

/// Waits for what a command does first: finding out which kinds the server has.
pub(crate) async fn within<T>(
    time: Option<Duration>,
    cluster: &Cluster,
    first: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let Some(time) = time else { return first.await };
    tokio::time::timeout(time, first).await.unwrap_or_else(|_elapsed| {
        Err(Failure::cluster(format!(
            "{} did not say within {time:?} which kinds it has; --embedded runs on a simulated cluster",
            cluster.origin
        )))
    })
}
