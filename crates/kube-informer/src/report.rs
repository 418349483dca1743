//! Failures of a running informer: one type for all of them, and one place that reports them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use informer_core::cause::{CAUSES, describe};
use informer_core::host::Host;
use informer_core::panics::user_panic;
use informer_core::scope::Scope;
use parking_lot::Mutex;

use crate::kind::KindInfo;
use crate::metrics::{CounterBy, Metrics};
pub use informer_core::cause::Cause;

/// A failure of an informer. The informer survives all of them except [`Cause::Broken`]. The error callback is called
/// with each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The kind of the informer's objects.
    pub kind: KindInfo,
    /// The scope that the failure concerns, if it concerns only one.
    pub scope: Option<Scope>,
    /// The cause.
    pub cause: Cause,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, scope, cause } = self;
        describe(cause, kind, scope.as_ref(), f)?;
        if let Cause::List { status, message } | Cause::Watch { status, message } = cause
            && let Some(advice) = advice(kind, *status, message)
        {
            write!(f, "; {advice}")?;
        }
        Ok(())
    }
}

/// Advice for the reader of a request's error, where there is some.
pub(crate) fn advice(kind: &KindInfo, status: Option<u16>, message: &str) -> Option<String> {
    let says = |text| message.contains(text);
    match status {
        Some(401) => Some("check the credentials: the token or certificate is not accepted".into()),
        Some(403) => {
            Some(format!("grant the verbs list and watch on {kind} to the account the program runs as"))
        }
        Some(404) => Some(format!(
            "{} {} is not served there: install its CustomResourceDefinition, or check group, version and the \
             server's address",
            kind.api_version(),
            informer_wire::kind::noun(kind)
        )),
        Some(429) => Some("the server asks to slow down; the informer waits and tries again".into()),
        Some(_) => None,
        // There was no HTTP answer, or no valid one: only the error text shows the cause.
        None if says("tunnel error: ") || says("SOCKS error: ") => Some(proxy_advice(message).into()),
        None if says("certificate: UnknownIssuer") || says("UnknownCA") => Some(
            "check certificate-authority in the kubeconfig: the server's certificate was not issued by it"
                .into(),
        ),
        None if says("invalid peer certificate") => {
            Some("check the server's certificate and that its address is one that it was issued for".into())
        }
        None if says("onnection refused") => {
            Some("check the server's address and that it is running: nothing listens there".into())
        }
        None if says("dns error") => Some("check the server's address: its name cannot be resolved".into()),
        None if says("not JSON") => Some(
            "check the server's address and proxies on the way: no Kubernetes API server answers like this"
                .into(),
        ),
        None => None,
    }
}

/// The advice if the proxy caused the error.
fn proxy_advice(message: &str) -> &'static str {
    let says = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    if says(&["failed to create underlying connection"]) {
        "check the proxy's address (proxy-url in the kubeconfig, or HTTPS_PROXY) and that it is running"
    } else if says(&["authorization required", "authentication", "credentials not accepted"]) {
        "the proxy wants a user and password: put them into its address, as in http://user:password@proxy"
    } else {
        "the proxy does not connect to the server: have it allow that, or do without it (proxy-url in the kubeconfig, \
         HTTPS_PROXY, NO_PROXY)"
    }
}

/// The user's function that is called with every failure.
pub(crate) type Callback = Arc<dyn Fn(&Failure) + Send + Sync>;

/// Handles every failure of one informer: counts, logs and stores it, and calls the user's callback.
pub(crate) struct Reporter {
    kind: KindInfo,
    callback: Option<Callback>,
    counters: Option<CounterBy>,
    count: AtomicU64,
    last: Mutex<Option<Failure>>,
    /// Whether the contents of objects must not appear in reports.
    sensitive: bool,
    /// The failure that stopped the informer.
    broken: OnceLock<Failure>,
}

impl Reporter {
    pub(crate) fn new(kind: KindInfo, callback: Option<Callback>) -> Self {
        Self {
            kind,
            callback,
            counters: None,
            count: AtomicU64::new(0),
            last: Mutex::new(None),
            sensitive: false,
            broken: OnceLock::new(),
        }
    }

    /// Keeps messages of the user's code, which may quote objects, out of reports.
    pub(crate) fn sensitive(mut self, sensitive: bool) -> Self {
        self.sensitive = sensitive;
        self
    }

    /// The text of a caught panic of the user's code.
    pub(crate) fn panic_text(&self, payload: &(dyn std::any::Any + Send)) -> String {
        user_panic(payload, self.sensitive)
    }

    /// Counts failures there too.
    pub(crate) fn with_metrics(mut self, metrics: &Metrics) -> Self {
        self.counters = Some(metrics.failures(CAUSES));
        self
    }

    /// The kind that the informer holds.
    pub(crate) fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// Makes a failure of this informer without reporting it.
    pub(crate) fn failure(&self, scope: Option<&Scope>, cause: Cause) -> Failure {
        Failure { kind: self.kind.clone(), scope: scope.cloned(), cause }
    }

    /// Reports one failure. Runs the user's callback, so it must never be called with a lock held.
    pub(crate) fn report(&self, scope: Option<&Scope>, cause: Cause) {
        self.tell(&self.failure(scope, cause));
    }

    /// Reports a failure that was made before.
    pub(crate) fn tell(&self, failure: &Failure) {
        self.count.fetch_add(1, Ordering::Relaxed);
        if let Some(counters) = &self.counters
            // The metrics recorder itself may be the code that panicked.
            && catch_unwind(AssertUnwindSafe(|| counters.increment(failure.cause.name()))).is_err()
        {
            tracing::error!(kind = %self.kind, "the metrics recorder panicked");
        }
        tracing::warn!(kind = %self.kind, cause = failure.cause.name(), "{failure}");
        *self.last.lock() = Some(failure.clone());
        if matches!(failure.cause, Cause::Broken { .. }) {
            self.broken.get_or_init(|| failure.clone());
        }
        if let Some(callback) = &self.callback
            && catch_unwind(AssertUnwindSafe(|| callback(failure))).is_err()
        {
            tracing::error!(kind = %self.kind, "the error callback panicked");
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The failure that broke the informer, if there is one.
    pub(crate) fn broken(&self) -> Option<Failure> {
        self.broken.get().cloned()
    }

    pub(crate) fn last(&self) -> Option<Failure> {
        self.last.lock().clone()
    }
}

/// What the records of the informer tell it.
impl Host for Reporter {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn failed(&self, cause: Cause) {
        self.report(None, cause);
    }

    fn decodes_again(&self) {
        tracing::info!(
            kind = %self.kind,
            "objects are decoded again and again: a larger decode cache, or the option `decoded`, fits this better"
        );
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reporter")
            .field("kind", &self.kind)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
