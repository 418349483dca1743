//! `informer replay`: shows a recording as `watch` shows a cluster, or serves it.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use informer_recording::{RecordedKind, Recording, ReplayServer, Speed};
use k8s_openapi::jiff::Timestamp;
use kube_client::api::DynamicObject;
use kube_informer::status::HandlerStatus;
use kube_informer::{FactoryBuilder, SharedInformer, SharedInformerFactory};
use tokio::time::MissedTickBehavior;

use crate::args::ReplayArgs;
use crate::ending::asked_to_end;
use crate::failure::Failure;
use crate::kinds::Selected;
use crate::kubeconfig;
use crate::screen::Screen;
use crate::watch::ENDING;
use crate::watch::events::{AllEvents, Events, LIMIT, SHOWN};
use crate::watch::log::Log;
use crate::watch::show::Show;
use crate::watch::total::Total;
use crate::watch::troubles::Troubles;

/// How often it is looked whether all events have been shown.
const LOOK: Duration = Duration::from_millis(200);

/// How much longer than the recording a replay may take until the rest of it is given up. After failures an informer waits
/// for up to half a minute before it asks again.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let recording = Recording::open(&args.file).map_err(|error| {
        let is_wrong = error.is_not_a_recording() || error.is_newer() || error.is_damaged();
        if is_wrong { Failure::usage(error) } else { Failure::local(error) }
    })?;
    let screen = Screen::new();
    let recording = recording.speed(args.speed);
    screen.note(&introduction(args, &recording));
    let missing = missing(args, &recording);
    if let Some(missing) = &missing {
        screen.note(missing);
    }
    if args.serve {
        serve(args, recording.clone(), &screen).await?;
    } else {
        follow(args, recording.clone(), &screen).await?;
    }
    missing.map_or(Ok(()), |missing| Err(Failure::negative(missing)))
}

/// Why what happened at the end is not shown.
fn missing(args: &ReplayArgs, recording: &Recording) -> Option<String> {
    let file = args.file.display();
    match (recording.is_too_large(), recording.is_cut()) {
        (true, _) => Some(format!("{file} takes too much memory: only its beginning is replayed")),
        (false, true) => Some(format!("{file} is cut short: the end of what was recorded is missing")),
        (false, false) => None,
    }
}

fn introduction(args: &ReplayArgs, recording: &Recording) -> String {
    let when = recording.began().and_then(|millis| i64::try_from(millis).ok());
    let when = when.and_then(|millis| Timestamp::from_millisecond(millis).ok());
    let when = when.map(|when| format!(" of {}", when.strftime("%Y-%m-%d %H:%M:%S UTC"))).unwrap_or_default();
    let (requests, lasted) = (recording.requests(), recording.duration().as_secs_f64());
    format!("{}{when}: {requests} requests in {lasted:.1} s, {}", args.file.display(), args.speed)
}

async fn serve(args: &ReplayArgs, recording: Recording, screen: &Screen) -> Result<(), Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listening = ReplayServer::new(recording).listen(address).await;
    let listening =
        listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
    if let Some(file) = &args.write_kubeconfig {
        kubeconfig::write(file, &listening.kubeconfig())?;
    }
    screen.line(&format!("serving the recording at http://{}", listening.address()))?;
    asked_to_end().await;
    if screen.is_terminal() {
        screen.note(""); // after the ^C that the terminal shows
    }
    Ok(())
}

