//! Several namespaces as one cache.

use std::sync::Arc;

use futures::future::BoxFuture;
use informer_core::scope::Scope;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::support::{
    Denies, Listener, Rig, SOON, cached, map, phase_of, rest, served, soon, start, started,
};
use crate::handler::handler;
use crate::informer::SharedInformer;
use crate::source::StreamingList;
use crate::source::{ByteStream, Fault, ListWatch, Request, ScriptedSource, SourceError};
use crate::status::{Phase, RelistReason};

fn two(keys: &[&str]) -> Rig {
    Rig::with(keys, |builder| builder.namespace("b").namespace("a"))
}

#[tokio::test(start_paused = true)]
async fn d16_two_namespaces_are_one_cache_with_a_watch_each() {
    let rig = two(&["a/x", "b/x", "c/x"]).started().await;
    assert_eq!(rig.cached(), served(&rig.server, Some(&["a", "b"])));
    let scopes: Vec<_> = rig.server.requests().iter().map(|request| request.scope.clone()).collect();
    assert_eq!(scopes, [Scope::namespace("a"), Scope::namespace("b")]);
    rig.put("b/x", "new");
    rig.put("c/x", "nobody looks");
    rig.settle().await;
    assert_eq!(rig.cached(), served(&rig.server, Some(&["a", "b"])));
    assert_eq!(rig.informer.lister().namespace("c").list().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn d16_it_is_synced_when_both_are() {
    let rig = two(&["a/x", "b/x"]);
    let hold = rig.server.inject(Fault::stall().once());
    rig.start();
    hold.until_struck(1).await;
    phase_of(&rig.informer, 1, Phase::Watching).await;
    rest().await;
    let status = rig.informer.status();
    assert!(!rig.informer.has_synced() && !status.synced);
    assert_eq!(status.phase, Phase::Listing, "the worst of both");
    assert!(rig.informer.last_sync_resource_version().is_empty());
    hold.remove();
    rig.synced().await;
    assert_eq!(rig.informer.last_sync_resource_version(), rig.server.version());
}

#[tokio::test(start_paused = true)]
async fn d16_versions_are_kept_per_scope_and_the_oldest_counts() {
    let rig = two(&["a/x", "b/x"]).started().await;
    let version = rig.put_and_wait("b/x").await;
    let scopes = rig.informer.status().scopes;
    let versions: Vec<_> =
        scopes.iter().map(|scope| scope.last_version.clone().unwrap().to_string()).collect();
    assert_eq!(versions, ["3", "4"]);
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "3", "a has not heard of it");
    rig.server.bookmark();
    rest().await;
    assert_eq!(rig.informer.last_sync_resource_version(), version);
}

impl Rig {
    /// Changes an object and waits until the cache shows it, without a bookmark.
    async fn put_and_wait(&self, key: &str) -> informer_wire::ResourceVersion {
        self.put(key, "new");
        let version = self.server.version();
        self.informer.wait_for_version(&key.parse().unwrap(), &version, SOON).await.unwrap();
        version
    }
}

#[tokio::test(start_paused = true)]
async fn d16_a_denied_namespace_is_named_while_the_other_works() {
    let server = ScriptedSource::of::<ConfigMap>();
    for key in ["a/x", "b/x"] {
        server.create(&map(key, "")).unwrap();
    }
    let source = Denies { server: server.clone(), namespace: "b" };
    let informer =
        SharedInformer::<ConfigMap>::builder(source).namespace("a").namespace("b").build().unwrap();
    let listener = Listener::default();
    let hears = listener.clone();
    informer.add_event_handler(handler().on_event(move |event| hears.hear(event))).unwrap();
    start(&informer);
    let error = informer.wait_synced(std::time::Duration::from_secs(20)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "configmaps not synced after 20s; namespace \"b\" is backing off (HTTP 403): the server says Forbidden; \
         grant the verbs list and watch on configmaps to the account the program runs as"
    );
    assert_eq!(error.scopes().count(), 1);
    let unsynced = error.scopes().next().unwrap();
    assert_eq!(unsynced.scope, Scope::namespace("b"));
    assert_eq!(unsynced.last_error.as_ref().unwrap().cause.http_status(), Some(403));

    server.put_json(serde_json::to_value(map("a/y", "new")).unwrap()).unwrap();
    soon(informer.wait_for_version(&"a/y".parse().unwrap(), &server.version(), SOON)).await.unwrap();
    rest().await;
    assert_eq!(cached(&informer), served(&server, Some(&["a"])));
    assert_eq!(listener.log(), ["add a/x@2 initial", "add a/y@4"]);
    let status = informer.status();
    assert_eq!([status.scopes[0].phase, status.phase], [Phase::Watching, Phase::BackingOff]);
    let failure = status.last_failure.unwrap().to_string();
    assert!(failure.starts_with(r#"cannot list configmaps in namespace "b" (HTTP 403): "#), "{failure}");
    assert!(
        failure.ends_with("grant the verbs list and watch on configmaps to the account the program runs as")
    );
}

#[tokio::test(start_paused = true)]
async fn d16_a_relist_deletes_within_its_scope_only() {
    let rig = two(&["a/x", "b/x"]).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.server.lose_next_event();
    rig.delete("a/x");
    rig.informer.engine().scopes.now()[0].refresh.notify_one();
    rest().await;
    rig.settle().await;
    assert_eq!(listener.log()[2..], ["delete a/x@2 guessed"]);
    assert_eq!(rig.cached(), served(&rig.server, Some(&["a", "b"])));
    let scopes = rig.informer.status().scopes;
    let refreshes: Vec<_> = scopes.iter().map(|scope| scope.relists(RelistReason::Refresh)).collect();
    assert_eq!(refreshes, [1, 0]);
}

#[tokio::test(start_paused = true)]
async fn d16_a_server_that_answers_with_other_namespaces_does_not_mix_the_scopes() {
    let rig = Rig::with(&["a/x"], |builder| builder.namespace("a")).started().await;
    let stranger = super::support::event_line("ADDED", &{
        let mut object = serde_json::to_value(map("z/stranger", "")).unwrap();
        object["metadata"]["resourceVersion"] = "2".into();
        object["metadata"]["uid"] = "stranger".into();
        object
    });
    rig.server.send_raw(stranger);
    rig.settle().await;
    assert_eq!(rig.cached(), served(&rig.server, Some(&["a"])));
}

/// A server that sends the objects of all namespaces whatever it is asked for.
struct SendsAll(ScriptedSource);

impl ListWatch for SendsAll {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        self.0.open(Request { scope: Scope::All, ..request })
    }
}

#[tokio::test(start_paused = true)]
async fn objects_of_other_namespaces_are_reported_once_for_each_list_and_watch() {
    // A streamed list goes on as the watch; a plain one is followed by a watch of its own.
    for (streaming, reports) in [(StreamingList::Auto, 1), (StreamingList::Never, 2)] {
        let server = ScriptedSource::of::<ConfigMap>();
        for key in ["a/x", "b/x", "b/y"] {
            server.create(&map(key, "")).unwrap();
        }
        let failures = Arc::new(Mutex::new(Vec::new()));
        let heard = failures.clone();
        let builder = SharedInformer::<ConfigMap>::builder(SendsAll(server.clone()))
            .namespace("a")
            .options(|options| options.tuning(|tuning| tuning.streaming_list(streaming)))
            .on_error(move |failure| heard.lock().push(failure.to_string()));
        let informer = started(builder.build().unwrap()).await;
        let report =
            "configmaps b/x is left out: it is outside of namespace \"a\", which the server was asked for";
        assert!(failures.lock()[0].starts_with(report), "{:?}", failures.lock());
        assert_eq!(failures.lock().len(), 1, "{:?}", failures.lock());
        for text in ["one", "two"] {
            server.put_json(serde_json::to_value(map("b/x", text)).unwrap()).unwrap();
            rest().await;
        }
        assert_eq!(failures.lock().len(), reports, "{:?}", failures.lock());
        assert_eq!(informer.lister().list().len(), 1);
    }
}
