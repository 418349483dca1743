//! Kinds of every sort through the whole pipeline, and what the builder can do to their objects.

use std::sync::Arc;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube_core::metadata::PartialObjectMeta;
use kube_core::{ApiResource, DynamicObject, GroupVersionKind};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::json;

use super::support::{Rig, SOON, map, rest, started};
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::{Kind, KindInfo, Namespaced};
use crate::object::{DecodeCache, Object};
use crate::options::Options;
use crate::report::{Cause, Failure};
use crate::source::StreamingList;
use crate::source::{ByteStream, ListWatch, Request, ScriptedSource, SourceError};

/// The one field of a ConfigMap that somebody wants.
#[derive(Debug, Deserialize)]
struct Slim {
    data: SlimData,
}

#[derive(Debug, Deserialize)]
struct SlimData {
    text: String,
}

impl Kind for Slim {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        ConfigMap::info(&())
    }
}

/// A struct that no ConfigMap decodes into.
#[derive(Debug, Deserialize)]
struct Wrong {
    #[serde(rename = "spec")]
    _spec: String,
}

impl Kind for Wrong {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        ConfigMap::info(&())
    }
}

fn server_of(keys: &[&str]) -> ScriptedSource {
    let server = ScriptedSource::of::<ConfigMap>();
    for key in keys {
        server.create(&map(key, "hello")).unwrap();
    }
    server
}

