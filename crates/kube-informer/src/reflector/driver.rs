//! Does what the cursor says and tells it what happened.

use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::backoff::Backoff;
use super::cursor::{Action, Cursor, Step, Wait};
use super::recovery::Trouble;
use super::snapshot::SnapshotBuilder;
use super::{Reflector, Target};
use crate::delta::fifo::Closed;
use crate::delta::{Delta, DeltaChange};
use crate::key::ObjectKey;
use crate::object::known::{Known, NothingKnown};
use crate::report::Cause;
use crate::source::intake::Intake;
use crate::status::Phase;
use crate::version::ResourceVersion;

/// After how many objects other tasks get a turn.
const OBJECTS_A_TURN: u32 = 64;

/// A reflector at work.
pub(super) struct Driver<I> {
    pub(super) reflector: Reflector<I>,
    pub(super) cursor: Cursor,
    pub(super) snapshot: SnapshotBuilder,
    /// Whether a watch is, or was last, being followed, and not a list read.
    pub(super) following: bool,
    backoff: Backoff,
    /// Of its own for a kind that is not served: a server that answers so is not in trouble, and what fails once the
    /// kind is back must not wait as long as its absence has taught.
    absence: Backoff,
    objects: u32,
}

impl<I: Intake + Send + Sync + 'static> Driver<I> {
    pub(super) fn new(reflector: Reflector<I>) -> Self {
        Self {
            cursor: Cursor::new(&reflector.settings),
            backoff: Backoff::new(&reflector.settings),
            absence: Backoff::new(&reflector.settings),
            snapshot: SnapshotBuilder::default(),
            following: false,
            objects: 0,
            reflector,
        }
    }

    /// Goes from step to step until the queue is closed.
    pub(super) async fn drive(&mut self) {
        let refresh = self.reflector.refresh.clone();
        let mut step = self.cursor.begin(Instant::now());
        loop {
            self.note(&step);
            if let Some(version) = &step.commit
                && self.commit(version.clone()).await.is_err()
            {
                return;
            }
            self.wait(&step.wait).await;
            // A refresh asked for during a wait is done after it: the server may have asked for the wait.
            let done = tokio::select! {
                biased;
                () = refresh.notified() => None,
                done = self.perform(step.action) => Some(done),
            };
            step = match done {
                Some(Ok(step)) => step,
                Some(Err(Closed)) => return,
                None => self.cursor.refresh(Instant::now()),
            };
        }
    }

    async fn perform(&mut self, action: Action) -> Result<Step, Closed> {
        match action {
            Action::List { params, fresh, reuse } => {
                self.begin_list(fresh);
                Ok(self.list(params, reuse).await)
            }
            Action::StreamingList { version, reuse } => {
                self.begin_list(true);
                self.stream(version, reuse).await
            }
            Action::Watch { version, .. } => self.watch(version).await,
        }
    }

    fn begin_list(&mut self, fresh: bool) {
        self.following = false;
        if fresh {
            self.snapshot = SnapshotBuilder::default();
        }
        self.show_phase();
    }

    /// Shows users what the cursor is at.
    pub(super) fn show_phase(&self) {
        self.reflector.status.enter(self.cursor.phase(), Instant::now());
    }

    fn note(&self, step: &Step) {
        let status = &self.reflector.status;
        if let Some(reason) = step.relist {
            status.relist(reason);
            let Target { scope, kind, .. } = &self.reflector.target;
            tracing::debug!(%kind, %scope, %reason, version = %self.cursor.last(), "reading the list");
        }
        if step.fallback {
            status.streaming_fallback();
        }
        if self.following && matches!(step.action, Action::Watch { .. }) {
            status.reconnect(step.report.as_ref().map_or("ended", Trouble::name));
        }
        if let Some(trouble) = &step.report {
            self.report(trouble);
        }
    }

    fn report(&self, trouble: &Trouble) {
        let (status, message) = (trouble.http_status(), trouble.to_string());
        self.reflector.status.error(message.clone(), status, Instant::now());
        let cause =
            if self.following { Cause::Watch { status, message } } else { Cause::List { status, message } };
        self.reflector.reporter.report(Some(&self.reflector.target.scope), cause);
    }

    pub(super) fn report_left_out(&self, key: Option<ObjectKey>, message: String) {
        self.reflector.reporter.report(Some(&self.reflector.target.scope), Cause::LeftOut { key, message });
    }

    async fn wait(&mut self, wait: &Wait) {
        let now = Instant::now();
        if !matches!(wait, Wait::Kind) {
            self.absence = Backoff::new(&self.reflector.settings);
        }
        let (phase, wait) = match wait {
            Wait::No => return,
            Wait::Backoff { at_least } => {
                (Phase::BackingOff, self.backoff.after_failure(now, *at_least, &mut self.reflector.rng))
            }
            Wait::Kind => {
                // Often enough at first for a definition that is being replaced, rarely for one that is gone for good.
                let rng = &mut self.reflector.rng;
                let least = self.reflector.settings.gone_retry;
                let most = least.saturating_add(least.mul_f64(rng.f64()));
                (Phase::Gone, self.absence.after_failure(now, None, rng).min(most))
            }
        };
        self.reflector.status.enter(phase, now);
        sleep(wait).await;
    }

    /// Puts the whole content of the scope into the queue, as one delta.
    pub(super) async fn commit(&mut self, version: ResourceVersion) -> Result<(), Closed> {
        let objects = self.snapshot.finish();
        self.reflector.status.version(&version);
        self.push(DeltaChange::Replaced { version, objects }).await
    }

    pub(super) async fn push(&self, change: DeltaChange) -> Result<(), Closed> {
        self.reflector.queue.push(Delta { scope: self.reflector.target.id, change }).await
    }

    /// What the decoders may take over from the store.
    pub(super) fn known(&self, reuse: bool) -> Arc<dyn Known> {
        if reuse { self.reflector.known.clone() } else { Arc::new(NothingKnown) }
    }

    /// Counts one decoded object and now and then gives other tasks a turn: a list is all work and no waiting once
    /// its bytes are there.
    pub(super) async fn pace(&mut self) {
        self.objects += 1;
        if self.objects >= OBJECTS_A_TURN {
            self.objects = 0;
            tokio::task::yield_now().await;
        }
    }
}
