//! The cache read as a whole once more: what is kept, what is told, and what made it necessary.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;
use tokio::sync::oneshot;

use super::support::{
    Rig, SOON, cached, http, list_body, lists_only, map, phase, relists, rest, served, started, texts,
    wire_map,
};
use crate::informer::SharedInformer;
use crate::informer::process_loop::Command;
use crate::object::Object;
use crate::options::Options;
use crate::source::{ByteStream, Fault, ListWatch, Request, ScriptedSource, SourceError, Verb};
use crate::status::{Phase, RelistReason};

fn object(rig: &Rig, name: &str) -> Object<ConfigMap> {
    rig.informer.lister().namespace("a").get(name).unwrap()
}

fn same_record(a: &Object<ConfigMap>, b: &Object<ConfigMap>) -> bool {
    Arc::ptr_eq(a.record(), b.record())
}

/// The cache equals the server, and the handler believes in the same.
fn check(rig: &Rig, listener: &super::support::Listener) {
    listener.check();
    let served = served(&rig.server, None);
    assert_eq!(rig.cached(), served);
    let versions: Vec<_> = served.into_iter().map(|(key, version, _)| (key, version)).collect();
    assert_eq!(listener.believes(), versions);
}

/// The watch can only go on with a relist: its history is gone.
async fn expire(rig: &Rig) {
    rig.server.stall_watches();
    rig.server.advance(1);
    rig.server.compact();
    rig.server.cut_watches();
    rig.server.unstall_watches();
}

#[tokio::test(start_paused = true)]
async fn d4_d6_a_relist_keeps_unchanged_objects_and_tells_nobody() {
    for settings in [Options::default(), lists_only()] {
        let rig = Rig::with(&["a/x", "a/y"], |builder| builder.options(|_| settings)).started().await;
        let (listener, registration) = rig.listen();
        registration.wait_synced(SOON).await.unwrap();
        let (x, misses) = (object(&rig, "x"), rig.informer.status().decode_misses);
        expire(&rig).await;
        rig.server.wait_for_watches(0).await;
        rig.settle().await;
        assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Expired, 1)]);
        assert!(same_record(&x, &object(&rig, "x")));
        assert_eq!(listener.calls(), 2, "only the two initial adds");
        assert_eq!(rig.informer.status().decode_misses, misses);
    }
}

/// A new default of a schema, or another conversion: nobody has written the object, and yet the server sends something else.
#[tokio::test(start_paused = true)]
async fn d4_content_that_changed_under_the_same_version_is_found_by_a_relist() {
    let rig = Rig::with(&["a/x", "a/y"], |builder| builder.options(|_| lists_only())).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let (y, mut objects) = (object(&rig, "y"), rig.server.objects());
    objects[0]["data"]["added"] = "by default".into();
    expire(&rig).await;
    let list = list_body(&rig.server.version().to_string(), &objects);
    let relist = rig.server.inject(Fault::reply([list]).on_list().once());
    rig.server.wait_for_watches(0).await;
    rig.settle().await;
    assert_eq!(relist.struck(), 1);
    assert_eq!(listener.log().last().unwrap(), "update a/x@2 2");
    assert_eq!(listener.calls(), 3, "only of what changed");
    assert_eq!(object(&rig, "x").get().unwrap().data.as_ref().unwrap()["added"], "by default");
    assert!(same_record(&y, &object(&rig, "y")));
}

#[tokio::test(start_paused = true)]
async fn d4_d6_a_refresh_reads_everything_anew_and_unchanged_content_is_no_event() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let x = object(&rig, "x");
    rig.server.lose_next_event();
    rig.put("a/y", "lost");
    rig.informer.refresh();
    rest().await;
    rig.settle().await;
    assert_eq!(listener.log().last().unwrap(), "update a/y@3 4");
    assert_eq!(listener.calls(), 3);
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Refresh, 1)]);
    assert!(same_record(&x, &object(&rig, "x")));
    assert_eq!(rig.informer.status().versions_alive, 2, "what was built in vain is gone");
    check(&rig, &listener);
}

/// Keeps the writer from applying anything until the guard is dropped.
fn hold_writer(rig: &Rig) -> oneshot::Sender<()> {
    let (release, released) = oneshot::channel();
    let job = Command::Store(Box::new(|_, _| released.map(|_| ()).boxed()));
    rig.informer.engine().command(job).unwrap();
    release
}

