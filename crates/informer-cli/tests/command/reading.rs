//! `get` and `diff`.

use embedded_apiserver::Verb;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use serde_json::Value;

use crate::support::proxy::Proxy;
use crate::support::{Server, named, run};

#[tokio::test(flavor = "multi_thread")]
async fn get_shows_a_table_of_what_is_in_the_cache() {
    let server = Server::start().await;
    server.config_map("b", "1").await;
    server.config_map("a", "1").await;
    let said = run(server.informer(&["get", "cm", "-n", "shop"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    let lines: Vec<_> = said.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(lines[0], ["NAME", "DATA", "AGE"]);
    assert_eq!((lines[1][0], lines[1][1], lines[2][0]), ("a", "1", "b"));
    assert!(!said.out.contains('\x1b'), "no colours where there is no terminal");
    let everywhere = run(server.informer(&["get", "configmaps", "-A"])).await;
    assert!(everywhere.out.starts_with("NAMESPACE   NAME"), "{everywhere:?}");
    let nothing = run(server.informer(&["get", "pods"])).await;
    assert_eq!((nothing.code, nothing.out.as_str()), (0, ""));
    assert_eq!(nothing.err, "no pods in namespace \"default\" (-A for all namespaces)\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_reads_the_namespaces_that_are_named_and_no_others() {
    let server = Server::start().await;
    for namespace in ["a", "b", "c"] {
        server
            .api
            .create(&Namespace { metadata: named(None, namespace), ..Namespace::default() })
            .await
            .expect("it is new");
        let metadata = named(Some(namespace), &format!("of-{namespace}"));
        server.api.create(&ConfigMap { metadata, ..ConfigMap::default() }).await.expect("it is new");
    }
    let said = run(server.informer(&["get", "cm", "-n", "a", "-n", "b"])).await;
    assert_eq!(said.code, 0, "{said:?}");
    let rows: Vec<_> =
        said.out.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>()).collect();
    assert_eq!(rows, [["NAMESPACE", "NAME"], ["a", "of-a"], ["b", "of-b"]], "{said:?}");
    let nothing = run(server.informer(&["get", "pods", "-n", "a", "-n", "b"])).await;
    assert_eq!(nothing.err, "no pods in namespaces \"a\", \"b\" (-A for all namespaces)\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_writes_names_json_and_yaml() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let names = run(server.informer(&["get", "configmap", "-n", "shop", "-o", "name"])).await;
    assert_eq!(names.out, "configmap/a\n");
    let list = run(server.informer(&["get", "cm", "-n", "shop", "-o", "json"])).await;
    let list: Value = serde_json::from_str(&list.out).expect("JSON");
    assert_eq!(list["items"][0]["kind"], "ConfigMap");
    let one = run(server.informer(&["get", "cm", "a", "-n", "shop", "-o", "yaml"])).await;
    assert!(one.out.contains("kind: ConfigMap") && one.out.contains("  name: a"), "{one:?}");
    let selected = run(server.informer(&["get", "cm", "-A", "-l", "no=such", "-o", "name"])).await;
    assert_eq!((selected.code, selected.out.as_str()), (0, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_of_secrets_are_sizes() {
    let server = Server::start().await;
    server.secret("s", "hunter2").await;
    for form in ["json", "yaml", "table"] {
        let said = run(server.informer(&["get", "secrets", "-n", "shop", "-o", form])).await;
        assert_eq!(said.code, 0, "{said:?}");
        assert!(!said.out.contains("hunter2") && !said.out.contains("aHVudGVyMg"), "{said:?}");
    }
    let said = run(server.informer(&["get", "secret", "s", "-n", "shop", "-o", "json"])).await;
    let secret: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(secret["data"]["token"], "<7 bytes>");
}

#[tokio::test(flavor = "multi_thread")]
async fn diff_finds_cache_and_server_equal() {
    let server = Server::start().await;
    server.config_map("a", "<1> & \"2\" ☃").await;
    server.config_map("b", "2").await;
    let said = run(server.informer(&["diff", "configmaps", "-A"])).await;
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "configmaps: cache and server are equal, 2 objects\n"),
        "{said:?}"
    );
    let said = run(server.informer(&["diff", "configmaps", "-A", "--output", "json"])).await;
    let said: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((&said["equal"], &said["objects"]), (&Value::Bool(true), &Value::from(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_is_named_is_the_only_one_read() {
    let server = Server::start().await;
    for name in ["a", "b", "c"] {
        server.config_map(name, "1").await;
    }
    let said = run(server.informer(&["get", "configmap", "b", "-n", "shop", "-o", "name"])).await;
    assert_eq!((said.code, said.out.as_str()), (0, "configmap/b\n"), "{said:?}");
    let journal = server.api.journal();
    let asked = journal.matching(|it| it.is(Verb::List, "configmaps") || it.is(Verb::Watch, "configmaps"));
    let selects: Vec<_> = asked.iter().map(|it| it.parameter("fieldSelector")).collect();
    let named = |selector: &Option<String>| selector.as_deref() == Some("metadata.name=b");
    assert!(!selects.is_empty() && selects.iter().all(named), "{selects:?}");
    let both = ["get", "configmap", "b", "-n", "shop", "--field-selector", "metadata.name!=b"];
    assert_eq!(run(server.informer(&both)).await.code, 1, "both selectors count");
}

#[tokio::test(flavor = "multi_thread")]
async fn diff_works_behind_a_proxy() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let proxy = Proxy::start();
    std::fs::write(server.kubeconfig(), proxy.kubeconfig(&server.endpoint.url())).expect("a kubeconfig");
    let said = run(server.informer(&["diff", "configmaps", "-A"])).await;
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "configmaps: cache and server are equal, 1 objects\n"),
        "{said:?}"
    );
    assert!(proxy.connections() >= 2, "the informer and the list to compare with");
}
