//! GET of one object.

use http::{Response, StatusCode};

use super::{Envelope, document};
use crate::api::Api;
use crate::body::Body;
use crate::kinds::Resource;
use crate::request::{Accept, Form, Request, Target, Verb, parse_version};
use crate::status::ApiError;
use crate::storage::Stored;

impl Target {
    /// The storage key of the object.
    pub(crate) fn key(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        match &self.namespace {
            Some(namespace) if self.resource.namespaced => format!("{namespace}/{name}"),
            _ => name.to_owned(),
        }
    }
}

impl Api {
    /// Answers with one object that is at least as new as the requested version.
    pub(crate) async fn get(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let form = Accept::negotiate(&request.headers, Verb::Get)?;
        let stored = self.fresh(target, request).await?;
        Ok(object_answer(StatusCode::OK, &stored, &target.resource, form))
    }

    /// The object that is asked for, at least as new as the requested version.
    pub(crate) async fn fresh(&self, target: &Target, request: &Request) -> Result<Stored, ApiError> {
        if let Some(version) = parse_version(request.query.text("resourceVersion"), Verb::Get)? {
            self.wait_for(version, &target.resource).await?;
        }
        self.current(target)
    }

    /// The current state of the object that is asked for.
    pub(crate) fn current(&self, target: &Target) -> Result<Stored, ApiError> {
        Ok(self.stored(target)?.seen_as(&target.resource).into_owned())
    }

    /// The object that is asked for as it is stored, which is not how clients see it if a schema has changed meanwhile.
    pub(crate) fn stored(&self, target: &Target) -> Result<Stored, ApiError> {
        let found = self.storage.get(&target.resource.storage_id(), &target.key());
        found.ok_or_else(|| ApiError::not_found(&target.resource, target.name.as_deref().unwrap_or_default()))
    }

    /// Waits a little for a version that does not exist yet, then refuses.
    pub(super) async fn wait_for(&self, version: u64, resource: &Resource) -> Result<(), ApiError> {
        if self.storage.version() >= version {
            return Ok(());
        }
        if resource.cached && self.storage.reached(version, self.options.freshness_wait).await {
            return Ok(());
        }
        let error = ApiError::too_large_version(version, self.storage.version());
        Err(if resource.cached { error } else { error.with_retry_after(0) })
    }
}

/// An answer that is an object.
pub(crate) fn object_answer(
    status: StatusCode,
    stored: &Stored,
    resource: &Resource,
    form: Form,
) -> Response<Body> {
    let mut text = Vec::new();
    Envelope::new(resource, form).write(stored, &mut text);
    document(status, text)
}
