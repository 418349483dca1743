//! What the server tells about itself: kinds, version and health.

use http::Response;

use crate::body::Body;
use crate::kinds::Registry;
use crate::request::DiscoveryPath;
use crate::status::ApiError;

/// The answer to a request for what is served.
pub(crate) fn answer(registry: &Registry, path: &DiscoveryPath) -> Response<Body> {
    let _ = (registry, path);
    ApiError::page_not_found().into_response()
}

/// The answer to `/version`.
pub(crate) fn version() -> Response<Body> {
    ApiError::page_not_found().into_response()
}

/// The answer to `/healthz`, `/livez` and `/readyz`; `query` as in the request.
pub(crate) fn health(check: &str, query: &str) -> Response<Body> {
    let _ = (check, query);
    ApiError::page_not_found().into_response()
}
