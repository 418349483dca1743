//! When a program is to stop: at Ctrl-C, or at the SIGTERM that the kubelet sends before it kills the container.

use std::io::Result;

/// Waits until the program is told to stop.
#[cfg(unix)]
pub(crate) async fn told_to_stop() -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits until the program is told to stop; where there is no SIGTERM, by Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn told_to_stop() -> Result<()> {
    tokio::signal::ctrl_c().await
}
