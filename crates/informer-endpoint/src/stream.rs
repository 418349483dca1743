//! The state of all informers as events, for as long as somebody reads them.
//!
//! There is no task and no timer when nobody does: the events are made by the connection that sends them.

use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{BoxStream, unfold};
use hyper::body::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::answer::event;
use crate::endpoint::Endpoint;

/// How many may view the informers at once.
pub(crate) const VIEWERS: usize = 16;

/// How many streams of objects there may be at once, of which a page has up to three. They have places of their own, so that a few
/// pages of objects do not keep everybody from the page that says what is wrong.
pub(crate) const OBJECT_VIEWERS: usize = 16;

/// How often the state of informers is sent.
const EVERY: Duration = Duration::from_secs(1);

/// A place of one viewer, given back when its stream is dropped.
pub(crate) type Seat = OwnedSemaphorePermit;

pub(crate) fn informers(endpoint: Endpoint, seat: Seat) -> BoxStream<'static, Bytes> {
    let state = (endpoint, every(EVERY), seat);
    unfold(state, |(endpoint, mut tick, seat)| async move {
        tick.tick().await;
        Some((event(&endpoint.document()), (endpoint, tick, seat)))
    })
    .boxed()
}

/// At once, and then not more often than this. What comes late does not come twice.
pub(crate) fn every(period: Duration) -> Interval {
    let mut tick = interval(period);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tick
}

#[cfg(test)]
mod tests;
