//! Namespaces that are added and removed while the informer runs.

use std::sync::Arc;
use std::time::Duration;

use informer_core::delta::{Delta, DeltaChange};
use informer_core::scope::Scope;
use informer_wire::{ResourceVersion, Uid};
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use parking_lot::Mutex;

use super::support::{Denies, Rig, SOON, cached, map, phase_of, rest, served, soon, start, started};
use crate::error::WaitError;
use crate::handler::handler;
use crate::informer::SharedInformer;
use crate::source::{Fault, ScriptedSource};
use crate::status::{Phase, RelistReason};

const SHORT: Duration = Duration::from_secs(5);

/// A server with objects in three namespaces, and an informer over the first.
fn over_a() -> Rig {
    Rig::with(&["a/x", "b/x", "b/y", "c/x"], |builder| builder.namespace("a"))
}

impl Rig {
    async fn add_namespace(&self, namespace: &str) {
        self.informer.add_namespace(namespace).unwrap();
        self.informer.wait_namespace_synced(namespace, SOON).await.unwrap();
    }

    async fn remove_namespace(&self, namespace: &str) {
        self.informer.remove_namespace(namespace).unwrap();
        soon(self.informer.wait_namespace_removed(namespace, SOON)).await.unwrap();
    }

    /// Whether it looks at a namespace and has all of it in the cache.
    fn has_synced(&self, namespace: &str) -> bool {
        let scope = Scope::namespace(namespace);
        self.informer.status().scopes.iter().any(|status| status.scope == scope && status.synced)
    }

    fn served(&self, namespaces: &[&str]) -> Vec<(String, String, String)> {
        served(&self.server, Some(namespaces))
    }

