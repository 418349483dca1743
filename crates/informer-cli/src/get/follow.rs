//! `informer get -w`: the objects that are there, and then each that is added, updated or deleted.

use std::time::Duration;

use futures::StreamExt as _;
use kube_client::api::DynamicObject;
use kube_informer::{Event, Object, SharedInformer, SharedInformerFactory};

use super::found;
use crate::args::{GetArgs, ObjectArgs};
use crate::cluster::Cluster;
use crate::ending::asked_to_end;
use crate::failure::Failure;
use crate::kinds::{Selected, sync};
use crate::output::Printer;
use crate::screen::Screen;
use crate::watch::events::{AllEvents, Events, LIMIT};
use crate::watch::troubles::Troubles;

/// How often it is checked whether the objects that were there at the start have all come.
const LOOK: Duration = Duration::from_millis(20);

/// How often it is looked which troubles are over.
const TROUBLES: Duration = Duration::from_millis(100);

/// A factory whose troubles are told as they happen: the command goes on for as long as the user likes.
pub(super) fn factory(
    cluster: &Cluster,
    objects: &ObjectArgs,
    troubles: &Troubles,
) -> Result<SharedInformerFactory, Failure> {
    let hears = troubles.clone();
    let factory = cluster.factory(objects).on_error(move |failure| hears.hear(failure));
    factory.build().map_err(Failure::unbuilt)
}

pub(super) async fn follow(
    args: &GetArgs,
    factory: &SharedInformerFactory,
    troubles: &Troubles,
    selected: Vec<Selected>,
    printer: Printer,
    screen: &Screen,
) -> Result<(), Failure> {
    sync(factory, troubles.refusal(), args.timeout).await?;
    let (_, missing) = found(&selected);
    if !missing.is_empty() {
        // As kubectl does: whoever waits for an object is told that there is none, and can wait with another command.
        let missing = missing.join("; ");
        return Err(Failure::negative(format!("{missing} (`informer watch` waits until it is there)")));
    }
    let informers: Vec<_> = selected.iter().map(|it| it.informer.clone()).collect();
    let limit = if args.watch_only { 0 } else { usize::MAX };
    let events: Result<Vec<_>, _> = selected.into_iter().map(|it| Events::of(it, LIMIT, limit)).collect();
    tokio::select! {
        ended = show(AllEvents(events?), printer, screen) => ended,
        refused = troubles.refused() => Err(refused),
        () = heard(troubles, &informers) => Ok(()),
        () = asked_to_end() => Ok(()),
    }
}

/// Says which troubles are over, without end.
async fn heard(troubles: &Troubles, informers: &[SharedInformer<DynamicObject>]) {
    let mut look = tokio::time::interval(TROUBLES);
    loop {
        look.tick().await;
        troubles.look(informers);
    }
}

async fn show(mut events: AllEvents, mut printer: Printer, screen: &Screen) -> Result<(), Failure> {
    let mut look = tokio::time::interval(LOOK);
    let mut first: Vec<Vec<Object<DynamicObject>>> = events.0.iter().map(|_| Vec::new()).collect();
    let mut later = Vec::new();
    let mut has_begun = false;
    loop {
        tokio::select! {
            event = events.next() => {
                let Some((place, event)) = event else { return Ok(()) };
                let of_kind = &mut events.0[place];
                if of_kind.count(&event) {
                    continue;
                }
                if let Some(all) = of_kind.take_first(true) {
                    first[place] = all.shown;
                }
                later.extend(changed(event));
            }
            _ = look.tick(), if !has_begun => {
                for (of_kind, first) in events.0.iter_mut().zip(&mut first) {
                    if let Some(all) = of_kind.take_first(false) {
                        *first = all.shown;
                    }
                }
            }
        }
        if !has_begun && !events.0.iter().any(Events::is_filling) {
            has_begun = true;
            // In one piece, so that the columns fit all of them.
            let first: Vec<_> = std::mem::take(&mut first).into_iter().flatten().collect();
            screen.text(&printer.each(&first)?)?;
        }
        if has_begun {
            screen.text(&printer.each(&std::mem::take(&mut later))?)?;
        }
    }
}

/// The object of an event, as it is now or was last; `None` if nothing happened to it.
fn changed(event: Event<DynamicObject>) -> Option<Object<DynamicObject>> {
    match event {
        Event::Updated { resync: true, .. } => None,
        Event::Added { object, .. } | Event::Updated { new: object, .. } | Event::Deleted { object, .. } => {
            Some(object)
        }
        _ => None,
    }
}
