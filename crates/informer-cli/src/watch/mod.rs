//! `informer watch`: shows changes as they happen.

pub(crate) mod changes;
pub(crate) mod events;
mod line;
pub(crate) mod log;
mod status_line;
pub(crate) mod total;
pub(crate) mod troubles;

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use informer_endpoint::Endpoint;
use kube_client::api::DynamicObject;
use kube_informer::{Event, SharedInformer};

use self::events::{AllEvents, Events, LIMIT, SHOWN};
use self::log::Log;
use self::status_line::StatusLine;
use self::total::Total;
use self::troubles::Troubles;
use crate::args::WatchArgs;
use crate::cluster::{Cluster, Without};
use crate::failure::Failure;
use crate::kinds::{Selected, select};
use crate::plain::plain;
use crate::screen::Screen;
use crate::targets;

/// How often the status of the informers is checked.
const LOOK: Duration = Duration::from_millis(100);

/// How long handlers have to finish when the command ends.
pub(crate) const ENDING: Duration = Duration::from_secs(2);

pub(crate) async fn run(args: &WatchArgs) -> Result<(), Failure> {
    let targets = targets::of_watch(&args.targets).map_err(Failure::usage)?;
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
    let selected = select(&factory, &targets, &args.objects).await?;
    let informers: Vec<_> = selected.iter().map(|it| it.informer.clone()).collect();
    let labels: Vec<_> = selected.iter().map(Selected::label).collect();
    let place = cluster.place(&args.objects);
    screen.note(&plain(&format!("watching {} in {place} of {}", labels.join(", "), cluster.origin)));
    let _listening = match (args.listen, recorder) {
        (Some(address), Some(recorder)) => {
            let statuses = factory.clone();
            let endpoint = Endpoint::new(move || statuses.status()).metrics(move || recorder.render());
            let listening = endpoint.listen(address).await;
            let listening =
                listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
            screen.note(&format!("listening at http://{}/debug/informers", listening.address()));
            Some(listening)
        }
        _ => None,
    };
    let events: Result<Vec<_>, _> = selected.into_iter().map(|it| Events::of(it, LIMIT, SHOWN)).collect();
    let events = AllEvents(events?);
    factory.start();
    let lasting = async {
        match args.lasting {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    let total = Total::ask(&cluster, &args.objects, &informers, &screen);
    let log = Log::new(args.output.clone(), &informers, &screen);
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
pub(crate) async fn show(
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
                    log.synced(of_kind, first, begun.elapsed())?;
                }
                if log.event(&event)? {
                    status_line.count();
                }
            }
            _ = look.tick() => {
                troubles.look(informers);
                for events in &mut events.0 {
                    if let Some(first) = events.take_first(false) {
                        log.synced(events, first, begun.elapsed())?;
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
                        log.merged(events, merged)?;
                    }
                }
                status_line.draw();
            }
        }
    }
}
