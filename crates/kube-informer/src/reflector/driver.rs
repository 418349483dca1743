//! Does what the cursor says and tells it what happened.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use informer_core::delta::{Delta, DeltaChange};
use informer_core::object::known::{Before, Known};
use informer_wire::{ObjectKey, ResourceVersion};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::backoff::Backoff;
use super::budget::Budget;
use super::check::Witness;
use super::cursor::{Action, Charge, Cursor, Delay, NextStep};
use super::interruption::Interruption;
use super::recovery::Trouble;
use super::snapshot::SnapshotBuilder;
use super::turn::turn;
use super::wish::Wishes;
use super::{Reflector, Target};
use crate::fifo::Closed;
use crate::report::Cause;
use crate::source::HttpSources;
use crate::source::http::reach::{Probe, Reachability};
use crate::status::Phase;

/// After how many objects other tasks get a turn.
const OBJECTS_A_TURN: u32 = 64;

/// A reflector at work.
pub(super) struct Driver {
    pub(super) reflector: Reflector,
    pub(super) cursor: Cursor,
    pub(super) snapshot: SnapshotBuilder,
    /// Keys that the list, or this page of it, brought for the first time.
    pub(super) new_keys: u32,
    /// Whether a watch is, or was last, being followed, and not a list read.
    pub(super) following: bool,
    backoff: Backoff,
    /// A second backoff, for a kind that the server does not serve. That can last for days, so its waits grow long; a
    /// failure after the kind is served again must not wait as long.
    absence: Backoff,
    /// What may be spent on lists and watches.
    pub(super) requests: Budget,
    /// What may be spent on lists that a watch led to.
    relists: Budget,
    pub(super) witness: Arc<Witness>,
    /// Whether the server's acceptance of a watch came as late as its first event does on an idle kind: something on the way
    /// holds it back.
    pub(super) heads_held: bool,
    objects: u32,
    /// Whether it was reported of this list or watch that it has objects of other namespaces.
    pub(super) stranger_told: bool,
    /// Shared by all who ask this server, if the source has it.
    reach: Option<Arc<Reachability>>,
    /// Held while our request finds out for all whether the server is back.
    probe: Option<Probe>,
    /// The outage that we took part in last, until a request of ours is answered. Should it end for others and not for us, then
    /// it is not the server that is away, and we wait as after any other failure.
    outage: Option<u64>,
    /// Nothing came for so long on the last watch. Says so to the source when the next one is opened.
    pub(super) silence: Option<Duration>,
}

impl Driver {
    pub(super) fn new(reflector: Reflector) -> Self {
        let settings = &reflector.settings;
        let witness = Arc::new(Witness::new(
            reflector.source.clone(),
            reflector.target.clone(),
            reflector.status.clone(),
            reflector.probes.clone(),
            reflector.newest.clone(),
            reflector.doubt.clone(),
        ));
        reflector.shared_probe.join(&witness);
        Self {
            cursor: Cursor::new(settings.rules()),
            backoff: Backoff::new(settings.waits()),
            absence: Backoff::new(settings.waits()),
            requests: Budget::new(settings.request_burst, settings.request_interval),
            relists: Budget::new(settings.relist_burst, settings.relist_interval),
            witness,
            snapshot: SnapshotBuilder::default(),
            new_keys: 0,
            following: false,
            heads_held: false,
            objects: 0,
            stranger_told: false,
            reach: reflector.source.server().and_then(HttpSources::reachability),
            probe: None,
            outage: None,
            silence: None,
            reflector,
        }
    }

    /// Goes from step to step until the queue is closed.
    pub(super) async fn drive(&mut self) {
        let refresh = self.reflector.refresh.clone();
        let mut step = self.cursor.begin(Instant::now());
        loop {
            self.note(&step);
            // A refresh asked for during a wait is done after it: the server may have asked for the wait.
            self.wait(&step.wait).await;
            self.reach().await;
            self.pay(step.charge).await;
            let performed = self.perform(step.action, &refresh).await;
            step = match performed.or_else(|interruption| self.after(interruption)) {
                Ok(step) => step,
                Err(Closed) => return,
            };
        }
    }

