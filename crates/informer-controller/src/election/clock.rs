//! What time it is, as far as an election is concerned.

use std::time::Duration;

/// A clock that never goes back: the time since some moment. An election asks nothing else about time; its timers only wake
/// it so that it asks.
pub trait Clock: Send + Sync + 'static {
    /// The time since some moment.
    fn now(&self) -> Duration;
}

/// The clock of the machine, which also counts the time that the machine was suspended where the system has such a clock
/// (`CLOCK_BOOTTIME` of Linux). Setting the date does nothing to it.
///
/// A leader on a machine that wakes up after an hour must know at once that it is no leader any more.
#[derive(Clone, Copy, Debug, Default)]
pub struct BootClock;

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Clock for BootClock {
    fn now(&self) -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Duration::try_from(time).unwrap_or_default()
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Clock for BootClock {
    fn now(&self) -> Duration {
        use std::sync::OnceLock;
        use std::time::Instant;

        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed()
    }
}

/// The clock of tokio's timers, for tests on paused time. It stands still while a machine is suspended.
#[derive(Clone, Copy, Debug)]
pub struct TokioClock(tokio::time::Instant);

impl Default for TokioClock {
    fn default() -> Self {
        Self(tokio::time::Instant::now())
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
