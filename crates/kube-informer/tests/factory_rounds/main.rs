//! Two hundred informers, started and stopped fifty times over real connections: nothing is left behind.
//!
//! A process of its own, so that its memory is that of these informers. The server is a few lines of HTTP on loopback.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Config;
use kube_informer::{SharedInformerFactory, handler};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::sync::watch;
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

const INFORMERS: usize = 200;
const ROUNDS: usize = 50;

/// After so many rounds everything that is kept for good has been made.
const WARM: usize = 10;

/// Long enough for a loaded machine; nothing waits that long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_informers_started_and_stopped_fifty_times_leave_nothing_behind() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let (count, mut open) = watch::channel(0_usize);
    let server = tokio::spawn(serve(listener, count));
    yield_now().await;
    let tasks_before = tasks();
    let begun = Instant::now();
    let mut warm = 0;
    for round in 0..ROUNDS {
        let (told, mut heard) = mpsc::unbounded_channel();
        let factory = start(&url, &told)?;
        drop(told);
        factory.wait_for_cache_sync(PATIENCE).await?;
        for number in 0..INFORMERS {
            let call = timeout(PATIENCE, heard.recv()).await.ok().flatten();
            call.with_context(|| format!("round {round}: {number} handlers were called, not {INFORMERS}"))?;
        }
        ensure!(*open.borrow() >= INFORMERS, "each watch has a connection: {}", *open.borrow());
        for status in factory.status() {
            ensure!(status.objects == 1 && status.failures == 0, "{status:?}");
        }
        factory.shutdown().await;
        let last = heard.try_recv();
        ensure!(last == Err(TryRecvError::Disconnected), "round {round}: a handler is still there: {last:?}");
        drop(factory);
        let closed = timeout(PATIENCE, open.wait_for(|open| *open == 0)).await;
        closed.with_context(|| format!("round {round}: connections stay open"))??;
        timeout(PATIENCE, async {
            while tasks() > tasks_before {
                yield_now().await;
            }
        })
        .await
        .with_context(|| format!("round {round}: {} tasks, {tasks_before} before", tasks()))?;
        if round + 1 == WARM {
            warm = resident_kilobytes();
        }
    }
    let (end, informers) = (resident_kilobytes(), (ROUNDS - WARM) * INFORMERS);
    // An informer takes far more than a kilobyte, so a leak of one each time would show.
    ensure!(end < warm + informers, "{informers} informers later {end} KiB, {warm} KiB before");
    server.abort();
    // The harness swallows what a test prints that passes.
    writeln!(
        std::io::stderr(),
        "rounds: {INFORMERS} informers started and stopped {ROUNDS} times in {:.1?}; {warm} KiB after {WARM} rounds, \
         {end} KiB in the end",
        begun.elapsed()
    )?;
    Ok(())
}

/// A factory of informers that each hold an object and have a handler.
fn start(url: &str, told: &mpsc::UnboundedSender<()>) -> Result<SharedInformerFactory> {
    let mut config = Config::new(url.parse()?);
    // The server is on loopback, whatever proxy the environment names.
    config.proxy_url = None;
    let factory = SharedInformerFactory::builder(config).stagger(50, PATIENCE).build()?;
    for number in 0..INFORMERS {
        let name = format!("informer-{number}");
        let informer =
            factory.informer_named::<ConfigMap>(&name, |maps| maps.labels(format!("informer={number}")))?;
        let told = told.clone();
        informer.add_event_handler(handler().on_add(move |_| _ = told.send(())))?;
    }
    factory.start();
    Ok(factory)
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// What the process has in memory; nothing where that cannot be told.
fn resident_kilobytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Answers every request with a streamed list of one object, and nothing after that.
async fn serve(listener: TcpListener, count: watch::Sender<usize>) {
    let mut connections = JoinSet::new();
    while let Ok((connection, _)) = listener.accept().await {
        count.send_modify(|open| *open += 1);
        let count = count.clone();
        connections.spawn(async move {
            answer(connection).await.ok();
            count.send_modify(|open| *open -= 1);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(mut connection: TcpStream) -> Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        ensure!(connection.read_buf(&mut request).await? > 0, "the client has gone");
    }
    let metadata = |more: serde_json::Value| {
        let mut object =
            json!({ "kind": "ConfigMap", "apiVersion": "v1", "metadata": { "resourceVersion": "7" } });
        for (key, value) in more.as_object().into_iter().flatten() {
            object["metadata"][key] = value.clone();
        }
        object
    };
    let object = metadata(json!({ "namespace": "default", "name": "one", "uid": "u" }));
    let end = metadata(json!({ "annotations": { "k8s.io/initial-events-end": "true" } }));
    let events = format!(
        "{}\n{}\n",
        json!({ "type": "ADDED", "object": object }),
        json!({ "type": "BOOKMARK", "object": end })
    );
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    connection.write_all(format!("{head}{:x}\r\n{events}\r\n", events.len()).as_bytes()).await?;
    // Until the client closes it.
    while connection.read_buf(&mut request).await? > 0 {}
    Ok(())
}
