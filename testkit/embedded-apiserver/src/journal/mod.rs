//! The requests that the server has received, for tests to assert on.

mod request;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

pub use request::RecordedRequest;

/// The memory that all records together may take, in bytes. It is enough for tens of thousands.
const LIMIT: usize = 8 << 20;
/// About how many bytes a record takes besides its texts.
const ENTRY: usize = 256;

/// The requests that the server has received, in order.
///
/// It keeps the last 8 MiB of records, which is tens of thousands; the oldest are dropped first. A request is recorded
/// as soon as it arrives, and its `status` is added when it is answered. Cheap to clone; all clones share one journal.
///
/// Requests of [`EmbeddedApiserver::quiet_client`](crate::EmbeddedApiserver::quiet_client) are not recorded.
#[derive(Clone, Debug)]
pub struct Journal {
    pages: Arc<Pages>,
}

#[derive(Debug)]
struct Pages {
    held: Mutex<Held>,
    /// Notified of every change, so that tests can wait for one.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Held {
    /// Shared, so that callers can look at them without holding the lock.
    requests: VecDeque<Arc<RecordedRequest>>,
    /// How many records have been dropped; the number of the oldest that is kept.
    forgotten: u64,
    bytes: usize,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Self { pages: Arc::new(Pages { held: Mutex::default(), changed: watch::Sender::new(()) }) }
    }

    /// All requests in the journal, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.matching(|_| true)
    }

    /// The requests for which `matches` returns true, oldest first.
    pub fn matching(&self, matches: impl Fn(&RecordedRequest) -> bool) -> Vec<RecordedRequest> {
        let found = self.held().into_iter().filter(|request| matches(request));
        found.map(Arc::unwrap_or_clone).collect()
    }

    /// The number of requests for which `matches` returns true.
    pub fn count(&self, matches: impl Fn(&RecordedRequest) -> bool) -> usize {
        self.held().iter().filter(|request| matches(request)).count()
    }

    /// Waits until there are at least this many requests for which `matches` returns true, and returns them.
    ///
    /// It may wait forever; limit the wait with `tokio::time::timeout`.
    pub async fn until(
        &self,
        count: usize,
        matches: impl Fn(&RecordedRequest) -> bool,
    ) -> Vec<RecordedRequest> {
        let mut changed = self.pages.changed.subscribe();
        loop {
            let found = self.matching(&matches);
            if found.len() >= count {
                return found;
            }
            // Never an error: `self` holds the sender.
            let _ = changed.changed().await;
        }
    }

    /// How many requests have been dropped from the journal, those removed by [`clear`](Self::clear) included.
    pub fn forgotten(&self) -> u64 {
        self.pages.held.lock().forgotten
    }

    /// Forgets all requests, so that a test sees only what comes after.
    pub fn clear(&self) {
        let mut held = self.pages.held.lock();
        held.forgotten += held.requests.len() as u64;
        held.requests.clear();
        held.bytes = 0;
    }

    /// All records, without the lock: the closures of callers may use the journal themselves.
    fn held(&self) -> VecDeque<Arc<RecordedRequest>> {
        self.pages.held.lock().requests.clone()
    }

    /// Records a request.
    pub(crate) fn enter(&self, request: RecordedRequest) -> Entry {
        let mut held = self.pages.held.lock();
        held.bytes += size(&request);
        held.requests.push_back(request.into());
        let number = held.forgotten + held.requests.len() as u64 - 1;
        while held.bytes > LIMIT
            && let Some(oldest) = held.requests.pop_front()
        {
            held.bytes -= size(&oldest);
            held.forgotten += 1;
        }
        drop(held);
        self.pages.changed.send_replace(());
        Entry { journal: self.clone(), number }
    }
}

fn size(request: &RecordedRequest) -> usize {
    ENTRY
        + request.method.as_str().len()
        + 2 * request.path.len()
        + 2 * request.query.len()
        + request.user_agent.len()
        + request.user.len()
}

/// The record of a request that is not answered yet.
#[derive(Debug)]
pub(crate) struct Entry {
    journal: Journal,
    number: u64,
}

impl Entry {
    /// Records the status of the answer.
    pub(crate) fn answered(self, status: u16) {
        let mut held = self.journal.pages.held.lock();
        let index = self.number.checked_sub(held.forgotten).and_then(|index| usize::try_from(index).ok());
        if let Some(request) = index.and_then(|index| held.requests.get_mut(index)) {
            Arc::make_mut(request).status = Some(status);
        }
        drop(held);
        self.journal.pages.changed.send_replace(());
    }
}
