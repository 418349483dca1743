//! Keeps up with one source: lists, watches, recovers, and passes on what it learns in order.
//!
//! | file | does |
//! |---|---|
//! | `cursor`, `recovery`, `backoff`, `budget`, `newest`, `snapshot` | the decisions, of [`informer_core::reflector`] |
//! | `driver` | does what the cursor says, tells it what happened |
//! | `list`, `watch`, `lookup` | the requests |
//! | `interruption` | why a request ended before it brought what it was sent for |
//! | `wish` | what makes it give up a watch to read the list |
//! | `check`, `shared_probe` | has the server gone back in time? asked once for all informers of a resource |
//! | `silence` | a watch that brings nothing: is the server gone? |
//! | `connection` | one request and its answer as they come in |

mod check;
mod connection;
mod driver;
mod interruption;
mod list;
pub(crate) mod lookup;
pub(crate) mod shared_probe;
mod silence;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod turn;
mod watch;
mod wish;

use std::future::Future;
use std::sync::Arc;

use informer_core::object::ingest::Ingest;
use informer_core::object::known::Known;
use informer_core::reflector::{backoff, cursor, recovery, snapshot};
pub(crate) use informer_core::reflector::{budget, newest};
use informer_core::scope::{Scope, ScopeId};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use self::budget::Budget;
use self::driver::Driver;
use self::newest::Newest;
use self::shared_probe::SharedProbe;
use crate::fifo::DeltaFifo;
use crate::kind::KindInfo;
use crate::report::Reporter;
use crate::source::Tuning;
use crate::source::{ListWatch, Request, Verb};
use crate::status::{Phase, StatusCell};

/// Which objects a reflector keeps up with.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) kind: KindInfo,
    pub(crate) id: ScopeId,
    pub(crate) scope: Scope,
    pub(crate) label_selector: Option<String>,
    pub(crate) field_selector: Option<String>,
    pub(crate) metadata_only: bool,
    pub(crate) keep_managed_fields: bool,
    /// Whether objects hold secrets: then nothing that may be their content is reported or logged.
    pub(crate) sensitive: bool,
}

impl Target {
    fn request(&self, verb: Verb) -> Request {
        Request {
            scope: self.scope.clone(),
            verb,
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            metadata_only: self.metadata_only,
            drop_managed_fields: !self.keep_managed_fields,
            sensitive: self.sensitive,
            silence: None,
        }
    }
}

/// All that one scope of an informer needs to be kept up to date.
pub(crate) struct Reflector {
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) target: Target,
    pub(crate) ingest: Arc<Ingest>,
    /// Asked while lists are read, so that unchanged objects are not built again.
    pub(crate) known: Arc<dyn Known>,
    pub(crate) queue: Arc<DeltaFifo>,
    pub(crate) status: Arc<StatusCell>,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) settings: Tuning,
    /// Rung to have the scope read again without reuse. Several calls while a list is being read become one.
    pub(crate) refresh: Arc<Notify>,
    /// The newest objects of this scope, those that were looked up included.
    pub(crate) newest: Arc<Mutex<Newest>>,
    /// Rung when there is reason to think that the server went back in time.
    pub(crate) doubt: Arc<Notify>,
    /// The budget of lookups, checks and refreshes of this scope.
    pub(crate) probes: Arc<Mutex<Budget>>,
    /// Shared by all informers of this resource, to ask the server once for all of them whether it went back in time.
    pub(crate) shared_probe: Arc<SharedProbe>,
    /// Rung to have the scope read again in its most recent state, with reuse: more keys are waited for than can be looked up.
    pub(crate) relist: Arc<Notify>,
    pub(crate) rng: fastrand::Rng,
}

impl Reflector {
    /// Lists and watches until the queue is closed. Nothing is sent before the first poll; dropping the future ends
    /// everything, the connection too.
    pub(crate) fn run(self) -> impl Future<Output = ()> + Send {
        let stopped = ShowStopped(self.status.clone());
        async move {
            let _stopped = stopped;
            Driver::new(self).drive().await;
        }
    }
}

/// Shows the end of a reflector, however it came.
struct ShowStopped(Arc<StatusCell>);

impl Drop for ShowStopped {
    fn drop(&mut self) {
        self.0.enter(Phase::Stopped, Instant::now());
    }
}
