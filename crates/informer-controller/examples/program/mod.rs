//! What every program needs: its cluster, and to know when to stop.

use anyhow::{Result, bail};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use kube_informer::Cluster;

/// The cluster of `--kubeconfig FILE`, of `KUBECONFIG`, of the home directory, or the one that the program runs in.
pub(crate) async fn cluster() -> Result<Cluster> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    Ok(match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Cluster::find().await?,
        ["--kubeconfig", file] => Cluster::find().kubeconfig(file).await?,
        _ => bail!("the only argument is --kubeconfig FILE"),
    })
}

/// Ready when the program is told to stop: by Ctrl-C, or by the SIGTERM that the kubelet sends before it kills the container.
/// Several controllers can wait for it.
pub(crate) fn stop() -> Shared<BoxFuture<'static, ()>> {
    told_to_stop().boxed().shared()
}

async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    tokio::signal::ctrl_c().await.ok();
}
