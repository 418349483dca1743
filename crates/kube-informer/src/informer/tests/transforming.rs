//! Changing objects before they are stored.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::support::{Rig, SOON, quiet_panic, rest};
use crate::options::Options;
use crate::report::Cause;
use crate::source::StreamingList;

/// Keys and versions in the order in which a transform saw them.
type Seen = Arc<Mutex<Vec<String>>>;

fn stamp(seen: &Seen) -> impl Fn(&mut ConfigMap) -> Result<(), String> + Send + Sync + 'static + use<> {
    let seen = seen.clone();
    move |map| {
        let metadata = &map.metadata;
        let name = metadata.name.clone().unwrap_or_default();
        seen.lock().push(format!("{name}@{}", metadata.resource_version.clone().unwrap_or_default()));
        map.data.get_or_insert_default().insert("text".into(), format!("{name} stamped"));
        Ok(())
    }
}

/// Refuses objects whose text is "bad".
fn picky(map: &mut ConfigMap) -> Result<(), &'static str> {
    let bad = map.data.as_ref().and_then(|data| data.get("text")).is_some_and(|text| text == "bad");
    if bad { Err("bad text") } else { Ok(()) }
}

#[tokio::test(start_paused = true)]
async fn b_285_a_transform_cannot_hide_an_update_by_clearing_the_version() {
    let clear = |map: &mut ConfigMap| {
        map.metadata = Default::default();
        Ok::<_, String>(())
    };
    let rig = Rig::with(&["a/x"], |builder| builder.transform(clear)).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.put("a/x", "1");
    rig.settle().await;
    listener.check();
    assert_eq!(listener.log(), ["add a/x@2 initial", "update a/x@2 3"]);
}

#[tokio::test(start_paused = true)]
async fn b_296_handlers_and_cache_have_what_the_transform_made() {
    let seen = Seen::default();
    let rig = Rig::with(&["a/x"], |builder| builder.transform(stamp(&seen))).started().await;
    assert_eq!(rig.cached(), [("a/x".into(), "2".into(), "x stamped".into())]);
}

#[tokio::test(start_paused = true)]
async fn b_296_a_resync_transforms_nothing() {
    let seen = Seen::default();
    let period = std::time::Duration::from_secs(1);
    let rig = Rig::with(&["a/x"], |builder| builder.transform(stamp(&seen)).resync(period)).started().await;
    let (listener, _) = rig.listen();
    tokio::time::sleep(10 * period).await;
    assert!(listener.calls() > 5);
    assert_eq!(*seen.lock(), ["x@2"]);
}

