use std::sync::{Arc, Weak};

use futures::{AsyncReadExt as _, StreamExt as _};
use http::Request;
use kube_client::Client;

use super::*;

const WATCH: &str = "/api/v1/configmaps?watch=1";

/// Waits until nothing holds the server any more. Tasks that hold it may take a moment to end.
async fn gone(front: &Weak<Front>) {
    while front.strong_count() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_server_without_sockets() {
    let server = EmbeddedApiserver::new();
    let front = Arc::downgrade(&server.front);
    let client = server.client();
    let watch = client.request_stream(Request::get(WATCH).body(Vec::new()).unwrap()).await.unwrap();
    drop(server);
    assert!(front.upgrade().is_some(), "a client keeps it alive");
    drop((watch, client));
    gone(&front).await;
}

#[tokio::test]
async fn nothing_is_left_when_the_endpoint_is_stopped_or_dropped() {
    for stopped in [true, false] {
        let server = EmbeddedApiserver::new();
        let front = Arc::downgrade(&server.front);
        let endpoint = server.listen().await.unwrap();
        let client = Client::try_from(endpoint.config()).unwrap();
        let request = Request::get(WATCH).body(Vec::new()).unwrap();
        let mut watch = Box::pin(client.request_stream(request).await.unwrap());
        drop(server);
        if stopped {
            endpoint.stop().await;
        } else {
            drop(endpoint);
        }
        gone(&front).await;
        let end = watch.read(&mut [0; 10]).await;
        // A stopped endpoint ends a watch cleanly; a dropped one breaks the connection.
        assert_eq!(end.is_ok(), stopped, "{end:?}");
    }
}

#[tokio::test]
async fn a_watch_that_is_dropped_is_forgotten_at_once() {
    let server = EmbeddedApiserver::new();
    let request = Request::get(WATCH).body(kube_client::client::Body::empty()).unwrap();
    let answer = tower::ServiceExt::oneshot(server.service(), request).await.unwrap();
    let storage = Arc::downgrade(&server.front.api.storage);
    let held = storage.strong_count();
    let mut body = http_body_util::BodyExt::into_data_stream(answer.into_body());
    assert!(futures::poll!(body.next()).is_pending());
    drop(body);
    assert_eq!(storage.strong_count(), held - 1);
}

#[tokio::test]
async fn versions_begin_where_the_builder_says() {
    let first = |version: u64| EmbeddedApiserver::builder().first_version(version).build();
    let written = EmbeddedApiserver::new().version() - 1;
    assert_eq!((first(0).version(), first(1_000).version()), (1 + written, 1_000 + written));
    let server = first(1_000_000);
    let list =
        Request::get("/api/v1/configmaps?resourceVersion=77&resourceVersionMatch=Exact").body(Vec::new());
    let refused = server.client().request_text(list.unwrap()).await.unwrap_err();
    assert!(matches!(&refused, kube_client::Error::Api(status) if status.code == 410), "{refused}");
}
