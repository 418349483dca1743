//! Invalid input. The answer is an error or a closed connection, and the server keeps working.

use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, TcpServer};

use crate::support::{FLOOD, Raw, answer_to, flooded, get};

async fn server() -> TcpServer {
    EmbeddedApiserver::new().listen().await.expect("a port is free")
}

async fn assert_alive(endpoint: &TcpServer) {
    let answer = answer_to(endpoint, get("/healthz")).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn what_is_not_http_is_refused() {
    let endpoint = server().await;
    let cases: [(&[u8], &str); 7] = [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", ""),
        (b"hello\r\n\r\n", "HTTP/1.1 400 "),
        (b"GET\r\n\r\n", "HTTP/1.1 400 "),
        (b"GET / HTTP/9.9\r\n\r\n", "HTTP/1.1 400 "),
        (b"GET / HTTP/1.1\r\nno colon here\r\n\r\n", "HTTP/1.1 400 "),
        (b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 "),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""),
    ];
    for (bytes, expected) in cases {
        let answer = answer_to(&endpoint, bytes).await;
        assert!(answer.starts_with(expected), "{bytes:?}: {answer}");
        assert!(!answer.starts_with("HTTP/1.1 2"), "{bytes:?}: {answer}");
    }
    assert_alive(&endpoint).await;
}

#[tokio::test]
async fn heads_that_are_too_large_are_refused() {
    let endpoint = server().await;
    let long_header = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    let many_headers = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(5_000));
    let long_path = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(200_000));
    for bytes in [long_header, many_headers, long_path] {
        let answer = answer_to(&endpoint, &bytes).await;
        // Bytes that the server did not read may reset the connection before the answer is read.
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{}: {answer}", &bytes[..30]);
    }
    assert_alive(&endpoint).await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_413() {
    let endpoint = server().await;
    let head = |length: usize| {
        format!(
            "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    let limit = 3 << 20;
    let declared = [head(limit + 1).into_bytes(), vec![b' '; limit + 1]].concat();
    let chunked = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
        Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
    let chunked = [chunked.as_bytes(), &chunk.repeat(4), b"0\r\n\r\n"].concat();
    for bytes in [declared, chunked] {
        let answer = answer_to(&endpoint, &bytes).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("Request entity too large: limit is 3145728"), "{answer}");
        assert!(answer.contains(r#""reason":"RequestEntityTooLarge","code":413"#), "{answer}");
    }
    // A body of exactly the limit is read, and refused because it is not an object.
    let answer = answer_to(&endpoint, [head(limit).into_bytes(), vec![b' '; limit]].concat()).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_alive(&endpoint).await;
}

#[tokio::test]
async fn bodies_that_are_garbage_do_no_harm() {
    let endpoint = server().await;
    let post = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\
        Content-Type: application/json\r\n";
    let cases = [
        format!("{post}Content-Length: 8\r\n\r\nnot JSON"),
        format!("{post}Content-Length: 2\r\n\r\n[]"),
        format!("{post}Content-Length: 4\r\n\r\nnull"),
        format!("{post}Content-Length: 2\r\n\r\n\u{fffd}"),
        format!("{post}Content-Length: 200000\r\n\r\n{}", "[".repeat(200_000)),
        format!("{post}Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!("{post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"),
        format!("{post}Content-Length: -1\r\n\r\n"),
        format!("{post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
    ];
    for bytes in cases {
        let answer = answer_to(&endpoint, &bytes).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{}: {answer}", &bytes[150..]);
    }
    assert_alive(&endpoint).await;
}

#[tokio::test]
async fn paths_that_lead_nowhere_are_404() {
    let endpoint = server().await;
    for path in [
        "/nowhere",
        "/api/v2/pods",
        "/api/v1/nothings",
        "/apis/no.such.group/v1/things",
        "/api/v1/../../etc/passwd",
    ] {
        let answer = answer_to(&endpoint, get(path)).await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
    }
    assert_alive(&endpoint).await;
}

/// Clients in Java and JavaScript ask for one, and hang if the answer is 200 and does not end.
#[tokio::test]
async fn a_watch_over_a_websocket_is_refused_and_the_same_connection_can_watch_without() {
    let endpoint = server().await;
    let mut raw = Raw::connect(&endpoint).await;
    let watch = "GET /api/v1/namespaces/default/configmaps?watch=true HTTP/1.1\r\nHost: a\r\n";
    let key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    raw.send(format!("{watch}Connection: Upgrade\r\nUpgrade: websocket\r\n{key}\r\n")).await;
    let head = raw.until("\r\n\r\n").await.expect("an answer");
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    let body = raw.until("\r\n0\r\n\r\n").await.expect("a Status");
    assert!(body.contains("not over a WebSocket"), "{body}");
    raw.send(format!("{watch}\r\n")).await;
    let head = raw.until("\r\n\r\n").await.expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
}

/// With paused time the clock jumps to the next timer while all tasks wait for sockets.
#[tokio::test(start_paused = true)]
async fn connections_that_say_nothing_are_closed() {
    let endpoint = server().await;
    let silent = Raw::connect(&endpoint).await;
    let mut half = Raw::connect(&endpoint).await;
    half.send("GET /healthz HTTP/1.1\r\nHost").await;
    assert_eq!(silent.rest().await, b"");
    let answer = half.rest().await;
    assert!(!answer.starts_with(b"HTTP/1.1 2"));
}

/// The same for a body that never arrives.
#[tokio::test(start_paused = true)]
async fn a_body_that_never_comes_ends_the_connection() {
    let endpoint = server().await;
    let mut raw = Raw::connect(&endpoint).await;
    raw.send("POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{").await;
    assert_eq!(raw.rest().await, b"");
}

/// The bytes that a client can read of a watch with many large changes if it starts to read after `pause`.
async fn unread(pause: Duration) -> Vec<u8> {
    let server = EmbeddedApiserver::builder().history_bytes(2_000_000).build();
    let endpoint = server.listen().await.expect("a port is free");
    let raw = flooded(&server, &endpoint).await;
    // The clock is paused, so this returns at once.
    let _ = tokio::time::timeout(pause, std::future::pending::<()>()).await;
    let read = raw.rest().await;
    // The server has dropped the rest.
    assert!(read.len() < FLOOD / 2, "{}", read.len());
    assert_alive(&endpoint).await;
    read
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_late_has_its_watch_ended_cleanly() {
    assert!(unread(Duration::ZERO).await.ends_with(b"0\r\n\r\n"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_cut() {
    assert!(!unread(Duration::from_secs(60)).await.ends_with(b"0\r\n\r\n"));
}
