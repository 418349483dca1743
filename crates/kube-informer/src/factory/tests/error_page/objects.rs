//! Objects and functions that fail, and an informer that does.

use k8s_openapi::api::core::v1::Pod;
use kube_core::DynamicObject;
use serde_json::{Value, json};

use super::{Case, SOON, pods, server};
use crate::handler::handler;
use crate::kind::Kind;
use crate::object::Object;
use crate::report::{Cause, Failure};

pub(super) async fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    let refusing = Case::new(&pods(), &server(&pods()), |builder| {
        builder.transform(|_: &mut DynamicObject| Err("it has no owner"))
    });
    texts.push(first(refusing).await);

    let mut odd = Case::synced().await;
    for event in odd_events() {
        odd.server.send_raw(format!("{event}\n"));
        texts.push(odd.failure().await);
    }

    let mut handled = Case::new(&pods(), &server(&pods()), |builder| builder);
    let panics =
        handler::<DynamicObject>().named("web").on_add(|_| std::panic::resume_unwind(Box::new("no owner")));
    handled.informer.add_event_handler(panics).unwrap();
    let _index = handled.informer.add_index("owner", |_| Err::<Option<String>, _>("no owner"));
    handled.start();
    texts.extend([handled.failure().await, handled.failure().await]);

    texts.extend(of_another_type().await);
    // These cannot be brought about at will.
    let no_thread = "its thread cannot be started: Resource temporarily unavailable (os error 11)";
    for cause in [
        Cause::Handler { handler: "web".into(), message: no_thread.into() },
        Cause::Broken { message: "the recorder is broken".into() },
        Cause::Broken { message: "its task was ended from outside".into() },
    ] {
        texts.push(Failure { kind: Pod::info(&()), scope: None, cause }.to_string());
    }
    texts
}

/// Events with objects that cannot be taken in.
fn odd_events() -> Vec<Value> {
    let event = |kind: &str, metadata: Value| {
        let object = json!({ "kind": kind, "apiVersion": "v1", "metadata": metadata });
        json!({ "type": "ADDED", "object": object })
    };
    vec![
        event("Pod", json!({ "resourceVersion": "3" })),
        event("Service", json!({ "namespace": "default", "name": "web", "resourceVersion": "3" })),
        event("Pod", json!({ "namespace": "default", "name": "web", "labels": "none" })),
        event("Pod", json!({ "namespace": "other", "name": "web", "resourceVersion": "3" })),
        json!({ "type": "ADDED" }),
    ]
}

async fn first(mut case: Case) -> String {
    case.start();
    case.failure().await
}

/// What a type hears that the objects are not of.
async fn of_another_type() -> [String; 4] {
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
    let reported = failures.recv().await.unwrap();
    let asked = informer.lister().list()[0].get().unwrap_err().to_string();
    let nameless = Object::new(&Pod::default()).unwrap_err().to_string();
    [wrong_type, reported, asked, nameless]
}
