//! Nonsense from the server: a clear error or a reported skip, never a panic, and the cache stays as it is.

use k8s_openapi::api::core::v1::ConfigMap;
use kube_core::{ApiResource, DynamicObject, GroupVersionKind};
use serde_json::{Value, json};

use super::support::{
    Rig, SOON, event_line, list_body, lists_only, map, phase, relists, rest, served, started, texts, wire_map,
};
use crate::informer::SharedInformer;
use crate::kind::Kind;
use crate::options::Options;
use crate::source::{Fault, ScriptedSource};
use crate::status::{Phase, RelistReason};

/// What is said of a list with this body. The cache stays as it was, and the next list is taken.
async fn said_of_list(body: &str) -> String {
    let rig = Rig::with(&["a/x", "a/y"], |builder| builder.options(|_| lists_only())).started().await;
    let before = rig.cached();
    rig.server.lose_next_event();
    rig.put("a/x", "new");
    rig.server.inject(Fault::reply([body.to_owned()]).on_list().once());
    rig.informer.refresh();
    phase(&rig.informer, Phase::BackingOff).await;
    assert_eq!(rig.cached(), before, "after {body}");
    phase(&rig.informer, Phase::Watching).await;
    rig.settle().await;
    assert_eq!(rig.cached(), served(&rig.server, None), "after {body}");
    let failures = texts(&rig.failures.lock());
    assert_eq!(failures.len(), 1, "{failures:?}");
    failures[0].clone()
}

#[tokio::test(start_paused = true)]
async fn p_024_a_list_that_is_not_json_is_a_failed_list() {
    let start = "cannot list configmaps in all namespaces: ";
    for bad in
        ["{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[{]}", "}", "[1]"]
    {
        let said = said_of_list(bad).await;
        assert!(said.starts_with(&format!("{start}the answer is not JSON: ")), "{bad} gives {said}");
    }
    let cut = &list_body("9", &[wire_map("x", "8")])[..60];
    assert_eq!(said_of_list(cut).await, format!("{start}the connection broke in the middle of a document"));
}

#[tokio::test(start_paused = true)]
async fn p_045_text_in_the_place_of_a_list_is_a_failed_list() {
    let said = said_of_list("404 page not found\n").await;
    assert!(said.starts_with("cannot list configmaps in all namespaces: the answer is not JSON: "), "{said}");
}

#[tokio::test(start_paused = true)]
async fn p_074_a_table_is_not_a_list() {
    let table = json!({ "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": { "resourceVersion": "9" },
        "columnDefinitions": [], "rows": [] });
    assert_eq!(
        said_of_list(&table.to_string()).await,
        "cannot list configmaps in all namespaces: the answer is not a usable list: a Table"
    );
}

