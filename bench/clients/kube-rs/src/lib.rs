//! kube-rs' reflector and controller as a client of the benchmark.

mod controller;
mod reads;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bench_meter::{Heap, Latency, List, Meter, Options, Phase, Progress, Report, Server, Work};
use futures::{Stream, StreamExt as _};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Pod, Secret};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube_client::{Api, Client, Config};
use kube_core::discovery::ApiResource;
use kube_core::{DynamicObject, GroupVersionKind, Resource, ResourceExt as _};
use kube_runtime::reflector::Store;
use kube_runtime::{WatchStreamExt as _, reflector, watcher};
use serde::de::DeserializeOwned;
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(900);
const LOOK: Duration = Duration::from_millis(2);

/// Does what the options say and prints the report.
pub fn run(options: &Options, heap: Heap) -> Result<()> {
    ensure!(!options.stuck, "a reflector has one consumer, which is its own pace");
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(choose(options, heap))
}

async fn choose(options: &Options, heap: Heap) -> Result<()> {
    let mut config = Config::new(options.server.parse()?);
    config.root_cert = options.root_cert()?;
    let client = Client::try_from(config)?;
    if let Some(kind) = &options.controller {
        return controller::run(options, kind, heap, client).await;
    }
    match options.kind.as_str() {
        "pods" => run_typed::<Pod>(options, heap, client).await,
        "configmaps" => run_typed::<ConfigMap>(options, heap, client).await,
        "secrets" => run_typed::<Secret>(options, heap, client).await,
        "events" => run_typed::<Event>(options, heap, client).await,
        "leases" => run_typed::<Lease>(options, heap, client).await,
        "endpointslices" => run_typed::<EndpointSlice>(options, heap, client).await,
        "widgets" => {
            let kind = GroupVersionKind::gvk("bench.example.com", "v1", "Widget");
            let kind = ApiResource::from_gvk_with_plural(&kind, "widgets");
            let api = |namespace: &Option<String>| match namespace {
                Some(namespace) => Api::namespaced_with(client.clone(), namespace, &kind),
                None => Api::<DynamicObject>::all_with(client.clone(), &kind),
            };
            observe(options, heap, api, &kind).await
        }
        kind => bail!("there are no {kind}"),
    }
}

async fn run_typed<K>(options: &Options, heap: Heap, client: Client) -> Result<()>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()> + Clone + DeserializeOwned,
    K: std::fmt::Debug + Send + Sync + 'static,
{
    let api = |namespace: &Option<String>| match namespace {
        Some(namespace) => Api::<K>::namespaced(client.clone(), namespace),
        None => Api::all(client.clone()),
    };
    observe(options, heap, api, &()).await
}

async fn observe<K>(
    options: &Options,
    heap: Heap,
    api: impl Fn(&Option<String>) -> Api<K>,
    kind: &K::DynamicType,
) -> Result<()>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + Sync + 'static,
    K::DynamicType: Clone + Eq + std::hash::Hash + Send + Sync + std::fmt::Debug + 'static,
{
    let server = Server::new(options)?;
    let config = match options.list {
        List::Stream => watcher::Config::default().streaming_lists(),
        List::List => watcher::Config::default(),
    };
    let progress = Arc::<Progress>::default();
    let mut stores: Vec<Store<K>> = Vec::new();
    let mut lists: Vec<watch::Receiver<u64>> = Vec::new();
    let meter = Meter::start(heap)?;
    for namespace in options.namespaces() {
        let writer = reflector::store::Writer::new(kind.clone());
        stores.push(writer.as_reader());
        let stream = reflector(writer, watcher(api(&namespace), config.clone()).default_backoff());
        let (listed, receiver) = watch::channel(0);
        lists.push(receiver);
        tokio::spawn(consume(stream, progress.clone(), listed, options.handlers, options.work));
    }
    listed(&mut lists, 1).await?;
    let mut report = Report { sync: meter.stop()?, ..Report::default() };
    let before = progress.calls();

    if options.events > 0 {
        if options.latency {
            progress.stamp(options.events * options.handlers as u64);
        }
        let meter = Meter::start(heap)?;
        let last = server.events(options)?;
        if let Some(length) = options.reads {
            report.reads = Some(reads::measure(stores[0].clone(), kind.clone(), length).await?);
        }
        report.events =
            Some(until(&progress, last, before + options.events * options.handlers as u64, meter).await?);
        report.calls = progress.calls() - before;
        if options.latency {
            let (stamps, sent) = (progress.stamps(), server.sent(options)?);
            report.latency = Latency::of(stamps.iter().copied(), &sent, last);
            report.latency_last = Latency::of_last(stamps, &sent, last);
        }
    }
    if options.relist {
        let meter = Meter::start(heap)?;
        server.expire()?;
        listed(&mut lists, 2).await?;
        report.relist = Some(meter.stop()?);
    }
    for object in stores.iter().flat_map(Store::state) {
        report.objects += 1;
        report.version_sum += version(&*object);
    }
    report.print()
}

/// What a program does with the events of a reflector: each handler is called in turn.
async fn consume<K: Resource>(
    stream: impl Stream<Item = watcher::Result<watcher::Event<K>>>,
    progress: Arc<Progress>,
    listed: watch::Sender<u64>,
    handlers: usize,
    work: Work,
) {
    let mut stream = std::pin::pin!(stream);
    while let Some(event) = stream.next().await {
        match event {
            Ok(watcher::Event::InitApply(object) | watcher::Event::Apply(object)) => {
                for _ in 0..handlers {
                    match work {
                        Work::None => black_box(object.meta().name.as_deref()),
                        // It is decoded already.
                        Work::View | Work::Get => black_box(object.meta().uid.as_deref()),
                    };
                    progress.heard(version(&object));
                }
            }
            Ok(watcher::Event::InitDone) => listed.send_modify(|lists| *lists += 1),
            Ok(_) => {}
            Err(error) => eprintln!("{error}"),
        }
    }
}

fn version<K: Resource>(object: &K) -> u64 {
    object.meta().resource_version.as_deref().and_then(|version| version.parse().ok()).unwrap_or_default()
}

/// Waits until all reflectors have listed so often.
async fn listed(lists: &mut [watch::Receiver<u64>], times: u64) -> Result<()> {
    for list in lists {
        tokio::time::timeout(PATIENCE, list.wait_for(|lists| *lists >= times))
            .await?
            .context("a reflector has ended")?;
    }
    Ok(())
}

/// Waits for the last of the events. There is one call for each.
async fn until(progress: &Progress, version: u64, calls: u64, meter: Meter) -> Result<Phase> {
    let started = tokio::time::Instant::now();
    while progress.newest() < version || progress.calls() < calls {
        ensure!(started.elapsed() < PATIENCE, "version {version} was not heard of");
        tokio::time::sleep(LOOK).await;
    }
    meter.stop()
}

/// The namespace and name of an object.
pub(crate) fn key<K: Resource>(object: &K) -> (String, String) {
    (object.namespace().unwrap_or_default(), object.name_any())
}
