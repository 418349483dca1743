//! The queue between the reflectors of an informer and its store.
//!
//! Strict order, nothing merged, bounded: a reflector that is too fast waits, which slows its stream down instead of
//! filling the memory. Several producers, one consumer. After [`close`](DeltaFifo::close) what is in the queue can still
//! be taken out, but nothing more can be put in (client-go's closed queue goes on accepting writes that are never read).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use metrics::Gauge;
use parking_lot::Mutex;
use tokio::sync::Notify;

use informer_core::delta::{Delta, DeltaChange};
use informer_core::object::record::Record;

/// How much a queue holds before producers wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Bytes of object bodies.
    pub(crate) bytes: usize,
    /// Deltas; each object of a `Replaced` counts.
    pub(crate) entries: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: 8 << 20, entries: 4_096 }
    }
}

/// The queue was closed; the delta was not put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the queue is closed")]
pub(crate) struct Closed;

/// The queue. See the module.
pub(crate) struct DeltaFifo {
    bounds: Bounds,
    queue: Mutex<Queue>,
    /// Producers wait in line here; the first of them waits for room. So a delta that needs the whole queue gets its turn.
    turn: tokio::sync::Mutex<()>,
    room: Notify,
    filled: Notify,
    /// How many wait, for the gauge.
    waiting: AtomicUsize,
    gauge: Gauge,
}

#[derive(Default)]
struct Queue {
    deltas: VecDeque<(Delta, Size)>,
    held: Size,
    closed: bool,
}

/// What a delta takes of the bounds, never more than all of them.
#[derive(Clone, Copy, Default)]
struct Size {
    bytes: usize,
    entries: usize,
}

impl DeltaFifo {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            queue: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            room: Notify::new(),
            filled: Notify::new(),
            waiting: AtomicUsize::new(0),
            gauge: Gauge::noop(),
        }
    }

    /// Shows there how many deltas wait, at any time.
    pub(crate) fn with_gauge(mut self, gauge: Gauge) -> Self {
        gauge.set(0.0);
        self.gauge = gauge;
        self
    }

    /// Puts a delta at the end, once there is room for it; into an empty queue everything fits.
    ///
    /// Dropping the future before it is done means the delta was not put in. While it waits it stands in line before the
    /// other producers, so it must be polled or dropped, not set aside.
    pub(crate) async fn push(&self, delta: Delta) -> Result<(), Closed> {
        let size = self.size(&delta);
        let _turn = self.turn.lock().await;
        loop {
            {
                let mut queue = self.queue.lock();
                if queue.closed {
                    return Err(Closed);
                }
                if queue.has_room(size, self.bounds) {
                    queue.held.bytes += size.bytes;
                    queue.held.entries += size.entries;
                    queue.deltas.push_back((delta, size));
                    self.count(&queue);
                    drop(queue);
                    self.show();
                    self.filled.notify_one();
                    return Ok(());
                }
            }
            // Only one producer is ever here, and a notification sent since the check is kept for it.
            self.room.notified().await;
        }
    }

    /// Takes up to `max` deltas from the front, waiting while there are none. A `Replaced` comes alone. `None` once the
    /// queue is closed and empty.
    ///
    /// For one consumer. Dropping the future before it is done takes nothing out.
    pub(crate) async fn pop_batch(&self, max: usize) -> Option<Vec<Delta>> {
        loop {
            let batch = self.pop_now(max);
            if !batch.is_empty() {
                return Some(batch);
            }
            if self.is_over() {
                return None;
            }
            self.filled.notified().await;
        }
    }

    /// The same without waiting: empty if there are none.
    pub(crate) fn pop_now(&self, max: usize) -> Vec<Delta> {
        let mut queue = self.queue.lock();
        let batch = queue.take(max.max(1));
        if !batch.is_empty() {
            self.count(&queue);
            drop(queue);
            self.show();
            self.room.notify_one();
        }
        batch
    }

    /// Whether it is closed and empty.
    pub(crate) fn is_over(&self) -> bool {
        let queue = self.queue.lock();
        queue.closed && queue.deltas.is_empty()
    }

    /// Ends the queue and wakes all tasks that wait on it.
    pub(crate) fn close(&self) {
        self.queue.lock().closed = true;
        self.room.notify_one();
        self.filled.notify_one();
    }

    #[cfg(test)]
    pub(crate) fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }

    /// How many deltas are waiting.
    pub(crate) fn len(&self) -> usize {
        self.queue.lock().deltas.len()
    }

    /// How many bytes of bodies are waiting; a delta larger than the bound counts as the bound.
    pub(crate) fn bytes(&self) -> usize {
        self.queue.lock().held.bytes
    }

    fn count(&self, queue: &Queue) {
        self.waiting.store(queue.deltas.len(), Ordering::SeqCst);
    }

    /// Sets the gauge, without the lock, because the metrics recorder is the user's code. Two threads may do so at once and
    /// finish in the wrong order; each looks at the number again afterwards, so the gauge ends up right.
    #[allow(clippy::cast_precision_loss)] // A gauge is a float.
    fn show(&self) {
        loop {
            let waiting = self.waiting.load(Ordering::SeqCst);
            self.gauge.set(waiting as f64);
            if self.waiting.load(Ordering::SeqCst) == waiting {
                return;
            }
        }
    }

    fn size(&self, delta: &Delta) -> Size {
        let body = |record: &Record| record.held();
        let (bytes, entries) = match &delta.change {
            DeltaChange::Added(record) | DeltaChange::Updated(record) | DeltaChange::Deleted(record) => {
                (body(record), 1)
            }
            DeltaChange::LeftOut { .. } | DeltaChange::Bookmark(_) => (0, 1),
            DeltaChange::Looked { object, .. } => (object.as_ref().map_or(0, |record| body(record)), 1),
            // A list with more objects than the queue holds fills the queue anyway, so the sizes of its objects need
            // not be added up.
            DeltaChange::Replaced { objects, .. } if objects.len() >= self.bounds.entries => {
                (self.bounds.bytes, objects.len())
            }
            DeltaChange::Replaced { objects, .. } => {
                (objects.iter().map(|record| body(record)).sum(), objects.len().max(1))
            }
        };
        Size { bytes: bytes.min(self.bounds.bytes), entries: entries.min(self.bounds.entries) }
    }
}

impl Queue {
    fn has_room(&self, size: Size, bounds: Bounds) -> bool {
        self.deltas.is_empty()
            || (self.held.bytes.saturating_add(size.bytes) <= bounds.bytes
                && self.held.entries.saturating_add(size.entries) <= bounds.entries)
    }

    fn take(&mut self, max: usize) -> Vec<Delta> {
        let alone = |(delta, _): &(Delta, Size)| matches!(delta.change, DeltaChange::Replaced { .. });
        let count = match self.deltas.iter().take(max).position(alone) {
            Some(0) => 1,
            Some(first) => first,
            None => self.deltas.len().min(max),
        };
        let mut batch = Vec::with_capacity(count);
        for (delta, size) in self.deltas.drain(..count) {
            self.held.bytes -= size.bytes;
            self.held.entries -= size.entries;
            batch.push(delta);
        }
        batch
    }
}

#[cfg(test)]
mod tests;
