//! The events of the watched kinds, and the objects that existed at the start.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use kube_client::api::DynamicObject;
use kube_informer::{Event, Object, Registration, SharedInformer, async_handler};
use tokio::sync::mpsc;

use crate::failure::Failure;
use crate::kinds::Selected;

/// How many events of a kind may wait for a slow terminal or pipe. If there are more, changes of the same object are merged
/// into one, and a line says so.
pub(crate) const LIMIT: usize = 100_000;

/// How many events are taken from the informer at once; the others wait there.
const AT_HAND: usize = 64;

/// How many objects of a kind that exist at the start `watch` shows one by one; if there are more, only their number is shown.
pub(crate) const SHOWN: usize = 20;

/// The events of one kind.
pub(crate) struct Events {
    pub(crate) informer: SharedInformer<DynamicObject>,
    /// What it is called for the user.
    pub(crate) label: String,
    registration: Registration,
    events: mpsc::Receiver<Event<DynamicObject>>,
    /// The objects that existed at the start, until all of them have come.
    first: Option<First>,
    /// Up to so many of them are kept to be shown.
    shown: usize,
    /// How many merged changes have been reported so far.
    merged: u64,
    ended: bool,
}

/// The objects that existed at the start.
#[derive(Default)]
pub(crate) struct First {
    pub(crate) count: usize,
    /// The objects to show: all, or none if there are too many. They are decoded when they are shown.
    pub(crate) shown: Vec<Object<DynamicObject>>,
}

impl Events {
    /// The events of what was selected. Up to `limit` may wait, and up to `shown` of the first objects are kept.
    pub(crate) fn of(selected: Selected, limit: usize, shown: usize) -> Result<Self, Failure> {
        let (sender, events) = mpsc::channel(AT_HAND);
        let (informer, label) = (selected.informer.clone(), selected.label());
        let selected = Arc::new(selected);
        let hears = async_handler(move |event: Event<DynamicObject>| {
            let (sender, selected) = (sender.clone(), selected.clone());
            async move {
                if object(&event).is_some_and(|object| selected.wants(object)) {
                    // An error means that the receiver is gone: the command is about to end.
                    sender.send(event).await.ok();
                }
            }
        });
        let hears = hears.every_event(limit).resync(Duration::ZERO);
        let registration = informer.add_event_handler(hears).map_err(Failure::cluster)?;
        let first = Some(First::default());
        Ok(Self { informer, label, registration, events, first, shown, merged: 0, ended: false })
    }

    /// Counts an object that existed at the start; false for all other events.
    pub(crate) fn count(&mut self, event: &Event<DynamicObject>) -> bool {
        let (Some(first), Event::Added { object, initial: true }) = (&mut self.first, event) else {
            return false;
        };
        first.count += 1;
        if first.count <= self.shown {
            first.shown.push(object.clone());
        } else {
            first.shown.clear();
        }
        true
    }

    pub(crate) fn is_filling(&self) -> bool {
        self.first.is_some()
    }

    /// The objects that existed at the start, once all of them have come. `before` means that a later event is waiting.
    pub(crate) fn take_first(&mut self, before: bool) -> Option<First> {
        let all = self.registration.has_synced() && (before || self.events.is_empty());
        let mut first = self.first.take_if(|_| all)?;
        first.shown.sort_by(|a, b| a.key().cmp(b.key()));
        Some(first)
    }

    /// How many more changes have been merged since the last call, because they came faster than they could be shown.
    pub(crate) fn take_merged(&mut self) -> u64 {
        let merged = self.registration.status().merged;
        merged.saturating_sub(std::mem::replace(&mut self.merged, merged))
    }
}

/// The object that an event is about, in its newest state.
pub(crate) fn object(event: &Event<DynamicObject>) -> Option<&Object<DynamicObject>> {
    match event {
        Event::Added { object, .. } | Event::Updated { new: object, .. } | Event::Deleted { object, .. } => {
            Some(object)
        }
        _ => None,
    }
}

/// The events of all kinds as one stream; each has the index of its kind.
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
        if self.0.iter().all(|events| events.ended) { Poll::Ready(None) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests;