#[tokio::test(start_paused = true)]
async fn d1_a_typed_kind_decodes_on_request_only() {
    let builder = SharedInformer::<ConfigMap>::builder(server_of(&["a/x"]));
    let builder = builder.options(|options| options.decode_cache(DecodeCache::new(1 << 20)));
    let informer = started(builder.build().unwrap()).await;
    let object = informer.lister().namespace("a").get("x").unwrap();
    assert_eq!(informer.status().decode_misses, 0);
    assert_eq!(object.get().unwrap().data.as_ref().unwrap()["text"], "hello");
    assert_eq!(object.get().unwrap().data.as_ref().unwrap()["text"], "hello");
    let status = informer.status();
    assert_eq!((status.decode_misses, status.decode_hits), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn d1_how_much_stays_decoded_can_be_set() {
    let hits_and_misses = |set: fn(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>| async move {
        let builder = SharedInformer::<ConfigMap>::builder(server_of(&["a/x"]));
        let informer = started(set(builder).build().unwrap()).await;
        let object = informer.lister().namespace("a").get("x").unwrap();
        for _ in 0..3 {
            assert_eq!(object.get().unwrap().data.as_ref().unwrap()["text"], "hello");
        }
        let status = informer.status();
        (status.decode_hits, status.decode_misses)
    };
    assert_eq!(
        hits_and_misses(|builder| builder.options(|options| options.decode_cache(DecodeCache::new(1 << 20))))
            .await,
        (2, 1),
        "the first is at hand after that"
    );
    assert_eq!(
        hits_and_misses(|builder| builder.options(|options| options.decode_cache(DecodeCache::new(0)))).await,
        (0, 3),
        "nobody holds it"
    );
    assert_eq!(hits_and_misses(InformerBuilder::decoded).await, (3, 0), "before anybody asks");
}

#[tokio::test(start_paused = true)]
async fn d1_decoded_objects_are_there_for_as_long_as_they_are_cached() {
    let server = server_of(&["a/x"]);
    let builder = SharedInformer::<ConfigMap>::builder(server.clone())
        .options(|options| options.decoded().decode_cache(DecodeCache::new(0)));
    let informer = started(builder.build().unwrap()).await;
    let lister = informer.lister().namespace("a");
    let decoded = lister.get("x").unwrap().get().unwrap();
    assert!(Arc::ptr_eq(&decoded, &lister.list_decoded()[0]), "one for all readers");
    server.update(&map("a/x", "changed")).unwrap();
    rest().await;
    assert_eq!(lister.get("x").unwrap().get().unwrap().data.as_ref().unwrap()["text"], "changed");
    assert_eq!(informer.status().decode_misses, 0);
    assert_eq!(Arc::strong_count(&decoded), 1, "the version that is gone took its own along");
}

#[tokio::test(start_paused = true)]
async fn d1_a_kind_can_be_made_sensitive() {
    let set: [fn(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>; 2] =
        [|builder| builder, InformerBuilder::sensitive];
    for (sensitive, set) in [false, true].into_iter().zip(set) {
        let failures = Arc::new(Mutex::new(Vec::new()));
        let heard = failures.clone();
        let keys: Vec<_> = (0..200).map(|number| format!("a/map-{number}")).collect();
        let server = server_of(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        let metadata = json!({ "namespace": "a", "name": "x" });
        server.put_json(json!({ "metadata": metadata, "data": "hunter2" })).unwrap();
        let builder = SharedInformer::<ConfigMap>::builder(server)
            .on_error(move |failure: &Failure| heard.lock().push(failure.to_string()));
        let informer = started(set(builder).build().unwrap()).await;
        assert_eq!(informer.status().sensitive, sensitive);
        assert_eq!(informer.lister().list_decoded().len(), 200);
        assert_eq!(
            informer.engine().ingest.dictionary_size() == 0,
            sensitive,
            "a dictionary holds plaintext"
        );
        let object = informer.lister().namespace("a").get("x").unwrap();
        let said = format!("{:?} {} {:?}", failures.lock(), object.get().unwrap_err(), object);
        assert!(!failures.lock().is_empty() && said.contains("does not decode"), "{said}");
        assert_eq!(said.contains("hunter2"), !sensitive, "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn p_002_dynamic_objects_have_kind_and_api_version_where_list_items_lack_them() {
    let resource = ApiResource::erase::<ConfigMap>(&());
    let settings = Options::default().tuning(|tuning| tuning.streaming_list(StreamingList::Never));
    let server = server_of(&["a/x"]);
    let builder =
        SharedInformer::<DynamicObject>::builder_with(server.clone(), &resource).options(|_| settings);
    let informer = started(builder.build().unwrap()).await;
    server.create(&map("a/later", "hello")).unwrap();
    rest().await;
    for name in ["x", "later"] {
        let object = informer.lister().namespace("a").get(name).unwrap().get().unwrap();
        let types = object.types.as_ref().unwrap();
        assert_eq!((types.kind.as_str(), types.api_version.as_str()), ("ConfigMap", "v1"));
        assert_eq!(object.data["data"]["text"], "hello");
    }
}

#[tokio::test(start_paused = true)]
async fn b_002_d1_custom_resources_of_either_scope_are_found_through_the_dynamic_face() {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Widget"));
    let server = ScriptedSource::new(DynamicObject::info(&resource));
    server.put_json(json!({ "metadata": { "name": "of-cluster" } })).unwrap();
    server
        .put_json(json!({ "metadata": { "name": "in", "namespace": "a" }, "spec": { "size": 3 } }))
        .unwrap();
    let builder = SharedInformer::<DynamicObject>::builder_with(server, &resource);
    let lister = started(builder.build().unwrap()).await.lister();
    assert_eq!(lister.get("of-cluster").unwrap().to_string(), "Widget of-cluster");
    assert_eq!(lister.namespace("a").get("in").unwrap().get().unwrap().data["spec"]["size"], 3);
    assert_eq!(lister.get("none").unwrap_err().to_string(), r#"widgets.example.com "none" not found"#);
}

#[tokio::test(start_paused = true)]
async fn p_072_a_metadata_informer_asks_for_metadata_only() {
    type Meta = PartialObjectMeta<ConfigMap>;
    let server = server_of(&["a/x"]);
    let informer = started(SharedInformer::<Meta>::builder(server.clone()).build().unwrap()).await;
    server.create(&map("a/later", "hello")).unwrap();
    rest().await;
    assert!(server.requests().iter().all(|request| request.metadata_only));
    for name in ["x", "later"] {
        let object = informer.lister().namespace("a").get(name).unwrap();
        assert_eq!(object.get().unwrap().metadata.name.as_deref(), Some(name));
        assert!(!String::from_utf8(object.raw_json()).unwrap().contains("hello"));
    }
    assert_eq!((informer.status().failures, informer.status().wrong_type), (0, None));
}

/// A server that sends whole objects whatever it is asked for.
struct SendsAll(ScriptedSource);

impl ListWatch for SendsAll {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        self.0.open(Request { metadata_only: false, ..request })
    }
}

#[tokio::test(start_paused = true)]
async fn a_metadata_informer_takes_the_metadata_of_whole_objects() {
    type Meta = PartialObjectMeta<ConfigMap>;
    for streaming in [StreamingList::Auto, StreamingList::Never] {
        let server = server_of(&["a/x", "a/y"]);
        let builder = SharedInformer::<Meta>::builder(SendsAll(server.clone()));
        let informer = builder
            .options(|options| options.tuning(|tuning| tuning.streaming_list(streaming)))
            .build()
            .unwrap();
        let informer = started(informer).await;
        for text in ["one", "two"] {
            server.put_json(serde_json::to_value(map("a/x", text)).unwrap()).unwrap();
            rest().await;
        }
        let lister = informer.lister();
        assert_eq!(lister.namespace("a").list().len(), 2, "{:?}", informer.status().last_failure);
        let object = lister.namespace("a").get("x").unwrap();
        assert_eq!(object.resource_version().to_string(), server.version().to_string());
        assert!(!String::from_utf8(object.raw_json()).unwrap().contains("two"));
        assert_eq!((informer.status().failures, informer.status().wrong_type), (0, None));
    }
}

#[tokio::test(start_paused = true)]
async fn d1_a_slim_struct_of_ones_own_is_a_kind() {
    let informer = started(SharedInformer::<Slim>::builder(server_of(&["a/x"])).build().unwrap()).await;
    let object = informer.lister().namespace("a").get("x").unwrap();
    assert_eq!(object.get().unwrap().data.text, "hello");
    assert_eq!(informer.status().wrong_type, None);
}

#[tokio::test(start_paused = true)]
async fn d1_all_faces_of_a_kind_share_one_store_and_one_watch() {
    let server = server_of(&["a/x"]);
    let informer = started(SharedInformer::<ConfigMap>::builder(server.clone()).build().unwrap()).await;
    let key = "a/x".parse().unwrap();
    let typed = informer.lister().by_key(&key).unwrap();
    let slim = informer.as_kind::<Slim>().lister().by_key(&key).unwrap();
    let dynamic = informer.as_kind::<DynamicObject>().lister().by_key(&key).unwrap();
    assert!(Arc::ptr_eq(typed.record(), slim.record()) && Arc::ptr_eq(typed.record(), dynamic.record()));
    assert_eq!(slim.get().unwrap().data.text, "hello");
    assert_eq!(dynamic.get().unwrap().data["data"]["text"], "hello");
    assert!(typed.same_version(&slim));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn d1_d16_a_wrong_type_is_said_by_the_first_list_also_of_a_namespace_that_is_added() {
    let failures = Arc::new(Mutex::new(Vec::<Failure>::new()));
    let heard = failures.clone();
    let builder = SharedInformer::<Wrong>::builder(server_of(&["a/x", "a/y"]))
        .namespaces(Vec::<String>::new())
        .on_error(move |failure| heard.lock().push(failure.clone()));
    let informer = started(builder.build().unwrap()).await;
    informer.add_namespace("a").unwrap();
    informer.wait_namespace_synced("a", SOON).await.unwrap();
    rest().await;
    assert!(informer.status().wrong_type.unwrap().contains("missing field `spec`"));
    let failures = failures.lock().clone();
    assert!(matches!(failures[..], [Failure { cause: Cause::WrongType { .. }, .. }]), "{failures:?}");
}

#[tokio::test(start_paused = true)]
async fn d1_a_wrong_type_is_said_once_in_status_and_to_the_callback() {
    let failures = Arc::new(Mutex::new(Vec::<Failure>::new()));
    let heard = failures.clone();
    let builder = SharedInformer::<Wrong>::builder(server_of(&["a/x", "a/y"]))
        .on_error(move |failure| heard.lock().push(failure.clone()));
    let informer = started(builder.build().unwrap()).await;
    rest().await;
    let status = informer.status();
    assert!(status.wrong_type.unwrap().contains("missing field `spec`"));
    let failures = failures.lock().clone();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(matches!(failures[0].cause, Cause::WrongType { .. }));
    let text = failures[0].to_string();
    assert!(
        text.starts_with("no object of configmaps decodes into the informer's type, check the type: a/"),
        "{text}"
    );
    assert_eq!(informer.lister().len(), 2, "the cache is there for other types");
    assert_eq!(informer.as_kind::<Slim>().lister().list_decoded().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn d1_nothing_of_ours_prints_what_is_in_a_secret() {
    const VALUE: &str = "aHVudGVyMg";
    let server = ScriptedSource::of::<Secret>();
    let bad = json!({ "metadata": { "namespace": "a", "name": "bad" }, "data": { "password": [VALUE] }, "type": 7 });
    let good = json!({ "metadata": { "namespace": "a", "name": "good" }, "data": { "password": VALUE } });
    server.put_json(good).unwrap();
    server.put_json(bad).unwrap();
    let printed = Arc::new(Mutex::new(Vec::<String>::new()));
    let heard = printed.clone();
    let builder = SharedInformer::<Secret>::builder(server.clone())
        .on_error(move |failure| heard.lock().push(format!("{failure} {failure:?}")));
    let informer = started(builder.build().unwrap()).await;
    server.send_raw(format!("{{\"type\":\"ADDED\",\"object\":{{\"data\":\"{VALUE}\" oops}}}}\n"));
    let odd = json!({ "metadata": { "namespace": "a", "name": "odd", "labels": VALUE } });
    server.put_json(odd).unwrap();
    informer.lister().list_decoded();
    rest().await;

    let mut printed = std::mem::take(&mut *printed.lock());
    assert!(printed.len() >= 3, "{printed:?}");
    for object in informer.lister().list() {
        printed.push(format!("{object} {object:?} {:?}", object.labels()));
        printed.extend(object.get().err().map(|error| format!("{error} {error:?}")));
        printed.extend(object.view::<Vec<u8>>().err().map(|error| format!("{error} {error:?}")));
        printed.extend(object.as_kind::<Wrong>().get().err().map(|error| format!("{error} {error:?}")));
    }
    printed.push(format!("{informer:?} {:?} {:?} {server:?}", informer.status(), informer.lister()));
    for text in &printed {
        assert!(!text.contains(VALUE) && !text.contains("hunter2"), "{text}");
    }
    let good = informer.lister().namespace("a").get("good").unwrap();
    assert!(String::from_utf8(good.raw_json()).unwrap().contains(VALUE), "those who ask for it get it");
}

/// The JSON of one object that went through a builder.
async fn stored(
    set: impl FnOnce(InformerBuilder<ConfigMap>) -> InformerBuilder<ConfigMap>,
) -> (Object<ConfigMap>, serde_json::Value) {
    let server = ScriptedSource::of::<ConfigMap>();
    let object = json!({
        "metadata": { "namespace": "a", "name": "x", "labels": { "app": "web" },
            "annotations": { "example.com/large": "large", "small": "s" },
            "managedFields": [{ "manager": "kubectl" }] },
        "data": { "text": "hello", "more": "more" },
    });
    server.put_json(object).unwrap();
    let informer = started(set(SharedInformer::<ConfigMap>::builder(server)).build().unwrap()).await;
    let object = informer.lister().namespace("a").get("x").unwrap();
    let json = serde_json::from_slice(&object.raw_json()).unwrap();
    (object, json)
}

#[tokio::test(start_paused = true)]
async fn d1_managed_fields_are_cut_out_unless_kept() {
    assert!(stored(|builder| builder).await.1["metadata"]["managedFields"].is_null());
    let kept = stored(InformerBuilder::keep_managed_fields).await.1;
    assert_eq!(kept["metadata"]["managedFields"][0]["manager"], "kubectl");
}

#[tokio::test(start_paused = true)]
async fn b_296_fields_are_dropped_before_the_object_is_stored() {
    let (object, json) = stored(|builder| {
        builder.drop_field(r#"metadata.annotations["example.com/large"]"#).drop_field("data.more")
    })
    .await;
    assert_eq!(json["data"], json!({ "text": "hello" }));
    assert_eq!(object.annotations().unwrap().keys().collect::<Vec<_>>(), ["small"]);
}

#[tokio::test(start_paused = true)]
async fn b_285_b_296_a_transform_changes_what_is_stored_but_not_which_object_it_is() {
    let (object, json) = stored(|builder| {
        builder.transform(|map: &mut ConfigMap| {
            map.data = None;
            map.metadata.labels = Some([("app".to_owned(), "slim".to_owned())].into());
            map.metadata.name = Some("other".into());
            map.metadata.resource_version = None;
            Ok::<_, String>(())
        })
    })
    .await;
    assert!(json["data"].is_null());
    assert_eq!(object.labels().get("app"), Some("slim"));
    assert_eq!((object.key().to_string(), object.resource_version().to_string()), ("a/x".into(), "2".into()));
}

#[tokio::test(start_paused = true)]
async fn b_120_b_163_b_298_what_a_transform_refuses_is_left_out_and_reported() {
    let rig = Rig::with(&["a/bad", "a/good"], |builder| {
        builder.transform(|map: &mut ConfigMap| match map.metadata.name.as_deref() {
            Some("bad") => Err("I do not like it"),
            _ => Ok(()),
        })
    })
    .started()
    .await;
    assert_eq!(rig.informer.lister().len(), 1);
    let failures = super::support::texts(&rig.failures.lock());
    assert_eq!(failures, ["configmaps a/bad is left out: the transform refused it: I do not like it"]);
}

#[test]
fn d1_settings_that_make_no_sense_are_refused_with_their_reason() {
    let maps = || SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>());
    let nodes = SharedInformer::<Node>::builder(ScriptedSource::of::<Node>());
    let texts = [
        nodes.namespace("a").build().unwrap_err().to_string(),
        maps().namespace("").build().unwrap_err().to_string(),
        maps()
            .options(|options| options.tuning(|tuning| tuning.page_size(0)))
            .build()
            .unwrap_err()
            .to_string(),
        maps().drop_field("spec..x").build().unwrap_err().to_string(),
    ];
    assert_eq!(texts[0], "informer of nodes: a kind of the whole cluster cannot be limited to a namespace");
    assert_eq!(texts[1], "informer of configmaps: a namespace is empty; leave it out to look at all of them");
    assert_eq!(texts[2], "informer of configmaps: page_size must not be zero");
    assert!(texts[3].starts_with("informer of configmaps: ") && texts[3].contains("spec..x"), "{}", texts[3]);
}
