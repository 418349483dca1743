//! What is in objects of sensitive kinds is nowhere but in the objects, and is told to nobody.

use std::sync::Arc;

use informer_core::object::testing::buffers_hold;
use informer_wire::ObjectKey;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;

use super::support::{Rig, SOON, map, started};
use crate::handler::{async_handler, handler};
use crate::informer::SharedInformer;
use crate::object::Object;
use crate::source::{Fault, ScriptedSource, SourceError, Status};

const VALUE: &str = "aHVudGVyMg";

/// Unwinds without the hook that prints, with a text that quotes.
fn quoting_panic() {
    std::panic::resume_unwind(Box::new(format!("cannot use {VALUE}")));
}

fn rig(sensitive: bool) -> Rig {
    let rig = Rig::with(&[], |builder| if sensitive { builder.sensitive() } else { builder });
    let mut value = serde_json::to_value(map("a/x", VALUE)).unwrap();
    value["metadata"]["labels"] = json!({ "owner": VALUE });
    value["metadata"]["finalizers"] = json!([VALUE]);
    rig.server.put_json(value.clone()).unwrap();
    value["metadata"]["name"] = json!("y");
    rig.server.put_json(value).unwrap();
    rig
}

#[tokio::test(start_paused = true)]
async fn what_was_decoded_goes_when_nobody_holds_it_any_more() {
    for sensitive in [false, true] {
        let rig = rig(sensitive).started().await;
        let object = rig.informer.lister().namespace("a").get("x").unwrap();
        let decoded = object.get().unwrap();
        assert!(Arc::ptr_eq(&decoded, &object.get().unwrap()), "it is shared while somebody holds it");
        let held = Arc::downgrade(&decoded);
        drop(decoded);
        assert_eq!(held.upgrade().is_none(), sensitive, "others are kept at hand for a while");
        rig.delete("a/x");
        rig.settle().await;
        drop(object);
        assert!(held.upgrade().is_none(), "but not longer than the object");
    }
}

#[tokio::test(start_paused = true)]
async fn a_decoded_secret_goes_when_nobody_holds_it_any_more() {
    let server = ScriptedSource::of::<Secret>();
    server
        .put_json(json!({ "metadata": { "namespace": "a", "name": "x" }, "data": { "key": "aHVudGVyMg==" } }))
        .unwrap();
    let informer = started(SharedInformer::<Secret>::builder(server).build().unwrap()).await;
    let decoded = Arc::downgrade(&informer.lister().list_decoded()[0]);
    assert!(decoded.upgrade().is_none());
}

#[tokio::test(start_paused = true)]
async fn labels_and_finalizers_are_of_one_object_alone() {
    for sensitive in [false, true] {
        let rig = rig(sensitive).started().await;
        let [x, y] = ["x", "y"].map(|name| rig.informer.lister().namespace("a").get(name).unwrap());
        let label = |object: &Object<ConfigMap>| object.labels().get("owner").unwrap().as_ptr();
        let finalizer = |object: &Object<ConfigMap>| object.finalizers().next().unwrap().as_ptr();
        assert_eq!(x.labels().get("owner"), Some(VALUE));
        assert_eq!((label(&x) != label(&y), finalizer(&x) != finalizer(&y)), (sensitive, sensitive));
    }
}

/// One thread runs all of it, so its buffers are those that were used.
#[tokio::test(start_paused = true)]
async fn buffers_are_overwritten_after_use() {
    for sensitive in [true, false] {
        let rig = rig(sensitive).started().await;
        rig.informer.add_index("text", |map| map.get().map(|map| map.data.clone()).ok().flatten());
        let object = rig.informer.lister().namespace("a").get("x").unwrap();
        object.get().unwrap();
        object.annotations().unwrap();
        assert!(String::from_utf8(object.raw_json()).unwrap().contains(VALUE), "those who ask for it get it");
        rig.settle().await;
        assert_eq!(buffers_hold(VALUE.as_bytes()), !sensitive);
    }
}

#[tokio::test(start_paused = true)]
async fn what_users_code_says_of_a_sensitive_object_is_not_told() {
    for sensitive in [false, true] {
        let rig = rig(sensitive);
        rig.add(handler().named("plain").on_add(|_| quoting_panic()));
        rig.add(async_handler(|_| async { quoting_panic() }).named("async"));
        rig.add(handler::<ConfigMap>().named("typed").typed().on_add(|_| quoting_panic()));
        rig.informer.add_full_state_handler(|_| quoting_panic()).unwrap();
        let panics = rig.informer.add_index("panics", |_| {
            quoting_panic();
            Some(1)
        });
        rig.informer.add_index("fails", |_| Err::<Option<u8>, _>(format!("cannot use {VALUE}")));
        let rig = rig.started().await;
        rig.settle().await;
        let x = rig.informer.lister().namespace("a").get("x").unwrap();
        let mut said = rig.failures();
        said.push(panics.sharing(&x).unwrap_err().to_string());
        said.push(format!("{:?}", rig.informer.status()));
        let quoting = said.iter().filter(|text| text.contains(VALUE)).count();
        assert_eq!(quoting, if sensitive { 0 } else { said.len() }, "{said:?}");
        assert!(said.len() >= 12, "each of them was heard of: {said:?}");
        rig.informer.shutdown(SOON).await;
    }
}

#[tokio::test(start_paused = true)]
async fn why_a_transform_refuses_a_sensitive_object_is_not_told() {
    for sensitive in [false, true] {
        let rig = Rig::with(&[], |builder| {
            let builder = builder.transform(|_| Err::<(), _>(format!("cannot use {VALUE}")));
            if sensitive { builder.sensitive() } else { builder }
        });
        rig.put("a/x", "");
        let rig = rig.started().await;
        let said = rig.failures();
        assert!(said[0].starts_with("configmaps a/x is left out: the transform refused it"), "{said:?}");
        assert_eq!(said[0].contains(VALUE), !sensitive, "{said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_when_it_is_asked_for_a_sensitive_object_is_not_told() {
    for sensitive in [false, true] {
        let rig = rig(sensitive).started().await;
        rig.server.stall_watches();
        let message = format!("cannot store {VALUE}");
        let failure = Status { code: 500, message, ..Status::default() };
        rig.server.inject(Fault::error(SourceError::answered(failure)).on_list().once());
        let written = rig.put("a/x", "1");
        rig.informer.wait_for_version(&ObjectKey::namespaced("a", "x"), &written, SOON).await.unwrap();
        let said = rig.failures();
        assert!(said[0].contains("asking for a/x, which is waited for"), "{said:?}");
        let shown = format!("{said:?} {:?}", rig.informer.status());
        assert_eq!(shown.contains(VALUE), !sensitive, "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_is_told_that_objects_are_sensitive() {
    for sensitive in [false, true] {
        let rig = rig(sensitive).started().await;
        let requests = rig.server.requests();
        assert!(!requests.is_empty());
        assert!(requests.iter().all(|request| request.is_sensitive() == sensitive), "{requests:?}");
    }
}
