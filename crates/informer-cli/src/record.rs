//! `informer record`: writes down what a cluster answers, without secrets.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use informer_recording::{LocalServer, Recorded, Recorder, RecordingProxy};
use kube_client::api::DynamicObject;
use kube_informer::kind::KindInfo;
use kube_informer::source::Sources as _;
use kube_informer::{SharedInformer, SharedInformerFactory};
use tokio::time::Instant;

use crate::args::RecordArgs;
use crate::cluster::{Cluster, Without};
use crate::ending::{asked_to_end, within};
use crate::failure::Failure;
use crate::kinds::{select, unknown};
use crate::kubeconfig;
use crate::screen::Screen;
use crate::targets;
use crate::watch::ENDING;
use crate::watch::troubles::Troubles;

/// How often the progress is shown, and it is looked whether the file can still be written.
const LOOK: Duration = Duration::from_millis(500);

pub(crate) async fn run(args: &RecordArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let cluster = Cluster::find(&args.cluster, Without::Fails).await?;
    let screen = Screen::new();
    let sensitive = within(args.lasting, &cluster, sensitive(args, &cluster)).await?;
    let recorder = Recorder::create(&args.file)
        .map_err(|error| Failure::local(format!("cannot create {}: {error}", args.file.display())))?;
    let recorder = sensitive.into_iter().fold(recorder, Recorder::sensitive);
    let troubles = Troubles::new(&screen);
    let recording = if args.proxy {
        Recording::proxy(args, &cluster, &recorder, &screen).await
    } else {
        let begun = Recording::informers(args, &cluster, &recorder, &troubles, &screen);
        within(args.lasting, &cluster, begun).await
    };
    let recording = recording.inspect_err(|_| {
        // Nothing that is worth keeping. Whether it can be removed changes nothing.
        fs::remove_file(&args.file).ok();
    })?;
    let lasting = async {
        match args.lasting {
            Some(time) => tokio::time::sleep_until(begun + time).await,
            None => std::future::pending().await,
        }
    };
    let ended = tokio::select! {
        failed = progress(&recorder, args, &screen) => Err(failed),
        refused = troubles.refused() => Err(refused),
        () = lasting => Ok(()),
        () = asked_to_end() => {
            screen.clear_after_interrupt();
            Ok(())
        }
    };
    screen.clear();
    // Finished first: that the informers leave now is not part of what happened.
    let finished = recorder.finish();
    let unlisted = recording.unlisted();
    recording.end(&troubles).await;
    let recorded = finished.map_err(|error| unwritable(args, &error))?;
    screen.note(&format!("recorded {} in {}", told(&recorded), args.file.display()));
    ended?;
    whole(&recorder.lost(), &unlisted)
}

/// An error if the recording lacks something that it was made for.
fn whole(lost: &[String], unlisted: &[String]) -> Result<(), Failure> {
    if !lost.is_empty() {
        let lost = lost.join(", ");
        return Err(Failure::local(format!(
            "not recorded to the end: {lost}; recording panicked there, which is a mistake of this command: please report it"
        )));
    }
    if unlisted.is_empty() {
        Ok(())
    } else {
        let kinds = unlisted.join(", ");
        Err(Failure::cluster(format!(
            "not recorded: {kinds}; no list came to its end, only what the file shows"
        )))
    }
}

/// The kinds whose contents are secret. A name that the server does not know ends the command before anything is recorded: it may
/// be a typing error, and the contents that it was meant for would be in the file.
async fn sensitive(args: &RecordArgs, cluster: &Cluster) -> Result<Vec<KindInfo>, Failure> {
    if args.sensitive.is_empty() {
        return Ok(Vec::new());
    }
    // Not over the recorder: what is found out here is no part of what is recorded.
    let factory = cluster.factory(&args.objects).build().map_err(Failure::unbuilt)?;
    let resolved = factory.resolve_all(&args.sensitive).await.map_err(unknown)?;
    let mut kinds = Vec::new();
    for (kind, name) in resolved.into_iter().zip(&args.sensitive) {
        // The same words are said of kinds to record, so it is said which option this is about.
        kinds.push(kind.map_err(|error| Failure::usage(format!("--sensitive {name}: {error}")))?);
    }
    // A name without a group means the kinds of all groups: Events are in two of them, and clients may ask for either.
    let of_any_group: Vec<_> =
        kinds.iter().zip(&args.sensitive).filter(|(_, name)| !name.contains('.')).collect();
    if !of_any_group.is_empty() {
        let all = factory.resources().await.map_err(unknown)?;
        let is_meant =
            |kind: &KindInfo| of_any_group.iter().any(|(meant, _)| meant.plural() == kind.plural());
        let more: Vec<_> = all.into_iter().filter(is_meant).collect();
        kinds.extend(more);
    }
    Ok(kinds)
}

