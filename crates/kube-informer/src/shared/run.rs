//! The driver: starts the reflectors, the writer and the handlers, and stops them in order.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::oneshot;

use crate::handler::post::Ending;
use crate::object::ingest::Ingest;
use crate::reflector::{Reflector, Target};
use crate::shared::core::{AlreadyStarted, Core, Stop};
use crate::shared::tasks::{Spawn, Task};
use crate::shared::writer::Writer;

/// How long a stop waits for calls that are in progress.
const CALLS_IN_PROGRESS: Duration = Duration::from_secs(10);

/// Marks the informer stopped however its future ends, also when it is dropped.
struct EndGuard(Arc<Core>);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.end();
        self.0.state.send_modify(|state| state.ended = true);
    }
}

/// Runs an informer until it is told to stop.
pub(crate) async fn run(
    core: Arc<Core>,
    spawn: Arc<dyn Spawn>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), AlreadyStarted> {
    let (mut writer, mut commands) = core.start()?;
    let _end = EndGuard(core.clone());
    writer.start(spawn.clone());
    let reflectors: Vec<_> = (0..core.scopes.len())
        .map(|scope| Task::start(&spawn, reflector(&core, scope).run().boxed()))
        .collect();
    let (back, writer_back) = oneshot::channel::<Box<Writer>>();
    let working = core.clone();
    let mut working = Task::start(
        &spawn,
        async move {
            let mut stop = working.stop.subscribe();
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop == Some(Stop::Now)) => {}
                () = writer.work(&working, &mut commands) => {}
            }
            back.send(writer).ok();
        }
        .boxed(),
    );

    let stop = stop_asked(&core, shutdown).await;
    for mut reflector in reflectors {
        reflector.abort();
        reflector.ended().await;
    }
    core.queue.close();
    let (ending, patience) = match stop {
        Stop::Now => (Ending::Closed, CALLS_IN_PROGRESS),
        Stop::Drain(deadline) => (Ending::Draining, deadline),
    };
    // Not by adding: that overflows with the longest durations.
    let deadline = tokio::time::sleep(patience).deadline();
    if tokio::time::timeout_at(deadline, working.ended()).await.is_err() {
        core.stop.send_replace(Some(Stop::Now));
        working.ended().await;
    }
    core.end();
    if let Ok(writer) = writer_back.await {
        writer.finish(ending, deadline).await;
    }
    Ok(())
}

/// Waits until the caller's signal comes or the informer itself is told to stop.
async fn stop_asked(core: &Core, shutdown: impl Future<Output = ()>) -> Stop {
    let mut stop = core.stop.subscribe();
    tokio::select! {
        biased;
        asked = stop.wait_for(Option::is_some) => asked.ok().and_then(|asked| *asked).unwrap_or(Stop::Now),
        () = shutdown => {
            core.stop.send_replace(Some(Stop::Now));
            Stop::Now
        }
    }
}

fn reflector(core: &Arc<Core>, scope: usize) -> Reflector<Ingest> {
    let slot = &core.scopes[scope];
    Reflector {
        source: core.source.clone(),
        target: Target {
            kind: core.kind.clone(),
            index: scope,
            scope: slot.scope.clone(),
            label_selector: core.selectors.labels.clone(),
            field_selector: core.selectors.fields.clone(),
            metadata_only: core.metadata_only.load(Ordering::Relaxed),
        },
        intake: core.ingest.clone(),
        known: core.indexer.clone(),
        queue: core.queue.clone(),
        status: slot.status.clone(),
        reporter: core.reporter.clone(),
        settings: core.settings.clone(),
        refresh: slot.refresh.clone(),
        rng: core.random.lock().fork(),
    }
}
