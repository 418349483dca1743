//! The driver over a scripted server, under paused time.

mod listing;
mod recovering;
mod support;
mod watching;

use std::time::Duration;

use tokio::time::Instant;

use self::support::*;
use crate::source::StreamingList;
use crate::source::Tuning;
use crate::source::{SourceError, Status, VersionMatch};
use crate::status::{Phase, RelistReason};
