use greeter::controller;
use kube_informer::{Cluster, SharedInformerFactory};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt::init(); // shows what goes wrong
    let mut terminate = signal(SignalKind::terminate())?; // what the kubelet sends
    let shutdown = async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
    };
    let factory = SharedInformerFactory::builder(Cluster::find().await?).build()?;
    let controller = controller(&factory);
    factory.start();
    controller.run(shutdown).await?; // finishes what was begun
    factory.shutdown().await;
    Ok(())
}
