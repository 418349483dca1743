//! Typed, dynamic and metadata faces of one kind.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::Client;
use kube_client::client::Body;
use kube_core::{ApiResource, DynamicObject, GroupVersionResource, PartialObjectMeta};
use serde::Deserialize;

use super::support::{Servers, rest, started};
use crate::informer::SharedInformer;
use crate::kind::{Kind, KindInfo, Namespaced};
use crate::source::HttpSource;

fn same<A: 'static, B: 'static>(one: &SharedInformer<A>, other: &SharedInformer<B>) -> bool {
    Arc::ptr_eq(one.engine(), other.engine())
}

fn maps() -> ApiResource {
    ApiResource::erase::<ConfigMap>(&())
}

#[derive(Debug, Deserialize)]
struct Slim {
    metadata: SlimMeta,
}

#[derive(Debug, Deserialize)]
struct SlimMeta {
    name: String,
}

impl Kind for Slim {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true)
    }
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)] // Nothing of the kind ever decodes.
struct Wrong {
    spec: String,
}

impl Kind for Wrong {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        ConfigMap::info(&())
    }
}

/// By the factory, or without one by the connections.
#[tokio::test(start_paused = true)]
async fn whether_two_informers_are_of_one_cluster_is_known() {
    let (ours, theirs) = (Servers::default().factory(), Servers::default().factory());
    let maps = ours.kind::<ConfigMap>().informer();
    assert!(maps.same_cluster(&maps) && maps.same_cluster(&ours.kind::<Pod>().informer()));
    assert!(!maps.same_cluster(&theirs.kind::<ConfigMap>().informer()));

    let service = tower::service_fn(|_: http::Request<Body>| async {
        Ok::<_, std::convert::Infallible>(http::Response::new(Body::empty()))
    });
    let client = Client::new(service, "default");
    let source = || HttpSource::of::<ConfigMap>(client.clone()).unwrap();
    let informer = |source| SharedInformer::<ConfigMap>::builder(source).build().unwrap();
    let shared = source();
    let (one, other) = (informer(shared.clone()), informer(shared));
    assert!(one.same_cluster(&other) && !one.same_cluster(&informer(source())) && !one.same_cluster(&maps));
}

