//! `informer watch`: what happens, as it happens.

pub(crate) mod changes;
mod line;
mod progress;
mod status_line;

use std::time::Duration;

use futures::stream::{SelectAll, select_all};
use futures::{FutureExt as _, StreamExt as _};
use informer_endpoint::Endpoint;
use k8s_openapi::jiff::Timestamp;
use kube_client::api::DynamicObject;
use kube_informer::{EventStream, SharedInformer};

use self::line::Told;
use self::progress::Progress;
use self::status_line::StatusLine;
use crate::args::{Lines, WatchArgs};
use crate::cluster::{Cluster, Without};
use crate::failure::Failure;
use crate::kinds::informers;
use crate::screen::Screen;

/// Objects of one kind that are there at the start are shown one by one up to so many.
const SHOWN_AT_START: usize = 20;

/// How long handlers have to finish when the command ends.
const ENDING: Duration = Duration::from_secs(2);

pub(crate) async fn run(args: &WatchArgs) -> Result<(), Failure> {
    // Before the informers are built: what they measure goes to the recorder that is there then.
    let recorder = match args.listen {
        Some(_) => Some(informer_endpoint::install_recorder().map_err(Failure::cluster)?),
        None => None,
    };
    let cluster = Cluster::find(&args.cluster, Without::Embedded).await?;
    let screen = Screen::new();
    let factory = cluster
        .factory(&args.objects)
        .on_error({
            let screen = screen.clone();
            move |failure| screen.note(&failure.to_string())
        })
        .build()
        .map_err(Failure::usage)?;
    let informers = informers(&factory, &args.kinds).await?;
    let kinds: Vec<_> = informers.iter().map(|informer| informer.kind().to_string()).collect();
    let place = match cluster.namespace(&args.objects) {
        Some(namespace) => format!("namespace {namespace:?}"),
        None => "all namespaces".to_owned(),
    };
    screen.note(&format!("watching {} in {place} of {}", kinds.join(", "), cluster.origin));
    let _listening = match (args.listen, recorder) {
        (Some(address), Some(recorder)) => {
            let statuses = factory.clone();
            let endpoint = Endpoint::new(move || statuses.status()).metrics(move || recorder.render());
            let listening = endpoint.listen(address).await;
            let listening =
                listening.map_err(|error| Failure::usage(format!("cannot listen at {address}: {error}")))?;
            screen.note(&format!("listening at http://{}/debug/informers", listening.address()));
            Some(listening)
        }
        _ => None,
    };
    let streams: Result<Vec<_>, _> = informers.iter().map(SharedInformer::stream).collect();
    let streams = streams.map_err(Failure::cluster)?;
    factory.start();
    let lasting = async {
        match args.lasting {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let shown = show(args, &cluster, &informers, streams, &screen);
    let ended = tokio::select! {
        ended = shown => ended,
        () = lasting => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    screen.clear();
    factory.shutdown_within(ENDING).await;
    ended
}

/// Writes events until nobody reads them.
async fn show(
    args: &WatchArgs,
    cluster: &Cluster,
    informers: &[SharedInformer<DynamicObject>],
    streams: Vec<EventStream<DynamicObject>>,
    screen: &Screen,
) -> Result<(), Failure> {
    let progress = Progress::begin(cluster, &args.objects, informers, screen);
    let mut status_line = StatusLine::new(informers, screen);
    let mut events: SelectAll<_> = select_all(streams);
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut synced = progress.synced().fuse().boxed_local();
    loop {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event else { return Ok(()) };
                let Some(told) = Told::of(&event) else { continue };
                status_line.count();
                match args.output {
                    Lines::Json => screen.line(&told.json(Timestamp::now()))?,
                    Lines::Text if told.is_initial() && told.of_many(informers, SHOWN_AT_START) => {}
                    Lines::Text => screen.line(&told.text(Timestamp::now()))?,
                }
            }
            () = &mut synced => status_line.begin(),
            _ = second.tick() => status_line.draw(),
        }
    }
}