#[tokio::test(start_paused = true)]
async fn d4_a_list_that_matches_the_store_wins_over_changes_that_are_still_queued() {
    for entries in [4_096, 1] {
        let settings = Options::default().tuning(|tuning| tuning.queue_entries(entries));
        let rig = Rig::with(&["a/x", "a/y"], |builder| builder.options(|_| settings)).started().await;
        let (listener, registration) = rig.listen();
        registration.wait_synced(SOON).await.unwrap();
        let (x, backup) = (object(&rig, "x"), rig.server.version());

        let release = hold_writer(&rig);
        rest().await;
        rig.delete("a/x");
        rig.put("a/y", "queued");
        rest().await;
        assert_eq!(object(&rig, "y").resource_version().to_string(), "3", "the writer is held");
        // Back to the state that the store still shows, at a version that lies ahead of all.
        rig.server.rewind(&backup);
        rig.server.advance(10);
        rig.server.compact();
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(release);
        rig.settle().await;
        check(&rig, &listener);
        // With room for one change only, the list is read when the store has caught up.
        assert!(entries == 1 || same_record(&x, &object(&rig, "x")), "it was taken over from the store");
        assert_eq!(relists(&rig.informer)[1], (RelistReason::Expired, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn d15_a_restored_backup_is_noticed_and_nothing_is_taken_over() {
    let rig = Rig::new(&["a/x", "a/y", "a/old"]).started().await;
    let (listener, _registration) = rig.listen();
    let backup = rig.server.version();
    rig.put("a/y", "before");
    rig.put("a/z", "before");
    rig.settle().await;
    rig.server.rewind(&backup);
    rig.put("a/y", "after");
    let y = object(&rig, "y");
    assert_eq!(y.resource_version(), &rig.server.version(), "the version is given out a second time");
    tokio::time::sleep(Duration::from_secs(2)).await;
    rig.settle().await;
    check(&rig, &listener);
    assert_eq!(object(&rig, "y").get().unwrap().data.as_ref().unwrap()["text"], "after");
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Rewound, 1)]);
    assert!(listener.log().contains(&"delete a/z@6 guessed".to_owned()), "{:?}", listener.log());
    assert!(listener.log().contains(&"update a/y@5 5".to_owned()), "{:?}", listener.log());
}

#[tokio::test(start_paused = true)]
async fn b_030_b_202_d5_deletes_found_on_a_relist_are_told_with_the_last_known_state() {
    let rig = Rig::new(&["a/seen", "a/missed", "a/stays"]).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    rig.delete("a/seen");
    rig.settle().await;
    rig.server.lose_next_event();
    rig.delete("a/missed");
    expire(&rig).await;
    rig.server.wait_for_watches(0).await;
    rig.settle().await;
    assert_eq!(listener.log()[3..], ["delete a/seen@5", "delete a/missed@3 guessed"]);
    check(&rig, &listener);
}

#[tokio::test(start_paused = true)]
async fn p_083_d5_a_name_created_again_while_away_is_deleted_then_added() {
    let rig = Rig::new(&["a/x"]).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    expire(&rig).await;
    rig.delete("a/x");
    rig.put("a/x", "again");
    rig.server.compact();
    rig.server.wait_for_watches(0).await;
    rig.settle().await;
    assert_eq!(listener.log()[1..], ["delete a/x@2 guessed", "add a/x@5"]);
    check(&rig, &listener);
}

#[tokio::test(start_paused = true)]
async fn p_041_history_that_is_gone_is_read_anew_whichever_way_the_server_says_so() {
    for as_status in [true, false] {
        let rig = Rig::new(&["a/x"]).started().await;
        let (listener, _registration) = rig.listen();
        rig.server.lose_next_event();
        rig.put("a/y", "");
        if as_status {
            rig.server.inject(Fault::error(http(410, "Gone")).on_watch().once());
        } else {
            rig.server.compact(); // The watch is opened and brings an ERROR event.
        }
        rig.server.cut_watches();
        rig.server.wait_for_watches(0).await;
        if as_status {
            rig.server.wait_for_watch().await;
        } else {
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        rig.settle().await;
        check(&rig, &listener);
        assert!(texts(&rig.failures.lock()).iter().all(|text| text.contains("connection reset")));
    }
}

#[tokio::test(start_paused = true)]
async fn p_024_a_410_between_pages_starts_the_list_over() {
    let settings = lists_only().tuning(|tuning| tuning.page_size(1));
    let rig = Rig::with(&["a/x", "a/y", "a/z"], |builder| builder.options(|_| settings)).started().await;
    let (listener, _registration) = rig.listen();
    // The first page is answered, the second finds its version compacted away.
    let body = list_body("4", &[wire_map("x", "2")]);
    let body = body.replace(
        r#""metadata":{"resourceVersion":"4"}"#,
        r#""metadata":{"resourceVersion":"4","continue":"4:a/x"}"#,
    );
    assert!(body.contains("continue"));
    rig.put("a/x", "newer");
    rig.delete("a/y");
    rig.server.compact();
    rig.server.inject(Fault::reply([body]).on_list().once());
    rig.informer.refresh();
    rest().await;
    rig.settle().await;
    let tokens =
        rig.server.requests().iter().filter(|request| request.query().starts_with("continue=4")).count();
    assert_eq!(tokens, 1, "the second page was asked for once");
    check(&rig, &listener);
}

#[tokio::test(start_paused = true)]
async fn p_021_p_025_pages_become_one_cache() {
    let keys: Vec<_> = (0..7).map(|number| format!("a/{number}")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let settings = lists_only().tuning(|tuning| tuning.page_size(3));
    let rig = Rig::with(&keys, |builder| builder.options(|_| settings)).started().await;
    assert_eq!(rig.cached(), served(&rig.server, None));
    // The first list takes any version, which a server answers from its cache, whole; then pages are used.
    rig.informer.refresh();
    rest().await;
    let pages = rig.server.requests().iter().filter(|request| matches!(request.verb, Verb::List(_))).count();
    assert_eq!(pages, 1 + 3);
    assert_eq!(rig.cached(), served(&rig.server, None));
}

#[tokio::test(start_paused = true)]
async fn d15_a_kind_that_goes_keeps_the_cache_and_is_read_anew_when_it_is_back() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    for _ in 0..3 {
        rig.server.inject(Fault::error(http(404, "NotFound")).once());
    }
    rig.server.close_watches();
    phase(&rig.informer, Phase::Gone).await;
    assert_eq!(rig.informer.lister().len(), 2);
    assert!(rig.informer.has_synced());
    let failure = rig.failures.lock()[0].to_string();
    assert_eq!(
        failure,
        "cannot watch configmaps in all namespaces (HTTP 404): the server says NotFound; \
         v1 ConfigMap is not served there: install its CustomResourceDefinition, or check group, version and the \
         server's address"
    );
    rig.server.lose_next_event();
    rig.delete("a/y");
    phase(&rig.informer, Phase::Watching).await;
    rig.settle().await;
    check(&rig, &listener);
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::Gone, 1)]);
}

