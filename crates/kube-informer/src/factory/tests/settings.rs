//! What is set for all kinds, and for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer_core::scope::Scope;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube_core::{ApiResource, DynamicObject, GroupVersionResource};
use parking_lot::Mutex;
use serde_json::json;

use super::support::{SOON, Servers, rest, started};
use crate::factory::SharedInformerFactory;
use crate::handler::{Event, handler};
use crate::informer::InformerBuilder;
use crate::options::Options;
use crate::source::StreamingList;
use crate::source::{Fault, Request, ScriptedSource, SourceError, Verb};

fn scopes(server: &ScriptedSource) -> Vec<Scope> {
    server.requests().into_iter().map(|request| request.scope).collect()
}

fn first(server: &ScriptedSource) -> Request {
    server.requests().swap_remove(0)
}

#[tokio::test(start_paused = true)]
async fn b_428_namespaces_are_for_kinds_that_live_in_one_and_a_kind_may_say_otherwise() {
    let servers = Servers::default();
    let factory = servers
        .builder()
        .namespace("a")
        .namespace("b")
        .kind::<Secret>(|secrets| secrets.namespace("c"))
        .kind::<ConfigMap>(InformerBuilder::all_namespaces)
        .build()
        .unwrap();
    factory.kind::<Pod>().informer();
    factory.kind::<Secret>().informer();
    factory.kind::<ConfigMap>().informer();
    factory.kind::<Node>().informer();
    started(&factory).await;
    assert_eq!(scopes(&servers.of::<Pod>()), [Scope::namespace("a"), Scope::namespace("b")]);
    assert_eq!(scopes(&servers.of::<Secret>()), [Scope::namespace("c")]);
    assert_eq!(scopes(&servers.of::<ConfigMap>()), [Scope::All]);
    assert_eq!(scopes(&servers.of::<Node>()), [Scope::All], "a kind of the whole cluster has no namespace");
}

#[tokio::test(start_paused = true)]
async fn b_428_who_knows_that_a_kind_has_no_namespace_does_not_get_one_over_namespaces() {
    let servers = Servers::default();
    servers.with::<Node>(&["n"]);
    let factory = servers.builder().namespace("a").build().unwrap();
    let gvr = GroupVersionResource::gvr("", "v1", "nodes");
    let guessed = factory.kind_of(&gvr).informer();
    let guessed_metadata = factory.kind_of(&gvr).metadata().informer();
    assert_eq!(guessed.namespaces(), Some(vec!["a".to_owned()]), "nobody knows better yet");
    let metadata = factory.kind::<Node>().metadata().informer();
    let nodes = factory.kind::<Node>().informer();
    assert_eq!((nodes.namespaces(), metadata.namespaces()), (None, None));
    assert!(
        !Arc::ptr_eq(nodes.engine(), guessed.engine())
            && !Arc::ptr_eq(metadata.engine(), guessed_metadata.engine())
    );
    assert!(Arc::ptr_eq(nodes.engine(), factory.kind_of(&gvr).informer().engine()), "now it is known");
    assert!(Arc::ptr_eq(nodes.engine(), factory.kind::<Node>().informer().engine()));
    factory.start();
    nodes.wait_synced(SOON).await.unwrap();
    assert_eq!(nodes.lister().len(), 1);
    factory.stop(&nodes).await;
    assert_eq!(factory.kind_of(&gvr).informer().namespaces(), None, "also of the next one");
}