/// Asks in an order for all faces of ConfigMaps, starts, and checks that there is one watch and one copy.
async fn one_watch_and_one_copy(order: [&str; 4]) {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let factory = servers.factory();
    let mut asked: Vec<SharedInformer<DynamicObject>> = Vec::new();
    for face in order {
        asked.push(match face {
            "typed" => factory.kind::<ConfigMap>().informer().as_kind(),
            "slim" => factory.kind::<Slim>().informer().as_kind(),
            "dynamic" => factory.kind_of(maps()).informer(),
            _ => factory.kind::<ConfigMap>().metadata().informer().as_kind(),
        });
    }
    assert!(asked.windows(2).all(|pair| same(&pair[0], &pair[1])), "{order:?}");
    started(&factory).await;
    assert_eq!(server.requests().len(), 1, "{order:?}");
    assert_eq!(server.open_watches(), 1, "{order:?}");
    assert!(!server.requests()[0].metadata_only, "{order:?}");
    let key = "a/x".parse().unwrap();
    let typed = factory.kind::<ConfigMap>().informer().lister().by_key(&key).unwrap();
    let dynamic = factory.kind_of(maps()).informer().lister().by_key(&key).unwrap();
    let metadata = factory.kind::<ConfigMap>().metadata().informer().lister().by_key(&key).unwrap();
    assert!(Arc::ptr_eq(typed.record(), dynamic.record()) && Arc::ptr_eq(typed.record(), metadata.record()));
    assert_eq!(metadata.get().unwrap().metadata.name.as_deref(), Some("x"));
    assert_eq!(factory.kind::<Slim>().informer().lister().list_decoded()[0].metadata.name, "x");
    assert_eq!(factory.status().iter().map(|status| status.versions_alive).sum::<usize>(), 1, "{order:?}");
    assert_eq!(factory.status()[0].failures, 0, "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn d12_all_faces_of_a_kind_are_one_watch_and_one_copy_if_whole_objects_come_first() {
    one_watch_and_one_copy(["typed", "slim", "dynamic", "metadata"]).await;
    one_watch_and_one_copy(["dynamic", "metadata", "typed", "slim"]).await;
}

#[tokio::test(start_paused = true)]
async fn d12_metadata_alone_is_all_that_the_server_sends() {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let factory = servers.factory();
    let metadata = factory.kind::<ConfigMap>().metadata().informer();
    assert!(same(&metadata, &factory.kind::<PartialObjectMeta<ConfigMap>>().informer()));
    assert!(same(&metadata, &factory.kind_of(maps()).metadata().informer()));
    started(&factory).await;
    assert!(server.requests().iter().all(|request| request.metadata_only));
    assert_eq!(
        metadata.lister().namespace("a").get("x").unwrap().get().unwrap().metadata.name.as_deref(),
        Some("x")
    );

    let whole = factory.kind::<ConfigMap>().informer();
    assert!(!same(&metadata, &whole), "what runs stays what it is");
    whole.wait_synced(super::support::SOON).await.unwrap();
    assert_eq!([metadata.name(), whole.name()], ["configmaps", "configmaps-2"]);
    assert!(same(&metadata, &factory.kind::<ConfigMap>().metadata().informer()));
    rest().await;
    assert_eq!(server.open_watches(), 2);
}

#[tokio::test(start_paused = true)]
async fn d12_what_the_builder_was_told_of_a_kind_holds_for_its_faces() {
    let servers = Servers::default();
    let server = servers.of::<ConfigMap>();
    let factory = servers
        .builder()
        .kind::<ConfigMap>(|maps| maps.labels("app=web").transform(|_| Ok::<_, String>(())).decoded())
        .build()
        .unwrap();
    let metadata = factory.kind::<ConfigMap>().metadata().informer();
    let whole = factory.kind_of(maps()).informer();
    assert!(
        !same(&metadata, &whole),
        "a transform may change metadata, and there is none for metadata alone"
    );
    assert!(same(&whole, &factory.kind::<ConfigMap>().informer()));
    started(&factory).await;
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.label_selector.as_deref() == Some("app=web")));
    assert_eq!(requests.iter().filter(|request| request.metadata_only).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn d12_a_transform_for_all_kinds_does_not_keep_faces_apart() {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let label = |object: &mut DynamicObject| {
        object.metadata.labels = Some([("by".to_owned(), "factory".to_owned())].into());
        Ok::<_, String>(())
    };
    let factory = servers.builder().transform(label).build().unwrap();
    let whole = factory.kind::<ConfigMap>().informer();
    let metadata = factory.kind::<ConfigMap>().metadata().informer();
    assert!(same(&whole, &metadata));
    started(&factory).await;
    assert_eq!(server.requests().len(), 1);
    assert_eq!(metadata.lister().list()[0].labels().get("by"), Some("factory"));
}

#[tokio::test(start_paused = true)]
async fn d12_metadata_with_settings_of_its_own_is_not_shared() {
    let servers = Servers::default();
    let factory = servers
        .builder()
        .kind::<PartialObjectMeta<ConfigMap>>(|metadata| metadata.labels("app=web"))
        .build()
        .unwrap();
    let whole = factory.kind::<ConfigMap>().informer();
    let metadata = factory.kind::<ConfigMap>().metadata().informer();
    assert!(!same(&whole, &metadata));
    started(&factory).await;
    let asked = servers.of::<ConfigMap>().requests();
    let of_metadata = asked.iter().find(|request| request.metadata_only).unwrap();
    assert_eq!(of_metadata.label_selector.as_deref(), Some("app=web"));
}

#[tokio::test]
async fn d12_metadata_that_has_a_name_stays_metadata() {
    let factory = Servers::default().factory();
    let ask = || factory.kind::<PartialObjectMeta<ConfigMap>>().named("heads", |heads| heads);
    let metadata = factory.kind::<ConfigMap>().metadata().informer();
    assert!(same(&metadata, &ask().unwrap().informer()));
    assert!(!same(&metadata, &factory.kind::<ConfigMap>().informer()));
    assert!(same(&metadata, &ask().unwrap().informer()));
}

#[tokio::test(start_paused = true)]
async fn d1_the_type_is_checked_also_if_the_dynamic_face_was_asked_for_first() {
    let servers = Servers::default();
    servers.with::<ConfigMap>(&["a/x", "a/y"]);
    let factory = servers.factory();
    factory.kind_of(maps()).informer();
    let wrong = factory.kind::<Wrong>().informer();
    started(&factory).await;
    assert!(wrong.status().wrong_type.unwrap().contains("missing field `spec`"));
}

#[tokio::test(start_paused = true)]
async fn b_432_a_resource_is_enough_to_be_informed() {
    let servers = Servers::default();
    let kind = KindInfo::new("example.com", "v1", "Widget", "widgets").namespaced(true);
    let server = servers.of_kind(&kind);
    server.create(&serde_json::json!({ "metadata": { "name": "a" }, "spec": { "size": 3 } })).unwrap();
    let factory = servers.factory();
    let widgets = factory.kind_of(GroupVersionResource::gvr("example.com", "v1", "widgets")).informer();
    assert!(same(&widgets, &factory.kind_of(&kind).informer()));
    assert!(!same(
        &widgets,
        &factory.kind_of(GroupVersionResource::gvr("example.com", "v2", "widgets")).informer()
    ));
    started(&factory).await;
    let widget = widgets.lister().namespace("default").get("a").unwrap();
    assert_eq!(widget.get().unwrap().data["spec"]["size"], 3);
}

#[tokio::test(start_paused = true)]
async fn d12_pods_and_their_slim_form_in_one_factory() {
    let servers = Servers::default();
    servers.with::<Pod>(&["a/x"]);
    let factory = servers.factory();
    let slim = factory
        .kind::<Pod>()
        .named("slim-pods", |pods| pods.drop_field("spec").drop_field("status"))
        .unwrap()
        .informer();
    let whole = factory.kind::<Pod>().informer();
    assert!(!same(&slim, &whole));
    started(&factory).await;
    assert_eq!(servers.of::<Pod>().requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn d12_whole_objects_after_metadata_are_a_second_informer_and_the_status_says_so() {
    for before_the_start in [true, false] {
        let servers = Servers::default();
        servers.with::<ConfigMap>(&["a/x"]);
        let factory = servers.factory();
        let metadata = factory.kind::<ConfigMap>().metadata().informer();
        if !before_the_start {
            started(&factory).await;
            assert!(factory.status().iter().all(|status| status.also_held_by.is_none()));
        }
        let whole = factory.kind::<ConfigMap>().informer();
        assert!(!same(&metadata, &whole), "before the start: {before_the_start}");
        assert!(same(&metadata, &factory.kind::<ConfigMap>().metadata().informer()));
        if before_the_start {
            started(&factory).await;
        }
        rest().await;
        assert_eq!((metadata.lister().len(), whole.lister().len()), (1, 1));
        let asked = servers.of::<ConfigMap>().requests();
        assert_eq!(asked.iter().filter(|request| request.metadata_only).count() * 2, asked.len());
        let twins: Vec<_> =
            factory.status().into_iter().map(|status| (status.name, status.also_held_by)).collect();
        let [(first, twin_of_first), (second, twin_of_second)] = &twins[..] else { panic!("{twins:?}") };
        assert_eq!((twin_of_first.as_ref(), twin_of_second.as_ref()), (Some(second), Some(first)));
    }
}

#[tokio::test(start_paused = true)]
async fn d12_a_named_variant_has_all_that_a_kind_has() {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let factory = servers.factory();
    let web = factory.kind::<ConfigMap>().named("web", |maps| maps.fields("metadata.name=x")).unwrap();
    let (informer, metadata) = (web.informer(), web.metadata().informer());
    assert!(same(&informer, &metadata), "one copy is enough");
    let _events = web.stream().unwrap();
    started(&factory).await;
    assert_eq!((web.lister().len(), server.open_watches()), (1, 1));
    drop(web.lease());
    rest().await;
    assert!(!informer.is_stopped(), "it is held in another way too");
    // As long as somebody holds it, the name stands for these settings; then it is free again.
    let other = || factory.kind::<ConfigMap>().named("web", |maps| maps.fields("metadata.name=y"));
    assert!(other().unwrap_err().is_name_taken());
    assert!(factory.stop(&informer).await);
    assert!(other().unwrap_err().is_name_taken());
    drop(web);
    assert!(other().is_ok());
}
