//! A reflector over a scripted server, and its settings.

mod play;
mod script;

use std::time::Duration;

pub(super) use self::play::*;
pub(super) use self::script::*;
use crate::source::Status;
use crate::source::StreamingList;
use crate::source::Tuning;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// LIST only, and nothing is left to chance.
pub(crate) fn lists() -> Tuning {
    exact().streaming_list(StreamingList::Never)
}

/// Nothing is left to chance: waits double from the first on, and what is spread at random is done at once.
pub(crate) fn exact() -> Tuning {
    Tuning::default()
        .backoff_first(Duration::from_millis(800))
        .backoff_jitter(0.0)
        .backoff_steady(Duration::ZERO)
        .resume_jitter(Duration::ZERO)
        .relist_spread(Duration::ZERO)
}

pub(crate) fn http(code: u16) -> Status {
    Status { code, message: format!("code {code}"), ..Status::default() }
}

pub(crate) fn too_large() -> Status {
    Status { causes: vec!["ResourceVersionTooLarge".into()], ..http(504) }
}

/// Waits until nobody has anything to do: a paused clock moves on only then.
pub(crate) async fn rest() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
