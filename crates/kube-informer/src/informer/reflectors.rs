//! The reflectors of a running informer: one for each scope, ended with it.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use informer_core::panics::panic_text;
use informer_core::scope::ScopeId;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::informer::engine::Engine;
use crate::informer::lookups::Lookups;
use crate::informer::scopes::ScopeSlot;
use crate::informer::tasks::{Spawn, Task};
use crate::reflector::{Reflector, Target};
use crate::report::Cause;

/// The tasks that keep up with the server.
pub(crate) struct Reflectors {
    spawn: Arc<dyn Spawn>,
    /// `None` once the informer stops: from then on none is started.
    running: Mutex<Option<BTreeMap<ScopeId, Task>>>,
    broken: watch::Sender<bool>,
}

impl Reflectors {
    pub(crate) fn new(spawn: Arc<dyn Spawn>) -> Arc<Self> {
        Arc::new(Self {
            spawn,
            running: Mutex::new(Some(BTreeMap::new())),
            broken: watch::Sender::new(false),
        })
    }

    /// Starts the reflector of a scope, unless the informer is about to stop.
    pub(crate) fn start(&self, engine: &Engine, slot: &ScopeSlot) {
        if let Some(running) = &mut *self.running.lock() {
            let (reporter, broken, scope) =
                (engine.reporter.clone(), self.broken.clone(), slot.scope.clone());
            let (reflector, lookups) = (reflector(engine, slot).run(), Lookups::new(engine, slot).run());
            let work = async move {
                tokio::select! {
                    biased;
                    () = reflector => {}
                    () = lookups => {}
                }
            };
            let work = AssertUnwindSafe(work);
            let guarded = async move {
                if let Err(panic) = work.catch_unwind().await {
                    reporter.report(Some(&scope), Cause::Broken { message: panic_text(&*panic) });
                    broken.send_replace(true);
                }
            };
            running.insert(slot.id, Task::start(&self.spawn, guarded.boxed()));
        }
    }

    /// Waits until a reflector has panicked, after which the informer has to stop.
    pub(crate) async fn broken(&self) {
        // Cannot fail: the sender is in `self`.
        self.broken.subscribe().wait_for(|broken| *broken).await.ok();
    }

    /// Ends the reflector of a scope. When this returns, that reflector sends and reports nothing more.
    pub(crate) async fn end(&self, scope: ScopeId) {
        // It stays in the map until it has ended, so that a stop in the middle of this waits for it as well.
        let ended = self.running.lock().as_ref().and_then(|running| running.get(&scope)).map(|task| {
            task.abort();
            task.ended()
        });
        if let Some(ended) = ended {
            ended.await;
        }
        if let Some(running) = &mut *self.running.lock() {
            running.remove(&scope);
        }
    }

    /// Ends all of them, for good.
    pub(crate) async fn stop(&self) {
        let running = self.running.lock().take().unwrap_or_default();
        running.values().for_each(Task::abort);
        for task in running.values() {
            task.ended().await;
        }
    }

    /// The same without waiting for their end.
    pub(crate) fn abandon(&self) {
        drop(self.running.lock().take());
    }
}

/// The objects that the reflector of a scope requests.
pub(crate) fn target(engine: &Engine, slot: &ScopeSlot) -> Target {
    Target {
        kind: engine.kind.clone(),
        id: slot.id,
        scope: slot.scope.clone(),
        label_selector: engine.options.labels.clone(),
        field_selector: engine.options.fields.clone(),
        metadata_only: engine.options.metadata_only,
        keep_managed_fields: engine.options.keep_managed_fields,
        sensitive: engine.ingest.origin().sensitive,
    }
}

fn reflector(engine: &Engine, slot: &ScopeSlot) -> Reflector {
    Reflector {
        source: engine.source.clone(),
        target: target(engine, slot),
        ingest: engine.ingest.clone(),
        known: engine.indexer.clone(),
        queue: engine.queue.clone(),
        status: slot.status.clone(),
        reporter: engine.reporter.clone(),
        settings: engine.options.tuning.clone(),
        refresh: slot.refresh.clone(),
        probes: slot.probes.clone(),
        newest: slot.newest.clone(),
        doubt: slot.doubt.clone(),
        shared_probe: engine.shared_probe.clone(),
        relist: slot.relist.clone(),
        rng: engine.random.lock().fork(),
    }
}
