//! The work queue of informer-controller: keys are added, handed out and done, again and again. Prints one line of JSON.
//!
//! The Go program `queue-go` does the same with the queues of client-go and of controller-runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use bench_meter::{Heap, Meter};
use informer_controller::queue::{QueueOptions, WorkQueue};
use kube_informer::ObjectKey;
use serde_json::{Value, json};
use tokio::task::JoinSet;

struct Options {
    keys: usize,
    items: usize,
    workers: usize,
    memory: bool,
    metrics: bool,
}

impl Options {
    fn from_arguments() -> Result<Self> {
        let mut options = Self { keys: 1_000, items: 2_000_000, workers: 0, memory: false, metrics: true };
        for argument in std::env::args().skip(1) {
            let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
            let number = || value.parse::<usize>().with_context(|| argument.clone());
            match name {
                "--keys" => options.keys = number()?,
                "--items" => options.items = number()?,
                "--workers" => options.workers = number()?,
                "--memory" => options.memory = true,
                "--metrics" => options.metrics = value.parse().with_context(|| argument.clone())?,
                _ => bail!("there is no option {argument}"),
            }
        }
        Ok(options)
    }
}

/// Does what the arguments say and prints the report.
pub fn run(heap: Heap) -> Result<()> {
    let options = Options::from_arguments()?;
    let recorder = options.metrics.then(informer_endpoint::install_recorder).transpose()?;
    let queue = WorkQueue::new("bench", QueueOptions::default());
    let keys: Vec<ObjectKey> = (0..options.keys)
        .map(|number| ObjectKey::namespaced("default", format!("web-{number:07}-abcde")))
        .collect();
    let report = if options.memory {
        fill(&queue, &keys, heap)?
    } else {
        // What programs use; it has as many threads as the process may use cores.
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let rounds = (options.items / options.keys).max(2);
        let items = rounds * options.keys;
        let meter = Meter::start(heap)?;
        runtime.block_on(async {
            for _ in 0..rounds {
                keys.iter().for_each(|key| queue.add(key.clone()));
                drain(&queue, keys.len(), options.workers).await?;
            }
            anyhow::Ok(())
        })?;
        let cpu = meter.stop()?.cpu;
        #[allow(clippy::cast_precision_loss)] // Counts.
        let nanos = cpu / items as f64 * 1e9;
        let adds = recorder.map(|recorder| adds(&recorder.render())).transpose()?;
        json!({ "items": items, "adds": adds.unwrap_or_default(), "nanos": nanos })
    };
    println!("{report}");
    Ok(())
}

async fn drain(queue: &WorkQueue<ObjectKey>, count: usize, workers: usize) -> Result<()> {
    if workers == 0 {
        for _ in 0..count {
            queue.next().await.context("it is open")?.done();
        }
        return Ok(());
    }
    let taken = Arc::new(AtomicUsize::new(0));
    let mut all = JoinSet::new();
    for _ in 0..workers {
        let (queue, taken) = (queue.clone(), taken.clone());
        all.spawn(async move {
            while taken.fetch_add(1, Ordering::SeqCst) < count {
                queue.next().await.context("it is open")?.done();
            }
            anyhow::Ok(())
        });
    }
    while let Some(worker) = all.join_next().await {
        worker??;
    }
    Ok(())
}

/// How much memory the queue takes with all keys in it, without the keys.
fn fill(queue: &WorkQueue<ObjectKey>, keys: &[ObjectKey], heap: Heap) -> Result<Value> {
    let before = Meter::start(heap)?.stop()?;
    let meter = Meter::start(heap)?;
    keys.iter().for_each(|key| queue.add(key.clone()));
    let after = meter.stop()?;
    #[allow(clippy::cast_precision_loss)] // Bytes.
    let per_key = |after: u64, before: u64| after.saturating_sub(before) as f64 / keys.len() as f64;
    Ok(json!({
        "waiting": queue.len(),
        "rss": per_key(after.rss, before.rss),
        "heap": after.heap.zip(before.heap).map(|(after, before)| per_key(after, before)),
    }))
}

/// What the metrics say, so that it is certain that there are any.
fn adds(text: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("workqueue_adds_total{name=\"bench\"} "));
    Ok(line.context("there is no metric of adds")?.parse()?)
}
