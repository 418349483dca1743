//! `serve`, and `watch --listen`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::{Running, Server, informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn serve_writes_a_kubeconfig_that_works_and_ends_with_ctrl_c() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("kubeconfig");
    let mut serve = informer(&["serve", "--simulate", "3", "--write-kubeconfig"]);
    serve.arg(&file);
    let mut serve = Running::start(serve);
    let line = serve.line().await;
    assert!(line.starts_with("serving at http://127.0.0.1:"), "{line}");
    assert!(line.contains("in memory"), "{line}");
    // A client that knows a version of an earlier server is told at once that it is gone.
    let address = line.trim_start_matches("serving at http://").split(',').next().expect("an address");
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let version = hour_ago.duration_since(SystemTime::UNIX_EPOCH).expect("a time").as_micros();
    let (_, events) = get(address, &format!("/api/v1/pods?watch=1&resourceVersion={version}")).await;
    assert!(events.contains("\"code\":410"), "{events}");
    let mut get = informer(&["get", "nodes", "-o", "name", "--kubeconfig"]);
    get.arg(&file);
    let said = run(get).await;
    assert_eq!((said.code, said.out.lines().count()), (0, 3), "{said:?}");
    let id = serve.id().to_string();
    test_cluster::send_signal("INT", &id).expect("it is told");
    let (code, said) = serve.ended().await;
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn serve_answers_to_its_own_names_and_those_that_are_given() {
    let mut serve = Running::start(informer(&["serve", "--host", "kube.example.com"]));
    let line = serve.line().await;
    let address = line.trim_start_matches("serving at http://").split(',').next().expect("an address");
    let port = address.rsplit(':').next().expect("a port");
    for (host, status) in [
        (address.to_owned(), 200),
        (format!("localhost:{port}"), 200),
        (format!("kube.example.com:{port}"), 200),
        (format!("evil.example.com:{port}"), 403),
        ("localhost.example.com".to_owned(), 403),
    ] {
        let (answered, body) = ask_as("GET", address, &host, "/api/v1/namespaces", "").await;
        assert_eq!(answered, status, "{host}: {body}");
        assert_eq!(body.contains("kube-system"), status == 200, "{host}: {body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn controllers_are_switched_on_by_name() {
    let mut serve = Running::start(informer(&["serve", "--controllers", "gc,namespace"]));
    let line = serve.line().await;
    let address = line.trim_start_matches("serving at http://").split(',').next().expect("an address");
    let (namespaces, n) = ("/api/v1/namespaces", "/api/v1/namespaces/n");
    let named = |name: &str| serde_json::json!({ "metadata": { "name": name } }).to_string();
    assert_eq!(ask("POST", address, namespaces, &named("n")).await.0, 201);
    assert_eq!(ask("POST", address, &format!("{n}/configmaps"), &named("a")).await.0, 201);
    let path = format!("{n}/configmaps/a?propagationPolicy=Foreground");
    let (_, marked) = ask("DELETE", address, &path, "").await;
    assert!(marked.contains("foregroundDeletion"), "the garbage collector: {marked}");
    assert_eq!(ask("DELETE", address, n, "").await.0, 200);
    let (status, namespace) = get(address, n).await;
    assert!(status == 200 && namespace.contains("Terminating"), "the controller of namespaces: {namespace}");

    let said = run(informer(&["serve", "--controllers", "gc,jobs"])).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("gc, namespace"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let said = run(informer(&["serve", "--port", &port])).await;
    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.err.starts_with(&format!("error: cannot listen at 127.0.0.1:{port}: ")), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_listens_and_tells_how_it_is() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    let arguments = ["watch", "configmaps", "-n", "shop", "--listen", "127.0.0.1:0"];
    let mut watch = Running::start(server.informer(&arguments));
    let said = watch.remark("listening at http://").await;
    let address = said.trim().trim_start_matches("listening at http://").trim_end_matches("/debug/informers");
    watch.remark("configmaps: 1 in the cache").await;
    let (status, body) = get(address, "/readyz").await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(get(address, "/livez").await.0, 200);
    let (status, body) = get(address, "/debug/informers").await;
    let informers: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((status, &informers["informers"][0]["objects"]), (200, &Value::from(1)), "{body}");
    let (status, body) = get(address, "/metrics").await;
    assert!(status == 200 && body.contains("informer_objects{"), "{body}");
    assert_eq!(get(address, "/").await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_are_shown_if_that_is_asked_for_on_loopback_or_with_a_token() {
    let server = Server::start().await;
    server.config_map("a", "contents").await;
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    std::fs::write(&token, "s3cret\n").expect("it is written");
    let token = token.to_str().expect("a path");
    let watch = ["watch", "configmaps", "-n", "shop", "--listen"];
    let kinds = "/debug/objects/kinds";
    for (more, status) in [
        (&["127.0.0.1:0"][..], 404),
        (&["127.0.0.1:0", "--browse"], 200),
        (&["127.0.0.1:0", "--browse", "--token-file", token], 401),
        (&[":0", "--browse", "--token-file", token], 401),
    ] {
        let mut watch = Running::start(server.informer(&[&watch[..], more].concat()));
        let said = watch.remark("listening at http://").await;
        let port =
            said.trim().trim_end_matches("/debug/informers").rsplit(':').next().expect("a port").to_owned();
        let (answered, body) = get(&format!("127.0.0.1:{port}"), kinds).await;
        assert_eq!(answered, status, "{more:?}: {body}");
        assert_eq!(body.contains("ConfigMap"), status == 200, "{more:?}: {body}");
    }
    let said = run(server.informer(&[&watch[..], &[":0", "--browse"]].concat())).await;
    assert!(said.code == 4 && said.err.contains("loopback"), "{said:?}");
    let said = run(server.informer(&["watch", "configmaps", "--browse"])).await;
    assert!(said.code == 2 && said.err.contains("--listen"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn digests_are_told_on_loopback_and_elsewhere_if_that_is_asked_for() {
    let server = Server::start().await;
    server.config_map("a", "1").await;
    for (more, status) in [
        (&["127.0.0.1:0"][..], 200),
        (&["[::ffff:127.0.0.1]:0"], 200),
        (&[":0"], 404),
        (&[":0", "--digests"], 200),
    ] {
        let arguments = [&["watch", "configmaps", "-n", "shop", "--listen"], more].concat();
        let mut watch = Running::start(server.informer(&arguments));
        let said = watch.remark("listening at http://").await;
        let port = said.trim().trim_end_matches("/debug/informers").rsplit(':').next().expect("a port");
        let address = format!("127.0.0.1:{port}");
        let (answered, body) = get(&address, "/debug/digests").await;
        assert_eq!(answered, status, "{more:?}: {body}");
        let (_, paths) = get(&address, "/").await;
        assert_eq!(paths.contains("/debug/digests"), status == 200, "{more:?}: {paths}");
        if status == 404 {
            let said =
                run(server.informer(&["diff", "--endpoint", &format!("http://{address}"), "cm"])).await;
            assert!(said.code == 3 && said.err.contains("--digests"), "{said:?}");
        }
    }
    let said = run(server.informer(&["watch", "configmaps", "--digests"])).await;
    assert!(said.code == 2 && said.err.contains("--listen"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_may_be_a_name_or_just_a_port() {
    for (wanted, shown) in [("localhost:0", "http://127.0.0.1:"), (":0", "http://0.0.0.0:")] {
        let mut watch = Running::start(informer(&["watch", "pods", "--embedded", "--listen", wanted]));
        let said = watch.remark("listening at ").await;
        let port = said.split(shown).nth(1).unwrap_or_else(|| panic!("{said}"));
        let port = port.trim().trim_end_matches("/debug/informers");
        // As it is printed, and as people write it.
        for host in [shown.trim_start_matches("http://"), "127.0.0.1:", "localhost:"] {
            let (status, body) = get(&format!("{host}{port}"), "/debug/informers").await;
            assert_eq!(status, 200, "{host}: {body}");
        }
    }
    let said = run(informer(&["watch", "pods", "--embedded", "--listen", "9090"])).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("localhost:9090"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let said = run(informer(&["watch", "pods", "--embedded", "--listen", &address])).await;
    assert_eq!(said.code, 4, "{said:?}");
    assert!(said.err.contains(&format!("error: cannot listen at {address}: ")), "{said:?}");
}

/// Sends a GET; the status and the body of the answer.
pub(crate) async fn get(address: &str, path: &str) -> (u16, String) {
    ask("GET", address, path, "").await
}

/// Sends a request with a body; the status and the body of the answer.
async fn ask(method: &str, address: &str, path: &str, body: &str) -> (u16, String) {
    ask_as(method, address, address, path, body).await
}

/// The same under a name of the server.
async fn ask_as(method: &str, address: &str, host: &str, path: &str, body: &str) -> (u16, String) {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close");
    let request =
        format!("{head}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let address = address.to_owned();
    let ask = move || {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let answer = tokio::task::spawn_blocking(ask).await.expect("it is awaited");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.split(' ').nth(1).expect("a status").parse().expect("a number"), body.to_owned())
}
