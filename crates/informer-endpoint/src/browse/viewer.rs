//! How often a viewer is sent something: all streams of a page share [`PUSHES`] in any second.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use crate::stream::Seat;

/// So many pushes in any [`SECOND`].
const PUSHES: usize = 2;
const SECOND: Duration = Duration::from_secs(1);

/// The longest name of a page; what is longer is none.
const NAME: usize = 64;

/// When the last [`PUSHES`] were sent, the latest last. Nobody waits while it is locked: a stream that nobody reads any more would
/// stop all others of its page.
type Sent = Arc<Mutex<VecDeque<Instant>>>;

/// The pages that have streams, by the names that they give themselves.
#[derive(Clone, Default)]
pub(crate) struct Pages(Arc<Mutex<HashMap<String, Sent>>>);

/// One stream of a viewer: its place, and its share of what the viewer is sent.
pub(super) struct Viewer {
    sent: Sent,
    /// When this stream itself was last sent something.
    last: Mutex<Option<Instant>>,
    _seat: Seat,
}

struct Wait {
    until: Instant,
    /// Whether this stream itself was sent something of what it waits for.
    was_served: bool,
}

impl Pages {
    /// A stream of this page, or of one that is a page by itself.
    pub(super) fn viewer(&self, page: Option<&str>, seat: Seat) -> Viewer {
        let Some(page) = page.filter(|page| page.len() <= NAME) else {
            return Viewer::new(Sent::default(), seat);
        };
        let mut pages = self.0.lock();
        // What was just sent counts, even if the stream that sent it has ended.
        pages.retain(|_, sent| Arc::strong_count(sent) > 1 || is_recent(sent));
        Viewer::new(pages.entry(page.to_owned()).or_default().clone(), seat)
    }
}

fn is_recent(sent: &Sent) -> bool {
    let last = sent.lock().back().copied();
    last.is_some_and(|last| last.elapsed() < SECOND)
}

impl Viewer {
    fn new(sent: Sent, seat: Seat) -> Self {
        Self { sent, last: Mutex::default(), _seat: seat }
    }

    /// Waits until something may be sent, which from then on counts as sent. Who is dropped while it waits has sent nothing.
    pub(super) async fn turn(&self) {
        while let Err(Wait { until, was_served }) = self.take() {
            sleep_until(until).await;
            // All who wait wake up now. Who was not served in this second goes first.
            if was_served {
                yield_now().await;
            }
        }
    }

    /// Says until when to wait if too much was sent in the last second.
    fn take(&self) -> Result<(), Wait> {
        let mut sent = self.sent.lock();
        let mut last = self.last.lock();
        let now = Instant::now();
        if sent.len() == PUSHES
            && let Some(first) = sent.front().copied()
        {
            let until = first + SECOND;
            if now < until {
                return Err(Wait { until, was_served: last.is_some_and(|last| last >= first) });
            }
            sent.pop_front();
        }
        sent.push_back(now);
        *last = Some(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
