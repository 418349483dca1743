//! HTTP/1.1: a connection for each request under way.

use std::time::Duration;

use super::super::*;
use super::support::{get, piece, pool, read_head, write};

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test(start_paused = true)]
async fn d18_a_connection_is_used_again_after_the_answer_was_read() {
    let (pool, mut server) = pool(Protocol::Http1);
    let mut socket = None;
    for _ in 0..3 {
        let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?limit=1")));
        let socket = match &mut socket {
            Some(socket) => socket,
            None => socket.insert(server.socket().await),
        };
        let head = read_head(socket).await;
        assert!(head.starts_with("GET /api/v1/pods?limit=1 HTTP/1.1\r\n"), "{head}");
        assert!(head.contains("host: server\r\n"), "{head}");
        write(socket, ANSWER).await;
        let mut answer = sent.await.unwrap().unwrap();
        assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "ok");
        assert!(piece(answer.body_mut()).await.is_none());
        // The connection has to notice that it is free.
        while pool.connections() == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(server.made(), 1);
    tokio::time::sleep(IDLE + Duration::from_secs(1)).await;
    assert_eq!(pool.connections(), 0, "nobody needs it");
}

#[tokio::test(start_paused = true)]
async fn d18_an_answer_that_is_not_read_takes_its_connection_with_it() {
    let (pool, mut server) = pool(Protocol::Http1);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut socket = server.socket().await;
    read_head(&mut socket).await;
    write(&mut socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nevent\r\n").await;
    drop(sent.await.unwrap().unwrap());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(pool.connections(), 0);
}

#[tokio::test(start_paused = true)]
async fn d18_every_request_under_way_has_its_own_connection() {
    let (pool, mut server) = pool(Protocol::Http1);
    let sent: Vec<_> = (0..5).map(|_| tokio::spawn(pool.clone().send(get("/api/v1/pods")))).collect();
    let mut sockets = Vec::new();
    for _ in 0..5 {
        sockets.push(server.socket().await);
    }
    for socket in &mut sockets {
        read_head(socket).await;
        write(socket, ANSWER).await;
    }
    for sent in sent {
        assert!(sent.await.unwrap().is_ok());
    }
    assert_eq!(server.made(), 5);
}

/// Whoever writes to it in that moment must not be the one who pays for it.
#[tokio::test(start_paused = true)]
async fn d18_a_request_on_a_connection_that_the_server_has_closed_goes_to_another() {
    let (pool, mut server) = pool(Protocol::Http1);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods")));
    let mut socket = server.socket().await;
    read_head(&mut socket).await;
    write(&mut socket, ANSWER).await;
    let mut answer = sent.await.unwrap().unwrap();
    while piece(answer.body_mut()).await.is_some() {}
    while pool.connections() == 0 {
        tokio::task::yield_now().await;
    }
    drop(socket);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods")));
    let mut socket = server.socket().await;
    read_head(&mut socket).await;
    write(&mut socket, ANSWER).await;
    assert!(sent.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn d18_a_failed_connection_fails_one_request_when_others_are_being_made() {
    let (pool, mut server) = pool(Protocol::Http1);
    // It is known that the server speaks HTTP/1.1.
    let first = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut socket = server.socket().await;
    read_head(&mut socket).await;
    write(&mut socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await;
    let _watch = first.await.unwrap().unwrap();
    let sent: Vec<_> = (0..3).map(|_| tokio::spawn(pool.clone().send(get("/api/v1/pods")))).collect();
    let mut sockets = vec![server.socket().await, server.socket().await];
    drop(server.socket().await);
    for socket in &mut sockets {
        read_head(socket).await;
        write(socket, ANSWER).await;
    }
    let mut answered = 0;
    for sent in sent {
        answered += usize::from(sent.await.unwrap().is_ok());
    }
    assert_eq!(answered, 2);
}

#[tokio::test(start_paused = true)]
async fn d18_an_upgrade_has_a_connection_of_its_own_and_http1() {
    let (pool, mut server) = pool(Protocol::Http1);
    let mut request = get("/api/v1/namespaces/a/pods/b/exec");
    request.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    request.headers_mut().insert(http::header::CONNECTION, HeaderValue::from_static("upgrade"));
    let sent = tokio::spawn(pool.clone().send(request));
    let mut socket = server.socket().await;
    assert!(read_head(&mut socket).await.contains("upgrade: websocket\r\n"));
    write(
        &mut socket,
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    )
    .await;
    let answer = sent.await.unwrap().unwrap();
    assert_eq!(answer.status(), 101);
    assert_eq!(pool.connections(), 0);
}
