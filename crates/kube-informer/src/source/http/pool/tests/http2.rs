//! Sharing HTTP/2 connections.

use std::time::Duration;

use futures::future::join_all;
use tokio::time::{Instant, timeout};

use super::super::*;
use super::support::{Asked, begin, get, piece, pool};

/// Sends watches and answers them all.
async fn watches(
    pool: &Pool,
    asked: &mut tokio::sync::mpsc::UnboundedReceiver<Asked>,
    count: usize,
) -> (Vec<Response<PooledBody>>, Vec<h2::SendStream<bytes::Bytes>>) {
    let sent = join_all((0..count).map(|_| pool.clone().send(get("/api/v1/pods?watch=true"))));
    let answered = async {
        let mut bodies = Vec::new();
        for _ in 0..count {
            bodies.push(begin(&mut asked.recv().await.expect("a request"), "event"));
        }
        bodies
    };
    let (answers, bodies) = tokio::join!(sent, answered);
    (answers.into_iter().map(|answer| answer.expect("an answer")).collect(), bodies)
}

#[tokio::test(start_paused = true)]
async fn d18_the_first_handshake_is_made_once_for_all() {
    let (pool, server) = pool(Protocol::Http2);
    let made = server.connections.clone();
    let mut asked = server.serve(100);
    let (answers, _bodies) = watches(&pool, &mut asked, 50).await;
    assert_eq!(answers.len(), 50);
    assert_eq!(made.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn d18_watches_beyond_the_servers_limit_get_a_second_connection_and_leave_room_on_each() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let (_answers, _bodies) = watches(&pool, &mut asked, 200).await;
    assert_eq!(pool.connections(), 3, "96 watches on each");
    // What is left of each connection is for requests that do not last.
    let (lists, _open) =
        tokio::join!(join_all((0..12).map(|_| pool.clone().send(get("/api/v1/pods")))), async {
            let mut bodies = Vec::new();
            for _ in 0..12 {
                bodies.push(begin(&mut asked.recv().await.expect("a request"), "list"));
            }
            bodies
        });
    assert!(lists.iter().all(Result::is_ok));
    assert_eq!(pool.connections(), 3);
}

#[tokio::test(start_paused = true)]
async fn d18_a_server_that_allows_three_streams_gets_as_many_connections_as_that_takes() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(3);
    let (mut answers, _bodies) = watches(&pool, &mut asked, 20).await;
    assert_eq!(pool.connections(), 10, "two watches on each, one stream left");
    for answer in &mut answers {
        assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "event");
    }
}

#[tokio::test(start_paused = true)]
async fn d18_a_stream_is_free_again_when_its_body_is_dropped() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(1);
    for _ in 0..5 {
        let (answers, _bodies) = watches(&pool, &mut asked, 1).await;
        drop(answers);
    }
    assert_eq!(pool.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn d18_a_request_that_is_given_up_while_it_waits_takes_nothing() {
    let (pool, mut server) = pool(Protocol::Http2);
    {
        let waiting = pool.clone().send(get("/api/v1/pods?watch=true"));
        tokio::pin!(waiting);
        assert!(futures::poll!(&mut waiting).is_pending());
    }
    let mut connection = server.accept(1).await;
    tokio::spawn(async move { connection.accept().await.map(drop) });
    while pool.inner.state.lock().multiplexed.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.made(), 1, "it was on its way");
    let state = pool.inner.state.lock();
    assert_eq!((state.waiting.len(), state.multiplexed[0].streams()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn d18_a_stream_that_nobody_reads_does_not_stop_the_others() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let (mut answers, mut bodies) = watches(&pool, &mut asked, 21).await;
    // Twenty streams are full, four times what hyper allows on a connection by default; nobody reads them.
    for body in &mut bodies[1..] {
        body.reserve_capacity(1 << 20);
        body.send_data(vec![b'x'; 1 << 20].into(), false).unwrap();
    }
    bodies[0].send_data("more".into(), false).unwrap();
    assert_eq!(piece(answers[0].body_mut()).await.unwrap().unwrap(), "event");
    assert_eq!(piece(answers[0].body_mut()).await.unwrap().unwrap(), "more");
}

#[tokio::test(start_paused = true)]
async fn d15_a_server_that_answers_no_ping_is_noticed_within_45_seconds() {
    let (pool, mut server) = pool(Protocol::Http2);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut connection = server.accept(100).await;
    let mut asked = connection.accept().await.unwrap().unwrap();
    let mut body = begin(&mut asked, "event");
    let mut answer = {
        tokio::select! {
            _ = connection.accept() => unreachable!("no other request comes"),
            answer = sent => answer.unwrap().unwrap(),
        }
    };
    assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "event");
    // The connection stays open, and nothing is read from it any more.
    let silent = Instant::now();
    assert!(piece(answer.body_mut()).await.unwrap().is_err());
    assert!(silent.elapsed() <= Duration::from_secs(45), "{:?}", silent.elapsed());
    assert_eq!(pool.connections(), 0);
    body.send_reset(h2::Reason::CANCEL);
}

#[tokio::test(start_paused = true)]
async fn d15_pings_keep_a_silent_connection() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let (mut answers, mut bodies) = watches(&pool, &mut asked, 1).await;
    assert_eq!(piece(answers[0].body_mut()).await.unwrap().unwrap(), "event");
    tokio::time::sleep(Duration::from_secs(600)).await;
    bodies[0].send_data("late".into(), false).unwrap();
    assert_eq!(piece(answers[0].body_mut()).await.unwrap().unwrap(), "late");
}

