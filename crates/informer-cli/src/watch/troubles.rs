//! What goes wrong is said once, and so is that it is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kube_client::api::DynamicObject;
use kube_informer::{Cause, Failure, KindInfo, Phase, SharedInformer};
use tokio::time::Instant;

use crate::plain::plain;
use crate::refusal::Refusal;
use crate::screen::Screen;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Troubles {
    screen: Screen,
    /// By kind and part of the cluster.
    open: Arc<Mutex<HashMap<String, Trouble>>>,
    refusal: Refusal,
    /// Kinds that have been watched. What is refused of them now may be granted again.
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

    /// Says what went wrong, unless that is what was said last.
    pub(crate) fn hear(&self, failure: &Failure) {
        let said = plain(&failure.to_string()).into_owned();
        if !matches!(failure.cause, Cause::List { .. } | Cause::Watch { .. }) {
            return self.screen.note(&said);
        }
        let has_worked = locked(&self.watched).contains(&failure.kind);
        if !has_worked && self.refusal.hear(failure) {
            return; // It is the end, and said there.
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

    /// Waits until the server refuses what has never worked.
    pub(crate) async fn refused(&self) -> crate::failure::Failure {
        self.refusal.heard().await
    }

    /// Says which troubles are over.
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

/// A panic while it was locked leaves it usable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
