//! Helpers of these tests.

use std::io;
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, TcpServer};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Api;
use kube_client::api::Patch;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A TCP connection for raw bytes.
pub(crate) struct Raw {
    stream: TcpStream,
}

impl Raw {
    pub(crate) async fn connect(endpoint: &TcpServer) -> Self {
        Self { stream: TcpStream::connect(endpoint.address()).await.expect("it listens") }
    }

    /// Sends these bytes. It is no error if the server closes the connection meanwhile.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    /// Reads until the server closes or resets the connection.
    pub(crate) async fn rest(mut self) -> Vec<u8> {
        let mut read = Vec::new();
        let _ = self.stream.read_to_end(&mut read).await;
        read
    }

    /// Reads up to and including `end`.
    pub(crate) async fn until(&mut self, end: &str) -> io::Result<String> {
        let mut read = Vec::new();
        while !read.ends_with(end.as_bytes()) {
            read.push(self.stream.read_u8().await?);
        }
        Ok(String::from_utf8_lossy(&read).into_owned())
    }
}

/// Sends these bytes on a new connection, and returns everything that the server sends.
pub(crate) async fn answer_to(endpoint: &TcpServer, bytes: impl AsRef<[u8]>) -> String {
    let mut raw = Raw::connect(endpoint).await;
    raw.send(bytes).await;
    String::from_utf8_lossy(&in_time(raw.rest()).await).into_owned()
}

/// A GET with `Connection: close`.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
}

/// An empty ConfigMap in the namespace `default`.
pub(crate) fn config_map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map
}

/// The size of the events of [`flooded`] in bytes: more than fits into the buffers of a connection.
pub(crate) const FLOOD: usize = 50_000_000;

/// A connection with a watch that has [`FLOOD`] bytes to send, and of which only the head has been read.
pub(crate) async fn flooded(server: &EmbeddedApiserver, endpoint: &TcpServer) -> Raw {
    const SIZE: usize = 500_000;
    let mut raw = Raw::connect(endpoint).await;
    raw.send(get("/api/v1/configmaps?watch=1&resourceVersion=1&timeoutSeconds=100000")).await;
    raw.until("\r\n\r\n").await.expect("the watch begins");
    let maps: Api<ConfigMap> = Api::default_namespaced(server.quiet_client());
    server.create(&config_map("large")).await.expect("it is created");
    for change in 0..FLOOD / SIZE {
        let patch = json!({"data": {"large": format!("{change}{}", "x".repeat(SIZE))}});
        maps.patch("large", &Default::default(), &Patch::Merge(patch)).await.expect("it is changed");
    }
    raw
}

/// Panics if the future takes too long, so that a test does not hang.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("it takes too long")
}
