//! What was asked of the server, for tests to assert on.

mod request;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

pub use request::RecordedRequest;

/// What the requests in the journal may take together, in bytes: tens of thousands of them.
const LIMIT: usize = 8 << 20;
/// A request takes about this beside its texts.
const ENTRY: usize = 256;

/// The requests that the server has received, in order.
///
/// It holds the last 8 MiB of them, tens of thousands; the oldest are forgotten first. A request is in it as soon as
/// it arrives, and its `status` follows when it is answered. Cheap to clone; all clones are the same journal.
///
/// Requests of [`EmbeddedApiserver::quiet_client`](crate::EmbeddedApiserver::quiet_client) are not in it.
#[derive(Clone, Debug)]
pub struct Journal {
    pages: Arc<Pages>,
}

#[derive(Debug)]
struct Pages {
    held: Mutex<Held>,
    /// Told of every change, so that tests can wait for one.
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Held {
    /// Shared, so that they can be looked at without the lock.
    requests: VecDeque<Arc<RecordedRequest>>,
    /// How many were dropped from the front: the number of the first that is held.
    forgotten: u64,
    bytes: usize,
}

impl Journal {
    pub(crate) fn new() -> Self {
        Self { pages: Arc::new(Pages { held: Mutex::default(), changed: watch::Sender::new(()) }) }
    }

    /// All requests that are held, oldest first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.matching(|_| true)
    }

    /// Those that `matches` says yes to, oldest first.
    pub fn matching(&self, matches: impl Fn(&RecordedRequest) -> bool) -> Vec<RecordedRequest> {
        let found = self.held().into_iter().filter(|request| matches(request));
        found.map(Arc::unwrap_or_clone).collect()
    }

    /// How many `matches` says yes to.
    pub fn count(&self, matches: impl Fn(&RecordedRequest) -> bool) -> usize {
        self.held().iter().filter(|request| matches(request)).count()
    }

    /// Waits until `matches` says yes to at least this many, and returns them.
    ///
    /// It may wait forever; give it a timeout with `tokio::time::timeout`.
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
            // Fails only without a sender, and that is in the journal that this holds.
            let _ = changed.changed().await;
        }
    }

    /// How many of the oldest requests are no longer held, [cleared](Self::clear) ones included.
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

    /// A view of all, so that what the caller does with them may ask the journal again.
    fn held(&self) -> VecDeque<Arc<RecordedRequest>> {
        self.pages.held.lock().requests.clone()
    }

    /// Puts a request in.
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

/// A request in the journal that is not answered yet.
#[derive(Debug)]
pub(crate) struct Entry {
    journal: Journal,
    number: u64,
}

impl Entry {
    /// Says how it was answered.
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
