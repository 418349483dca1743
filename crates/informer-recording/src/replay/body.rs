//! An answer that is given again, step by step.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Clock, Replay};
use crate::exchange::{Exchange, Happened};
use crate::recording::Contents;

/// An answer on its way.
pub(crate) struct Playing {
    replay: Arc<Replay>,
    contents: Arc<Contents>,
    at: usize,
    step: usize,
    clock: Clock,
    /// Whether there is an answer to a later request for the same objects in any case.
    is_followed: bool,
}

impl Playing {
    pub(super) fn new(
        replay: Arc<Replay>,
        contents: Arc<Contents>,
        at: usize,
        clock: Clock,
        is_followed: bool,
    ) -> Self {
        Self { replay, contents, at, step: 0, clock, is_followed }
    }

    fn exchange(&self) -> &Exchange {
        &self.contents.exchanges[self.at]
    }

    /// What comes next, when it is due. After the last step of an answer that did not end nothing comes any more, unless
    /// whoever reads it can be told the rest by another answer: then it ends where the recording does.
    ///
    /// An answer is over when nobody holds it any more or more is asked for than there is: whoever asks for more has done
    /// with what came before, and is not in the middle of reading it.
    ///
    /// Where nobody wanted to hear the rest, somebody wanted to ask again. If there is an answer to that, this one ends there,
    /// whatever made the asker leave: it may have been a clock that is another one now.
    pub(crate) async fn next(&mut self) -> Happened {
        let Some(step) = self.exchange().steps.get(self.step).cloned() else {
            if !self.is_followed {
                return self.nothing_more().await;
            }
            self.over();
            self.wait_until(self.contents.end()).await;
            return Happened::Left;
        };
        self.wait_until(step.at).await;
        self.step += 1;
        let goes_on = || self.is_followed || self.replay.goes_on_after(&self.contents, self.at);
        if step.what == Happened::Left && !goes_on() {
            return self.nothing_more().await;
        }
        step.what
    }

    async fn wait_until(&self, at: Duration) {
        match self.clock.due(at) {
            Some(due) if due > Instant::now() => tokio::time::sleep_until(due).await,
            // Others have their turn, or all that is due would be read in one go: an informer that came back later than the
            // recorded one would read a watch to its end before it asks what was asked when that began, and the answer to that
            // would be older than what it knows, as that of a server that has gone back in time.
            _ => tokio::task::yield_now().await,
        }
    }

    async fn nothing_more(&self) -> Happened {
        self.over();
        std::future::pending().await
    }

    fn over(&self) {
        self.replay.over(self.at, self.exchange());
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.over();
    }
}
