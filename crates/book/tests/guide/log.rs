//! What the first line of a tutorial's `main` shows of a controller that fails.

use std::io::{self, Write};

use embedded_apiserver::EmbeddedApiserver;
use informer_controller::{Controller, Next};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Patch, PatchParams};
use kube_informer::SharedInformerFactory;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Sends what is logged, line by line.
struct Lines(UnboundedSender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_controller_whose_every_apply_is_a_conflict_says_so() -> anyhow::Result<()> {
    let (sender, mut lines) = unbounded_channel();
    // As `tracing_subscriber::fmt::init()` does it, but for this thread, and not to the terminal.
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || Lines(sender.clone()));
    // Of a single subscriber tracing asks whichever thread comes to a place first, and remembers that nobody listens there.
    let _beside = tracing::Dispatch::new(tracing_subscriber::fmt().with_writer(io::sink).finish());
    let _guard = tracing::subscriber::set_default(subscriber.finish());

    let server = EmbeddedApiserver::new();
    let factory = SharedInformerFactory::builder(server.client()).build()?;
    let maps = factory.core().v1().config_maps().informer();
    let map: ConfigMap = serde_json::from_value(json!({
        "metadata": { "name": "web", "namespace": "default" }, "data": { "text": "theirs" },
    }))?;
    server.create(&map).await?;
    let controller = Controller::new("greeter", maps.clone()).reconcile(|ctx| async move {
        let ours = json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "text": "ours" } });
        ctx.objects(ctx.informer())
            .patch(ctx.key(), &PatchParams::apply("greeter"), &Patch::Apply(ours))
            .await?;
        Ok(Next::Done)
    });
    factory.start();
    tokio::spawn(controller.run(std::future::pending()));

    for attempt in 1..=3 {
        let line = loop {
            let line = lines.recv().await.expect("the log goes on");
            if line.contains("it is tried again") {
                break line;
            }
        };
        let error = "error=configmaps default/web: HTTP 409 Conflict: Apply failed with 1 conflict: ";
        for part in ["WARN", "controller=\"greeter\"", error, ".data.text"] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
        assert!(line.contains(&format!("attempt={attempt}")), "{line}");
        assert_eq!(line.matches("conflict with").count(), 1, "it is said once: {line}");
    }
    Ok(())
}
