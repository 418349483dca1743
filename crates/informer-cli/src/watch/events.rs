//! The events of the kinds that are watched, every one of them, and what was there at the start.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use kube_client::api::DynamicObject;
use kube_informer::{Event, Object, Registration, SharedInformer, async_handler};
use tokio::sync::mpsc;

use crate::failure::Failure;

/// So many events of a kind may wait to be shown, because a terminal or a pipe takes its time. If more wait, changes of
/// the same object are merged into one, which is said.
pub(crate) const LIMIT: usize = 100_000;

/// Events at hand; all others wait in the informer.
const AT_HAND: usize = 64;

/// Objects of one kind that are there at the start are shown one by one up to so many.
const SHOWN: usize = 20;

/// The events of one kind.
pub(crate) struct Events {
    pub(crate) informer: SharedInformer<DynamicObject>,
    registration: Registration,
    events: mpsc::Receiver<Event<DynamicObject>>,
    /// What was there at the start, while that is still coming.
    first: Option<First>,
    /// How many changes were merged, as far as that was said.
    merged: u64,
    ended: bool,
}

/// What was there at the start.
#[derive(Default)]
pub(crate) struct First {
    pub(crate) count: usize,
    /// Those that are shown: all or, if there are too many, none. They are read when they are shown.
    pub(crate) shown: Vec<Object<DynamicObject>>,
}

impl Events {
    pub(crate) fn of(informer: &SharedInformer<DynamicObject>, limit: usize) -> Result<Self, Failure> {
        let (sender, events) = mpsc::channel(AT_HAND);
        let hears = async_handler(move |event: Event<DynamicObject>| {
            let sender = sender.clone();
            async move {
                // If nobody shows them any more, the command is about to end.
                sender.send(event).await.ok();
            }
        });
        let hears = hears.every_event(limit).resync(Duration::ZERO);
        let registration = informer.add_event_handler(hears).map_err(Failure::cluster)?;
        let (first, informer) = (Some(First::default()), informer.clone());
        Ok(Self { informer, registration, events, first, merged: 0, ended: false })
    }

    /// Counts an object that was there at the start; false for all other events.
    pub(crate) fn count(&mut self, event: &Event<DynamicObject>) -> bool {
        let (Some(first), Event::Added { object, initial: true }) = (&mut self.first, event) else {
            return false;
        };
        first.count += 1;
        match first.count <= SHOWN {
            true => first.shown.push(object.clone()),
            false => first.shown.clear(),
        }
        true
    }

    pub(crate) fn is_filling(&self) -> bool {
        self.first.is_some()
    }

    /// What was there at the start, once all of it has come. `before` says that an event is at hand that came after it.
    pub(crate) fn take_first(&mut self, before: bool) -> Option<First> {
        let all = self.registration.has_synced() && (before || self.events.is_empty());
        let mut first = self.first.take_if(|_| all)?;
        first.shown.sort_by(|a, b| a.key().cmp(b.key()));
        Some(first)
    }

    /// How many more changes have been merged because they came faster than they could be shown.
    pub(crate) fn take_merged(&mut self) -> u64 {
        let merged = self.registration.status().merged;
        merged.saturating_sub(std::mem::replace(&mut self.merged, merged))
    }
}

/// All events as one stream; each with the place of its kind.
pub(crate) struct AllEvents(pub(crate) Vec<Events>);

impl Stream for AllEvents {
    type Item = (usize, Event<DynamicObject>);

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        for (place, events) in self.0.iter_mut().enumerate().filter(|(_, events)| !events.ended) {
            match events.events.poll_recv(context) {
                Poll::Ready(Some(event)) => return Poll::Ready(Some((place, event))),
                Poll::Ready(None) => events.ended = true,
                Poll::Pending => {}
            }
        }
        match self.0.iter().all(|events| events.ended) {
            true => Poll::Ready(None),
            false => Poll::Pending,
        }
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
