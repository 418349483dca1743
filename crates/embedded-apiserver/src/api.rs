//! From a request to its answer.

use http::{Request, Response};

use crate::body::Body;
use crate::status::ApiError;

/// The API: kinds and objects, without transport, credentials and faults.
#[derive(Debug, Default)]
pub(crate) struct Api {}

impl Api {
    /// Answers a request. Never fails: what is wrong becomes a Status.
    pub(crate) async fn answer(&self, request: Request<Body>) -> Response<Body> {
        drop(request);
        ApiError::page_not_found().into_response()
    }

    /// Goes back to the state at this version.
    pub(crate) fn rewind(&self, version: u64) {
        let _ = version;
    }
}