    /// Does what a step says.
    ///
    /// A list that is read without reuse is as good as a refresh, so it is read to its end: otherwise refreshes that come
    /// faster than a list can be read would interrupt every one of them. One asked for meanwhile is done afterwards.
    async fn perform(&mut self, action: Action, refresh: &Notify) -> Result<NextStep, Interruption> {
        match action {
            Action::List { params, fresh, reuse } => {
                self.begin_list(fresh);
                let interrupt = interrupt(refresh, reuse, fresh);
                let version = unless(interrupt, self.list(params, reuse)).await?;
                self.commit(version).await?;
                Ok(self.cursor.watch_after_list())
            }
            Action::StreamingList { version, reuse } => {
                self.begin_list(true);
                let interrupt = interrupt(refresh, reuse, true);
                let (watch, version) = unless(interrupt, self.stream(version, reuse)).await?;
                self.commit(version).await?;
                self.show_phase();
                self.wishes(refresh).interrupt(self.follow(*watch)).await
            }
            Action::Watch { version } => self.wishes(refresh).interrupt(self.watch(version)).await,
        }
    }

    fn wishes<'a>(&self, refresh: &'a Notify) -> Wishes<'a> {
        let (relist, probes) = (self.reflector.relist.clone(), self.reflector.probes.clone());
        Wishes { refresh, relist, probes }
    }

    /// The step that follows a request which ended early.
    fn after(&mut self, interruption: Interruption) -> Result<NextStep, Closed> {
        let now = Instant::now();
        Ok(match interruption {
            Interruption::Next(step) => *step,
            // None comes here today: lists and watches judge their own, by how long the connection lasted.
            Interruption::Trouble(trouble) => self.cursor.failed(now, trouble, None),
            Interruption::Refresh => self.cursor.refresh(now),
            Interruption::PaidRefresh => self.cursor.refresh(now).charged(Charge::Free),
            Interruption::Relist => self.cursor.settle(now),
            Interruption::Closed => return Err(Closed),
        })
    }

    fn begin_list(&mut self, fresh: bool) {
        self.following = false;
        if fresh {
            self.stranger_told = false;
            self.snapshot = SnapshotBuilder::default();
            self.cursor.requesting(self.reflector.status.newest_version());
        }
        self.show_phase();
    }

    /// Shows users what the cursor is at.
    pub(super) fn show_phase(&self) {
        self.reflector.status.enter(self.cursor.phase(), Instant::now());
    }

    fn note(&mut self, step: &NextStep) {
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
            if trouble.http_status().is_some() {
                self.outage = None;
            }
        }
    }

    fn report(&self, trouble: &Trouble) {
        let (status, message) = (trouble.http_status(), trouble.told(self.reflector.target.sensitive));
        let cause =
            if self.following { Cause::Watch { status, message } } else { Cause::List { status, message } };
        let failure = self.reflector.reporter.failure(Some(&self.reflector.target.scope), cause);
        self.reflector.status.error(failure.clone(), Instant::now());
        self.reflector.reporter.tell(&failure);
    }

    pub(super) fn report_left_out(&self, key: Option<ObjectKey>, message: String) {
        self.reflector.reporter.report(Some(&self.reflector.target.scope), Cause::LeftOut { key, message });
    }

    /// Reports an object of another namespace than was asked for, which the store will drop: the first of each list and
    /// watch, since a server that sends one may send all it has.
    pub(super) fn check_scope(&mut self, key: &ObjectKey) {
        let scope = &self.reflector.target.scope;
        if self.stranger_told || scope.contains(key) {
            return;
        }
        let message = format!(
            "it is outside of {scope}, which the server was asked for; more of the same answer are not reported, \
             informer_outside_scope_total counts them: check proxies on the way"
        );
        self.stranger_told = true;
        self.report_left_out(Some(key.clone()), message);
    }

    async fn wait(&mut self, wait: &Delay) {
        let now = Instant::now();
        // The request that was sent has been answered, or not.
        self.probe = None;
        if !matches!(wait, Delay::Kind) {
            self.absence.succeeded();
        }
        if self.cursor.take_success() {
            self.backoff.succeeded();
            self.outage = None;
        }
        let (phase, wait) = match wait {
            Delay::No => return,
            Delay::Resume => return sleep(self.up_to(self.reflector.settings.resume_jitter)).await,
            Delay::Spread => return sleep(self.up_to(self.reflector.settings.relist_spread)).await,
            Delay::Poll => {
                let least = self.reflector.settings.poll;
                (Phase::Polling, least.saturating_add(self.up_to(least)))
            }
            Delay::Backoff { at_least: None } if self.shared_outage().is_some() => return,
            Delay::Backoff { at_least } => {
                (Phase::BackingOff, self.backoff.after_failure(now, *at_least, &mut self.reflector.rng))
            }
            Delay::Kind => {
                // The first retries come soon, because a CRD may just be being replaced; later ones are rare, because
                // it may be gone for good.
                let least = self.reflector.settings.gone_retry;
                let most = least.saturating_add(self.up_to(least));
                (Phase::Gone, self.absence.after_failure(now, None, &mut self.reflector.rng).min(most))
            }
        };
        self.reflector.status.enter(phase, now);
        if phase == Phase::Polling {
            // Somebody waits for what the next list brings.
            let relist = self.reflector.relist.clone();
            tokio::select! {
                () = sleep(wait) => {}
                () = relist.notified() => {}
            }
        } else {
            sleep(wait).await;
        }
    }

    /// The outage of the server that we wait for together with all others.
    fn shared_outage(&self) -> Option<u64> {
        let outage = self.reach.as_ref()?.outage()?;
        self.outage.is_none_or(|last| last == outage).then_some(outage)
    }

    /// While the server cannot be reached, waits until it is back, or until it is our turn to find out.
    async fn reach(&mut self) {
        let (Some(reach), Some(outage)) = (self.reach.clone(), self.shared_outage()) else { return };
        self.outage = Some(outage);
        self.reflector.status.enter(Phase::Unreachable, Instant::now());
        let chance = self.reflector.rng.f64();
        self.probe = reach.turn(chance).await;
    }

    /// A random time up to this one.
    fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.reflector.rng.f64())
    }

    /// Waits until the next request may be sent.
    async fn pay(&mut self, charge: Charge) {
        let now = Instant::now();
        let wait = match charge {
            // How often it is tried is decided for all together.
            _ if self.probe.is_some() => Duration::ZERO,
            Charge::Free => Duration::ZERO,
            Charge::Request => self.requests.take(now),
            Charge::Relist => self.relists.take(now).max(self.requests.take(now)),
            Charge::Probe => {
                if !self.reflector.probes.lock().wait(now).is_zero() {
                    self.reflector.status.enter(Phase::Throttled, now);
                }
                return turn(&self.reflector.probes).await;
            }
        };
        if !wait.is_zero() {
            self.reflector.status.enter(Phase::Throttled, now);
            sleep(wait).await;
        }
    }

    /// Ends a list, however it was read: the cursor moves on to the watch, and the whole content of the scope goes into
    /// the queue as one delta. The cursor may not accept the list.
    ///
    /// Must not be interrupted once the cursor has moved: the list would be lost although the cursor counts it as read.
    async fn commit(&mut self, version: ResourceVersion) -> Result<(), Interruption> {
        let rewound = self.cursor.complete(Instant::now(), &version).map_err(Interruption::Next)?;
        if rewound {
            self.reflector.status.rewound();
        }
        let objects = self.snapshot.finish();
        let scope = &self.reflector.target.scope;
        let held = objects.iter().filter(|record| scope.contains(record.key()));
        self.witness.settled();
        self.witness.newest(|newest| {
            newest.begin(if rewound { None } else { Some(&version) });
            newest.fill(held.map(|record| (record.key(), &record.head.uid, &record.head.resource_version)));
        });
        self.reflector.status.version(&version);
        self.push(DeltaChange::Replaced { version, objects, rewound }).await?;
        Ok(())
    }

    pub(super) async fn push(&self, change: DeltaChange) -> Result<(), Closed> {
        self.reflector.queue.push(Delta { scope: self.reflector.target.id, change }).await
    }

    /// What the decoders know of the store: records that they may take over, or only versions before.
    pub(super) fn known(&self, reuse: bool) -> Arc<dyn Known> {
        let known = self.reflector.known.clone();
        if reuse { known } else { Arc::new(Before(known)) }
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

/// What may interrupt the reading of a list: a refresh, unless the list itself is as good as one. Then it also does for a
/// refresh that was asked for before it begins.
fn interrupt(refresh: &Notify, reuse: bool, fresh: bool) -> Option<&Notify> {
    if !reuse && fresh {
        refresh.notified().now_or_never();
    }
    reuse.then_some(refresh)
}

/// Reads a list, unless a refresh is asked for before it is done.
async fn unless<T>(
    refresh: Option<&Notify>,
    list: impl Future<Output = Result<T, Interruption>>,
) -> Result<T, Interruption> {
    let Some(refresh) = refresh else { return list.await };
    tokio::select! {
        biased;
        () = refresh.notified() => Err(Interruption::Refresh),
        read = list => read,
    }
}
