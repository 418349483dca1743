//! Does what the core says, and tells it what happens. Decides nothing.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt as _};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::core::{Action, Core, Event};
use super::leadership::{Closing, Command, Shared};
use super::lease::Lease;

/// A timer may stand still while the machine is suspended, so the clock is looked at from time to time.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct Keeper {
    pub(super) core: Core,
    pub(super) lease: Lease,
    pub(super) shared: Arc<Shared>,
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
    /// What the watch shows.
    pub(super) seen: BoxStream<'static, Event>,
}

impl Keeper {
    /// Asks for the Lease, keeps it, and gives it back when told to.
    pub(super) async fn keep(mut self) {
        let _closing = Closing(self.shared.clone());
        let mut request: Option<BoxFuture<'static, Event>> = None;
        let mut event = Event::Tick;
        loop {
            if !matches!(event, Event::Watched(_)) {
                tracing::trace!(lease = self.shared.lease, ?event);
            }
            let is_over = self.step(event, &mut request);
            if is_over {
                return;
            }
            let wait = self.core.wake_at().map_or(LOOK, |at| at.saturating_sub(self.shared.clock.now()));
            event = tokio::select! {
                event = async { match &mut request { Some(request) => request.await, None => pending().await } } => {
                    request = None;
                    event
                }
                Some(event) = self.seen.next() => event,
                Some(command) = self.commands.recv() => match command {
                    Command::Confirm => Event::Confirm,
                    Command::GiveUp => {
                        self.shared.close();
                        // One of them is for whoever has it, the other for whoever has not.
                        if self.step(Event::Stop, &mut request) {
                            return;
                        }
                        Event::Release
                    }
                },
                () = sleep(wait.min(LOOK)) => Event::Tick,
            };
        }
    }

    /// Whether there is nothing left to do.
    fn step(&mut self, event: Event, request: &mut Option<BoxFuture<'static, Event>>) -> bool {
        let (now, shared) = (self.shared.clock.now(), &self.shared);
        // There is one write at a time, so an answer is for the last one.
        let answered = shared.sent.load(Ordering::SeqCst);
        for action in self.core.step(event, now) {
            match action {
                Action::Read => {
                    if shared.state.borrow().term.is_some() {
                        shared.meter.slow.increment(1);
                    }
                    *request = Some(self.lease.read());
                }
                Action::Write { over, what, transitions } => {
                    shared.sent.fetch_add(1, Ordering::SeqCst);
                    *request = Some(self.lease.write(over, what, transitions));
                }
                Action::Abandon => {
                    *shared.trouble.lock() = Some("the server did not answer in time".to_owned());
                    *request = None;
                }
                Action::Lead { term, sent, until } => {
                    tracing::info!(lease = shared.lease, term, identity = self.lease.identity, "leads");
                    shared.state.send_modify(|state| {
                        (state.term, state.until) = (Some(term), until);
                        state.answered = answered;
                    });
                    shared.meter.leads(!shared.is_over());
                    shared.meter.answer.record(now.saturating_sub(sent));
                }
                Action::Renewed { sent, until } => {
                    shared.state.send_modify(|state| (state.answered, state.until) = (answered, until));
                    shared.meter.answer.record(now.saturating_sub(sent));
                }
                Action::Lost => {
                    tracing::warn!(lease = shared.lease, "the leadership is lost");
                    shared.close();
                    shared.meter.lost.increment(1);
                }
                Action::Done { released } => {
                    if released {
                        tracing::info!(lease = shared.lease, "the Lease is released");
                        shared.state.send_modify(|state| state.is_released = true);
                    }
                    return true;
                }
            }
        }
        false
    }
}