    /// The namespaces of all requests so far.
    fn asked(&self) -> Vec<String> {
        let requests = self.server.requests();
        requests.iter().map(|request| request.scope.as_namespace().unwrap_or("all").to_owned()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn d16_an_added_namespace_is_listed_watched_and_told() {
    let rig = over_a().started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.add_namespace("b").await;
    assert_eq!(rig.cached(), rig.served(&["a", "b"]));
    assert_eq!(rig.informer.namespaces(), Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(rig.asked(), ["a", "b"]);
    rest().await;
    let mut told = listener.log();
    told.sort();
    assert_eq!(told, ["add a/x@2 initial", "add b/x@3 initial", "add b/y@4 initial"]);
    rig.put("b/x", "new");
    rig.settle().await;
    assert_eq!(listener.log()[3..], ["update b/x@3 6"]);
    assert_eq!(rig.cached(), rig.served(&["a", "b"]));
    listener.check();
}

#[tokio::test(start_paused = true)]
async fn d16_until_it_is_listed_the_informer_is_not_synced_but_old_handlers_are() {
    let rig = over_a().started().await;
    let (_, before) = rig.listen();
    before.wait_synced(SOON).await.unwrap();
    let hold = rig.server.inject(Fault::stall().once());
    rig.informer.add_namespace("b").unwrap();
    assert!(!rig.informer.has_synced(), "from the moment of the call");
    hold.until_struck(1).await;
    let (_, after) = rig.listen();
    rest().await;
    assert!(!rig.has_synced("b") && !rig.informer.status().synced);
    assert_eq!(rig.informer.status().phase, Phase::Listing);
    assert!(rig.informer.last_sync_resource_version().is_empty());
    assert_eq!((before.has_synced(), after.has_synced()), (true, false));
    let error = rig.informer.wait_synced(SHORT).await.unwrap_err();
    assert_eq!(error.to_string(), r#"configmaps not synced after 5s; namespace "b" is listing"#);
    let error = rig.informer.wait_namespace_synced("b", SHORT).await.unwrap_err();
    assert_eq!(error.to_string(), r#"configmaps not synced after 5s; namespace "b" is listing"#);
    hold.remove();
    rig.synced().await;
    after.wait_synced(SOON).await.unwrap();
    assert!(rig.has_synced("b"));
    assert_eq!(rig.informer.last_sync_resource_version(), rig.server.version());
}

/// With real threads: the informer is not synced before anybody can find the namespace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d16_who_adds_what_another_thread_adds_sees_it_not_synced() {
    const THREADS: usize = 4;
    let rig = Rig::with(&["a/x"], |builder| builder.namespace("a")).started().await;
    for round in 0..200 {
        let hold = rig.server.inject(Fault::stall().once());
        let (informer, namespace) = (rig.informer.clone(), format!("n{round}"));
        let adding = tokio::task::spawn_blocking(move || {
            let barrier = std::sync::Barrier::new(THREADS);
            let add = || {
                barrier.wait();
                informer.add_namespace(namespace.as_str()).unwrap();
                informer.has_synced()
            };
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(add)).collect();
                threads.into_iter().any(|thread| thread.join().unwrap())
            })
        });
        assert!(!adding.await.unwrap(), "synced before its list, round {round}");
        hold.remove();
        rig.synced().await;
    }
}

#[tokio::test(start_paused = true)]
async fn d16_adding_what_is_there_changes_nothing() {
    let rig = over_a().started().await;
    rig.informer.add_namespace("a").unwrap();
    assert!(rig.has_synced("a") && rig.informer.has_synced());
    rest().await;
    assert_eq!(rig.asked(), ["a"]);
    rig.remove_namespace("a").await;
    assert!(!rig.has_synced("a"), "one call removes what two have added");
}

#[tokio::test(start_paused = true)]
async fn d16_a_removed_namespace_leaves_in_one_step_and_is_told() {
    let rig = Rig::with(&["a/x", "b/x", "b/y", "b/z"], |builder| builder.namespaces(["a", "b"]));
    let rig = rig.started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let seen = sizes.clone();
    rig.informer.add_full_state_handler(move |objects| seen.lock().push(objects.len())).unwrap();
    let index = rig.informer.add_index("name", |map| Some(map.name().to_owned()));
    index.wait_ready(SOON).await.unwrap();
    rest().await;
    let commits = rig.informer.progress().commit();

    rig.remove_namespace("b").await;
    assert_eq!(rig.informer.progress().commit(), commits + 1);
    assert_eq!(rig.cached(), rig.served(&["a"]));
    assert_eq!((index.get("x").unwrap().len(), index.get("y").unwrap().len()), (1, 0));
    assert_eq!(rig.server.open_watches(), 1);
    rest().await;
    assert_eq!(*sizes.lock(), [4, 1]);
    let mut told = listener.log().split_off(4);
    told.sort();
    assert_eq!(told, ["delete b/x@3 guessed", "delete b/y@4 guessed", "delete b/z@5 guessed"]);
    rig.put("b/x", "nobody looks");
    rig.server.bookmark();
    rest().await;
    assert_eq!((rig.cached(), listener.calls()), (rig.served(&["a"]), 7));
    listener.check();
}

#[tokio::test(start_paused = true)]
async fn d16_the_status_of_a_namespace_goes_with_it() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"])).started().await;
    rig.server.bookmark();
    rest().await;
    rig.put("b/x", "a has not heard of it");
    rest().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "3", "the older of the two");
    rig.remove_namespace("a").await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "4");
    let scopes: Vec<_> = rig.informer.status().scopes.into_iter().map(|status| status.scope).collect();
    assert_eq!(scopes, [Scope::namespace("b")]);
    rig.relist().await;
    assert_eq!(rig.asked(), ["a", "b", "b"], "nobody asks for it again");
    assert_eq!(rig.informer.status().scopes[0].relists(RelistReason::Refresh), 1);
}

#[tokio::test(start_paused = true)]
async fn d16_what_is_on_its_way_from_a_removed_namespace_is_ignored() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"])).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let engine = rig.informer.engine();
    let scope = engine.scopes.find(&Scope::namespace("b")).unwrap().id;
    let b_x = engine.indexer.get(&"b/x".parse().unwrap()).unwrap();
    let list = || DeltaChange::Replaced {
        version: ResourceVersion::new("9"),
        objects: vec![b_x.clone()],
        rewound: false,
    };
    // Queued before and after the removal, and after the namespace is back but not listed.
    engine.queue.push(Delta { scope, change: DeltaChange::Updated(b_x.clone()) }).await.unwrap();
    engine.queue.push(Delta { scope, change: list() }).await.unwrap();
    rig.remove_namespace("b").await;
    engine.queue.push(Delta { scope, change: list() }).await.unwrap();
    engine.queue.push(Delta { scope, change: DeltaChange::Added(b_x.clone()) }).await.unwrap();
    rest().await;
    let hold = rig.server.inject(Fault::stall().once());
    rig.informer.add_namespace("b").unwrap();
    hold.until_struck(1).await;
    engine.queue.push(Delta { scope, change: list() }).await.unwrap();
    rest().await;
    assert_eq!((rig.cached(), rig.has_synced("b")), (rig.served(&["a"]), false));
    assert_eq!(listener.log()[2..], ["delete b/x@3 guessed"]);
    hold.remove();
    rig.informer.wait_namespace_synced("b", SOON).await.unwrap();
    rest().await;
    assert_eq!(listener.log()[3..], ["add b/x@3 initial"]);
    listener.check();
}

