//! Keeps up with one source: lists, watches, recovers, and passes on what it learns in order.
//!
//! | file | does |
//! |---|---|
//! | `cursor` | pure: where we are, what happened → where we are, what to do |
//! | `recovery` | pure: which remedy a failure calls for |
//! | `backoff` | pure: how long to wait |
//! | `budget` | pure: how many requests may be sent, whatever happens |
//! | `newest` | pure: the newest objects that are held |
//! | `snapshot` | collects a list |
//! | `driver` | does what the cursor says, tells it what happened |
//! | `list`, `watch`, `lookup` | the requests |
//! | `check`, `cluster` | has the server gone back in time? asked once for all informers of a cluster |
//! | `connection` | one request and its answer as they come in |

mod backoff;
pub(crate) mod budget;
mod check;
pub(crate) mod cluster;
mod connection;
mod cursor;
mod driver;
mod list;
pub(crate) mod lookup;
mod newest;
mod recovery;
mod snapshot;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod watch;

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use self::budget::Budget;
use self::cluster::Cluster;
use self::driver::Driver;
use crate::delta::fifo::DeltaFifo;
use crate::kind::KindInfo;
use crate::object::known::Known;
use crate::report::Reporter;
use crate::scope::{Scope, ScopeId};
use crate::settings::Settings;
use crate::source::intake::Intake;
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
    /// Whether nothing that may be an object's content is told.
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
        }
    }
}

/// All that one scope of an informer needs to be kept up to date.
pub(crate) struct Reflector<I> {
    pub(crate) source: Arc<dyn ListWatch>,
    pub(crate) target: Target,
    pub(crate) intake: Arc<I>,
    /// Asked while lists are read, so that unchanged objects are not built again.
    pub(crate) known: Arc<dyn Known>,
    pub(crate) queue: Arc<DeltaFifo>,
    pub(crate) status: Arc<StatusCell>,
    pub(crate) reporter: Arc<Reporter>,
    pub(crate) settings: Settings,
    /// Makes the scope be read again without reuse; calls while one is under way become one.
    pub(crate) refresh: Arc<Notify>,
    /// Rung when there is reason to think that the server went back in time.
    pub(crate) doubt: Arc<Notify>,
    /// What may be spent on questions and refreshes; whoever asks for this scope takes from it.
    pub(crate) probes: Arc<Mutex<Budget>>,
    /// Those who watch the same server.
    pub(crate) cluster: Arc<Cluster>,
    /// Makes the scope be read again with reuse, in its most recent state: more keys are waited for than can be looked up.
    pub(crate) relist: Arc<Notify>,
    pub(crate) rng: fastrand::Rng,
}

impl<I: Intake + Send + Sync + 'static> Reflector<I> {
    /// Lists and watches until the queue is closed. Nothing is sent before the first poll; dropping the future ends
    /// everything, the connection too.
    pub(crate) fn run(self) -> impl Future<Output = ()> + Send {
        let stopped = Stopped(self.status.clone());
        async move {
            let _stopped = stopped;
            Driver::new(self).drive().await;
        }
    }
}

/// Shows the end of a reflector, however it came.
struct Stopped(Arc<StatusCell>);

impl Drop for Stopped {
    fn drop(&mut self) {
        self.0.enter(Phase::Stopped, Instant::now());
    }
}
