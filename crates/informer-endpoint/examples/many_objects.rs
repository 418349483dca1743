//! A program with many objects that keep changing, and some whose texts try to be markup: what the page has to cope with.
//!
//! `cargo run --release --package informer-endpoint --example many_objects -- --objects 100000 --updates 1000`, then open the address
//! that it prints. There is no cluster: the objects come from memory. `cargo xtask page` looks at this program.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use informer_endpoint::{Endpoint, ObjectBrowser, QueueStatus};
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use kube_informer::testing::ScriptedSource;
use kube_informer::{SharedInformer, async_handler, handler};
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

/// How often objects change: in so many steps a second.
const STEPS: u64 = 50;

/// The number of a pod that changes often.
const OFTEN: u64 = 40;

const MARKUP: &str = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (objects, updates) = (argument("--objects", 2_000)?, argument("--updates", 40)?);
    let port = u16::try_from(argument("--port", 0)?)?;
    let (pods, maps, secrets) =
        (ScriptedSource::of::<Pod>(), ScriptedSource::of::<ConfigMap>(), ScriptedSource::of::<Secret>());
    for number in 0..objects {
        pods.put_json(pod(number, 0))?;
    }
    for (number, name) in HOSTILE.into_iter().enumerate() {
        maps.put_json(hostile(number, name))?;
        let metadata = json!({ "name": format!("credentials-{number}"), "namespace": "shop" });
        secrets.put_json(json!({ "metadata": metadata, "data": { "password": "aHVudGVyMg==" } }))?;
    }

    let pod_informer = SharedInformer::<Pod>::builder(pods.clone()).build()?;
    let map_informer = SharedInformer::<ConfigMap>::builder(maps).build()?;
    let secret_informer = SharedInformer::<Secret>::builder(secrets).build()?;
    let seen = Arc::new(AtomicU64::new(0));
    let counts = seen.clone();
    pod_informer.add_event_handler(handler().named("count").on_event(move |_| {
        counts.fetch_add(1, Ordering::Relaxed);
    }))?;
    // One that cannot keep up: its changes are merged.
    pod_informer.add_event_handler(
        async_handler(|_| async { tokio::time::sleep(Duration::from_millis(20)).await }).named("slow"),
    )?;
    run(&pod_informer).await?;
    run(&map_informer).await?;
    run(&secret_informer).await?;

    let statuses = {
        let (pods, maps, secrets) = (pod_informer.clone(), map_informer.clone(), secret_informer.clone());
        move || vec![pods.status(), maps.status(), secrets.status()]
    };
    let queue = move || {
        let runs = seen.load(Ordering::Relaxed);
        let due = usize::try_from(runs % 7).unwrap_or_default();
        let oldest = (due > 0).then(|| ("shop/web-00017".to_owned(), Duration::from_millis(40)));
        vec![QueueStatus {
            name: "web".into(),
            due,
            later: 3,
            working: 1,
            oldest,
            longest_running: Some(Duration::from_millis(7)),
            runs,
            failures: runs / 100,
            retries: runs / 50,
        }]
    };
    let shown =
        ObjectBrowser::new().informer(&pod_informer).informer(&map_informer).informer(&secret_informer);
    let endpoint = Endpoint::new(statuses).queues(queue).objects(shown);
    let listening = endpoint.listen(([127, 0, 0, 1], port).into()).await?;
    println!("listening at http://{}/debug/informers", listening.address());

    let mut tick = interval(Duration::from_millis(1_000 / STEPS));
    tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let (mut round, mut wanted) = (0, 0);
    for step in 0.. {
        tick.tick().await;
        wanted += updates * swell(step);
        while round < wanted / (100 * STEPS) && objects > 0 {
            round += 1;
            // One of them changes all the time, so that there is something to see.
            let number = if round % 8 == 0 { OFTEN } else { round.wrapping_mul(7_919) };
            pods.put_json(pod(number % objects, round))?;
        }
    }
    Ok(())
}

/// Between 50 and 150 percent, up and down within twenty seconds.
fn swell(step: u64) -> u64 {
    let half = 10 * STEPS;
    let place = step % (2 * half);
    50 + 100 * place.min(2 * half - place) / half
}

/// The number after an argument.
fn argument(name: &str, default: u64) -> Result<u64, Box<dyn Error>> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name).skip(1);
    Ok(arguments.next().map(|value| value.parse()).transpose()?.unwrap_or(default))
}

/// Runs an informer until the program ends, and waits until its cache is full.
async fn run<K: Send + Sync + 'static>(informer: &SharedInformer<K>) -> Result<(), Box<dyn Error>> {
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    Ok(informer.wait_synced(Duration::from_secs(120)).await?)
}

/// A pod of about two kilobytes; the round is in its status.
fn pod(number: u64, round: u64) -> Value {
    let app = ["web", "api", "db", "cache", "worker"][usize::try_from(number % 5).unwrap_or_default()];
    let name = format!("{app}-{number:05}");
    let variables: Vec<_> = (0..20)
        .map(|variable| json!({ "name": format!("SETTING_{variable}"), "value": format!("value-{}", number % 13 + variable) }))
        .collect();
    let container = json!({
        "name": app, "image": format!("registry.example/{app}:1.{}", number % 9), "env": variables,
        "resources": { "requests": { "cpu": "100m", "memory": "128Mi" }, "limits": { "memory": "256Mi" } },
    });
    json!({
        "metadata": {
            "name": name, "namespace": format!("team-{}", number % 20),
            "labels": { "app": app, "pod-template-hash": format!("{:08x}", number % 4_096) },
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": { "nodeName": format!("node-{}", number % 500), "containers": [container], "serviceAccountName": app },
        "status": { "phase": "Running", "podIP": format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255), "observed": round },
    })
}

/// Names that try to be something else.
const HOSTILE: [&str; 5] =
    [MARKUP, "\u{202e}gnp.harmless", "שלום-עולם", "🦀-🏳️‍🌈-crab", "line\n\ndata: {}\n\nbreak"];

fn hostile(number: usize, name: &str) -> Value {
    let metadata = json!({
        "name": name, "namespace": name, "labels": { name: name, MARKUP: MARKUP },
        "annotations": { name: "x".repeat(1 << 20) },
    });
    json!({ "metadata": metadata, "data": { name: name, MARKUP: MARKUP, "number": number.to_string() } })
}
