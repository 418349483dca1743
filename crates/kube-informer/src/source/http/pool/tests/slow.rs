//! Links on which a byte takes seconds, attempts to connect that hang, and connections that are asked to do nothing.

use std::time::Duration;

use h2::server::Builder;
use hyper_util::rt::TokioIo;
use test_cluster::Authority;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::super::*;
use super::support::get;
use crate::source::http::connect::{ServerConnector, boxed};

/// Passes on each byte this long after it came.
async fn late(
    mut from: impl AsyncRead + Unpin + Send + 'static,
    mut to: impl AsyncWrite + Unpin + Send + 'static,
    by: Duration,
) {
    let (sender, mut under_way) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    let reading = async move {
        let mut chunk = vec![0; 16 << 10];
        while let Ok(length @ 1..) = from.read(&mut chunk).await {
            if sender.send((Instant::now() + by, chunk[..length].to_vec())).is_err() {
                break;
            }
        }
    };
    let writing = async move {
        while let Some((at, chunk)) = under_way.recv().await {
            sleep_until(at).await;
            if to.write_all(&chunk).await.is_err() {
                break;
            }
        }
    };
    tokio::join!(reading, writing);
}

/// Both ends of a link.
fn link(by: Duration) -> (DuplexStream, DuplexStream) {
    let ((near, near_end), (far, far_end)) = (tokio::io::duplex(1 << 20), tokio::io::duplex(1 << 20));
    let ((from_near, to_near), (from_far, to_far)) = (tokio::io::split(near_end), tokio::io::split(far_end));
    tokio::spawn(late(from_near, to_far, by));
    tokio::spawn(late(from_far, to_near, by));
    (near, far)
}

/// A pool that connects with TLS to a server that speaks HTTP/2, over a link on which a byte takes this long. TCP is taken to
/// need a packet each way.
fn far_away(by: Duration) -> Pool {
    let authority = Authority::new("authority").unwrap();
    let issued = authority.issue_for_server("localhost").unwrap();
    let chain = vec![CertificateDer::from_pem_slice(issued.certificate_pem.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(issued.key_pem.as_bytes()).unwrap();
    let mut server = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap();
    server.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let connector = boxed(tower::service_fn(move |_: Uri| {
        let (near, far) = link(by);
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(far).await else { return };
            let Ok(mut connection) = Builder::new().handshake::<_, bytes::Bytes>(stream).await else {
                return;
            };
            while let Some(Ok((_, mut answer))) = connection.accept().await {
                answer.send_response(Response::new(()), true).ok();
            }
        });
        async move {
            sleep(2 * by).await;
            Ok::<_, BoxError>(TokioIo::new(near))
        }
    }));
    let mut config = kube_client::Config::new(Uri::from_static("https://localhost:6443"));
    let root = CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes()).unwrap();
    config.root_cert = Some(vec![root.to_vec()]);
    let connector = ServerConnector::new(&config, connector).unwrap();
    Pool::new(move |offer| Box::pin(connector.clone().connect(offer)))
}

