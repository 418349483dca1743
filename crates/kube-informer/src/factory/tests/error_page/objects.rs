//! Objects and functions that fail, and an informer that does.

use k8s_openapi::api::core::v1::Pod;
use kube_core::DynamicObject;
use serde_json::json;

use super::{Case, SOON, pods, server};
use crate::handler::handler;
use crate::kind::Kind;
use crate::report::{Cause, Failure};

pub(super) async fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    let refusing = Case::new(&pods(), &server(&pods()), |builder| {
        builder.transform(|_: &mut DynamicObject| Err("it has no owner"))
    });
    texts.push(first(refusing).await);

    let mut nameless = Case::synced().await;
    let object = json!({ "kind": "Pod", "apiVersion": "v1", "metadata": { "resourceVersion": "3" } });
    nameless.server.send_raw(format!("{}\n", json!({ "type": "ADDED", "object": object })));
    texts.push(nameless.failure().await);

    let mut handled = Case::new(&pods(), &server(&pods()), |builder| builder);
    let panics =
        handler::<DynamicObject>().named("web").on_add(|_| std::panic::resume_unwind(Box::new("no owner")));
    handled.informer.add_event_handler(panics).unwrap();
    let _index = handled.informer.add_index("owner", |_| Err::<Option<String>, _>("no owner"));
    handled.start();
    texts.extend([handled.failure().await, handled.failure().await]);

    texts.extend(of_another_type().await);
    let (kind, cause) = (Pod::info(&()), Cause::Broken { message: "the recorder is broken".into() });
    texts.push(Failure { kind, scope: None, cause }.to_string());
    texts
}

async fn first(mut case: Case) -> String {
    case.start();
    case.failure().await
}

/// What a type hears that the objects are not of.
async fn of_another_type() -> [String; 2] {
    let server = server(&pods());
    let metadata = json!({ "namespace": "default", "name": "web", "uid": "u" });
    server.put_json(json!({ "metadata": metadata, "spec": "none" })).unwrap();
    let (sender, mut failures) = tokio::sync::mpsc::unbounded_channel();
    let builder = crate::shared::SharedInformer::<Pod>::builder(server);
    let informer = builder.on_error(move |failure| drop(sender.send(failure.to_string()))).build().unwrap();
    let run = informer.clone();
    tokio::spawn(async move { drop(run.run(std::future::pending()).await) });
    informer.wait_synced(SOON).await.unwrap();
    let wrong_type = failures.recv().await.unwrap();
    assert!(informer.lister().list_decoded().is_empty());
    [wrong_type, failures.recv().await.unwrap()]
}
