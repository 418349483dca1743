//! `serve`, and `watch --listen`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::support::{informer, run};

/// Starts it and waits for its first line.
async fn started(mut command: Command) -> (Child, String) {
    let start = move || {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        (child, line)
    };
    tokio::task::spawn_blocking(start).await.expect("it is awaited")
}

#[tokio::test(flavor = "multi_thread")]
async fn serve_writes_a_kubeconfig_that_works_and_ends_with_ctrl_c() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("kubeconfig");
    let mut serve = informer(&["serve", "--simulate", "3", "--write-kubeconfig"]);
    serve.arg(&file);
    let (mut child, line) = started(serve).await;
    assert!(line.starts_with("serving at http://127.0.0.1:"), "{line}");
    let mut get = informer(&["get", "nodes", "-o", "name", "--kubeconfig"]);
    get.arg(&file);
    let said = run(get).await;
    assert_eq!((said.code, said.out.lines().count()), (0, 3), "{said:?}");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it is told").success());
    let code = tokio::task::spawn_blocking(move || child.wait()).await.expect("it is awaited").expect("it ends").code();
    assert_eq!(code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let said = run(informer(&["serve", "--port", &port])).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.starts_with(&format!("error: cannot listen at 127.0.0.1:{port}: ")), "{said:?}");
}
