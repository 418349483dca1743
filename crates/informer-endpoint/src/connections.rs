//! The connections of a listener: so many at once, and who only sits there does not keep out who asks.
//!
//! Probes and scrapes come over the same port as everything else. A client that connects and says nothing, such as a port scanner or
//! a browser that connects ahead of time, must not make `/livez` wait until somebody's patience ends: the program would be restarted.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

/// How many connections the endpoint serves at once. Streams have seats, far fewer than this, so there is always room for others.
pub(crate) const CONNECTIONS: usize = 64;

/// So long nobody is dropped who has just come: the request may be there and only not be read yet.
const GRACE: Duration = Duration::from_millis(100);

/// So long nobody is dropped who has asked. Answers are made at once, so after that the client does not read.
const READING: Duration = Duration::from_secs(5);

/// How far a connection is, as its task tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Arc<AtomicU8>);

const WAITING: u8 = 0;
const ASKED: u8 = 1;
const VIEWING: u8 = 2;

impl Progress {
    /// A request has come; its answer may be a stream, which lasts.
    pub(crate) fn answered(&self, is_stream: bool) {
        self.0.store(if is_stream { VIEWING } else { ASKED }, Ordering::Relaxed);
    }

    pub(crate) fn is_viewing(&self) -> bool {
        self.0.load(Ordering::Relaxed) == VIEWING
    }

    /// How long one is kept that is as far as this, when others want its place; `None` for as long as it lasts.
    fn kept(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            WAITING => Some(GRACE),
            ASKED => Some(READING),
            _ => None,
        }
    }
}

/// The connections that are served, the oldest first. They end when this is dropped.
pub(crate) struct Connections {
    most: usize,
    tasks: JoinSet<()>,
    open: Vec<Open>,
}

struct Open {
    task: AbortHandle,
    since: Instant,
    progress: Progress,
}

impl Connections {
    pub(crate) fn at_most(most: usize) -> Self {
        Self { most, tasks: JoinSet::new(), open: Vec::new() }
    }

    /// Waits until there is room for one more, which at worst is made: by ending the connection that has had a place for longest
    /// without making use of it.
    pub(crate) async fn room(&mut self) {
        loop {
            while self.tasks.try_join_next().is_some() {}
            self.open.retain(|open| !open.task.is_finished());
            if self.tasks.len() < self.most {
                return;
            }
            let due = |open: &Open| Some(open.since + open.progress.kept()?);
            let useless = self.open.iter().filter_map(|open| Some((due(open)?, &open.task)));
            let first = useless.min_by_key(|(due, _)| *due).map(|(due, task)| (due, task.clone()));
            let ending = async {
                match first {
                    Some((due, task)) => {
                        sleep_until(due).await;
                        task
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = self.tasks.join_next() => {}
                task = ending => {
                    // It may have asked meanwhile, and then it has more time.
                    if self.open.iter().any(|open| open.task.id() == task.id() && due(open).is_some_and(|due| due <= Instant::now())) {
                        task.abort();
                        self.tasks.join_next().await;
                    }
                }
            }
        }
    }

    pub(crate) fn serve<F>(&mut self, serve: impl FnOnce(Progress) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let progress = Progress::default();
        let task = self.tasks.spawn(serve(progress.clone()));
        self.open.push(Open { task, since: Instant::now(), progress });
    }
}

#[cfg(test)]
mod tests;
