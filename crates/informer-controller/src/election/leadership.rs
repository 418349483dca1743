//! Being the leader, as a value.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kube_client::Client;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};

use super::clock::Clock;
use super::core::Time;
use super::error::NotLeaderError;
use super::meter::Meter;

/// What a leadership tells the one who keeps it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Command {
    Confirm,
    /// It is not wanted any more, whether it is there or not.
    GiveUp,
}

/// What is known of one run of an election.
pub(super) struct Shared {
    pub(super) lease: String,
    pub(super) client: Client,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) state: watch::Sender<State>,
    pub(super) commands: mpsc::UnboundedSender<Command>,
    /// How many writes have been sent.
    pub(super) sent: AtomicU64,
    /// Why the last request failed.
    pub(super) trouble: Arc<Mutex<Option<String>>>,
    pub(super) meter: Meter,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// The term, once the Lease is won.
    pub(super) term: Option<u64>,
    /// The number of the last write that was answered.
    pub(super) answered: u64,
    /// Until when it holds.
    pub(super) until: Time,
    /// The work is to end.
    pub(super) is_stopping: bool,
    /// Nothing is held any more.
    pub(super) is_over: bool,
    /// The Lease has been given back.
    pub(super) is_released: bool,
}

impl Shared {
    /// From now on nothing is held, whatever the Lease says.
    pub(super) fn close(&self) {
        self.state.send_modify(|state| state.is_over = true);
        self.meter.leads(false);
    }

    /// Looks at the clock, and closes if it is time.
    fn has_expired(&self) -> bool {
        let now = self.clock.now();
        let closes = self.state.send_if_modified(|state| {
            let closes = !state.is_over && now >= state.until;
            state.is_over |= closes;
            closes
        });
        if closes {
            self.meter.leads(false);
        }
        self.is_over()
    }

    pub(super) fn is_over(&self) -> bool {
        self.state.borrow().is_over
    }

    /// Waits until this is so.
    pub(super) fn until(
        &self,
        so: impl Fn(&State) -> bool + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let mut state = self.state.subscribe();
        async move { drop(state.wait_for(so).await) }
    }
}

/// Closes when it is dropped.
pub(super) struct Closing(pub(super) Arc<Shared>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The leadership for one term, given to the leader's work by [`Election::run`](super::Election::run).
///
/// What is not written through a [`Controller`](crate::Controller) that [runs as](crate::Controller::run_as) the leader, or a
/// [`Run`](crate::writes::Run) that [has it](crate::writes::Run::with_leadership), has to ask [`is_valid`](Self::is_valid) before
/// it is sent.
#[derive(Clone)]
pub struct Leadership {
    pub(super) term: u64,
    pub(super) shared: Arc<Shared>,
}

impl Leadership {
    /// The number of this term, the Lease's `leaseTransitions`. A later leader has a higher one, for as long as the Lease is not
    /// deleted: a store that refuses what comes with a lower number than it has seen is safe from old leaders, whatever
    /// happens.
    pub fn term(&self) -> u64 {
        self.term
    }

    /// Whether this is the leader now: the last renewal that was answered was sent less than the renew deadline ago. Asks the
    /// clock, so it is right also where no timer has fired, as after a suspend.
    ///
    /// Once it is not valid it stays so, also if an answer comes a moment later: who asked may have dropped its work.
    pub fn is_valid(&self) -> bool {
        let state = *self.shared.state.borrow();
        !state.is_over && (self.shared.clock.now() < state.until || !self.shared.has_expired())
    }

    /// Whether the work is to end, or the leadership is over.
    pub(crate) fn is_ending(&self) -> bool {
        let state = self.shared.state.borrow();
        state.is_stopping || state.is_over
    }

    /// Ready when the leadership is over.
    pub fn lost(&self) -> impl Future<Output = ()> + Send + 'static {
        self.shared.until(|state| state.is_over)
    }

    /// Ready when the work is to end: the program shuts down, or the leadership is over.
    pub fn ended(&self) -> impl Future<Output = ()> + Send + 'static {
        self.shared.until(|state| state.is_stopping || state.is_over)
    }

    /// Renews the Lease, and is ready when the server has agreed: nobody else was leader when this was called. For what cannot
    /// be undone. It costs a request.
    ///
    /// The whole renew deadline is left then. See [the module](super) for what this does not close.
    pub async fn confirm(&self) -> Result<(), NotLeaderError> {
        let before = self.shared.sent.load(Ordering::SeqCst);
        let answered = self.shared.until(move |state| state.is_over || state.answered > before);
        self.shared.commands.send(Command::Confirm).map_err(|_| NotLeaderError)?;
        answered.await;
        if self.is_valid() { Ok(()) } else { Err(NotLeaderError) }
    }

    /// What the election talks to the server with.
    pub(crate) fn client(&self) -> &Client {
        &self.shared.client
    }
}

impl fmt::Debug for Leadership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leadership")
            .field("lease", &self.shared.lease)
            .field("term", &self.term)
            .field("is_valid", &self.is_valid())
            .finish_non_exhaustive()
    }
}
