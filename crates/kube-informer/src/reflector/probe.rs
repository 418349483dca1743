//! Asks whether the server still knows our version.
//!
//! A server restored from a backup accepts a watch from a version that it has not reached yet and stays silent, for
//! hours or for ever. A LIST for at least that version tells.

use futures::future::BoxFuture;
use tokio::time::{sleep, timeout};

use super::connection;
use super::cursor::ProbeOutcome;
use super::driver::Driver;
use crate::source::intake::Intake;
use crate::source::{ListParams, SourceError, Verb, VersionMatch};

/// A probe that is waiting for its time or its answer.
pub(super) type Probe = BoxFuture<'static, ProbeOutcome>;

impl<I: Intake + Send + Sync + 'static> Driver<I> {
    /// A probe beside the watch, sent after a while.
    pub(super) fn probe(&self) -> Probe {
        let after = self.reflector.settings.probe_after;
        let silence = self.reflector.settings.list_silence;
        let source = self.reflector.source.clone();
        let status = self.reflector.status.clone();
        let request = self.reflector.target.request(Verb::List(ListParams {
            resource_version: self.cursor.last().to_string(),
            version_match: Some(VersionMatch::NotOlderThan),
            limit: Some(1),
            continue_token: None,
        }));
        Box::pin(async move {
            sleep(after).await;
            status.edit(|status| status.lists += 1);
            // The status line tells it all, the body is not read.
            match timeout(silence, connection::open(&*source, request)).await {
                Ok(Ok(_)) => ProbeOutcome::Known,
                Ok(Err(SourceError::Http(failure))) if failure.is_version_too_large() => {
                    ProbeOutcome::TooLarge
                }
                Ok(Err(_)) | Err(_) => ProbeOutcome::NoAnswer,
            }
        })
    }
}

/// Waits for the probe, for ever if there is none.
pub(super) async fn outcome(probe: &mut Option<Probe>) -> ProbeOutcome {
    match probe {
        Some(probe) => probe.await,
        None => std::future::pending().await,
    }
}