#[tokio::test(start_paused = true)]
async fn b_428_selectors_hold_for_lists_and_watches_and_the_nearest_wins() {
    let servers = Servers::default();
    let factory = servers
        .builder()
        .labels("all=yes")
        .fields("metadata.name=x")
        .options(|options| options.tuning(|tuning| tuning.streaming_list(StreamingList::Never)))
        .tweak(|kind, selection| {
            if kind.plural() == "secrets" {
                selection.labels = Some("tweaked=yes".into());
            }
        })
        .kind::<ConfigMap>(|maps| maps.labels("own=yes").fields(""))
        .build()
        .unwrap();
    factory.kind::<Pod>().informer();
    factory.kind::<Secret>().informer();
    factory.kind::<ConfigMap>().informer();
    started(&factory).await;
    rest().await;
    let asked = |server: ScriptedSource| {
        let requests = server.requests();
        assert_eq!(requests.len(), 2, "a list and a watch");
        assert!(matches!(requests[1].verb, Verb::Watch(_)));
        let selectors = |request: &Request| (request.label_selector.clone(), request.field_selector.clone());
        assert_eq!(selectors(&requests[0]), selectors(&requests[1]));
        selectors(&requests[0])
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(asked(servers.of::<Pod>()), (some("all=yes"), some("metadata.name=x")));
    assert_eq!(asked(servers.of::<Secret>()), (some("tweaked=yes"), some("metadata.name=x")));
    assert_eq!(asked(servers.of::<ConfigMap>()), (some("own=yes"), None));
}

#[tokio::test(start_paused = true)]
async fn b_428_a_tweak_is_asked_once_and_its_result_counts() {
    let servers = Servers::default();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let factory = servers
        .builder()
        .tweak(move |_, selection| {
            let call = counted.fetch_add(1, Ordering::Relaxed);
            selection.labels = Some(format!("call={call}"));
        })
        .build()
        .unwrap();
    let pods = factory.kind::<Pod>().informer();
    factory.kind::<Pod>().informer();
    factory.kind_of(ApiResource::erase::<Pod>(&())).informer();
    started(&factory).await;
    factory.stop(&pods).await;
    factory.kind::<Pod>().informer().wait_synced(SOON).await.unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let labels: Vec<_> =
        servers.of::<Pod>().requests().into_iter().filter_map(|asked| asked.label_selector).collect();
    assert_eq!(labels, ["call=0", "call=0"]);
}

#[tokio::test(start_paused = true)]
async fn b_429_a_transform_for_all_kinds_holds_unless_a_kind_has_its_own() {
    let servers = Servers::default();
    for server in [servers.of::<ConfigMap>(), servers.of::<Secret>()] {
        server
            .create(&json!({ "metadata": { "name": "x", "labels": { "app": "web" } }, "data": {} }))
            .unwrap();
    }
    let factory = servers
        .builder()
        .transform(|object: &mut DynamicObject| {
            object.metadata.labels = Some([("by".to_owned(), "factory".to_owned())].into());
            Ok::<_, String>(())
        })
        .drop_field("data")
        .kind::<Secret>(|secrets| {
            secrets.transform(|secret: &mut Secret| {
                secret.metadata.labels = Some([("by".to_owned(), "kind".to_owned())].into());
                Ok::<_, String>(())
            })
        })
        .build()
        .unwrap();
    let (maps, secrets) = (factory.kind::<ConfigMap>().lister(), factory.kind::<Secret>().lister());
    started(&factory).await;
    let map = maps.namespace("default").get("x").unwrap();
    assert_eq!(map.labels().get("by"), Some("factory"));
    assert!(map.get().unwrap().data.is_none());
    assert_eq!(secrets.namespace("default").get("x").unwrap().labels().get("by"), Some("kind"));
}

#[tokio::test(start_paused = true)]
async fn b_430_resync_is_set_for_all_kinds_and_for_each() {
    let servers = Servers::default();
    servers.with::<ConfigMap>(&["a/x"]);
    servers.with::<Secret>(&["a/x"]);
    servers.with::<Pod>(&["a/x"]);
    let factory = servers
        .builder()
        .resync(Duration::from_secs(30))
        .kind::<Secret>(|secrets| secrets.resync(Duration::from_secs(10)))
        .kind::<Pod>(|pods| pods.resync(Duration::ZERO))
        .build()
        .unwrap();
    let counts: [Arc<AtomicUsize>; 3] = Default::default();
    fn count<K: 'static>(count: &Arc<AtomicUsize>) -> crate::handler::Handler<K> {
        let count = count.clone();
        handler().on_event(move |event: &Event<K>| {
            if matches!(event, Event::Updated { resync: true, .. }) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        })
    }
    factory.kind::<ConfigMap>().informer().add_event_handler(count(&counts[0])).unwrap();
    factory.kind::<Secret>().informer().add_event_handler(count(&counts[1])).unwrap();
    factory.kind::<Pod>().informer().add_event_handler(count(&counts[2])).unwrap();
    started(&factory).await;
    tokio::time::sleep(Duration::from_secs(95)).await;
    assert_eq!(counts.map(|count| count.load(Ordering::Relaxed)), [3, 9, 0]);
}

