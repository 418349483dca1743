//! How often a viewer is sent something: all streams of a page share [`PUSHES`] in any second.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::stream::Seat;

/// So many pushes in any [`SECOND`].
const PUSHES: usize = 2;
const SECOND: Duration = Duration::from_secs(1);

/// The longest name of a page; what is longer is none.
const NAME: usize = 64;

/// When the last [`PUSHES`] were sent. Who waits for the lock gets it in turn.
type Sent = Arc<Mutex<VecDeque<Instant>>>;

/// The pages that have streams, by the names that they give themselves.
#[derive(Clone, Default)]
pub(crate) struct Pages(Arc<parking_lot::Mutex<HashMap<String, Sent>>>);

/// One stream of a viewer: its place, and its share of what the viewer is sent.
pub(super) struct Viewer {
    sent: Sent,
    _seat: Seat,
}

impl Pages {
    /// A stream of this page, or of one that is a page by itself.
    pub(super) fn viewer(&self, page: Option<&str>, seat: Seat) -> Viewer {
        let Some(page) = page.filter(|page| page.len() <= NAME) else {
            return Viewer { sent: Sent::default(), _seat: seat };
        };
        let mut pages = self.0.lock();
        // What was just sent counts, even if the stream that sent it has ended.
        pages.retain(|_, sent| Arc::strong_count(sent) > 1 || is_recent(sent));
        Viewer { sent: pages.entry(page.to_owned()).or_default().clone(), _seat: seat }
    }
}

fn is_recent(sent: &Sent) -> bool {
    let last = sent.try_lock().ok().and_then(|sent| sent.back().copied());
    last.is_some_and(|last| last.elapsed() < SECOND)
}

impl Viewer {
    /// Waits until something may be sent, which from then on counts as sent. Who is dropped while it waits has sent nothing.
    pub(super) async fn turn(&self) {
        let mut sent = self.sent.lock().await;
        if sent.len() == PUSHES
            && let Some(first) = sent.front()
        {
            sleep_until(*first + SECOND).await;
            sent.pop_front();
        }
        sent.push_back(Instant::now());
    }
}

#[cfg(test)]
mod tests;
