//! Objects and functions that fail, and an informer that does.

use std::panic::resume_unwind;

use informer_core::object::transform::{Transform, TransformError, TypedTransform};
use informer_core::panics::WITHHELD;
use informer_wire::ObjectKey;
use k8s_openapi::api::core::v1::Pod;
use kube_core::DynamicObject;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::{Case, SOON, assert_complete, built, first_failure, pods, server, start, variants};
use crate::handler::handler;
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::{Kind, KindInfo, Namespaced};
use crate::object::Object;
use crate::report::{Cause, Failure};

variants!(TransformError: Json, Refused, Panicked);

pub(super) async fn texts() -> Vec<String> {
    let mut texts = transforms().await;
    let mut odd = Case::synced().await;
    for event in odd_events() {
        odd.server.send_raw(format!("{event}\n"));
        texts.push(odd.failure().await);
    }
    texts.extend(functions(|builder| builder).await);
    texts.extend(functions(InformerBuilder::sensitive).await);
    texts.extend(of_another_type().await);
    let panics = || SharedInformer::<Panics>::builder(server(&pods()));
    texts.extend([first_failure(panics()).await, first_failure(panics().sensitive()).await]);
    // These cannot be brought about at will.
    let key = || ObjectKey::namespaced("default", "web");
    let no_thread = "its thread cannot be started: Resource temporarily unavailable (os error 11)";
    texts.extend(
        [
            Cause::Drop { key: key(), message: "no owner".into() },
            Cause::Drop { key: key(), message: WITHHELD.into() },
            Cause::Handler { handler: "web".into(), message: no_thread.into() },
            Cause::Broken { message: "the recorder is broken".into() },
            Cause::Broken { message: "its task was ended from outside".into() },
        ]
        .map(failure),
    );
    texts
}

fn failure(cause: Cause) -> String {
    Failure { kind: Pod::info(&()), scope: None, cause }.to_string()
}

/// Transforms that fail, also on objects of which nothing is told.
async fn transforms() -> Vec<String> {
    let refuses = |builder: InformerBuilder<DynamicObject>| {
        builder.transform(|_: &mut DynamicObject| Err("it has no owner"))
    };
    let makes_a_list = SharedInformer::<Free>::builder(server(&pods())).transform(|free| {
        free.0 = json!([1]);
        Ok::<_, String>(())
    });
    let mut texts = vec![
        first(Case::new(&pods(), &server(&pods()), refuses)).await,
        first(Case::new(&pods(), &server(&pods()), |builder| refuses(builder).sensitive())).await,
        first_failure(makes_a_list).await,
    ];
    let spec = json!({ "kind": "Pod", "apiVersion": "v1", "spec": "none" }).to_string();
    let fine = TypedTransform::new(|_: &mut Pod| Ok::<_, String>(()));
    let refuses = TypedTransform::new(|_: &mut Value| Err("it has no owner"));
    let panics =
        TypedTransform::new(|_: &mut Value| -> Result<(), String> { resume_unwind(Box::new("no owner")) });
    let transforms: [&dyn Transform; 3] = [&fine, &refuses, &panics];
    let errors = transforms.map(|transform| transform.apply(spec.as_bytes()).unwrap_err());
    assert_complete(&errors);
    for (error, sensitive) in errors.iter().flat_map(|error| [(error, false), (error, true)]) {
        let (key, message) = (Some(ObjectKey::namespaced("default", "web")), error.describe(sensitive));
        texts.push(failure(Cause::LeftOut { key, message }));
    }
    texts
}

/// A handler and index functions that fail.
async fn functions(set: fn(InformerBuilder<DynamicObject>) -> InformerBuilder<DynamicObject>) -> [String; 3] {
    let mut case = Case::new(&pods(), &server(&pods()), set);
    let panics = handler::<DynamicObject>().named("web").on_add(|_| resume_unwind(Box::new("no owner")));
    case.informer.add_event_handler(panics).unwrap();
    let _fails = case.informer.add_index("owner", |_| Err::<Option<String>, _>("no owner"));
    let _panics =
        case.informer.add_index("team", |_| -> Option<String> { resume_unwind(Box::new("no team")) });
    case.start();
    [case.failure().await, case.failure().await, case.failure().await]
}

/// Pods as whatever JSON a transform makes of them.
#[derive(Deserialize, Serialize)]
struct Free(Value);

impl Kind for Free {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        Pod::info(&())
    }
}

/// Pods that nobody can decode.
struct Panics;

impl Kind for Panics {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        Pod::info(&())
    }
}

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        resume_unwind(Box::new("no owner"))
    }
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
    let (informer, mut failures) = built(SharedInformer::<Pod>::builder(server));
    start(&informer);
    informer.wait_synced(SOON).await.unwrap();
    let wrong_type = failures.recv().await.unwrap();
    assert!(informer.lister().list_decoded().is_empty());
    let reported = failures.recv().await.unwrap();
    let asked = informer.lister().list()[0].get().unwrap_err().to_string();
    let nameless = Object::new(&Pod::default()).unwrap_err().to_string();
    [wrong_type, reported, asked, nameless]
}
