//! Stopping the server, which leaves nothing behind.

use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, ServerFault};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::support::{Raw, flooded, get, in_time};

#[tokio::test]
async fn dropping_the_endpoint_cuts_its_connections() {
    let server = EmbeddedApiserver::new();
    let endpoint = server.listen().await.unwrap();
    server.inject(ServerFault::stall());
    let mut raw = Raw::connect(&endpoint).await;
    raw.send(get("/version")).await;
    in_time(server.journal().until(1, |_| true)).await;
    let address = endpoint.address();
    drop(endpoint);
    assert_eq!(in_time(raw.rest()).await, b"");
    in_time(async { while TcpStream::connect(address).await.is_ok() {} }).await;
}

#[tokio::test]
async fn a_stopped_server_can_listen_on_the_same_address_again() {
    let server = EmbeddedApiserver::new();
    let endpoint = server.listen().await.unwrap();
    let address = endpoint.address();
    let idle = Raw::connect(&endpoint).await;
    in_time(endpoint.stop()).await;
    assert_eq!(in_time(idle.rest()).await, b"");
    let endpoint = server.listen_on(address).await.unwrap();
    let mut raw = Raw::connect(&endpoint).await;
    raw.send(get("/healthz")).await;
    assert!(in_time(raw.rest()).await.starts_with(b"HTTP/1.1 "));
    assert_eq!(endpoint.address(), address);
}

#[tokio::test]
async fn what_is_stalled_does_not_hold_up_a_stop() {
    let server = EmbeddedApiserver::new();
    let endpoint = server.listen().await.unwrap();
    let fault = server.inject(ServerFault::stall());
    let mut raw = Raw::connect(&endpoint).await;
    raw.send(get("/version")).await;
    in_time(fault.until_struck(1)).await;
    in_time(endpoint.stop()).await;
    assert_eq!(in_time(raw.rest()).await, b"");
}

/// With paused time the clock jumps to the next timer while all tasks wait for sockets.
#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_up_a_stop_for_five_seconds_at_most() {
    let server = EmbeddedApiserver::new();
    let endpoint = server.listen().await.unwrap();
    let raw = flooded(&server, &endpoint).await;
    let start = Instant::now();
    endpoint.stop().await;
    assert!(start.elapsed() <= Duration::from_secs(6), "{:?}", start.elapsed());
    assert!(!raw.rest().await.ends_with(b"0\r\n\r\n"));
}
