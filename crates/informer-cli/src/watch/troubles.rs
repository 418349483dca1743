//! Reports each failure once, and once when it is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use kube_informer::kind::KindInfo;
use kube_informer::status::{Cause, Failure, Phase};
use tokio::time::Instant;

use crate::plain::plain;
use crate::refusal::Refusal;
use crate::screen::Screen;

/// The failures that are not over yet. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Troubles {
    screen: Screen,
    /// By kind and scope.
    open: Arc<Mutex<HashMap<String, Trouble>>>,
    refusal: Refusal,
    /// Kinds whose watch has worked. If it is refused later, that may be temporary.
    watched: Arc<Mutex<HashSet<KindInfo>>>,
}

struct Trouble {
    said: String,
    began: Instant,
    last: Instant,
}

impl Troubles {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self {
            screen: screen.clone(),
            open: Arc::default(),
            refusal: Refusal::default(),
            watched: Arc::default(),
        }
    }

    /// Reports a failure, unless it is the same as the last one.
    pub(crate) fn hear(&self, failure: &Failure) {
        let said = plain(&failure.to_string()).into_owned();
        if !matches!(failure.cause, Cause::List { .. } | Cause::Watch { .. }) {
            return self.screen.note(&said);
        }
        let has_worked = locked(&self.watched).contains(&failure.kind);
        if !has_worked && self.refusal.hear(failure) {
            return; // The command ends with this failure and reports it then.
        }
        let place = failure.scope.as_ref().map(ToString::to_string).unwrap_or_default();
        let now = Instant::now();
        let mut open = locked(&self.open);
        let trouble = open.entry(format!("{} {place}", failure.kind)).or_insert_with(|| Trouble {
            said: String::new(),
            began: now,
            last: now,
        });
        trouble.last = now;
        if trouble.said != said {
            self.screen.note(&format!("{said}; trying again"));
            trouble.said = said;
        }
    }

    /// Waits until the server refuses a kind that has never been watched successfully.
    pub(crate) async fn refused(&self) -> crate::failure::Failure {
        self.refusal.heard().await
    }

    /// What the server refused, if it did.
    pub(crate) fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// Reports which failures are over.
    pub(crate) fn look(&self, informers: &[SharedInformer<DynamicObject>]) {
        let mut watched = locked(&self.watched);
        for informer in informers.iter().filter(|informer| informer.status().phase == Phase::Watching) {
            watched.insert(informer.kind().clone());
        }
        drop(watched);
        let mut open = locked(&self.open);
        if open.is_empty() {
            return;
        }
        for informer in informers {
            for scope in informer.status().scopes {
                let place = format!("{} {}", informer.kind(), scope.scope);
                let over =
                    |trouble: &Trouble| scope.phase == Phase::Watching && scope.phase_since >= trouble.last;
                if open.get(&place).is_some_and(over)
                    && let Some(trouble) = open.remove(&place)
                {
                    let lasted = trouble.began.elapsed();
                    let kind = informer.kind();
                    self.screen.note(&format!("watching {kind} again, after {:.0} s", lasted.as_secs_f64()));
                }
            }
        }
    }
}

/// Locks a mutex. Its data stays valid if a thread panics while it holds the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