#[tokio::test(start_paused = true)]
async fn b_155_b_297_a_version_is_transformed_once_by_list_or_stream() {
    for streaming in [StreamingList::Always, StreamingList::Never] {
        let seen = Seen::default();
        let settings = Options::default().tuning(|tuning| tuning.streaming_list(streaming));
        let set = |builder: crate::InformerBuilder<_>| builder.options(|_| settings).transform(stamp(&seen));
        let rig = Rig::with(&["a/x", "a/y"], set).started().await;
        let (listener, _) = rig.listen_with(|handler| handler.resync(std::time::Duration::from_secs(10)));
        rig.put("a/x", "1");
        rig.settle().await;
        // A relist because of lost history finds what it knows; one that was asked for trusts nothing it knows.
        rig.server.compact();
        rig.server.advance(1);
        rig.server.compact();
        rig.server.cut_watches();
        tokio::time::sleep(std::time::Duration::from_secs(60)).await;
        assert!(listener.log().contains(&"update a/y@3 3 resync".to_owned()), "{:?}", listener.log());
        assert_eq!(*seen.lock(), ["x@2", "y@3", "x@4"], "{streaming:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn b_120_b_163_b_298_what_a_transform_refuses_is_left_out_and_reported() {
    let rig = Rig::with(&[], |builder| builder.transform(picky));
    rig.put("a/x", "bad");
    rig.put("a/y", "good");
    let (listener, registration) = rig.listen();
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(listener.log(), ["add a/y@3 initial"], "the rest of the list is there");
    assert_eq!(rig.failures(), ["configmaps a/x is left out: the transform refused it: bad text"]);
    assert!(
        matches!(&rig.failures.lock()[0].cause, Cause::LeftOut { key: Some(key), .. } if key.name() == "x")
    );
}

#[tokio::test(start_paused = true)]
async fn b_298_what_was_cached_before_it_was_refused_is_deleted() {
    let rig = Rig::with(&["a/x"], |builder| builder.transform(picky)).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.put("a/x", "bad");
    rig.settle().await;
    rig.put("a/x", "good");
    rig.settle().await;
    listener.check();
    assert_eq!(listener.log(), ["add a/x@2 initial", "delete a/x@2 guessed", "add a/x@4"]);
    assert_eq!(rig.failures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn b_298_the_delete_of_what_a_transform_refuses_is_a_delete() {
    let rig = Rig::with(&["a/x"], |builder| {
        builder.transform(|map: &mut ConfigMap| {
            let last = map.metadata.resource_version.as_deref() == Some("3");
            if last { Err("not the last state") } else { Ok(()) }
        })
    })
    .started()
    .await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(listener.log(), ["add a/x@2 initial", "delete a/x@2 guessed"]);
}

#[tokio::test(start_paused = true)]
async fn b_298_a_transform_that_panics_is_one_that_refuses() {
    let rig = Rig::with(&["a/x"], |builder| {
        builder.transform(|_: &mut ConfigMap| {
            quiet_panic("oops");
            Ok::<_, String>(())
        })
    })
    .started()
    .await;
    rest().await;
    assert_eq!(rig.failures(), ["configmaps a/x is left out: the transform panicked: oops"]);
    assert!(rig.informer.lister().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_object_from_json_is_made_like_those_of_the_cache() {
    let rig = Rig::with(&[], |builder| builder.drop_field("metadata.annotations").transform(picky));
    let json = |text: &str| {
        let metadata =
            r#""metadata":{"namespace":"a","name":"x","annotations":{"a":"b"},"managedFields":[{}]}"#;
        format!("{{{metadata},\"data\":{{\"text\":\"{text}\"}}}}").into_bytes()
    };
    let made = rig.informer.object_from_json(&json("good")).unwrap();
    let metadata = &made.get().unwrap().metadata;
    assert_eq!((made.key().to_string().as_str(), &metadata.annotations), ("a/x", &None));
    assert_eq!(metadata.managed_fields, None);
    let refused = rig.informer.object_from_json(&json("bad")).unwrap_err();
    assert!(refused.to_string().contains("bad text"), "{refused}");
    assert!(rig.informer.object_from_json(b"[]").is_err());
    assert_eq!(rig.informer.lister().len(), 0, "the cache has not changed");
}

/// The server selects by the labels that it has, and knows of no transform.
#[tokio::test(start_paused = true)]
async fn an_object_as_sent_has_what_is_dropped_changed_or_refused() {
    let rig =
        Rig::with(&[], |builder| builder.labels("app=web").drop_field("metadata.labels").transform(picky));
    for text in ["good", "bad"] {
        let metadata =
            r#""metadata":{"namespace":"a","name":"x","labels":{"app":"web"},"managedFields":[{}]}"#;
        let json = format!("{{{metadata},\"data\":{{\"text\":\"{text}\"}}}}").into_bytes();
        let sent = rig.informer.object_as_sent(&json).unwrap();
        assert_eq!((sent.labels().get("app"), rig.informer.selects(&sent)), (Some("web"), Some(true)));
        let decoded = sent.get().unwrap();
        assert_eq!(decoded.metadata.managed_fields, None);
        assert_eq!(decoded.data.as_ref().unwrap()["text"], text);
        let made = rig.informer.object_from_json(&json).ok();
        assert_eq!(made.and_then(|made| rig.informer.selects(&made)), (text == "good").then_some(false));
    }
    assert!(rig.informer.object_as_sent(b"[]").is_err());
}

#[tokio::test(start_paused = true)]
async fn an_object_from_json_does_not_count_for_the_type_check() {
    let server = crate::source::ScriptedSource::of::<ConfigMap>();
    let informer = crate::SharedInformer::<Wrong>::builder(server).build().unwrap();
    for number in 0..40 {
        let json = format!(r#"{{"metadata":{{"namespace":"a","name":"x-{number}"}}}}"#);
        let made = informer.object_from_json(json.as_bytes()).unwrap();
        assert!(made.get().is_err());
    }
    let status = informer.status();
    assert_eq!((status.wrong_type, status.failures), (None, 0));
}

#[derive(Debug, serde::Deserialize)]
#[allow(dead_code)] // Nothing of the kind ever decodes.
struct Wrong {
    spec: String,
}

impl crate::kind::Kind for Wrong {
    type Scope = crate::kind::Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> crate::kind::KindInfo {
        ConfigMap::info(&())
    }
}