#[tokio::test(start_paused = true)]
async fn d18_a_connection_that_nobody_uses_is_closed() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let (answers, _bodies) = watches(&pool, &mut asked, 1).await;
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(pool.connections(), 1, "a watch is on it");
    drop(answers);
    tokio::time::sleep(IDLE * 2 + Duration::from_secs(1)).await;
    assert_eq!(pool.connections(), 0);
}

#[tokio::test(start_paused = true)]
async fn d15_a_request_given_up_on_a_silent_connection_sends_the_others_elsewhere_until_it_is_heard_again() {
    let (pool, server) = pool(Protocol::Http2);
    let mut asked = server.serve(100);
    let (mut answers, mut bodies) = watches(&pool, &mut asked, 2).await;
    for answer in &mut answers {
        assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "event");
    }
    drop(answers.pop());
    async fn give_up(pool: &Pool, asked: &mut tokio::sync::mpsc::UnboundedReceiver<Asked>, after: Duration) {
        assert!(timeout(after, pool.clone().send(get("/api/v1/pods"))).await.is_err(), "nobody answers");
        asked.recv().await.expect("it was asked");
    }
    give_up(&pool, &mut asked, Duration::from_millis(10)).await;
    let (_more, _open) = watches(&pool, &mut asked, 1).await;
    assert_eq!(pool.connections(), 1, "the server was heard just now");
    give_up(&pool, &mut asked, Duration::from_secs(2)).await;
    let (_others, _open) = watches(&pool, &mut asked, 1).await;
    assert_eq!(pool.connections(), 2, "nothing was heard for two seconds");
    bodies[0].send_data("more".into(), false).unwrap();
    assert_eq!(piece(answers[0].body_mut()).await.unwrap().unwrap(), "more");
    let (_again, _open) = watches(&pool, &mut asked, 1).await;
    assert_eq!(pool.inner.state.lock().multiplexed[0].streams(), 3);
}

#[tokio::test(start_paused = true)]
async fn d18_without_a_client_connections_are_closed_and_answers_are_still_read() {
    let (pool, mut server) = pool(Protocol::Http2);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let mut connection = server.accept(100).await;
    let mut asked = connection.accept().await.unwrap().unwrap();
    let mut body = begin(&mut asked, "event");
    let closed = tokio::spawn(async move { while let Some(Ok(_)) = connection.accept().await {} });
    let mut answer = sent.await.unwrap().unwrap();
    assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "event");
    drop(pool);
    tokio::time::sleep(Duration::from_secs(1)).await;
    body.send_data("more".into(), false).unwrap();
    assert_eq!(piece(answer.body_mut()).await.unwrap().unwrap(), "more");
    drop((answer, body, asked));
    let began = Instant::now();
    closed.await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
}