#[tokio::test(start_paused = true)]
async fn b_434_dynamic_and_metadata_informers_have_everything_that_typed_ones_have() {
    let servers = Servers::default();
    let server = servers.with::<ConfigMap>(&["a/x"]);
    let resource = ApiResource::erase::<ConfigMap>(&());
    let factory = servers
        .builder()
        .name("mine")
        .kind_of(&resource, |maps| {
            maps.fields("metadata.name=x").transform(|map: &mut DynamicObject| {
                map.data["added"] = json!("yes");
                Ok::<_, String>(())
            })
        })
        .build()
        .unwrap();
    let dynamic = factory.kind_of(&resource).informer();
    let metadata = factory.kind_of(&resource).metadata().informer();
    let other = factory.kind_of(&resource).named("other", |maps| maps.namespace("b")).unwrap().informer();
    started(&factory).await;
    assert_eq!(dynamic.lister().list()[0].get().unwrap().data["added"], "yes");
    assert_eq!(
        [dynamic.name(), metadata.name(), other.name()],
        ["mine-configmaps", "mine-configmaps-2", "mine-other"]
    );
    assert_eq!(first(&server).field_selector.as_deref(), Some("metadata.name=x"));
    assert_eq!(other.lister().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn w_06_timeouts_backoff_and_the_error_callback_are_reached_through_the_factory() {
    let servers = Servers::default();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (for_all, for_secrets) = (heard.clone(), heard.clone());
    let quick = Options::default().tuning(|tuning| {
        tuning.backoff_first(Duration::from_millis(1)).backoff_limit(Duration::from_millis(1))
    });
    let factory = servers
        .builder()
        .options(|_| quick.clone())
        .on_error(move |failure| for_all.lock().push(format!("all: {failure}")))
        .kind::<Secret>(move |secrets| {
            secrets.options(|_| quick.tuning(|tuning| tuning.page_size(7))).on_error(move |failure| {
                for_secrets.lock().push(format!("secrets: {failure}"));
            })
        })
        .build()
        .unwrap();
    for server in [servers.of::<Pod>(), servers.of::<Secret>()] {
        server.inject(Fault::error(SourceError::transport("refused")).once());
    }
    factory.kind::<Pod>().informer();
    factory.kind::<Secret>().informer();
    factory.start();
    factory.wait_for_cache_sync(Duration::from_millis(100)).await.expect("the backoff is short");
    let mut heard = heard.lock().clone();
    heard.sort();
    assert_eq!(
        heard,
        [
            "all: cannot list pods in all namespaces: refused",
            "secrets: cannot list secrets in all namespaces: refused"
        ]
    );
}

#[test]
fn what_cannot_work_is_refused_when_the_factory_is_built() {
    fn refused(set: impl FnOnce(crate::factory::FactoryBuilder) -> crate::factory::FactoryBuilder) -> String {
        set(Servers::default().builder()).build().unwrap_err().to_string()
    }
    assert_eq!(
        refused(|factory| factory.options(|options| options.tuning(|tuning| tuning.page_size(0)))),
        "factory: page_size must not be zero"
    );
    assert_eq!(
        refused(|factory| factory.namespace("")),
        "factory: a namespace is empty; leave it out to look at all of them"
    );
    assert!(
        refused(|factory| factory.drop_field("spec..x")).starts_with("factory: \"spec..x\" is not a path")
    );
    assert!(
        refused(|factory| factory.kind::<Pod>(|pods| pods.drop_field("spec..x")))
            .starts_with("informer of pods: \"spec..x\" is not a path")
    );
    assert_eq!(
        refused(|factory| factory.kind::<Node>(|nodes| nodes.namespace("a"))),
        "informer of nodes: a kind of the whole cluster cannot be limited to a namespace"
    );
    assert_eq!(
        refused(|factory| {
            factory
                .kind::<Pod>(|pods| pods)
                .kind_of(ApiResource::erase::<Pod>(&()), |pods| pods.labels("a=b"))
        }),
        "pods has settings already; for another informer of it use `named`"
    );
    let named = Servers::default().factory().kind::<Node>().named("n", |nodes| nodes.namespace("a"));
    assert!(named.unwrap_err().to_string().starts_with("informer of nodes: "));
}

#[test]
fn a_client_needs_a_runtime_and_says_so() {
    let config = kube_client::Config::new("https://127.0.0.1:1".parse().unwrap());
    let error = SharedInformerFactory::builder(config).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "no client for the factory: a client can only be built within a tokio runtime"
    );
}

#[tokio::test]
async fn options_that_mean_nothing_where_they_are_set_are_refused() {
    let factory = Servers::default().factory();
    let tweaked =
        factory.kind::<Pod>().named("some", |pods| pods.options(|options| options.tweak(|_, _| {})));
    assert!(tweaked.unwrap_err().to_string().contains("tweak is for the options of a factory"));
}

#[tokio::test]
async fn an_exclusive_informer_is_not_shared_with_another_name() {
    let factory = Servers::default().factory();
    let ask = |name: &str| factory.kind::<Pod>().named(name, InformerBuilder::exclusive).unwrap().informer();
    let first = ask("first");
    assert!(Arc::ptr_eq(first.engine(), ask("first").engine()));
    assert!(!Arc::ptr_eq(first.engine(), ask("second").engine()));
}
