//! The driver: starts the reflectors, the process loop and the handlers, and stops them in order.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures::FutureExt;
use informer_core::panics::panic_text;
use tokio::sync::oneshot;

use crate::error::InformerError;
use crate::handler::listener::Ending;
use crate::informer::engine::{Engine, Stop};
use crate::informer::process_loop::ProcessLoop;
use crate::informer::reflectors::Reflectors;
use crate::informer::tasks::{Spawn, Task};
use crate::report::Cause;

type Panic = Box<dyn Any + Send>;

/// Marks the informer stopped however its future ends, also when it is dropped.
struct EndGuard {
    engine: Arc<Engine>,
    reflectors: Arc<Reflectors>,
}

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.reflectors.abandon();
        self.engine.end();
        // Even if the recorder panics, waits for the end have to end.
        if catch_unwind(AssertUnwindSafe(|| self.engine.metrics.ended())).is_err() {
            tracing::error!(kind = %self.engine.kind, "the metrics recorder panicked");
        }
        self.engine.state.send_modify(|state| state.ended = true);
    }
}

/// Runs an informer until the caller's signal, `shutdown` or a panic stops it.
pub(crate) async fn run(
    engine: Arc<Engine>,
    spawn: Arc<dyn Spawn>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), InformerError> {
    let (mut process_loop, mut commands, scopes) = engine.start()?;
    let reflectors = Reflectors::new(spawn.clone());
    let _end = EndGuard { engine: engine.clone(), reflectors: reflectors.clone() };
    process_loop.start(spawn.clone(), reflectors.clone());
    for slot in scopes.iter() {
        reflectors.start(&engine, slot);
    }
    let (back, loop_back) = oneshot::channel::<(Box<ProcessLoop>, Result<(), Panic>)>();
    let working = engine.clone();
    let working = Task::start(
        &spawn,
        async move {
            let mut stop = working.stop.subscribe();
            let work = async {
                tokio::select! {
                    biased;
                    _ = stop.wait_for(|stop| *stop == Some(Stop::Now)) => {}
                    () = process_loop.work(&working, &mut commands) => {}
                }
            };
            let worked = AssertUnwindSafe(work).catch_unwind().await;
            back.send((process_loop, worked)).ok();
        }
        .boxed(),
    );

    let stop = tokio::select! {
        biased;
        stop = stop_asked(&engine, shutdown) => stop,
        // A reflector panicked: the informer is broken and stops.
        () = reflectors.broken() => stop_now(&engine),
        () = working.ended() => stop_now(&engine),
    };
    reflectors.stop().await;
    engine.queue.close();
    let (ending, patience) = match stop {
        Stop::Now => (Ending::Closed, engine.options.tuning.stop_patience.into()),
        Stop::Drain(patience) => (Ending::Draining, patience),
    };
    let deadline = patience.deadline();
    if tokio::time::timeout_at(deadline, working.ended()).await.is_err() {
        engine.stop.send_replace(Some(Stop::Now));
        working.ended().await;
    }
    let process_loop = match loop_back.await {
        Ok((process_loop, worked)) => {
            if let Err(panic) = worked {
                engine.reporter.report(None, Cause::Broken { message: panic_text(&*panic) });
            }
            Some(process_loop)
        }
        Err(_) => {
            engine.reporter.report(None, Cause::Broken { message: "its task was ended from outside".into() });
            None
        }
    };
    // After the report, so that the reason is there when the informer shows that it has stopped.
    engine.end();
    if let Some(process_loop) = process_loop {
        process_loop.finish(ending, deadline).await;
    }
    engine.reporter.broken().map_or(Ok(()), |failure| Err(InformerError::broke(failure)))
}

fn stop_now(engine: &Engine) -> Stop {
    engine.stop.send_replace(Some(Stop::Now));
    Stop::Now
}

/// Waits until the caller's signal comes or the informer's own `shutdown` is called.
async fn stop_asked(engine: &Engine, shutdown: impl Future<Output = ()>) -> Stop {
    let mut stop = engine.stop.subscribe();
    tokio::select! {
        biased;
        asked = stop.wait_for(Option::is_some) => asked.ok().and_then(|asked| *asked).unwrap_or(Stop::Now),
        () = shutdown => stop_now(engine),
    }
}
