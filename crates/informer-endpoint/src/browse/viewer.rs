//! How often a viewer is sent something: all streams of a page share [`PUSHES`] in any second.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};

use crate::stream::Seat;

/// So many pushes in any [`SECOND`], of which at most one is [news](Turn::News): who searches or opens something else shall not have
/// to wait for a second because of what changes by itself.
const PUSHES: usize = 2;
const SECOND: Duration = Duration::from_secs(1);

/// How long news gives way to answers; from then on it takes its turn with them.
const PATIENCE: Duration = SECOND;

/// How much later the stream may go that had the last news: another one that waits goes first.
const COURTESY: Duration = Duration::from_millis(10);

/// How long a stream may send nothing: else a viewer that went is not noticed.
pub(super) const SILENCE: Duration = Duration::from_secs(15);

/// What keeps a connection when there is nothing to say.
pub(super) const NOTHING: &[u8] = b":\n\n";

/// The longest name of a page; what is longer is none.
const NAME: usize = 64;

/// When the last [`PUSHES`] were sent, the latest last. Nobody waits while it is locked: a stream that nobody reads any more would
/// stop all others of its page.
type Sent = Arc<Mutex<VecDeque<(Instant, Turn)>>>;

/// What is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Somebody has asked for it and waits.
    Answer,
    /// Something has changed, and nobody waits for it.
    News,
}

/// The pages that have streams, by the names that they give themselves.
#[derive(Clone)]
pub(crate) struct Pages {
    sent: Arc<Mutex<HashMap<String, Sent>>>,
    unpacking: Arc<Semaphore>,
}

impl Default for Pages {
    fn default() -> Self {
        Self { sent: Arc::default(), unpacking: Arc::new(Semaphore::new(1)) }
    }
}

/// One stream of a viewer: its place, and its share of what the viewer is sent.
pub(super) struct Viewer {
    sent: Sent,
    /// When this stream itself was last sent something.
    last: Mutex<Option<Instant>>,
    unpacking: Arc<Semaphore>,
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
            return Viewer::new(Sent::default(), self.unpacking.clone(), seat);
        };
        let mut pages = self.sent.lock();
        // What was just sent counts, even if the stream that sent it has ended.
        pages.retain(|_, sent| Arc::strong_count(sent) > 1 || is_recent(sent));
        Viewer::new(pages.entry(page.to_owned()).or_default().clone(), self.unpacking.clone(), seat)
    }
}

fn is_recent(sent: &Sent) -> bool {
    let last = sent.lock().back().copied();
    last.is_some_and(|(last, _)| last.elapsed() < SECOND)
}

impl Viewer {
    fn new(sent: Sent, unpacking: Arc<Semaphore>, seat: Seat) -> Self {
        Self { sent, last: Mutex::default(), unpacking, _seat: seat }
    }

    /// The turn to unpack objects, which all viewers have one after the other: however many search, together they take no more of
    /// the program than one does. `None` never happens, since it is never closed.
    pub(super) async fn unpacks(&self) -> Option<OwnedSemaphorePermit> {
        self.unpacking.clone().acquire_owned().await.ok()
    }

    /// Waits until something may be sent, which from then on counts as sent. Who is dropped while it waits has sent nothing.
    pub(super) async fn turn(&self, turn: Turn) {
        let since = Instant::now();
        while let Err(Wait { until, was_served }) = self.take(turn, since) {
            sleep_until(until).await;
            // All who wait wake up now. Who was not served in this second goes first.
            if was_served {
                yield_now().await;
            }
        }
    }

    /// Says until when to wait if too much was sent in the last second.
    fn take(&self, turn: Turn, since: Instant) -> Result<(), Wait> {
        let mut sent = self.sent.lock();
        let mut last = self.last.lock();
        let now = Instant::now();
        // One more than fits into a second is needed no longer.
        while sent.front().is_some_and(|(first, _)| *first + SECOND + COURTESY <= now) {
            sent.pop_front();
        }
        if let Some(until) = until(&sent, turn, since, *last).filter(|until| now < *until) {
            let begin = sent.front().map_or(now, |(first, _)| *first);
            return Err(Wait { until, was_served: last.is_some_and(|last| last >= begin) });
        }
        sent.push_back((now, turn));
        *last = Some(now);
        Ok(())
    }
}

/// When something may be sent, after what was sent, by a stream that has waited since then and had its last turn then.
fn until(
    sent: &VecDeque<(Instant, Turn)>,
    turn: Turn,
    since: Instant,
    last: Option<Instant>,
) -> Option<Instant> {
    // The last so many have to lie in the past.
    let room = sent.iter().rev().nth(PUSHES - 1).map(|(at, _)| *at + SECOND);
    if turn == Turn::Answer {
        return room;
    }
    let news = sent.iter().rev().find(|(_, turn)| *turn == Turn::News).map(|(at, _)| {
        let courtesy = if last == Some(*at) { COURTESY } else { Duration::ZERO };
        *at + SECOND + courtesy
    });
    let answers = sent.back().map(|(at, _)| (*at + SECOND).min(since + PATIENCE));
    room.max(news).max(answers)
}

#[cfg(test)]
mod tests;
