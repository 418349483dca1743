//! From method and path to what is meant.

use http::{Method, Uri};

use super::Target;
use crate::kinds::Registry;
use crate::status::ApiError;

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Objects of some kind.
    Objects(Target),
    /// What is served.
    Discovery(DiscoveryPath),
    /// `/healthz`, `/livez`, `/readyz`; the name without the slash.
    Health(&'static str),
    /// `/version`.
    Version,
}

/// What to tell about what is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiscoveryPath {
    /// `/api`: the versions of the core group.
    CoreVersions,
    /// `/apis`: all other groups.
    Groups,
    /// `/apis/apps`: one group.
    Group(String),
    /// `/api/v1`, `/apis/apps/v1`: the resources of one group and version.
    Resources {
        /// Empty for the core group.
        group: String,
        version: String,
    },
}

impl Route {
    /// Finds out what a request is about.
    pub(crate) fn parse(registry: &Registry, method: &Method, uri: &Uri) -> Result<Self, ApiError> {
        let _ = (registry, method, uri);
        Err(ApiError::page_not_found())
    }
}
