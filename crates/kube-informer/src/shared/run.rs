//! The driver: starts the reflectors, the writer and the handlers, and stops them in order.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::FutureExt;
use tokio::sync::oneshot;

use crate::handler::post::Ending;
use crate::report::{Cause, panic_text};
use crate::shared::core::{Core, RunError, Stop};
use crate::shared::reflectors::Reflectors;
use crate::shared::tasks::{Spawn, Task};
use crate::shared::writer::Writer;

type Panic = Box<dyn Any + Send>;

/// Marks the informer stopped however its future ends, also when it is dropped.
struct EndGuard {
    core: Arc<Core>,
    reflectors: Arc<Reflectors>,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.reflectors.abandon();
        self.core.end();
        // A recorder that panics must not keep those waiting who wait for the end.
        if catch_unwind(AssertUnwindSafe(|| self.core.metrics.ended())).is_err() {
            tracing::error!(kind = %self.core.kind, "the metrics recorder panicked");
        }
        self.core.state.send_modify(|state| state.ended = true);
    }
}

/// Runs an informer until it is told to stop.
pub(crate) async fn run(
    core: Arc<Core>,
    spawn: Arc<dyn Spawn>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), RunError> {
    let (mut writer, mut commands, scopes) = core.start()?;
    let reflectors = Reflectors::new(spawn.clone());
    let _end = EndGuard { core: core.clone(), reflectors: reflectors.clone() };
    writer.start(spawn.clone(), reflectors.clone());
    for slot in scopes.iter() {
        reflectors.start(&core, slot);
    }
    let (back, writer_back) = oneshot::channel::<(Box<Writer>, Result<(), Panic>)>();
    let working = core.clone();
    let working = Task::start(
        &spawn,
        async move {
            let mut stop = working.stop.subscribe();
            let work = async {
                tokio::select! {
                    biased;
                    _ = stop.wait_for(|stop| *stop == Some(Stop::Now)) => {}
                    () = writer.work(&working, &mut commands) => {}
                }
            };
            let worked = AssertUnwindSafe(work).catch_unwind().await;
            back.send((writer, worked)).ok();
        }
        .boxed(),
    );

    let stop = tokio::select! {
        biased;
        stop = stop_asked(&core, shutdown) => stop,
        // Nobody told it to: it broke.
        () = reflectors.broken() => stop_now(&core),
        () = working.ended() => stop_now(&core),
    };
    reflectors.stop().await;
    core.queue.close();
    let (ending, patience) = match stop {
        Stop::Now => (Ending::Closed, core.settings.stop_patience),
        Stop::Drain(deadline) => (Ending::Draining, deadline),
    };
    // Not by adding: that overflows with the longest durations.
    let deadline = tokio::time::sleep(patience).deadline();
    if tokio::time::timeout_at(deadline, working.ended()).await.is_err() {
        core.stop.send_replace(Some(Stop::Now));
        working.ended().await;
    }
    let writer = match writer_back.await {
        Ok((writer, worked)) => {
            if let Err(panic) = worked {
                core.reporter.report(None, Cause::Broken { message: panic_text(&*panic) });
            }
            Some(writer)
        }
        Err(_) => {
            core.reporter.report(None, Cause::Broken { message: "its task was ended from outside".into() });
            None
        }
    };
    // After the report, so that whoever wonders why it has stopped finds the reason.
    core.end();
    if let Some(writer) = writer {
        writer.finish(ending, deadline).await;
    }
    core.reporter.broken().map_or(Ok(()), |failure| Err(RunError::Broken(failure)))
}

fn stop_now(core: &Core) -> Stop {
    core.stop.send_replace(Some(Stop::Now));
    Stop::Now
}

/// Waits until the caller's signal comes or the informer itself is told to stop.
async fn stop_asked(core: &Core, shutdown: impl Future<Output = ()>) -> Stop {
    let mut stop = core.stop.subscribe();
    tokio::select! {
        biased;
        asked = stop.wait_for(Option::is_some) => asked.ok().and_then(|asked| *asked).unwrap_or(Stop::Now),
        () = shutdown => stop_now(core),
    }
}