/// TCP, TLS, the request: a round trip each, and none for the server's settings.
#[tokio::test(start_paused = true)]
async fn d18_where_a_byte_takes_seconds_the_first_answer_takes_three_round_trips() {
    for by in [Duration::from_millis(50), Duration::from_millis(2_600), Duration::from_millis(4_900)] {
        let pool = far_away(by);
        let began = Instant::now();
        let answer = pool.clone().send(get("/api/v1/pods")).await;
        assert!(answer.is_ok(), "{by:?}: {:?}", answer.err());
        let took = began.elapsed();
        assert!((6 * by..6 * by + Duration::from_millis(10)).contains(&took), "{by:?} each way: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn d18_a_stage_that_takes_longer_than_10_s_is_named() {
    let pool = far_away(Duration::from_millis(5_100));
    let error = pool.send(get("/api/v1/pods")).await.err().unwrap();
    assert_eq!(error.source().unwrap().to_string(), "there was no connection within 10s");
}

/// A pool whose first connections hang, and the moments at which it made one.
fn hanging(
    first: usize,
    server: mpsc::UnboundedSender<DuplexStream>,
) -> (Pool, mpsc::UnboundedReceiver<Duration>) {
    let (sender, tried) = mpsc::unbounded_channel();
    let began = Instant::now();
    let tries = std::sync::atomic::AtomicUsize::new(0);
    let pool = Pool::new(move |_| {
        sender.send(began.elapsed()).ok();
        let hangs = tries.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < first;
        let (near, far) = tokio::io::duplex(64 << 10);
        server.send(far).ok();
        Box::pin(async move {
            if hangs {
                sleep(Duration::from_secs(10)).await;
                return Err("no answer".into());
            }
            Ok((Socket::new(TokioIo::new(near)), Protocol::Http2))
        })
    });
    (pool, tried)
}

fn times(tried: &mut mpsc::UnboundedReceiver<Duration>) -> Vec<u64> {
    std::iter::from_fn(|| tried.try_recv().ok()).map(|at| at.as_secs()).collect()
}

#[tokio::test(start_paused = true)]
async fn d15_while_one_attempt_hangs_another_is_made_after_5_s() {
    let (sender, mut accepted) = mpsc::unbounded_channel();
    let (pool, mut tried) = hanging(1, sender);
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Some(socket) = accepted.recv().await {
            // The end of the first one is held and never read.
            open.push(tokio::spawn(async move {
                let Ok(mut connection) = Builder::new().handshake::<_, bytes::Bytes>(socket).await else {
                    return;
                };
                while let Some(Ok((_, mut answer))) = connection.accept().await {
                    answer.send_response(Response::new(()), true).ok();
                }
            }));
        }
    });
    let began = Instant::now();
    let waiting = (0..3).map(|_| pool.clone().send(get("/api/v1/pods")));
    let answers = futures::future::join_all(waiting).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(began.elapsed().as_secs(), 5);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(times(&mut tried), [0, 5]);
    assert_eq!(pool.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn d15_nobody_waits_for_ever_while_all_attempts_hang() {
    let (sender, _accepted) = mpsc::unbounded_channel();
    let (pool, mut tried) = hanging(usize::MAX, sender);
    let mut waited = Vec::new();
    for _ in 0..4 {
        let began = Instant::now();
        assert!(pool.clone().send(get("/api/v1/pods")).await.is_err());
        waited.push(began.elapsed().as_secs());
    }
    assert!(waited.iter().all(|seconds| (10..=15).contains(seconds)), "{waited:?}");
    let tried = times(&mut tried);
    assert!(tried.windows(2).all(|pair| pair[1] - pair[0] >= 5), "never more than one in 5 s: {tried:?}");
    assert_eq!((tried[0], tried[1]), (0, 5));
}

/// Watches are silent, and their programs end them when they like: that is no news of the connection.
#[tokio::test(start_paused = true)]
async fn d18_watches_that_the_program_ends_leave_the_connection_in_use() {
    let (pool, server) = super::support::pool(Protocol::Http2);
    let made = server.connections.clone();
    let mut asked = server.serve(100);
    let mut bodies = Vec::new();
    for _ in 0..8 {
        let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
        bodies.push(super::support::begin(&mut asked.recv().await.unwrap(), "event"));
        let answer = sent.await.unwrap().unwrap();
        sleep(Duration::from_secs(5)).await;
        drop(answer);
    }
    assert_eq!(made.load(std::sync::atomic::Ordering::Relaxed), 1);
    assert_eq!(pool.connections(), 1);
}

/// An informer says so when it opens a watch again because nothing came.
#[tokio::test(start_paused = true)]
async fn d15_a_watch_in_the_place_of_a_silent_one_takes_a_connection_that_is_not_silent() {
    let (pool, server) = super::support::pool(Protocol::Http2);
    let made = server.connections.clone();
    let mut asked = server.serve(100);
    let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods?watch=true")));
    let _silent = super::support::begin(&mut asked.recv().await.unwrap(), "event");
    let answer = sent.await.unwrap().unwrap();
    sleep(Duration::from_secs(5)).await;
    drop(answer);
    for (silence, connections) in [(6, 1), (5, 2)] {
        let mut again = get("/api/v1/pods?watch=true");
        again.extensions_mut().insert(Silence(Duration::from_secs(silence)));
        tokio::spawn(pool.clone().send(again));
        asked.recv().await.unwrap();
        assert_eq!(made.load(std::sync::atomic::Ordering::Relaxed), connections, "silent for {silence} s");
    }
}

/// What was sent on a connection that has been silent for long was not silent itself for as long.
#[tokio::test(start_paused = true)]
async fn d18_a_request_that_is_given_up_at_once_says_nothing_of_the_connection() {
    let (pool, server) = super::support::pool(Protocol::Http2);
    let made = server.connections.clone();
    let mut asked = server.serve(100);
    let mut unanswered = Vec::new();
    for _ in 0..3 {
        let sent = tokio::spawn(pool.clone().send(get("/api/v1/pods")));
        unanswered.push(asked.recv().await.unwrap());
        sent.abort();
        sleep(Duration::from_secs(5)).await;
    }
    assert_eq!(made.load(std::sync::atomic::Ordering::Relaxed), 1);
}

/// On a runtime that has ended each attempt ends within the call that begins it. Beside one that hangs it would begin the next.
#[test]
fn d18_the_end_of_the_runtime_begins_no_connections() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let handle = runtime.handle().clone();
    drop(runtime);
    let _guard = handle.enter();
    let pool = Pool::new(|_| Box::pin(std::future::pending()));
    {
        let mut state = pool.inner.state.lock();
        (state.attempts, state.late) = (1, 1);
    }
    let request = Box::pin(pool.send(get("/api/v1/pods")));
    let answer = futures::FutureExt::now_or_never(request).expect("it does not wait");
    assert!(answer.is_err());
}