async fn follow(args: &ReplayArgs, recording: Recording, screen: &Screen) -> Result<(), Failure> {
    let kinds = wanted(args, &recording)?;
    let recording = recording.only(kinds.iter().map(|recorded| &recorded.kind));
    let troubles = Troubles::new(screen);
    let hears = troubles.clone();
    let factory = SharedInformerFactory::with_sources(recording.clone());
    let factory = kinds.iter().cloned().fold(factory, selected).on_error(move |failure| hears.hear(failure));
    let factory = factory.build().map_err(Failure::usage)?;
    let informers: Vec<SharedInformer<DynamicObject>> =
        kinds.iter().map(|recorded| factory.kind_of(recorded.kind.clone()).informer()).collect();
    let all = |informer: &SharedInformer<_>| Selected { informer: informer.clone(), names: Vec::new() };
    let events: Result<Vec<_>, _> =
        informers.iter().map(|informer| Events::of(all(informer), LIMIT, SHOWN)).collect();
    let mut events = AllEvents(events?);
    factory.start();
    let mut show = Show {
        log: Log::of_all(args.output, &informers, screen),
        informers: &informers,
        family: None,
        awaited: None,
        summary: None,
        only_changes: false,
        troubles: &troubles,
        screen,
        begun: Instant::now(),
    };
    let ended = tokio::select! {
        ended = show.run(&mut events, Total::unknown()) => ended,
        () = told_all(&recording, args.speed, &informers, screen) => show.rest(&mut events),
        () = asked_to_end() => {
            screen.clear_after_interrupt();
            Ok(())
        }
    };
    screen.clear();
    factory.shutdown_within(ENDING).await;
    ended
}

/// The kinds to show: those that the command line names, or all.
fn wanted(args: &ReplayArgs, recording: &Recording) -> Result<Vec<RecordedKind>, Failure> {
    let all: Vec<RecordedKind> =
        recording.kinds().into_iter().filter(|recorded| !recorded.metadata_only).collect();
    let mut names: Vec<String> = all.iter().map(|recorded| recorded.kind.resource()).collect();
    // Which of several that begin at the same time is asked for first differs from run to run.
    names.sort();
    let recorded = if names.is_empty() { "no objects".to_owned() } else { names.join(", ") };
    let is_named = |recorded: &RecordedKind, name: &str| {
        let kind = &recorded.kind;
        [kind.plural(), kind.kind(), &kind.resource()].iter().any(|one| one.eq_ignore_ascii_case(name))
    };
    for name in &args.kinds {
        if !all.iter().any(|recorded| is_named(recorded, name)) {
            return Err(Failure::usage(format!("{} has {recorded}, but not {name:?}", args.file.display())));
        }
    }
    if all.is_empty() {
        return Err(Failure::usage(format!("{} has {recorded} to show", args.file.display())));
    }
    let wants = |recorded: &RecordedKind| args.kinds.iter().any(|name| is_named(recorded, name));
    Ok(all.into_iter().filter(|recorded| args.kinds.is_empty() || wants(recorded)).collect())
}

/// Asks for the same objects as were asked for when it was recorded.
fn selected(factory: FactoryBuilder, recorded: RecordedKind) -> FactoryBuilder {
    factory.kind_of(recorded.kind.clone(), move |mut informer| {
        if !recorded.namespaces.is_empty() {
            informer = informer.namespaces(recorded.namespaces);
        }
        if let Some(labels) = recorded.labels {
            informer = informer.labels(labels);
        }
        if let Some(fields) = recorded.fields {
            informer = informer.fields(fields);
        }
        informer
    })
}

/// Waits until everything of the recording has been told to the handlers.
async fn told_all(
    recording: &Recording,
    speed: Speed,
    informers: &[SharedInformer<DynamicObject>],
    screen: &Screen,
) {
    let lasts = match speed {
        Speed::Times(times) => recording.duration().div_f64(times),
        Speed::Fastest => Duration::ZERO,
        _ => recording.duration(),
    };
    if tokio::time::timeout(lasts + PATIENCE, recording.wait_ended()).await.is_err() {
        let remaining = recording.remaining();
        screen.note(&format!("{remaining} of the recorded requests were not made again, and are not shown"));
    }
    let mut look = tokio::time::interval(LOOK);
    // Two looks are never close together, however late the first one was.
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = None;
    loop {
        look.tick().await;
        let now: Vec<_> = informers.iter().map(SharedInformer::progress).collect();
        // Nothing happened since the last look, and nobody has anything left to be told.
        if informers.iter().all(has_told) && before.as_ref() == Some(&now) {
            return;
        }
        before = Some(now);
    }
}

/// Whether nothing that an informer has been told is on its way to a handler.
fn has_told(informer: &SharedInformer<DynamicObject>) -> bool {
    let status = informer.status();
    let told = |handler: &HandlerStatus| handler.backlog == 0 && (handler.synced || !status.synced);
    status.queued == 0 && status.handlers.iter().all(told)
}
