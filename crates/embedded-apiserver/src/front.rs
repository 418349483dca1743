//! What stands before the API: credentials, limits, faults, the journal.

use std::io;

use http::{Request, Response};
use tokio::sync::watch;

use crate::api::Api;
use crate::body::Body;

/// One server, whatever transports lead to it.
#[derive(Debug)]
pub(crate) struct Front {
    api: Api,
    token: Option<String>,
}

impl Front {
    pub(crate) fn new(api: Api, token: Option<String>) -> Self {
        Self { api, token }
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Answers, or breaks the connection.
    pub(crate) async fn answer(&self, request: Request<Body>) -> io::Result<Response<Body>> {
        Ok(self.api.answer(request).await)
    }

    /// The same with watches that end when `stopped` says so.
    pub(crate) async fn answer_until(
        &self,
        request: Request<Body>,
        stopped: watch::Receiver<bool>,
    ) -> io::Result<Response<Body>> {
        drop(stopped);
        self.answer(request).await
    }

    /// Answers without faults, and leaves no trace in the journal.
    pub(crate) async fn answer_aside(&self, request: Request<Body>) -> Response<Body> {
        self.api.answer(request).await
    }
}
