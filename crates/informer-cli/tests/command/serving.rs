//! `serve`, and `watch --listen`.

use std::process::Command;

use crate::support::{Running, informer, run};

#[tokio::test(flavor = "multi_thread")]
async fn serve_writes_a_kubeconfig_that_works_and_ends_with_ctrl_c() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("kubeconfig");
    let mut serve = informer(&["serve", "--simulate", "3", "--write-kubeconfig"]);
    serve.arg(&file);
    let mut serve = Running::start(serve);
    let line = serve.line().await;
    assert!(line.starts_with("serving at http://127.0.0.1:"), "{line}");
    let mut get = informer(&["get", "nodes", "-o", "name", "--kubeconfig"]);
    get.arg(&file);
    let said = run(get).await;
    assert_eq!((said.code, said.out.lines().count()), (0, 3), "{said:?}");
    let id = serve.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it is told").success());
    let (code, said) = serve.ended().await;
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let said = run(informer(&["serve", "--port", &port])).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.starts_with(&format!("error: cannot listen at 127.0.0.1:{port}: ")), "{said:?}");
}
