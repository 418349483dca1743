//! The metrics of a controller, under controller-runtime's names, so that its dashboards work.

use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// How a run ended.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Success,
    RequeueAfter,
    Error,
    Terminal,
    Panic,
    Timeout,
}

pub(super) struct Meter {
    success: Counter,
    requeue_after: Counter,
    error: Counter,
    errors: Counter,
    terminal: Counter,
    panics: Counter,
    timeouts: Counter,
    time: Histogram,
    active: Gauge,
    parked: Gauge,
    parked_time: Histogram,
    stale: Counter,
    hidden: Counter,
}

impl Meter {
    pub(super) fn new(controller: &str, workers: usize) -> Self {
        let labels = [("controller", controller.to_owned())];
        let by = |result: &str| {
            let labels = [("controller", controller.to_owned()), ("result", result.to_owned())];
            counter!("controller_runtime_reconcile_total", &labels)
        };
        #[allow(clippy::cast_precision_loss)] // Nobody has that many workers.
        gauge!("controller_runtime_max_concurrent_reconciles", &labels).set(workers as f64);
        Self {
            success: by("success"),
            requeue_after: by("requeue_after"),
            error: by("error"),
            errors: counter!("controller_runtime_reconcile_errors_total", &labels),
            terminal: counter!("controller_runtime_terminal_reconcile_errors_total", &labels),
            panics: counter!("controller_runtime_reconcile_panics_total", &labels),
            timeouts: counter!("controller_runtime_reconcile_timeouts_total", &labels),
            time: histogram!("controller_runtime_reconcile_time_seconds", &labels),
            active: gauge!("controller_runtime_active_workers", &labels),
            parked: gauge!("reconcile_parked", &labels),
            parked_time: histogram!("reconcile_parked_seconds", &labels),
            stale: counter!("reconcile_stale_total", &labels),
            hidden: counter!("reconcile_hidden_writes_total", &labels),
        }
    }

    pub(super) fn ended(&self, outcome: Outcome, took: Duration) {
        self.time.record(took);
        match outcome {
            Outcome::Success => return self.success.increment(1),
            Outcome::RequeueAfter => return self.requeue_after.increment(1),
            Outcome::Error => {}
            Outcome::Terminal => self.terminal.increment(1),
            Outcome::Panic => self.panics.increment(1),
            Outcome::Timeout => self.timeouts.increment(1),
        }
        self.error.increment(1);
        self.errors.increment(1);
    }

    /// Writes that no run is going to read.
    pub(super) fn hidden(&self) -> Counter {
        self.hidden.clone()
    }

    /// A worker is at it until this is dropped.
    pub(super) fn running(&self) -> Running<'_> {
        self.active.increment(1.0);
        Running(&self.active)
    }
}

/// Keys that wait for the caches to see what was written for them.
impl Meter {
    /// One waits until this is dropped.
    pub(super) fn parked(&self) -> Running<'_> {
        self.parked.increment(1.0);
        Running(&self.parked)
    }

    /// One has waited.
    pub(super) fn settled(&self, waited: Duration, is_stale: bool) {
        self.parked_time.record(waited);
        if is_stale {
            self.stale.increment(1);
        }
    }
}

pub(super) struct Running<'a>(&'a Gauge);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}
