//! `informer watch`: shows changes as they happen.

mod browse;
pub(crate) mod changes;
mod events;
mod line;
mod log;
mod status_line;
mod total;
mod troubles;

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use informer_endpoint::Endpoint;
use kube_client::api::DynamicObject;
use kube_informer::{Event, SharedInformer};

use self::events::{AllEvents, Events, LIMIT};
use self::log::Log;
use self::status_line::StatusLine;
use self::total::Total;
use self::troubles::Troubles;
use crate::args::WatchArgs;
use crate::cluster::{Cluster, Without};
use crate::failure::Failure;
use crate::kinds::informers;
use crate::screen::Screen;

/// How often the status of the informers is checked.
const LOOK: Duration = Duration::from_millis(100);

/// How long handlers have to finish when the command ends.
const ENDING: Duration = Duration::from_secs(2);

pub(crate) async fn run(args: &WatchArgs) -> Result<(), Failure> {
    // Informers send their metrics to the recorder that is installed when they are built, so it comes first.
    let recorder = match args.listen {
        Some(_) => Some(informer_endpoint::install_recorder().map_err(Failure::local)?),
        None => None,
    };
    let cluster = Cluster::find(&args.cluster, Without::Embedded).await?;
    let screen = Screen::new();
    let troubles = Troubles::new(&screen);
    let factory = cluster
        .factory(&args.objects)
        .on_error({
            let troubles = troubles.clone();
            move |failure| troubles.hear(failure)
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
            let endpoint = browse::allowed(endpoint, args, &informers)?;
            let listening = endpoint.listen(address).await;
            let listening =
                listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
            screen.note(&format!("listening at http://{}/debug/informers", listening.address()));
            Some(listening)
        }
        _ => None,
    };
    let events: Result<Vec<_>, _> = informers.iter().map(|informer| Events::of(informer, LIMIT)).collect();
    let events = AllEvents(events?);
    factory.start();
    let lasting = async {
        match args.lasting {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let total = Total::ask(&cluster, &args.objects, &informers, &screen);
    let log = Log::new(args.output, &informers, &screen);
    let shown = show(log, &informers, events, total, &troubles, &screen);
    let ended = tokio::select! {
        ended = shown => ended,
        refused = troubles.refused() => Err(refused),
        () = lasting => Ok(()),
        _ = tokio::signal::ctrl_c() => {
            screen.clear_after_interrupt();
            Ok(())
        }
    };
    screen.clear();
    factory.shutdown_within(ENDING).await;
    ended
}

/// Writes events until the reader of the output is gone.
async fn show(
    mut log: Log,
    informers: &[SharedInformer<DynamicObject>],
    mut events: AllEvents,
    mut total: Total,
    troubles: &Troubles,
    screen: &Screen,
) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut status_line = StatusLine::new(informers, screen);
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            event = events.next() => {
                let Some((place, event)) = event else { return Ok(()) };
                let of_kind = &mut events.0[place];
                // In text format the objects that existed at the start are shown sorted, once all of them have come.
                if of_kind.count(&event) && !log.is_json() {
                    continue;
                }
                let is_initial = matches!(event, Event::Added { initial: true, .. });
                if !is_initial && let Some(first) = of_kind.take_first(true) {
                    log.synced(of_kind.informer.kind(), first, begun.elapsed())?;
                }
                if log.event(&event)? {
                    status_line.count();
                }
            }
            _ = look.tick() => {
                troubles.look(informers);
                for events in &mut events.0 {
                    if let Some(first) = events.take_first(false) {
                        log.synced(events.informer.kind(), first, begun.elapsed())?;
                    }
                }
                if !status_line.has_begun() {
                    match events.0.iter().any(Events::is_filling) {
                        true => total.draw(&events.0, screen).await,
                        false => status_line.begin(),
                    }
                }
            }
            _ = second.tick() => {
                for events in &mut events.0 {
                    let merged = events.take_merged();
                    if merged > 0 {
                        log.merged(events.informer.kind(), merged)?;
                    }
                }
                status_line.draw();
            }
        }
    }
}
