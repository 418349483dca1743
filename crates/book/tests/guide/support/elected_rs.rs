use greeter::controller;
use informer_controller::Election;
use kube_informer::SharedInformerFactory;

async fn run(factory: &SharedInformerFactory, shutdown: impl Future<Output = ()>) -> anyhow::Result<()> {
    let client = factory.client().ok_or_else(|| anyhow::anyhow!("nothing to write with"))?;
    let controller = controller(factory);
    factory.start();
    Election::new(client, "default", "greeter")
        .run(shutdown, |leadership| controller.run_as(leadership))
        .await?;
    Ok(())
}