#[tokio::test(start_paused = true)]
async fn d16_a_namespace_that_is_back_at_once_is_listed_anew() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"])).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.informer.remove_namespace("b").unwrap();
    rig.informer.add_namespace("b").unwrap();
    assert!(!rig.has_synced("b") && !rig.informer.has_synced());
    // It is the removal that is waited for, although the namespace is looked at again.
    rig.informer.wait_namespace_removed("b", SOON).await.unwrap();
    rig.synced().await;
    rest().await;
    assert_eq!(listener.log()[2..], ["delete b/x@3 guessed", "add b/x@3 initial"]);
    assert_eq!(rig.cached(), rig.served(&["a", "b"]));
    assert_eq!(rig.asked(), ["a", "b", "b"]);
    assert_eq!(rig.server.open_watches(), 2);
    let status = &rig.informer.status().scopes[1];
    assert_eq!((status.watches, status.phase), (1, Phase::Watching), "nothing is left of the first");
    listener.check();
}

#[tokio::test(start_paused = true)]
async fn d3_d16_a_handler_that_has_not_heard_of_the_removal_hears_the_difference() {
    let rig = Rig::with(&["a/x", "b/x", "b/y", "b/z"], |builder| builder.namespaces(["a", "b"]));
    let rig = rig.started().await;
    let (listener, registration, permits) = rig.listen_stuck();
    permits.add_permits(4);
    registration.wait_synced(SOON).await.unwrap();
    rig.put("a/x", "the handler is stuck in this");
    rig.settle().await;
    rig.informer.remove_namespace("b").unwrap();
    rig.informer.wait_namespace_removed("b", SOON).await.unwrap();
    rig.put("b/y", "changed meanwhile");
    rig.delete("b/z");
    rig.add_namespace("b").await;
    permits.add_permits(100);
    rig.settle().await;
    let mut told = listener.log().split_off(5);
    told.sort();
    assert_eq!(told, ["delete b/z@5 guessed", "update b/y@4 7"]);
    listener.check();
}

