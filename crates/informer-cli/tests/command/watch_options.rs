//! `watch`: which objects, and what of them is shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use serde_json::json;

use crate::support::canned::{Answer, Canned, discovery};
use crate::support::{Running, Server, named, run};

/// The lines on stdout until one has this text, which is among them.
async fn until(watch: &mut Running, text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let line = watch.line().await;
        assert!(!line.is_empty(), "it ended before {text:?}: {lines:?}");
        lines.push(line.trim_end().to_owned());
        if line.contains(text) {
            return lines;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_there_is_shown_if_that_is_asked_for() {
    let server = Server::start().await;
    // More than are shown otherwise.
    for number in 0..30 {
        server.config_map(&format!("map-{number:02}"), "1").await;
    }
    let watch = ["watch", "configmaps", "-n", "shop"];
    let mut all = Running::start(server.informer(&[&watch[..], &["--initial"]].concat()));
    let mut few = Running::start(server.informer(&watch));
    for watch in [&mut all, &mut few] {
        watch.remark("configmaps: 30 in the cache").await;
    }
    server.config_map("new", "1").await;
    let lines = until(&mut all, "shop/new").await;
    assert_eq!(lines.len(), 31, "{lines:?}");
    for (number, line) in lines[..30].iter().enumerate() {
        assert!(line.contains(&format!("ADDED   configmap  shop/map-{number:02}")), "{line}");
    }
    let lines = until(&mut few, "shop/new").await;
    assert_eq!(lines.len(), 1, "many are counted: {lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_namespaces_are_watched_and_no_others() {
    let server = Server::start().await;
    for namespace in ["test", "other"] {
        let namespace = Namespace { metadata: named(None, namespace), ..Namespace::default() };
        server.api.create(&namespace).await.expect("a namespace");
    }
    for namespace in ["other", "shop", "test"] {
        let map = ConfigMap { metadata: named(Some(namespace), "a"), ..ConfigMap::default() };
        server.api.create(&map).await.expect("a configmap");
    }
    let mut watch =
        Running::start(server.informer(&["watch", "cm", "-n", "shop", "-n", "test", "-o", "json"]));
    let lines = until(&mut watch, "\"synced\"").await;
    let keys: Vec<_> = ["other/a", "shop/a", "test/a"]
        .into_iter()
        .filter(|key| lines.iter().any(|line| line.contains(&format!("\"key\":\"{key}\""))))
        .collect();
    assert_eq!(keys, ["shop/a", "test/a"], "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_may_be_shown_as_names_or_yaml() {
    let server = Server::start().await;
    server.config_map("a", "one").await;
    for (form, first, then) in
        [("name", "configmap/a", "configmap/b"), ("yaml", "apiVersion: v1", "  key: two")]
    {
        let mut watch = Running::start(server.informer(&["watch", "cm", "-n", "shop", "-o", form]));
        assert_eq!(watch.line().await.trim_end(), first, "{form}");
        server.config_map("b", "two").await;
        until(&mut watch, then).await;
        let maps: kube_client::Api<ConfigMap> =
            kube_client::Api::namespaced(server.api.quiet_client(), "shop");
        maps.delete("b", &kube_client::api::DeleteParams::default()).await.expect("it is deleted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_may_follow_a_kind_as_in_get() {
    let server = Server::start().await;
    for name in ["a", "b", "c"] {
        server.config_map(name, "1").await;
    }
    let watch = |words: &[&str]| {
        let arguments = [&["watch"], words, &["-n", "shop", "-o", "name", "--until", "create"]].concat();
        run(server.informer(&arguments))
    };
    for words in [&["configmap", "a", "c"][..], &["cm/a", "cm/c"]] {
        let said = watch(words).await;
        let mut names: Vec<_> = said.out.lines().collect();
        names.sort_unstable();
        assert_eq!((said.code, names), (0, vec!["configmap/a", "configmap/c"]), "{words:?}: {}", said.err);
    }
    // A word that is a kind is one.
    let said = watch(&["configmap", "namespaces"]).await;
    assert!(said.err.contains("watching configmaps, namespaces in "), "{said:?}");
    let said = watch(&["nonsense", "a"]).await;
    assert!(said.code == 2 && said.err.contains("nonsense"), "{said:?}");
    let said = watch(&["cm", "a", "namespaces"]).await;
    assert!(said.code == 2 && said.err.contains('a'), "kinds and names are not mixed: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_said_which_words_are_taken_as_names() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    for (words, said) in [
        (&["cm", "evnts"][..], "no kind is called evnts: watching the configmap of that name"),
        (&["cm", "a", "evnts"], "no kind is called a or evnts: watching the configmaps of those names"),
        (&["cm,deploy", "a"], "no kind is called a: watching the configmaps, deployments of that name"),
    ] {
        let mut watch = Running::start(server.informer(&[&["watch"], words].concat()));
        assert_eq!(watch.remark("no kind").await.trim_end(), said);
    }
}

/// A server with a group, and how often it was asked what it has.
fn with_group(group: Answer) -> (Canned, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let server = Canned::with_discovery(move |path| match path {
        "/apis" => {
            counted.fetch_add(1, Ordering::SeqCst);
            let version = json!({ "groupVersion": "example.com/v1", "version": "v1" });
            Answer::json(200, &json!({ "groups": [{ "name": "example.com", "versions": [version] }] }))
        }
        "/apis/example.com/v1" => group.clone(),
        _ => discovery(path).unwrap_or_else(|| Answer::status(403, "Forbidden", "no")),
    });
    (server, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_looked_for_among_the_kinds_once() {
    let review = json!({ "name": "reviews", "namespaced": false, "kind": "Review", "verbs": ["create"] });
    let (server, asked) = with_group(Answer::json(200, &json!({ "resources": [review] })));
    let said = run(server.informer(&["watch", "pods", "web-0", "web-1", "web-2"])).await;
    assert_eq!(said.code, 3, "it is refused: {said:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "{said:?}");
    // A kind that cannot be watched is one.
    let said = run(server.informer(&["watch", "pods", "reviews"])).await;
    assert!(said.code == 2 && said.err.contains("cannot be listed and watched"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_whose_kind_may_be_in_a_group_that_does_not_answer_is_taken_as_a_name_and_the_group_named() {
    let (server, asked) = with_group(Answer::status(503, "ServiceUnavailable", "away"));
    let said = run(server.informer(&["watch", "pods", "widgets"])).await;
    assert_eq!((said.code, asked.load(Ordering::SeqCst)), (3, 1), "pods are refused: {said:?}");
    let note = said.err.lines().next().unwrap_or_default();
    assert!(note.starts_with("no kind is called widgets (could not be asked: example.com/v1: "), "{said:?}");
    assert!(note.ends_with("): watching the pod of that name"), "{said:?}");
    // Whoever says that it is a name is told nothing of that group.
    let said = run(server.informer(&["watch", "pods/widgets"])).await;
    assert!(said.code == 3 && !said.err.contains("example.com"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_shown_at_the_end_of_lines() {
    let server = Server::start().await;
    let mut metadata = named(Some("shop"), "a");
    metadata.labels = serde_json::from_value(json!({ "app": "web", "tier": "front" })).expect("labels");
    server.api.create(&ConfigMap { metadata, ..ConfigMap::default() }).await.expect("a configmap");
    for (options, end) in [
        (&["--show-labels"][..], "labels app=web,tier=front"),
        (&["-L", "app,none"], "app web, none <none>"),
        (&["-L", "app", "-o", "wide", "--show-labels"], "app web, labels app=web,tier=front"),
    ] {
        let arguments = [&["watch", "cm", "-n", "shop"], options].concat();
        let line = Running::start(server.informer(&arguments)).line().await;
        assert!(line.trim_end().ends_with(end), "{options:?}: {line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn options_of_get_that_watch_does_not_have_are_answered_with_what_to_do() {
    let server = Server::start().await;
    for (options, advice) in [
        (&["pods", "-w"][..], "goes on by itself"),
        (&["pods", "--watch"], "goes on by itself"),
        (&["pods", "--watch-only"], "use --only-changes"),
        (&["pods", "--sort-by", ".metadata.name"], "in the order in which they happen"),
        (&["--sort-by=.metadata.name"], "in the order in which they happen"),
        (&["pods", "--no-headers"], "writes no titles"),
        (&["pods", "-o", "jsonpath={.metadata.name}"], "`kubectl get -w … -o jsonpath=…`"),
        (&["pods", "-o", "custom-columns=A:.metadata.name"], "`informer get -w … --field PATH`"),
        (&["pods", "-o", "json", "--show-labels"], ".metadata.labels"),
        (&["pods", "-o", "name", "-L", "app"], ".metadata.labels"),
    ] {
        let said = run(server.informer(&[&["watch"], options].concat())).await;
        assert!(said.code == 2 && said.err.contains(advice), "{options:?}: {said:?}");
    }
}
