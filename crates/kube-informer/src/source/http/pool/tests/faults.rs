//! What servers do to HTTP/2 connections.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use super::super::*;
use super::support::{begin, get, piece, pool};

/// A server that says good-bye answers what it has taken; what comes after that goes to the next connection.
#[tokio::test(start_paused = true)]
async fn p_044_after_goaway_streams_go_on_and_new_requests_go_elsewhere() {
    let (pool, mut server) = pool(Protocol::Http2);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut first = server.accept(100).await;
    let mut asked = first.accept().await.unwrap().unwrap();
    let mut body = begin(&mut asked, "event");
    first.graceful_shutdown();
    tokio::spawn(async move { while let Some(Ok(_)) = first.accept().await {} });
    let mut answer = sent.await.unwrap().unwrap();
    assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "event");
    // Long enough for the second, final, GOAWAY to arrive.
    tokio::time::sleep(Duration::from_secs(1)).await;

    let other = tokio::spawn(pool.clone().send(get("/api/v1/nodes?watch=true")));
    let mut second = server.accept(100).await;
    let mut asked = second.accept().await.unwrap().unwrap();
    assert_eq!(asked.0.uri().path(), "/api/v1/nodes");
    let _body = begin(&mut asked, "other");
    tokio::spawn(async move { while let Some(Ok(_)) = second.accept().await {} });
    assert!(other.await.unwrap().is_ok());

    body.send_data("the last".into(), true).unwrap();
    assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "the last");
    assert!(piece(answer.body_mut()).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn d18_a_refused_stream_is_sent_again() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let sent = tokio::spawn(pool.send(get("/api/v1/pods")));
    asked.recv().await.unwrap().1.send_reset(h2::Reason::REFUSED_STREAM);
    let _body = begin(&mut asked.recv().await.unwrap(), "list");
    assert!(sent.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn d18_a_server_that_refuses_every_stream_is_asked_a_few_times_only() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let sent = tokio::spawn(pool.send(get("/api/v1/pods")));
    for _ in 0..ATTEMPTS {
        asked.recv().await.unwrap().1.send_reset(h2::Reason::REFUSED_STREAM);
    }
    assert!(sent.await.unwrap().is_err());
    assert!(asked.try_recv().is_err());
}

/// The server may have done it.
#[tokio::test(start_paused = true)]
async fn d18_a_write_that_was_reset_is_not_sent_again() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let write = Request::post("https://server/api/v1/pods").body(Body::from(b"{}".to_vec())).unwrap();
    let sent = tokio::spawn(pool.send(write));
    asked.recv().await.unwrap().1.send_reset(h2::Reason::INTERNAL_ERROR);
    assert!(sent.await.unwrap().is_err());
    assert!(asked.try_recv().is_err());
}