#[tokio::test(start_paused = true)]
async fn d16_before_the_start_namespaces_are_remembered() {
    let rig = over_a();
    let (listener, registration) = rig.listen();
    rig.informer.add_namespace("b").unwrap();
    rig.informer.add_namespace("c").unwrap();
    rig.informer.remove_namespace("a").unwrap();
    rig.informer.wait_namespace_removed("a", SOON).await.unwrap();
    rig.remove_namespace("c").await;
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!((rig.cached(), rig.asked()), (rig.served(&["b"]), vec!["b".to_owned()]));
    assert_eq!(listener.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn d16_an_informer_may_look_at_nothing_for_a_while() {
    let rig = Rig::with(&["a/x"], |builder| builder.namespaces(Vec::<String>::new()));
    assert!(!rig.informer.has_synced(), "it was not started");
    let (listener, registration) = rig.listen();
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!((rig.cached(), rig.informer.namespaces()), (vec![], Some(vec![])));
    assert!(rig.informer.last_sync_resource_version().is_empty() && rig.asked().is_empty());
    rig.add_namespace("a").await;
    assert_eq!(rig.cached(), rig.served(&["a"]));
    rig.remove_namespace("a").await;
    rest().await;
    assert_eq!((rig.cached(), rig.server.open_watches()), (vec![], 0));
    assert_eq!(listener.log(), ["add a/x@2 initial", "delete a/x@2 guessed"]);
    assert!(rig.informer.has_synced());
}

#[tokio::test(start_paused = true)]
async fn d16_a_denied_namespace_is_named_and_can_be_removed_while_the_others_work() {
    let server = ScriptedSource::of::<ConfigMap>();
    for key in ["a/x", "b/x"] {
        server.create(&map(key, "")).unwrap();
    }
    let source = Denies { server: server.clone(), namespace: "b" };
    let informer =
        started(SharedInformer::<ConfigMap>::builder(source).namespace("a").build().unwrap()).await;
    informer.add_namespace("b").unwrap();
    let registration = informer.add_event_handler(handler().on_add(|_| {})).unwrap();
    let denied = "configmaps not synced after 5s; namespace \"b\" is backing off (HTTP 403): the server says \
                  Forbidden; grant the verbs list and watch on configmaps to the account the program runs as";
    assert_eq!(informer.wait_namespace_synced("b", SHORT).await.unwrap_err().to_string(), denied);
    let error = informer.wait_synced(SHORT).await.unwrap_err();
    assert_eq!(error.to_string(), denied);
    assert_eq!(error.scopes().next().unwrap().scope, Scope::namespace("b"));
    let status = informer.status();
    assert_eq!(
        status.scopes.iter().map(|scope| scope.phase).collect::<Vec<_>>(),
        [Phase::Watching, Phase::BackingOff]
    );
    assert_eq!(status.scopes[1].last_error.as_ref().unwrap().cause.http_status(), Some(403));

    let version = server.put_json(serde_json::to_value(map("a/y", "")).unwrap()).unwrap();
    informer.wait_for_version(&"a/y".parse().unwrap(), &version, SOON).await.unwrap();
    assert_eq!(cached(&informer), served(&server, Some(&["a"])));
    assert_eq!(informer.lister().namespace("b").list().len(), 0);
    assert!(!registration.has_synced());
    informer.remove_namespace("b").unwrap();
    soon(informer.wait_namespace_removed("b", SOON)).await.unwrap();
    assert!(informer.has_synced(), "nothing is missing any more");
    soon(registration.wait_synced(SOON)).await.unwrap();
    let error = informer.wait_namespace_synced("b", SOON).await.unwrap_err();
    assert!(error.is_out_of_scope());
    assert_eq!(
        error.to_string(),
        "configmaps not synced: the informer does not look at namespace \"b\"; add it first"
    );
}

#[tokio::test(start_paused = true)]
async fn d16_a_namespace_is_removed_whatever_its_reflector_is_doing() {
    let rig = over_a().started().await;
    for in_list in [true, false] {
        // Held in the middle of a request, and of a list that goes on for ever.
        let stall = if in_list { Fault::stall().on_list() } else { Fault::stall().on_watch() };
        let hold = rig.server.inject(stall.once());
        rig.informer.add_namespace("b").unwrap();
        if in_list {
            rig.server.inject(Fault::error(super::support::http(422, "Invalid")).on_watch().once());
        }
        hold.until_struck(1).await;
        let informer = rig.informer.clone();
        let waits = tokio::spawn(async move { informer.wait_namespace_synced("b", SOON).await });
        rest().await;
        rig.remove_namespace("b").await;
        let error = waits.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "configmaps not synced: namespace \"b\" was removed");
        assert!(rig.informer.has_synced());
        assert_eq!((rig.cached(), rig.server.open_watches()), (rig.served(&["a"]), 1));
        rig.server.clear_faults();
    }
}

#[tokio::test(start_paused = true)]
async fn d11_d16_waiting_for_an_object_ends_when_its_namespace_is_removed() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"])).started().await;
    let (b_x, ahead) = ("b/x".parse().unwrap(), ResourceVersion::new("99"));
    let uid: Uid = rig.informer.lister().namespace("b").get("x").unwrap().uid().clone();
    let wait = rig.informer.wait_for_version(&b_x, &ahead, SOON);
    let wait_gone = rig.informer.wait_gone(&b_x, &uid, SOON);
    let remove = async {
        rest().await;
        rig.remove_namespace("b").await;
    };
    let (wait, wait_gone, ()) = tokio::join!(wait, wait_gone, remove);
    assert!(wait_gone.as_ref().is_err_and(WaitError::is_out_of_scope), "{wait_gone:?}");
    assert_eq!(
        wait.unwrap_err().to_string(),
        "the informer of configmaps does not look at the namespace of b/x"
    );
    rig.informer.add_namespace("b").unwrap();
    let version = rig.put("b/x", "new");
    rig.informer.wait_for_version(&b_x, &version, SOON).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn d16_what_cannot_be_done_says_why() {
    let rig = over_a();
    let unknown = rig.informer.remove_namespace("z").unwrap_err();
    assert_eq!(unknown.to_string(), "the informer of configmaps does not look at namespace \"z\"");
    let empty = rig.informer.add_namespace("").unwrap_err();
    assert_eq!(empty.to_string(), "the name of a namespace of configmaps is empty");
    let all = Rig::new(&[]);
    assert_eq!(all.informer.namespaces(), None);
    for error in
        [all.informer.add_namespace("a").unwrap_err(), all.informer.remove_namespace("a").unwrap_err()]
    {
        assert!(error.is_not_limited(), "{error}");
    }
    let nodes = SharedInformer::<Node>::builder(ScriptedSource::of::<Node>()).build().unwrap();
    let error = nodes.add_namespace("a").unwrap_err();
    assert_eq!(error.to_string(), "nodes belong to the whole cluster: there is no namespace to look at");
}

#[tokio::test(start_paused = true)]
async fn d16_after_the_stop_nothing_is_added_or_removed_and_nobody_waits() {
    let rig = over_a();
    start(&rig.informer);
    rig.synced().await;
    let hold = rig.server.inject(Fault::stall().once());
    rig.informer.add_namespace("b").unwrap();
    hold.until_struck(1).await;
    let ((), waited) =
        tokio::join!(rig.informer.shutdown(SHORT), rig.informer.wait_namespace_synced("b", SOON));
    assert_eq!(waited.unwrap_err().to_string(), "configmaps not synced: the informer has stopped");
    for namespace in ["a", "z"] {
        let error = rig.informer.add_namespace(namespace).unwrap_err();
        assert!(error.is_stopped(), "{error}");
        let error = rig.informer.remove_namespace(namespace).unwrap_err();
        assert_eq!(error.to_string(), "the informer of configmaps has stopped already; build another one");
    }
    assert_eq!(rig.cached(), rig.served(&["a"]), "what was known stays readable");
    assert_eq!(rig.server.open_watches(), 0);
}

#[tokio::test(start_paused = true)]
async fn d16_a_removal_before_the_shutdown_is_told_before_it() {
    let rig = Rig::with(&["a/x", "b/x"], |builder| builder.namespaces(["a", "b"])).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.informer.remove_namespace("b").unwrap();
    rig.informer.shutdown(SOON).await;
    rig.informer.wait_namespace_removed("b", SOON).await.unwrap();
    assert_eq!(listener.log()[2..], ["delete b/x@3 guessed"]);
    assert_eq!(rig.cached(), rig.served(&["a"]));
}

#[tokio::test(start_paused = true)]
async fn d16_many_that_come_and_go_leave_nothing_behind() {
    let names: Vec<_> = (0..100).map(|number| format!("n{number}")).collect();
    let keys: Vec<_> = names.iter().map(|name| format!("{name}/x")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let rig = Rig::with(&keys, |builder| builder.namespaces(["n0"])).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    for _ in 0..3 {
        for name in &names {
            rig.informer.add_namespace(name.as_str()).unwrap();
        }
        rig.synced().await;
        assert_eq!((rig.cached().len(), rig.server.open_watches()), (100, 100));
        for name in &names[1..] {
            rig.informer.remove_namespace(name).unwrap();
        }
        rig.server.wait_for_watches(1).await;
        rest().await;
        assert_eq!((rig.cached(), rig.informer.status().scopes.len()), (rig.served(&["n0"]), 1));
    }
    assert_eq!(listener.calls(), 1 + 3 * 2 * 99);
    assert_eq!(rig.informer.status().versions_alive, 1);
    listener.check();
    phase_of(&rig.informer, 0, Phase::Watching).await;
}

#[tokio::test(start_paused = true)]
async fn b_323_d16_namespaces_that_come_and_go_do_not_fill_the_mailbox_of_a_stuck_handler() {
    let names: Vec<_> = (0..50).map(|number| format!("b/{number}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).chain(["a/x"]).collect();
    for hears in [0, 20] {
        let rig = Rig::with(&names, |builder| builder.namespace("a")).started().await;
        let (listener, _, permits) = rig.listen_stuck();
        permits.add_permits(hears);
        for round in 0..300 {
            rig.add_namespace("b").await;
            rest().await;
            rig.remove_namespace("b").await;
            let alive = rig.informer.status().versions_alive;
            assert!(alive <= 4 * 51, "{alive} versions of 51 objects after round {round}");
        }
        permits.add_permits(1_000);
        rest().await;
        listener.check();
        assert_eq!(listener.believes(), [("a/x".to_owned(), "52".to_owned())]);
    }
}