#[tokio::test(start_paused = true)]
async fn a_status_in_the_place_of_a_list_is_that_error() {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403,
        "reason": "Forbidden", "message": "configmaps is forbidden" });
    assert_eq!(
        said_of_list(&status.to_string()).await,
        "cannot list configmaps in all namespaces (HTTP 403): configmaps is forbidden; \
         grant the verbs list and watch on configmaps to the account the program runs as"
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_version_or_without_items_is_refused() {
    let start = "cannot list configmaps in all namespaces: the answer is not a usable list: ";
    let no_version = [
        list_body("", &[wire_map("x", "8")]),
        json!({ "kind": "ConfigMapList", "items": [] }).to_string(),
        json!({ "kind": "ConfigMapList", "metadata": null, "items": [] }).to_string(),
        json!({ "kind": "ConfigMapList", "metadata": { "resourceVersion": 9 }, "items": [] }).to_string(),
    ];
    for body in no_version {
        assert_eq!(said_of_list(&body).await, format!("{start}it has no resourceVersion"), "{body}");
    }
    let single = json!({ "kind": "ConfigMap", "metadata": { "resourceVersion": "9", "name": "x" } });
    assert_eq!(said_of_list(&single.to_string()).await, format!("{start}a ConfigMap"));
    assert!(said_of_list("{}").await.starts_with(start));
}

/// The keys that the cache holds after a first list of these items, and what was reported.
async fn taken(items: &[Value]) -> (Vec<String>, Vec<String>) {
    let rig = Rig::with(&[], |builder| builder.options(|_| lists_only()));
    rig.server.advance(99);
    rig.server.inject(Fault::reply([list_body("50", items)]).on_list().once());
    let rig = rig.started().await;
    let mut cached: Vec<_> =
        rig.cached().into_iter().map(|(key, version, _)| format!("{key}@{version}")).collect();
    cached.sort();
    assert_eq!(relists(&rig.informer), [(RelistReason::First, 1)]);
    let said = texts(&rig.failures.lock());
    (cached, said)
}

#[tokio::test(start_paused = true)]
async fn b_003_b_108_b_265_d15_items_that_are_no_objects_of_the_kind_are_left_out_alone() {
    let cases = [
        (
            json!({ "kind": "Pod", "apiVersion": "v1", "metadata": { "namespace": "a", "name": "pod" } }),
            "configmaps a/pod is left out: it is a Pod of v1, not a ConfigMap of v1",
        ),
        (json!({ "data": {} }), "an object of configmaps is left out: it has no name"),
        (json!({ "metadata": null }), "an object of configmaps is left out: it has no name"),
        (json!({ "metadata": { "namespace": "a" } }), "an object of configmaps is left out: it has no name"),
        (json!(null), "an object of configmaps is left out: "),
        (json!(7), "an object of configmaps is left out: "),
        (json!({ "metadata": { "name": 7 } }), "an object of configmaps is left out: "),
        (
            json!({ "metadata": { "namespace": "a", "name": "odd", "labels": [1] } }),
            "configmaps a/odd is left out: ",
        ),
        (
            json!({ "metadata": { "namespace": "a", "name": "odd", "creationTimestamp": "yesterday" } }),
            "configmaps a/odd is left out: metadata.creationTimestamp is not a time as RFC 3339 writes it",
        ),
    ];
    for (item, expected) in cases {
        let (cached, said) = taken(&[wire_map("x", "8"), item.clone(), wire_map("y", "9")]).await;
        assert_eq!(cached, ["a/x@8", "a/y@9"], "{item}");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with(expected), "{item} gives {}", said[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn b_154_of_a_key_that_is_listed_twice_the_last_counts() {
    let (cached, said) = taken(&[wire_map("x", "8"), wire_map("y", "9"), wire_map("x", "10")]).await;
    assert_eq!((cached, said), (vec!["a/x@10".to_owned(), "a/y@9".to_owned()], vec![]));
}

#[tokio::test(start_paused = true)]
async fn p_075_null_items_are_an_empty_list() {
    for items in ["null", "[]"] {
        let rig = Rig::with(&[], |builder| builder.options(|_| lists_only()));
        let body =
            format!(r#"{{"items":{items},"kind":"ConfigMapList","metadata":{{"resourceVersion":"1"}}}}"#);
        rig.server.inject(Fault::reply([body]).on_list().once());
        let rig = rig.started().await;
        assert!(rig.cached().is_empty() && rig.failures.lock().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn objects_with_odd_missing_or_no_versions_are_kept_and_updated() {
    let none = json!({ "metadata": { "namespace": "a", "name": "none", "uid": "u" } });
    let (cached, said) = taken(&[wire_map("x", "abc"), wire_map("y", ""), none]).await;
    assert_eq!((cached, said), (vec!["a/none@".to_owned(), "a/x@abc".into(), "a/y@".into()], vec![]));

    let rig = Rig::new(&["a/z"]).started().await;
    for version in ["abc", "abd", ""] {
        let mut object = wire_map("odd", version);
        object["data"] = json!({ "text": format!("at {version}") });
        rig.server.send_raw(event_line("MODIFIED", &object));
        rest().await;
        let cached = rig.informer.lister().namespace("a").get("odd").unwrap();
        assert_eq!(cached.get().unwrap().data.as_ref().unwrap()["text"], format!("at {version}"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_at_a_version_that_is_no_number_is_used_until_there_is_a_better_one() {
    let rig = Rig::with(&["a/x"], |builder| builder.options(|_| lists_only()));
    rig.server.inject(Fault::reply([list_body("abc", &[wire_map("y", "8")])]).on_list().once());
    let rig = rig.started().await;
    assert_eq!(rig.informer.last_sync_resource_version().to_string(), "abc");
    phase(&rig.informer, Phase::BackingOff).await;
    assert_eq!(rig.informer.lister().len(), 1, "the server refuses to watch from there; the cache stays");
    let error = rig.failures.lock()[0].to_string();
    assert!(
        error.starts_with("cannot watch configmaps in all namespaces (HTTP 500): invalid resource version"),
        "{error}"
    );
    rig.settle().await;
    assert_eq!(rig.cached(), served(&rig.server, None));
}

/// Sends a line to the watch of an informer, then a change: the cache has it in the end.
async fn after_event(line: impl Into<String>) -> Rig {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    rig.server.send_raw(line.into());
    rig.put("a/z", "later");
    phase(&rig.informer, Phase::Watching).await;
    rig.settle().await;
    rig
}

#[tokio::test(start_paused = true)]
async fn d15_a_watch_that_is_not_json_is_read_anew() {
    for line in ["this is not JSON\n", "{\"type\":\"ADDED\",\"object\":{,}}\n", "\u{0}\n"] {
        let rig = after_event(line).await;
        assert_eq!(rig.cached(), served(&rig.server, None));
        assert_eq!(relists(&rig.informer), [(RelistReason::First, 1), (RelistReason::NotJson, 1)], "{line}");
        let said = rig.failures.lock()[0].to_string();
        assert!(
            said.starts_with("cannot watch configmaps in all namespaces: the answer is not JSON: "),
            "{said}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn b_265_d15_events_of_no_use_are_reported_and_the_watch_goes_on() {
    let pod = json!({ "kind": "Pod", "apiVersion": "v1", "metadata": { "namespace": "a", "name": "pod" } });
    for (line, expected) in [
        (event_line("ADDED", &pod), "configmaps a/pod is left out: it is a Pod of v1, not a ConfigMap of v1"),
        (event_line("ADDED", &json!({})), "an object of configmaps is left out: it has no name"),
        (event_line("DELETED", &json!(null)), "an object of configmaps is left out: "),
        ("{\"type\":\"ADDED\"}\n".to_owned(), "an object of configmaps is left out: the event has no object"),
    ] {
        let rig = after_event(line.clone()).await;
        assert_eq!(rig.cached(), served(&rig.server, None));
        assert_eq!(relists(&rig.informer), [(RelistReason::First, 1)], "{line}");
        let said = texts(&rig.failures.lock());
        assert!(said.len() == 1 && said[0].starts_with(expected), "{line} gives {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn p_047_unknown_events_are_ignored() {
    for line in [
        event_line("SPARKLED", &json!({ "a": 1 })),
        event_line("BOOKMARK", &json!({})),
        "{}\n".into(),
        "\n".into(),
    ] {
        let rig = after_event(line.clone()).await;
        assert_eq!(rig.cached(), served(&rig.server, None));
        assert!(rig.failures.lock().is_empty(), "{line}");
        assert_eq!(relists(&rig.informer), [(RelistReason::First, 1)], "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_over_the_limit_fails_the_list_which_names_it() {
    let rig = Rig::with(&["a/x"], |builder| {
        builder.options(|_| lists_only().tuning(|tuning| tuning.document_limit(2_000)))
    });
    rig.put("a/huge", &"x".repeat(5_000));
    rig.start();
    let error = rig.informer.wait_synced(std::time::Duration::from_secs(30)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "configmaps not synced after 30s; all namespaces is backing off: \
         the document of a/huge is larger than the limit of 2000 bytes"
    );
    rig.delete("a/huge");
    rig.synced().await;
    rig.settle().await;
    assert_eq!(rig.cached(), served(&rig.server, None));
}

#[tokio::test(start_paused = true)]
async fn an_object_over_the_limit_spoils_the_watch_but_not_the_cache() {
    let rig = Rig::with(&["a/x"], |builder| {
        builder.options(|options| options.tuning(|tuning| tuning.document_limit(2_000)))
    });
    let rig = rig.started().await;
    rig.put("a/huge", &"x".repeat(5_000));
    phase(&rig.informer, Phase::BackingOff).await;
    assert_eq!(rig.informer.lister().len(), 1);
    let said = rig.failures.lock()[0].to_string();
    assert_eq!(
        said,
        "cannot watch configmaps in all namespaces: the document of a/huge is larger than the limit of 2000 bytes"
    );
    rig.put("a/huge", "small again");
    phase(&rig.informer, Phase::Watching).await;
    rig.settle().await;
    assert_eq!(rig.cached().len(), 2);
}

/// `{"deeper":{"deeper":…}}`
fn deep(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!({ "deeper": inner }))
}

#[tokio::test(start_paused = true)]
async fn deeply_nested_objects_are_kept_and_only_decoding_them_fails() {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Widget"));
    for settings in [Options::default(), lists_only()] {
        let server = ScriptedSource::new(DynamicObject::info(&resource));
        let widget =
            |name: &str| json!({ "metadata": { "namespace": "a", "name": name }, "spec": deep(1_000) });
        server.put_json(widget("listed")).unwrap();
        let builder =
            SharedInformer::<DynamicObject>::builder_with(server.clone(), &resource).options(|_| settings);
        let informer = started(builder.build().unwrap()).await;
        server.put_json(widget("watched")).unwrap();
        rest().await;
        for name in ["listed", "watched"] {
            let object = informer.lister().namespace("a").get(name).unwrap();
            let error = object.get().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("Widget a/{name} does not decode: recursion limit")),
                "{error}"
            );
            assert!(object.raw_json().len() > 10_000);
        }
        assert_eq!(relists(&informer), [(RelistReason::First, 1)]);
        assert_eq!(informer.status().scopes[0].reconnects, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn deeply_nested_metadata_leaves_that_object_out() {
    let (mut labels, mut annotations) = (wire_map("labels", "8"), wire_map("annotations", "9"));
    labels["metadata"]["labels"] = deep(1_000);
    annotations["metadata"]["annotations"] = deep(1_000);
    let (cached, said) = {
        let rig = Rig::with(&[], |builder| builder.options(|_| lists_only()));
        rig.server.advance(99);
        rig.server.inject(
            Fault::reply([list_body("50", &[labels, annotations, wire_map("x", "8")])]).on_list().once(),
        );
        let rig = rig.started().await;
        assert_eq!(relists(&rig.informer), [(RelistReason::First, 1)]);
        let mut keys: Vec<_> = rig.informer.lister().keys().iter().map(ToString::to_string).collect();
        keys.sort();
        (keys, texts(&rig.failures.lock()))
    };
    assert_eq!(cached, ["a/annotations", "a/x"]);
    assert!(said.iter().any(|text| text.starts_with("configmaps a/labels is left out: ")), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn d15_the_newest_version_left_out_takes_the_older_one_away() {
    let rig = Rig::new(&["a/x", "a/y"]).started().await;
    let (listener, registration) = rig.listen();
    registration.wait_synced(SOON).await.unwrap();
    let mut odd = serde_json::to_value(map("a/x", "")).unwrap();
    odd["metadata"]["labels"] = json!([1]);
    rig.server.put_json(odd).unwrap();
    rig.settle().await;
    assert_eq!(listener.log()[2..], ["delete a/x@2 guessed"]);
    assert_eq!(rig.informer.lister().len(), 1);
    let good: ConfigMap = map("a/x", "good again");
    rig.server.put_json(serde_json::to_value(good).unwrap()).unwrap();
    rig.settle().await;
    assert_eq!(rig.cached(), served(&rig.server, None));
    listener.check();
}
