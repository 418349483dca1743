//! `informer watch`: shows changes as they happen.

mod allowed;
pub(crate) mod changes;
pub(crate) mod events;
mod family;
mod filter;
mod line;
pub(crate) mod log;
pub(crate) mod show;
mod status_line;
mod summary;
pub(crate) mod total;
pub(crate) mod troubles;
mod unified;
pub(crate) mod until;
mod words;

use std::time::{Duration, Instant};

use informer_endpoint::Endpoint;
use kube_client::api::DynamicObject;
use kube_informer::status::Patience;
use kube_informer::{SharedInformer, SharedInformerFactory};

use self::events::{AllEvents, Events, LIMIT, SHOWN};
use self::family::{Family, kinds_below};
use self::log::Log;
use self::show::Show;
use self::summary::Summary;
use self::total::Total;
use self::troubles::Troubles;
use self::until::{Awaited, Until};
use crate::args::{WatchArgs, WatchForm};
use crate::cluster::{Cluster, Without};
use crate::ending::{asked_to_end, within};
use crate::failure::{Failure, unless_nobody_reads};
use crate::kinds::{Selected, select, unknown};
use crate::plain::{plain, plain_json};
use crate::screen::Screen;
use crate::targets::{self, Target};

/// How long handlers have to finish when the command ends.
pub(crate) const ENDING: Duration = Duration::from_secs(2);

pub(crate) async fn run(args: &WatchArgs) -> Result<(), Failure> {
    args.check().map_err(Failure::usage)?;
    targets::of_watch(&args.targets).map_err(Failure::usage)?;
    let owner = args.owner.as_ref().map(|owner| targets::one(owner)).transpose().map_err(Failure::usage)?;
    // Informers send their metrics to the recorder that is installed when they are built, so it comes first.
    let recorder = match args.listen {
        Some(_) => Some(informer_endpoint::install_recorder().map_err(Failure::local)?),
        None => None,
    };
    let mut plan = Plan::of(args, owner).await?;
    let _listening = match (args.listen, recorder) {
        (Some(address), Some(recorder)) => {
            let statuses = plan.factory.clone();
            let endpoint = Endpoint::new(move || statuses.status()).metrics(move || recorder.render());
            let endpoint = allowed::digests(endpoint, args, address, &plan.informers);
            let endpoint = allowed::objects(endpoint, args, &plan.informers)?;
            let listening = endpoint.listen(address).await;
            let listening =
                listening.map_err(|error| Failure::local(format!("cannot listen at {address}: {error}")))?;
            plan.screen.note(&format!("listening at http://{}/debug/informers", listening.address()));
            Some(listening)
        }
        _ => None,
    };
    let mut awaited = args.until.clone().map(|until| plan.awaited(until, args));
    let mut summary = args.summary.then(Summary::default);
    plan.factory.start();
    let ended = plan.show(args, awaited.as_mut(), summary.as_mut()).await;
    plan.screen.clear();
    plan.factory.shutdown_within(ENDING).await;
    if let Some(summary) = &summary {
        plan.write(summary, args.output)?;
    }
    verdict(ended, awaited)
}

/// What is watched, and where it is told.
struct Plan {
    cluster: Cluster,
    factory: SharedInformerFactory,
    troubles: Troubles,
    screen: Screen,
    selected: Vec<Selected>,
    informers: Vec<SharedInformer<DynamicObject>>,
    /// The time that it may last counts from here.
    begun: Instant,
}

impl Plan {
    async fn of(args: &WatchArgs, owner: Option<Target>) -> Result<Self, Failure> {
        let cluster = Cluster::find(&args.cluster, Without::Embedded).await?;
        let screen = Screen::new();
        let troubles = Troubles::new(&screen);
        let hears = troubles.clone();
        let factory = cluster.factory(&args.objects).on_error(move |failure| hears.hear(failure));
        let factory = factory.build().map_err(Failure::unbuilt)?;
        let begun = Instant::now();
        let selected = within(args.lasting, &cluster, selected(args, owner, &factory, &screen)).await?;
        let informers = selected.iter().map(|it| it.informer.clone()).collect();
        let labels: Vec<_> = selected.iter().map(Selected::label).collect();
        let place = cluster.place(&args.objects);
        screen.note(&plain(&format!("watching {} in {place} of {}", labels.join(", "), cluster.origin)));
        Ok(Self { cluster, factory, troubles, screen, selected, informers, begun })
    }

