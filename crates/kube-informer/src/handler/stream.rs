//! Events as a stream.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;
use futures::stream::{self, BoxStream, StreamExt};

use crate::handler::event::Event;
use crate::handler::listener::{Ending, Listener};

/// The events of an informer as a [`Stream`], starting with an add for each object in the cache. Dropping the stream
/// removes it from the informer.
///
/// The stream ends when the informer stops. A stream that is not polled delays neither the cache nor other handlers:
/// its pending events are merged per key.
pub struct EventStream<K> {
    listener: Arc<Listener>,
    events: BoxStream<'static, Event<K>>,
}

impl<K: 'static> EventStream<K> {
    pub(crate) fn new(listener: Arc<Listener>) -> Self {
        let events = stream::unfold(listener.clone(), |listener| async {
            let taken = listener.next().await;
            if taken.is_empty() {
                listener.finish();
                return None;
            }
            Some((stream::iter(taken), listener))
        });
        let events = events.flatten().map(Event::of).boxed();
        Self { listener, events }
    }

    /// Whether every object that was in the cache when the stream began has been read from the stream.
    pub fn has_synced(&self) -> bool {
        self.listener.state().borrow().synced
    }
}

impl<K> Stream for EventStream<K> {
    type Item = Event<K>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        if self.listener.is_closed() {
            return Poll::Ready(None);
        }
        self.events.poll_next_unpin(context)
    }
}

impl<K> Drop for EventStream<K> {
    fn drop(&mut self) {
        self.listener.end(Ending::Closed);
        self.listener.finish();
    }
}

impl<K> fmt::Debug for EventStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").field("name", &self.listener.name).finish_non_exhaustive()
    }
}
