//! Which recorded answers suit a client that can be answered otherwise: those that were meant for it, and soon.

use std::time::Duration;

use super::{Clock, ReplayState, Use};
use crate::exchange::Exchange;
use crate::recording::Contents;
use crate::target::Target;

/// How long a client is let wait for the time of a recorded answer: informers wait for less between two of their first failures.
const NEAR: Duration = Duration::from_secs(10);

pub(super) struct Suits<'a> {
    target: &'a Target,
    /// What was asked for later than this is far away.
    near: Option<Duration>,
    /// When an answer that somebody is still reading comes to its end: what was asked for after that is for whoever reads it.
    busy: Option<Duration>,
}

impl<'a> Suits<'a> {
    pub(super) fn new(
        clock: Option<Clock>,
        state: &ReplayState,
        contents: &Contents,
        target: &'a Target,
    ) -> Self {
        let all = contents.exchanges.iter().zip(&state.uses);
        let open = all.filter(|(one, used)| **used == Use::Open && one.target.is_about_those_of(target));
        let busy = open.filter_map(|(one, _)| one.ended()).min();
        Self { target, near: clock.and_then(|clock| clock.in_time(NEAR)), busy }
    }

    pub(super) fn allows(&self, exchange: &Exchange) -> bool {
        let version = |target: &Target| target.parameter("resourceVersion").map(str::to_owned);
        // A watch from another version has other events.
        let is_same = !self.target.is_watch() || version(&exchange.target) == version(self.target);
        let is_near = self.near.is_none_or(|near| exchange.at <= near);
        is_same && is_near && self.busy.is_none_or(|end| exchange.at < end)
    }
}