/// What makes the requests that are recorded.
enum Recording {
    Informers(SharedInformerFactory, Vec<SharedInformer<DynamicObject>>),
    Proxy(LocalServer),
}

impl Recording {
    async fn informers(
        args: &RecordArgs,
        cluster: &Cluster,
        recorder: &Recorder,
        troubles: &Troubles,
        screen: &Screen,
    ) -> Result<Self, Failure> {
        let sources = cluster.sources()?;
        let hears = troubles.clone();
        let factory = cluster
            .factory_over(recorder.sources(sources), &args.objects)
            .on_error(move |failure| hears.hear(failure))
            .build()
            .map_err(Failure::unbuilt)?;
        let targets = targets::of_watch(&args.kinds).map_err(Failure::usage)?;
        let selected = select(&factory, &targets, &args.objects).await?;
        let informers: Vec<_> = selected.into_iter().map(|it| it.informer).collect();
        let kinds: Vec<_> = informers.iter().map(|informer| informer.kind().to_string()).collect();
        screen.note(&format!("recording {} of {}", kinds.join(", "), cluster.origin));
        factory.start();
        Ok(Self::Informers(factory, informers))
    }

    async fn proxy(
        args: &RecordArgs,
        cluster: &Cluster,
        recorder: &Recorder,
        screen: &Screen,
    ) -> Result<Self, Failure> {
        let client = cluster
            .sources()?
            .client()
            .ok_or_else(|| Failure::cluster("there is no server to pass requests on to"))?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
        let listening = RecordingProxy::new(client, recorder.clone()).listen(address).await;
        let listening =
            listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
        if let Some(file) = &args.write_kubeconfig {
            kubeconfig::write(file, &listening.kubeconfig())?;
        }
        let (origin, address) = (&cluster.origin, listening.address());
        screen.line(&format!("recording what clients ask {origin} through http://{address}"))?;
        screen.line("requests are sent with your credentials, whoever on this machine makes them")?;
        let how = match &args.write_kubeconfig {
            Some(file) => format!("--kubeconfig {}", file.display()),
            None => format!("--server http://{address}"),
        };
        screen.line(&format!("try: kubectl {how} get pods -A"))?;
        Ok(Self::Proxy(listening))
    }

    /// The kinds of which there is no whole list.
    fn unlisted(&self) -> Vec<String> {
        match self {
            Self::Informers(_, informers) => {
                let unlisted = informers.iter().filter(|informer| !informer.status().synced);
                unlisted.map(|informer| informer.kind().to_string()).collect()
            }
            Self::Proxy(_) => Vec::new(),
        }
    }

    async fn end(self, troubles: &Troubles) {
        match self {
            Self::Informers(factory, informers) => {
                troubles.look(&informers);
                factory.shutdown_within(ENDING).await;
            }
            Self::Proxy(listening) => drop(listening),
        }
    }
}

/// Shows how much has been recorded. Ends if it cannot be written.
async fn progress(recorder: &Recorder, args: &RecordArgs, screen: &Screen) -> Failure {
    let mut look = tokio::time::interval(LOOK);
    loop {
        look.tick().await;
        match recorder.check() {
            Ok(recorded) if screen.is_terminal() => screen.status(&format!("recorded {}", told(&recorded))),
            Ok(_) => {}
            Err(error) => return unwritable(args, &error),
        }
    }
}

fn unwritable(args: &RecordArgs, error: &std::io::Error) -> Failure {
    Failure::local(format!(
        "cannot write {}: {error}; what was written before can be replayed",
        args.file.display()
    ))
}

fn told(recorded: &Recorded) -> String {
    let some = |count: u64, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    let mut parts = vec![
        some(recorded.requests, "request"),
        some(recorded.documents, "object"),
        some(recorded.failures, "failure"),
        format!("{} as {} on disk", bytes(recorded.bytes), bytes(recorded.written)),
    ];
    if recorded.hidden > 0 {
        parts.push(format!("{} left out", bytes(recorded.hidden)));
    }
    parts.join(", ")
}

fn bytes(count: u64) -> String {
    match count {
        0..=9_999 => format!("{count} bytes"),
        10_000..=9_999_999 => format!("{} KB", count / 1_000),
        _ => format!("{} MB", count / 1_000_000),
    }
}

#[cfg(test)]
mod tests;
