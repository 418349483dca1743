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
use crate::settings::{Settings, StreamingList};
use crate::source::{HttpFailure, VersionMatch};
use crate::status::{Phase, RelistReason};

const SECOND: Duration = Duration::from_secs(1);

fn http(code: u16) -> HttpFailure {
    HttpFailure { code, message: format!("code {code}"), ..HttpFailure::default() }
}

fn too_large() -> HttpFailure {
    HttpFailure { causes: vec!["ResourceVersionTooLarge".into()], ..http(504) }
}
