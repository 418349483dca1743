//! What goes wrong is said once, and so is that it is over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube_client::api::DynamicObject;
use kube_informer::{Cause, Failure, Phase, SharedInformer};
use tokio::time::Instant;

use crate::screen::Screen;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Troubles {
    screen: Screen,
    /// By kind and part of the cluster.
    open: Arc<Mutex<HashMap<String, Trouble>>>,
}

struct Trouble {
    said: String,
    began: Instant,
    last: Instant,
}

impl Troubles {
    pub(crate) fn new(screen: &Screen) -> Self {
        Self { screen: screen.clone(), open: Arc::default() }
    }

    /// Says what went wrong, unless that is what was said last.
    pub(crate) fn hear(&self, failure: &Failure) {
        let said = failure.to_string();
        if !matches!(failure.cause, Cause::List { .. } | Cause::Watch { .. }) {
            return self.screen.note(&said);
        }
        let place = failure.scope.as_ref().map(ToString::to_string).unwrap_or_default();
        let now = Instant::now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Says which troubles are over.
    pub(crate) fn look(&self, informers: &[SharedInformer<DynamicObject>]) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
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
