//! An answer that is given again, step by step.

use std::sync::Arc;

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
}

impl Playing {
    pub(super) fn new(replay: Arc<Replay>, contents: Arc<Contents>, at: usize, clock: Clock) -> Self {
        Self { replay, contents, at, step: 0, clock }
    }

    fn exchange(&self) -> &Exchange {
        &self.contents.exchanges[self.at]
    }

    /// What comes next, when it is due. After the last step of an answer that did not end nothing comes any more.
    ///
    /// An answer is over when nobody holds it any more or more is asked for than there is: whoever asks for more has done
    /// with what came before, and is not in the middle of reading it.
    ///
    /// Where nobody wanted to hear the rest, somebody wanted to ask again. If that is recorded, the answer ends there, whatever
    /// made the asker leave: it may have been a clock that is another one now.
    pub(crate) async fn next(&mut self) -> Happened {
        let Some(step) = self.exchange().steps.get(self.step).cloned() else {
            return self.nothing_more().await;
        };
        match self.clock.due(step.at) {
            Some(due) => tokio::time::sleep_until(due).await,
            // Other tasks have their turn, or a long recording would be read in one go.
            None => tokio::task::yield_now().await,
        }
        self.step += 1;
        if step.what == Happened::Left && !self.replay.goes_on_after(&self.contents, self.at) {
            return self.nothing_more().await;
        }
        step.what
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