    fn awaited(&self, until: Until, args: &WatchArgs) -> Awaited {
        // Of a family only the owner is waited for.
        let those = if args.owner.is_some() { &self.selected[..1] } else { &self.selected[..] };
        Awaited::new(until, those.iter().map(|it| it.names.clone()))
    }

    /// Shows what happens until there is a reason to end.
    async fn show(
        &mut self,
        args: &WatchArgs,
        awaited: Option<&mut Awaited>,
        summary: Option<&mut Summary>,
    ) -> Result<How, Failure> {
        let selected = std::mem::take(&mut self.selected);
        let lasting = async {
            match args.lasting {
                Some(time) => tokio::time::sleep_until((self.begun + time).into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = self.events(args, selected, awaited, summary) => ended.map(|()| How::Done),
            refused = self.troubles.refused() => Err(refused),
            () = lasting => Ok(How::TimeIsOver),
            () = asked_to_end() => {
                self.screen.clear_after_interrupt();
                Ok(How::Interrupted)
            }
        }
    }

    /// Shows events until what is waited for holds.
    async fn events(
        &self,
        args: &WatchArgs,
        selected: Vec<Selected>,
        awaited: Option<&mut Awaited>,
        summary: Option<&mut Summary>,
    ) -> Result<(), Failure> {
        let family = match args.owner {
            Some(_) => {
                // Who belongs to whom is known when all caches are filled, and a watch goes on trying.
                self.factory.wait_for_cache_sync(Patience::FOREVER).await.map_err(Failure::cluster)?;
                Some(Family::of(&selected[0], &selected))
            }
            None => None,
        };
        let limit = if args.initial { usize::MAX } else { SHOWN };
        let limit = if args.only_changes { 0 } else { limit };
        let events: Result<Vec<_>, _> = selected.into_iter().map(|it| Events::of(it, LIMIT, limit)).collect();
        let total = Total::ask(&self.cluster, &args.objects, &self.informers, &self.screen);
        let mut show = Show {
            log: Log::new(args, &self.informers, &self.screen),
            informers: &self.informers,
            family,
            awaited,
            summary,
            only_changes: args.only_changes,
            troubles: &self.troubles,
            screen: &self.screen,
            begun: self.begun,
        };
        show.run(&mut AllEvents(events?), total).await
    }

    fn write(&self, summary: &Summary, form: WatchForm) -> Result<(), Failure> {
        let lasted = self.begun.elapsed();
        let text = if form == WatchForm::Json {
            plain_json(&summary.json(lasted).to_string()).into_owned()
        } else {
            summary.text(lasted)
        };
        unless_nobody_reads(self.screen.line(&text))
    }
}

/// What the end means for whoever reads the exit code.
fn verdict(ended: Result<How, Failure>, awaited: Option<Awaited>) -> Result<(), Failure> {
    let ended = ended.map_err(|failure| {
        if awaited.is_some() && failure.is_nobody_reads() {
            // Whoever asks for the exit code must not take it for the answer.
            return Failure::local("nobody reads the output any more; it is not known whether --until holds");
        }
        failure
    });
    match (ended?, awaited) {
        (How::TimeIsOver, Some(awaited)) => {
            Err(Failure::negative(format!("--until does not hold: {}", awaited.missing())))
        }
        (How::Interrupted, Some(_)) => Err(Failure::interrupted()),
        _ => Ok(()),
    }
}

/// What is watched: what the command line names, and with an owner all that may belong to it.
async fn selected(
    args: &WatchArgs,
    owner: Option<Target>,
    factory: &SharedInformerFactory,
    screen: &Screen,
) -> Result<Vec<Selected>, Failure> {
    let mut targets = words::targets(factory, &args.targets, screen).await?;
    if let Some(owner) = owner {
        let kind = factory.resolve(&owner.kind).await.map_err(unknown)?;
        let below = kinds_below(&kind).iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>();
        // Whoever names the owner's kind as well means this family nevertheless.
        let mut others = Vec::new();
        for target in targets {
            if factory.resolve(&target.kind).await.map_err(unknown)? != kind {
                others.push(target);
            }
        }
        targets = vec![owner];
        targets.extend(others);
        targets.extend(targets::of_watch(&below).map_err(Failure::usage)?);
    }
    select(factory, &targets, &args.objects).await
}

/// How a watch ended.
enum How {
    Done,
    TimeIsOver,
    Interrupted,
}
