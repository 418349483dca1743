//! What changes, for one viewer: heard by a task that goes with it.
//!
//! It is a stream and not a handler. The first handler of an exclusive informer is the one that the informer waits for after every
//! commit, and that place is the program's: a viewer that came before the program's own handler would take it.

use futures::StreamExt as _;
use kube_informer::{Event, SharedInformer};
use tokio::task::{JoinHandle, yield_now};

/// So many events are heard before others have their turn: at first there is one for every object of the cache.
const AT_ONCE: usize = 64;

/// Hears what happens until it is dropped.
pub(super) struct Watching(JoinHandle<()>);

impl Watching {
    pub(super) fn new(
        informer: &SharedInformer<()>,
        hear: impl Fn(&Event<()>) + Send + 'static,
    ) -> Result<Self, String> {
        let mut events = informer.stream().map_err(|error| error.to_string())?;
        Ok(Self(tokio::spawn(async move {
            let mut heard = 0_usize;
            while let Some(event) = events.next().await {
                hear(&event);
                heard += 1;
                if heard.is_multiple_of(AT_ONCE) {
                    yield_now().await;
                }
            }
        })))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.abort();
    }
}