#[tokio::test(start_paused = true)]
async fn p_048_refused_requests_keep_the_cache_are_reported_and_retried() {
    for (code, reason, advice) in
        [(401, "Unauthorized", "check the credentials"), (403, "Forbidden", "grant the verbs")]
    {
        let rig = Rig::new(&["a/x"]).started().await;
        rig.server.inject(Fault::error(http(code, reason)).on_watch().once());
        rig.server.close_watches();
        phase(&rig.informer, Phase::BackingOff).await;
        assert_eq!(rig.cached(), served(&rig.server, None));
        let text = rig.failures.lock()[0].to_string();
        let start =
            format!("cannot watch configmaps in all namespaces (HTTP {code}): the server says {reason}; ");
        assert!(text.starts_with(&start) && text.contains(advice), "{text}");
        rig.put("a/y", "");
        phase(&rig.informer, Phase::Watching).await;
        rig.settle().await;
        assert_eq!(rig.cached(), served(&rig.server, None));
        assert_eq!(relists(&rig.informer), [(RelistReason::First, 1)], "resumed where it was");
    }
}

/// A server that lets us list and not watch.
struct ListsOnly(ScriptedSource);

impl ListWatch for ListsOnly {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        match request.verb {
            Verb::Watch(_) => async { Err(http(403, "Forbidden")) }.boxed(),
            Verb::List(_) => self.0.open(request),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b_057_p_048_who_may_list_but_not_watch_is_synced_and_hears_why_nothing_follows() {
    let server = ScriptedSource::of::<ConfigMap>();
    server.create(&map("a/x", "")).unwrap();
    let failures = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let heard = failures.clone();
    let informer = SharedInformer::<ConfigMap>::builder(ListsOnly(server.clone()))
        .on_error(move |failure| heard.lock().push(failure.clone()))
        .build()
        .unwrap();
    let informer = started(informer).await;
    assert_eq!(cached(&informer), served(&server, None));
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(informer.status().phase, Phase::Polling);
    let said = "cannot watch configmaps in all namespaces (HTTP 403): the server says Forbidden; \
                grant the verbs list and watch on configmaps to the account the program runs as";
    let told = texts(&failures.lock());
    assert!(told.len() == 4 && told.iter().all(|text| text == said), "{told:?}");
    assert_eq!(server.requests().len(), 2, "listed once more, to see whether that is allowed");
    server.create(&map("a/y", "")).unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(cached(&informer), served(&server, None), "what is new comes with the next list");
}

#[tokio::test(start_paused = true)]
async fn b_060c_p_060_a_server_that_cannot_stream_lists_is_asked_with_list_and_remembered() {
    for ignores in [true, false] {
        let rig = Rig::new(&["a/x"]);
        if ignores {
            rig.server.inject(Fault::ignore_send_initial_events());
        } else {
            rig.server.inject(Fault::drop_end_bookmark());
        }
        let began = tokio::time::Instant::now();
        let rig = rig.started().await;
        assert!(began.elapsed() <= Duration::from_secs(31), "{:?}", began.elapsed());
        assert_eq!(rig.cached(), served(&rig.server, None));
        let said = "cannot list configmaps in all namespaces: the streamed list brought too few new objects (1) \
                    and no mark of its end within 30s; LIST is used instead";
        assert_eq!(rig.failures(), [said], "why it took so long");
        let status = &rig.informer.status().scopes[0];
        assert_eq!((status.streaming_fallbacks, status.lists), (1, 1));

        rig.informer.refresh();
        rest().await;
        rig.settle().await;
        let status = &rig.informer.status().scopes[0];
        assert_eq!((status.streaming_fallbacks, status.lists), (1, 2), "not tried again so soon");
    }
}

#[tokio::test(start_paused = true)]
async fn b_565_objects_do_not_keep_the_page_alive_that_they_came_in() {
    let rig = Rig::with(&[], |builder| builder.options(|_| lists_only()));
    rig.server.advance(8);
    let page = Bytes::from(list_body("9", &[wire_map("x", "5"), wire_map("y", "6")]));
    rig.server.inject(Fault::reply([page.clone()]).on_list().once());
    let rig = rig.started().await;
    rest().await;
    assert_eq!(rig.informer.lister().list().len(), 2);
    // A fault that has struck still holds its answer.
    rig.server.clear_faults();
    assert!(page.is_unique(), "nobody but this test holds the page");
}

#[tokio::test(start_paused = true)]
async fn b_590_what_a_cache_has_wrong_is_found_by_a_refresh_and_told_as_changes() {
    let rig = Rig::new(&["a/x", "a/y", "a/z"]).started().await;
    let (listener, _) = rig.listen();
    rig.settle().await;
    rig.server.lose_next_event();
    rig.put("a/x", "never told");
    rig.server.lose_next_event();
    rig.delete("a/y");
    rig.settle().await;
    assert_ne!(rig.cached(), served(&rig.server, None));
    assert_eq!(listener.calls(), 3);

    rig.relist().await;
    assert_eq!(rig.cached(), served(&rig.server, None));
    assert_eq!(listener.log()[3..], ["delete a/y@3 guessed", "update a/x@2 5"]);
    listener.check();
}

/// Other white space and other escapes, as of another encoder or a proxy: nothing has changed.
#[tokio::test(start_paused = true)]
async fn d4_the_same_content_in_other_bytes_is_no_news() {
    let rig = Rig::with(&["a/x", "a/y"], |builder| builder.options(|_| lists_only()));
    rig.put("a/x", "<é/>");
    let rig = rig.started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let (x, objects) = (object(&rig, "x"), rig.server.objects());
    expire(&rig).await;
    let list: Value = serde_json::from_str(&list_body(&rig.server.version().to_string(), &objects)).unwrap();
    let list = serde_json::to_string_pretty(&list).unwrap().replace('<', "\\u003c").replace("a", "\\u0061");
    let list = list.replace("met\\u0061d\\u0061t\\u0061", "metadata").replace("n\\u0061me", "name");
    let relist = rig.server.inject(Fault::reply([list.clone()]).on_list().once());
    rig.server.wait_for_watches(0).await;
    rig.settle().await;
    assert_eq!((relist.struck(), listener.calls()), (1, 2));
    assert!(same_record(&x, &object(&rig, "x")), "the cache keeps what it has");
    let refresh = rig.server.inject(Fault::reply([list]).on_list().once());
    rig.relist().await;
    assert_eq!((refresh.struck(), listener.calls()), (1, 2));
    check(&rig, &listener);
}
