//! What time it is, for what people read: conditions and events.

use std::sync::OnceLock;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The time of day by the clock of the runtime. On a runtime whose time is paused it stands still and is advanced with it, from the
/// moment at which it was first asked, so that a test sees differences that are exactly those of its time.
pub(crate) fn now() -> Timestamp {
    // What runs as time does is between two looks at the clock of the machine.
    let before = std::time::Instant::now();
    let runtime = Instant::now().into_std();
    let time = Timestamp::now();
    if before <= runtime && runtime <= std::time::Instant::now() {
        return time;
    }
    static FIRST: OnceLock<(std::time::Instant, Timestamp)> = OnceLock::new();
    let &(first, at) = FIRST.get_or_init(|| (runtime, time));
    let passed = match runtime.checked_duration_since(first) {
        Some(passed) => SignedDuration::try_from(passed),
        None => SignedDuration::try_from(first.duration_since(runtime)).map(|earlier| -earlier),
    };
    passed.ok().and_then(|passed| at.checked_add(passed).ok()).unwrap_or(time)
}

#[cfg(test)]
mod tests;
