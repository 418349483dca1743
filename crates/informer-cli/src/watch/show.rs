//! Writes events as they come.

use std::time::{Duration, Instant};

use futures::{FutureExt as _, StreamExt as _};
use kube_client::api::DynamicObject;
use kube_informer::{Event, SharedInformer};

use crate::failure::Failure;
use crate::screen::Screen;
use crate::watch::events::{AllEvents, Events};
use crate::watch::family::Family;
use crate::watch::line::Told;
use crate::watch::log::Log;
use crate::watch::status_line::StatusLine;
use crate::watch::summary::Summary;
use crate::watch::total::Total;
use crate::watch::troubles::Troubles;
use crate::watch::until::Awaited;

/// How often the status of the informers is checked.
const LOOK: Duration = Duration::from_millis(100);

/// What becomes of events.
pub(crate) struct Show<'a> {
    pub(crate) log: Log,
    pub(crate) informers: &'a [SharedInformer<DynamicObject>],
    /// If there is one, only events about its members are shown.
    pub(crate) family: Option<Family>,
    pub(crate) awaited: Option<&'a mut Awaited>,
    pub(crate) summary: Option<&'a mut Summary>,
    pub(crate) only_changes: bool,
    pub(crate) troubles: &'a Troubles,
    pub(crate) screen: &'a Screen,
    /// When the informers were started.
    pub(crate) begun: Instant,
}

impl Show<'_> {
    /// Writes events until what is waited for holds, or the reader of the output is gone.
    pub(crate) async fn run(&mut self, events: &mut AllEvents, mut total: Total) -> Result<(), Failure> {
        let mut status_line = StatusLine::new(self.informers, self.screen);
        let mut second = tokio::time::interval(Duration::from_secs(1));
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                event = events.next() => {
                    let Some((place, event)) = event else { return Ok(()) };
                    for _line in 0..self.events(place, event, events)? {
                        status_line.count();
                    }
                }
                _ = look.tick() => {
                    self.troubles.look(self.informers);
                    self.first(events)?;
                    if !status_line.has_begun() {
                        if events.0.iter().any(Events::is_filling) {
                            total.draw(&events.0, self.screen).await;
                        } else {
                            status_line.begin();
                        }
                    }
                }
                _ = second.tick() => {
                    self.merged(events)?;
                    status_line.draw();
                }
            }
            if self.awaited.as_ref().is_some_and(|awaited| awaited.holds())
                && !events.0.iter().any(Events::is_filling)
            {
                return Ok(());
            }
        }
    }

    /// Writes what has come and has not been written yet, without waiting for more.
    pub(crate) fn rest(&mut self, events: &mut AllEvents) -> Result<(), Failure> {
        while let Some(Some((place, event))) = events.next().now_or_never() {
            self.events(place, event, events)?;
        }
        self.first(events)?;
        self.merged(events)
    }

    /// Writes an event and those that waited for it. How many of them have a line.
    fn events(
        &mut self,
        place: usize,
        event: Event<DynamicObject>,
        events: &mut AllEvents,
    ) -> Result<usize, Failure> {
        let mut lines = 0;
        for (place, event) in self.sorted(place, event) {
            lines += usize::from(self.event(place, &event, &mut events.0[place])?);
        }
        Ok(lines)
    }

    /// Writes the objects that existed at the start, of each kind of which all have come.
    fn first(&mut self, events: &mut AllEvents) -> Result<(), Failure> {
        for events in &mut events.0 {
            if let Some(first) = events.take_first(false) {
                self.log.synced(events, first, self.begun.elapsed())?;
            }
        }
        Ok(())
    }

    /// Writes how many changes have been merged.
    fn merged(&mut self, events: &mut AllEvents) -> Result<(), Failure> {
        for events in &mut events.0 {
            let merged = events.take_merged();
            if merged > 0 {
                self.log.merged(events, merged)?;
            }
        }
        Ok(())
    }

    /// The events to show now; of a family, those about its members.
    fn sorted(&mut self, place: usize, event: Event<DynamicObject>) -> Vec<(usize, Event<DynamicObject>)> {
        match &mut self.family {
            None => vec![(place, event)],
            // All members that were there at the start are known.
            Some(family) => match &event {
                Event::Added { object, initial: true } if !family.has(object) => Vec::new(),
                _ => family.sort(place, event),
            },
        }
    }

    /// Writes an event. False if it has no line, or not yet.
    fn event(
        &mut self,
        place: usize,
        event: &Event<DynamicObject>,
        of_kind: &mut Events,
    ) -> Result<bool, Failure> {
        if let Some(awaited) = &mut self.awaited {
            awaited.see(place, event);
        }
        // Except in JSON the objects that existed at the start are shown sorted, once all of them have come.
        if of_kind.count(event) && (!self.log.is_json() || self.only_changes) {
            return Ok(false);
        }
        let is_initial = matches!(event, Event::Added { initial: true, .. });
        if !is_initial && let Some(first) = of_kind.take_first(true) {
            self.log.synced(of_kind, first, self.begun.elapsed())?;
        }
        let Some(told) = Told::of(event) else { return Ok(false) };
        if let Some(summary) = &mut self.summary {
            summary.see(event, &told);
        }
        self.log.event(&told)
    }
}