/// It is asked when the connection is there, which may be long after the request was made.
#[tokio::test(start_paused = true)]
async fn a_write_whose_condition_has_ended_does_not_get_to_the_server() {
    for protocol in [Protocol::Http2, Protocol::Http1] {
        let (pool, server) = pool(protocol);
        let mut write = Request::post("https://server/api/v1/pods").body(Body::from(b"{}".to_vec())).unwrap();
        write.extensions_mut().insert(SendIf::new(|| false));
        let mut asked = server.serve(100);
        let sent = tokio::spawn(pool.send(write));
        assert!(sent.await.unwrap().is_err());
        if let Ok((request, _)) = asked.try_recv() {
            let data = request.into_body().data().await;
            assert!(!matches!(data, Some(Ok(_))), "nothing of it has come");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn p_044_a_reset_in_the_middle_of_an_event_ends_that_stream_alone() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let watch = |pool: &Pool| tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let (one, other) = (watch(&pool), watch(&pool));
    let mut bodies = [
        begin(&mut asked.recv().await.unwrap(), "{\"type\":"),
        begin(&mut asked.recv().await.unwrap(), "{}"),
    ];
    let (mut one, mut other) = (one.await.unwrap().unwrap(), other.await.unwrap().unwrap());
    bodies[0].send_reset(h2::Reason::INTERNAL_ERROR);
    bodies[1].send_data("more".into(), false).unwrap();
    while let Some(Ok(_)) = piece(one.body_mut()).await {}
    let mut text = Vec::new();
    while text.len() < 6 {
        text.extend(piece(other.body_mut()).await.unwrap().unwrap());
    }
    assert_eq!(text, b"{}more");
    assert_eq!(pool.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn p_044_a_connection_closed_after_the_head_fails_every_body_and_the_next_request_connects_again() {
    let (pool, mut server) = pool(Protocol::Http2);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut connection = server.accept(100).await;
    let mut asked = connection.accept().await.unwrap().unwrap();
    let body = begin(&mut asked, "event");
    let mut answer = tokio::select! {
        _ = connection.accept() => unreachable!("no other request comes"),
        answer = sent => answer.unwrap().unwrap(),
    };
    drop((connection, asked, body));
    while let Some(Ok(_)) = piece(answer.body_mut()).await {}

    let again = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut connection = server.accept(100).await;
    let mut asked = connection.accept().await.unwrap().unwrap();
    let _body = begin(&mut asked, "event");
    tokio::spawn(async move { while let Some(Ok(_)) = connection.accept().await {} });
    assert!(again.await.unwrap().is_ok());
    assert_eq!(server.made(), 2);
}

#[tokio::test(start_paused = true)]
async fn d18_a_server_that_accepts_and_says_nothing_fails_everybody_who_waits_for_it() {
    let begun = Instant::now();
    let (pool, mut server) = pool(Protocol::Http2);
    let waiting: Vec<_> = (0..3).map(|_| tokio::spawn(pool.clone().send(get("/api/v1/pods")))).collect();
    let _socket = server.socket().await;
    for waiting in waiting {
        let error = waiting.await.unwrap().err().unwrap();
        assert_eq!(error.to_string(), "cannot connect");
        let cause = error.source().unwrap().to_string();
        assert_eq!(cause, "after the TLS handshake the server said nothing for 10s");
    }
    assert!(begun.elapsed() <= Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!((server.made(), pool.connections()), (2, 0), "the second after 5 s");
}

#[tokio::test(start_paused = true)]
async fn d18_a_server_that_closes_every_connection_at_once_is_not_asked_in_a_loop() {
    for protocol in [Protocol::Http1, Protocol::Http2] {
        let (pool, mut server) = pool(protocol);
        let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods")));
        drop(server.socket().await);
        assert!(sent.await.unwrap().is_err());
        assert_eq!((server.made(), pool.connections()), (1, 0), "{protocol:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn d18_a_server_that_refuses_connections_is_tried_once_for_all_who_wait() {
    let (pool, server) = pool(Protocol::Http2);
    let made = server.connections.clone();
    drop(server);
    let waiting: Vec<_> = (0..3).map(|_| tokio::spawn(pool.clone().send(get("/api/v1/pods")))).collect();
    for waiting in waiting {
        assert!(waiting.await.unwrap().is_err());
    }
    assert_eq!(made.load(std::sync::atomic::Ordering::Relaxed), 1);
}

/// A client may be used from a runtime that ends before the others do, and takes its tasks with it.
#[test]
fn d18_a_connection_whose_runtime_has_ended_is_used_by_nobody() {
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (lasting, short) = (runtime(), runtime());
    let (pool, server) = pool(Protocol::Http2);
    lasting.block_on(async {
        let mut asked = server.serve(100);
        tokio::spawn(async move {
            while let Some(mut request) = asked.recv().await {
                request.1.send_response(Response::new(()), true).unwrap();
            }
        });
    });
    assert!(short.block_on(pool.clone().send(get("/api/v1/pods"))).is_ok());
    assert_eq!(pool.connections(), 1);
    drop(short);
    assert_eq!(pool.connections(), 0);
    let again = lasting
        .block_on(async { timeout(Duration::from_secs(30), pool.clone().send(get("/api/v1/pods"))).await });
    assert!(again.is_ok_and(|answer| answer.is_ok()));
}

#[tokio::test(start_paused = true)]
async fn d18_a_connector_that_panics_fails_the_request() {
    let pool = Pool::new(|_| Box::pin(async { panic!("no way") }));
    let error = pool.clone().send(get("/api/v1/pods")).await.err().unwrap();
    assert_eq!(error.to_string(), "cannot connect");
    assert_eq!(pool.connections(), 0);
}

/// As after a rolling restart: none of them has been used since.
#[tokio::test(start_paused = true)]
async fn d18_a_request_passes_by_any_number_of_connections_that_are_closing() {
    let (pool, mut server) = pool(Protocol::Http2);
    let mut open = Vec::new();
    for _ in 0..8 {
        let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
        let mut connection = server.accept(1).await;
        let mut asked = connection.accept().await.unwrap().unwrap();
        let body = begin(&mut asked, "event");
        let (leave, left) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let mut left = std::pin::pin!(left);
            loop {
                tokio::select! {
                    next = connection.accept() => if !matches!(next, Some(Ok(_))) { break },
                    _ = &mut left, if !left.is_terminated() => connection.graceful_shutdown(),
                }
            }
        });
        open.push((sent.await.unwrap().unwrap(), body, asked, leave));
    }
    assert_eq!(pool.connections(), 8);
    let streams: Vec<_> = open
        .into_iter()
        .map(|(answer, body, asked, leave)| {
            leave.send(()).unwrap();
            (answer, body, asked)
        })
        .collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(streams);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods")));
    let mut connection = server.accept(1).await;
    let mut asked = connection.accept().await.unwrap().unwrap();
    let _body = begin(&mut asked, "list");
    tokio::spawn(async move { while let Some(Ok(_)) = connection.accept().await {} });
    assert!(sent.await.unwrap().is_ok());
}

/// A frame of HTTP/2 with the settings of a server.
fn settings(streams: u32) -> Vec<u8> {
    let head = [0, 0, 6, 4, 0, 0, 0, 0, 0];
    let most_streams = [0, 3];
    [&head[..], &most_streams, &streams.to_be_bytes()].concat()
}

#[tokio::test(start_paused = true)]
async fn d18_when_the_servers_limit_falls_further_requests_go_to_another_connection() {
    let (pool, mut server) = pool(Protocol::Http2);
    let watch = || tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let _first = watch();
    let mut socket = server.socket().await;
    socket.write_all(&settings(100)).await.unwrap();
    let _second = watch();
    while pool.inner.state.lock().multiplexed.first().is_none_or(|connection| connection.streams() < 2) {
        tokio::task::yield_now().await;
    }
    socket.write_all(&settings(3)).await.unwrap();
    // Until the new limit has been read: it leaves one of three streams to other requests.
    while pool.inner.state.lock().multiplexed[0].has_room(Duty::Long) {
        tokio::task::yield_now().await;
    }
    let _third = watch();
    let _other = server.socket().await;
    assert_eq!((server.made(), pool.inner.state.lock().multiplexed[0].streams()), (2, 2));
}
