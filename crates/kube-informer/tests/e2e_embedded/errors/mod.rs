//! What a user sees when it does not work, word for word: what the embedded server answers, and what the way
//! to a server does.

#[path = "../../e2e/errors/answers.rs"]
mod answers;
mod proxies;

use anyhow::Result;
use kube_client::Config;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{cluster, cluster_with_rules};
use crate::support::failure::{first_failure, pods};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_refused() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    drop(listener);
    let config = Config::new(format!("https://{address}").parse()?);
    first_failure(config, &pods()).await?.assert(
        "cannot list pods in namespace \"default\": no answer from https://127.0.0.1:6443: cannot connect: \
         tcp connect error: Connection refused (os error 111); check the server's address and that it is running: \
         nothing listens there",
        "pods not synced after 10ms; namespace \"default\" is unreachable: no answer from https://127.0.0.1:6443: \
         cannot connect: tcp connect error: Connection refused (os error 111); check the server's address \
         and that it is running: nothing listens there",
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn not_a_kubernetes_server() -> Result<()> {
    let (address, _server) = answering("200 OK").await?;
    first_failure(Config::new(address.parse()?), &pods()).await?.assert(
        "cannot list pods in namespace \"default\": the answer is not JSON: expected an object; check the server's \
         address and proxies on the way: no Kubernetes API server answers like this",
        "pods not synced after 10ms; namespace \"default\" is backing off: the answer is not JSON: expected an \
         object; check the server's address and proxies on the way: no Kubernetes API server answers like this",
    )?;
    let (address, _server) = answering("404 Not Found").await?;
    first_failure(Config::new(address.parse()?), &pods()).await?.assert(
        "cannot list pods in namespace \"default\" (HTTP 404): <html>Welcome</html>; v1 Pod is not served there: \
         install its CustomResourceDefinition, or check group, version and the server's address",
        "pods not synced after 10ms; namespace \"default\" is gone (HTTP 404): <html>Welcome</html>; v1 Pod is not \
         served there: install its CustomResourceDefinition, or check group, version and the server's address",
    )
}

/// A web server that has the same answer for everything. Ends with the runtime of the test.
async fn answering(status: &'static str) -> Result<(String, tokio::task::JoinHandle<()>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let body = "<html>Welcome</html>";
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") && matches!(client.read_buf(&mut request).await, Ok(1..)) {}
            client.write_all(answer.as_bytes()).await.ok();
            client.shutdown().await.ok();
        }
    });
    Ok((address, server))
}
