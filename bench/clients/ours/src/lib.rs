//! kube-informer as a client of the benchmark.

mod controller;
mod handlers;
mod reads;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use bench_meter::{Heap, Latency, List, Meter, Options, Phase, Progress, Report, Server};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Pod, Secret};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube_client::Config;
use kube_core::discovery::ApiResource;
use kube_core::metadata::PartialObjectMeta;
use kube_core::{DynamicObject, GroupVersionKind};
use kube_informer::kind::InNamespaces;
use kube_informer::source::{HttpSource, StreamingList};
use kube_informer::{InformerBuilder, Kind, Registration, SharedInformer};
use serde::de::DeserializeOwned;

/// How long any part of a run may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// How often it is looked whether a part is over.
const LOOK: Duration = Duration::from_millis(2);

/// Does what the options say and prints the report.
pub fn run(options: &Options, heap: Heap) -> Result<()> {
    // What programs use; it has as many threads as the process may use cores.
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(choose(options, heap))
}

async fn choose(options: &Options, heap: Heap) -> Result<()> {
    if let Some(kind) = &options.controller {
        return controller::run(options, kind, heap).await;
    }
    match (options.kind.as_str(), options.mode.as_str()) {
        ("pods", "metadata") => client::<PartialObjectMeta<Pod>>(options, heap, &()).await,
        ("pods", _) => client::<Pod>(options, heap, &()).await,
        ("configmaps", _) => client::<ConfigMap>(options, heap, &()).await,
        ("secrets", _) => client::<Secret>(options, heap, &()).await,
        ("events", _) => client::<Event>(options, heap, &()).await,
        ("leases", _) => client::<Lease>(options, heap, &()).await,
        ("endpointslices", _) => client::<EndpointSlice>(options, heap, &()).await,
        ("widgets", _) => {
            let kind = GroupVersionKind::gvk("bench.example.com", "v1", "Widget");
            client::<DynamicObject>(options, heap, &ApiResource::from_gvk_with_plural(&kind, "widgets")).await
        }
        (kind, _) => bail!("there are no {kind}"),
    }
}

/// An informer, and what its handlers have heard.
struct Watched<K> {
    informer: SharedInformer<K>,
    handlers: Vec<(Registration, Arc<Progress>)>,
}

async fn client<K>(options: &Options, heap: Heap, dynamic: &K::Dynamic) -> Result<()>
where
    K: Kind + DeserializeOwned + Clone,
    K::Scope: InNamespaces,
{
    let server = Server::new(options)?;
    let stuck = handlers::Stuck::default();
    let mut config = Config::new(options.server.parse()?);
    config.root_cert = options.root_cert()?;
    let source = HttpSource::new(config, K::info(dynamic))?;
    let mut watched: Vec<Watched<K>> = Vec::new();
    for namespace in options.namespaces() {
        let informer = build(options, source.clone(), dynamic, namespace)?;
        if options.stuck {
            informer.add_event_handler(handlers::stuck(&stuck))?;
        }
        let handlers = (0..options.handlers)
            .map(|_| {
                let progress = Arc::<Progress>::default();
                Ok((informer.add_event_handler(handlers::handler(options.work, &progress))?, progress))
            })
            .collect::<Result<_>>()?;
        watched.push(Watched { informer, handlers });
    }
    let index = reads::index(options, &watched[0].informer);

    let meter = Meter::start(heap)?;
    for informer in watched.iter().map(|watched| watched.informer.clone()) {
        tokio::spawn(async move { informer.run(std::future::pending()).await });
    }
    for watched in &watched {
        watched.informer.wait_synced(PATIENCE).await?;
        for (registration, _) in &watched.handlers {
            registration.wait_synced(PATIENCE).await?;
        }
    }
    let mut report = Report { sync: meter.stop()?, ..Report::default() };
    let calls =
        || -> u64 { watched.iter().flat_map(|w| &w.handlers).map(|(_, progress)| progress.calls()).sum() };
    let before = calls();

    if options.events > 0 {
        stuck.begin();
        if options.latency {
            watched.iter().flat_map(|w| &w.handlers).for_each(|(_, progress)| progress.stamp(options.events));
        }
        let meter = Meter::start(heap)?;
        let mut last = server.events(options)?;
        if let Some(length) = options.reads {
            let reads = reads::measure(&watched[0].informer, index.as_ref(), server.clone(), length);
            let reads = reads.await?;
            (report.reads, last) = (Some(reads.0), last.max(reads.1));
        }
        report.events = Some(until(&watched, &server, last, meter).await?);
        report.calls = calls() - before;
        if options.latency {
            let stamps = watched.iter().flat_map(|w| &w.handlers).flat_map(|(_, progress)| progress.stamps());
            let (stamps, sent) = (stamps.collect::<Vec<_>>(), server.sent(options)?);
            report.latency = Latency::of(stamps.iter().copied(), &sent, last);
            report.latency_last = Latency::of_last(stamps, &sent, last);
        }
    }
    if options.relist {
        let meter = Meter::start(heap)?;
        let last = server.expire()?;
        report.relist = Some(until(&watched, &server, last, meter).await?);
    }
    (report.objects, report.version_sum) = version_sum(&watched);
    report.print()
}

fn build<K>(
    options: &Options,
    source: HttpSource,
    dynamic: &K::Dynamic,
    namespace: Option<String>,
) -> Result<SharedInformer<K>>
where
    K: Kind + DeserializeOwned,
{
    let streaming = match options.list {
        List::Stream => StreamingList::Always,
        List::List => StreamingList::Never,
    };
    let mut builder: InformerBuilder<K> = SharedInformer::builder_with(source, dynamic)
        .options(|options| options.tuning(|tuning| tuning.streaming_list(streaming)))
        .on_error(|failure| eprintln!("{failure}"));
    if options.mode == "decoded" {
        builder = builder.decoded();
    }
    if let Some(namespace) = namespace {
        builder = builder.namespace(namespace);
    }
    Ok(builder.build()?)
}

/// Waits until the handlers have heard of a version, and of everything before it.
async fn until<K: 'static>(
    watched: &[Watched<K>],
    server: &Server,
    version: u64,
    meter: Meter,
) -> Result<Phase> {
    let started = tokio::time::Instant::now();
    // With several informers only one hears of the last event; what the others hold tells whether they are done.
    let sum = if watched.len() > 1 { Some(server.version_sum()?) } else { None };
    loop {
        let newest = |number: usize| watched.iter().map(|w| w.handlers[number].1.newest()).max();
        let heard = (0..watched[0].handlers.len()).all(|number| newest(number) >= Some(version));
        let handlers = || watched.iter().flat_map(|watched| &watched.handlers);
        if heard
            && sum.is_none_or(|sum| version_sum(watched).1 == sum)
            && handlers().all(|(registration, _)| registration.status().backlog == 0)
        {
            return meter.stop();
        }
        ensure!(started.elapsed() < PATIENCE, "version {version} was not heard of");
        tokio::time::sleep(LOOK).await;
    }
}

/// How many objects the caches hold, and the sum of their versions.
fn version_sum<K: 'static>(watched: &[Watched<K>]) -> (u64, u64) {
    let objects = watched.iter().flat_map(|watched| watched.informer.lister().list());
    objects.fold((0, 0), |(count, sum), object| (count + 1, sum + handlers::version(&object)))
}
