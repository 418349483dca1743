//! Which of the things that the server serves a request is about.

use std::sync::Arc;

use http::Method;

use super::{Request, RequestInfo, Target, Verb};
use crate::kinds::{Registry, Resource};
use crate::status::ApiError;

/// What a request is about, among what is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Objects of a kind.
    Objects(Target),
    /// The groups, versions and resources that are served.
    Discovery(DiscoveryPath),
    /// `/openapi/v3`: the path of one of the documents, empty for the index.
    OpenApi(String),
    /// `/healthz`, `/livez`, `/readyz`; the name without the slash.
    Health(&'static str),
    /// `/version`.
    Version,
}

/// Which of the discovery documents is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DiscoveryPath {
    /// `/`: all paths.
    Paths,
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
    /// Finds what a request is about among what is served.
    pub(crate) fn find(registry: &Registry, request: &Request) -> Result<Self, ApiError> {
        let Some(segments) = &request.segments else {
            return Err(ApiError::bad_request("400 Bad Request").plain());
        };
        let method = &request.method;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (group, version, rest) = match segments.as_slice() {
            [""] => return discovery(method, DiscoveryPath::Paths),
            ["version"] => return only_get(method, Self::Version),
            ["healthz"] | ["healthz", "ping"] => return Ok(Self::Health("healthz")),
            ["livez"] | ["livez", "ping"] => return Ok(Self::Health("livez")),
            ["readyz"] | ["readyz", "ping"] => return Ok(Self::Health("readyz")),
            ["openapi", "v3", document @ ..] => return Ok(Self::OpenApi(document.join("/"))),
            ["api"] => return discovery(method, DiscoveryPath::CoreVersions),
            ["apis"] => return discovery(method, DiscoveryPath::Groups),
            ["apis", group] if registry.has_group(group) => {
                return discovery(method, DiscoveryPath::Group((*group).to_owned()));
            }
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] if !group.is_empty() => (*group, *version, rest),
            _ => return Err(ApiError::page_not_found()),
        };
        if !registry.has_group_version(group, version) {
            return Err(nothing_there(registry, group));
        }
        if rest.is_empty() {
            let group = group.to_owned();
            let version = version.to_owned();
            return discovery(method, DiscoveryPath::Resources { group, version });
        }
        let info = request.info.as_ref().filter(|info| info.is_exact);
        let info = info.ok_or_else(|| nothing_there(registry, group))?;
        let resource = registry.find(group, version, &info.plural);
        let resource = resource.ok_or_else(|| nothing_there(registry, group))?;
        target(info, resource, request).map(Self::Objects)
    }
}

fn discovery(method: &Method, path: DiscoveryPath) -> Result<Route, ApiError> {
    only_get(method, Route::Discovery(path))
}

fn only_get(method: &Method, route: Route) -> Result<Route, ApiError> {
    match *method {
        Method::GET => Ok(route),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// The 404 for a path that is not served: a Status in built-in groups, plain text elsewhere.
fn nothing_there(registry: &Registry, group: &str) -> ApiError {
    if registry.is_builtin(group) { ApiError::no_such_resource() } else { ApiError::page_not_found() }
}

fn target(info: &RequestInfo, resource: Arc<Resource>, request: &Request) -> Result<Target, ApiError> {
    check_scope(info, &resource, &request.method)?;
    let verb = verb(info, &resource, &request.method)?;
    for (what, segment) in [("Name", &info.name), ("Namespace", &info.namespace)] {
        if let Some((segment, why)) = segment.as_deref().and_then(bad_segment) {
            return Err(ApiError::bad_request(format!("{what} parameter invalid: {segment:?}: {why}")));
        }
    }
    if verb != Verb::Watch {
        request.query.check_timeout()?;
    }
    let RequestInfo { namespace, name, subresource, .. } = info.clone();
    Ok(Target { verb, resource, namespace, name, subresource })
}

/// The paths of namespaced objects must have a namespace, except those of lists and watches across all namespaces.
fn check_scope(info: &RequestInfo, resource: &Resource, method: &Method) -> Result<(), ApiError> {
    let is_all_namespaces = resource.namespaced && info.namespace.is_none();
    let leads_nowhere = if resource.namespaced {
        is_all_namespaces && (info.name.is_some() || !resource.verbs.contains(&Verb::List))
    } else {
        info.namespace.is_some()
    };
    let is_write_to_all = is_all_namespaces && *method != Method::GET;
    if !leads_nowhere && !is_write_to_all {
        return Ok(());
    }
    Err(if resource.custom {
        ApiError::page_not_found()
    } else if leads_nowhere {
        ApiError::no_such_resource()
    } else {
        ApiError::method_not_allowed()
    })
}

/// The verb of a request, if the resource has it. The [`RequestInfo`] has a verb for requests that no resource serves too,
/// such as HEAD.
fn verb(info: &RequestInfo, resource: &Resource, method: &Method) -> Result<Verb, ApiError> {
    let not_allowed = |verb: &str| {
        if resource.custom { unsupported(resource, verb) } else { ApiError::method_not_allowed() }
    };
    let verbs = match &info.subresource {
        Some(name) if !info.is_watch_path => match resource.subresource(name) {
            Some(subresource) => &subresource.verbs,
            None if resource.custom => {
                return Err(ApiError::not_found(resource, info.name.as_deref().unwrap_or_default()));
            }
            None => return Err(ApiError::no_such_resource()),
        },
        _ => &resource.verbs,
    };
    if info.is_watch_path {
        let can_be_watched = resource.verbs.contains(&Verb::Watch) && info.subresource.is_none();
        return match *method {
            _ if !can_be_watched => Err(ApiError::no_such_resource()),
            Method::GET => Ok(Verb::Watch),
            _ => Err(not_allowed(method.as_str())),
        };
    }
    let verb = match (info.verb, &info.name) {
        _ if *method == Method::HEAD => return Err(not_allowed("")),
        (Some(Verb::Create), Some(_)) if info.subresource.is_none() => return Err(not_allowed("")),
        (Some(Verb::Update | Verb::Patch), None) if resource.custom => {
            return Err(ApiError::bad_request("name must be provided"));
        }
        (Some(Verb::Update | Verb::Patch), None) | (None, _) => return Err(not_allowed("")),
        (Some(verb), _) => verb,
    };
    match verb {
        verb if verbs.contains(&verb) => Ok(verb),
        Verb::Watch if verbs.contains(&Verb::List) => Err(unsupported(resource, "watch")),
        verb => Err(not_allowed(verb.as_str())),
    }
}

fn unsupported(resource: &Resource, verb: &str) -> ApiError {
    let message = format!("{verb} is not supported on resources of kind {:?}", resource.qualified());
    ApiError::new(405, "MethodNotAllowed", message).with_details(resource.details(""))
}

/// What is wrong with a name that would change the meaning of a path: `.`, `..`, or one with a `%`.
fn bad_segment(name: &str) -> Option<(&str, &'static str)> {
    let why = match name {
        "." => "may not be '.'",
        ".." => "may not be '..'",
        name if name.contains('%') => "may not contain '%'",
        _ => return None,
    };
    Some((name, why))
}

#[cfg(test)]
mod tests;
