//! The driver over a scripted server, under paused time.

mod listing;
mod play;
mod recovering;
mod script;
mod watching;

use std::time::Duration;

use tokio::time::Instant;

use self::play::*;
use self::script::*;
use crate::options::{Options, StreamingList};
use crate::source::{HttpFailure, SourceError, VersionMatch};
use crate::status::{Phase, RelistReason};

const SECOND: Duration = Duration::from_secs(1);

/// LIST only, and nothing is left to chance.
fn lists() -> Options {
    exact().streaming_list(StreamingList::Never)
}

/// Nothing is left to chance: waits double from the first on, and what is spread at random is done at once.
fn exact() -> Options {
    Options::default()
        .backoff_first(Duration::from_millis(800))
        .backoff_jitter(0.0)
        .backoff_steady(Duration::ZERO)
        .resume_jitter(Duration::ZERO)
        .relist_spread(Duration::ZERO)
}

fn http(code: u16) -> HttpFailure {
    HttpFailure { code, message: format!("code {code}"), ..HttpFailure::default() }
}

fn too_large() -> HttpFailure {
    HttpFailure { causes: vec!["ResourceVersionTooLarge".into()], ..http(504) }
}
