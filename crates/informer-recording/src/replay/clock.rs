//! The times of a recording, and those of its replay.

use std::time::Duration;

use tokio::time::Instant;

use super::Speed;

/// Says when what happened at a time of the recording happens in the replay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    speed: Speed,
    /// A moment, and the time of the recording that it stands for.
    begun: Instant,
    then: Duration,
}

impl Clock {
    /// The time is now that of the recording.
    pub(super) fn start(speed: Speed, then: Duration) -> Self {
        Self { speed, begun: Instant::now(), then }
    }

    /// `None` for at once.
    pub(crate) fn due(&self, at: Duration) -> Option<Instant> {
        let since = at.saturating_sub(self.then);
        match self.speed {
            Speed::AsRecorded => Some(self.begun + since),
            Speed::Times(times) => Some(self.begun + since.div_f64(times)),
            Speed::Fastest => None,
        }
    }

    /// Which time of the recording it is; `None` if all of it is over at once.
    pub(crate) fn now(&self) -> Option<Duration> {
        self.in_time(Duration::ZERO)
    }

    /// Which time of the recording it will be.
    pub(super) fn in_time(&self, time: Duration) -> Option<Duration> {
        let since = self.begun.elapsed() + time;
        match self.speed {
            Speed::AsRecorded => Some(self.then + since),
            Speed::Times(times) => Some(self.then + since.mul_f64(times)),
            Speed::Fastest => None,
        }
    }
}
