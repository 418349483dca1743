//! From method and path to what is meant.

use std::sync::Arc;

use http::{Method, Uri};

use super::decode::percent_decoded;
use super::{Query, Target, Verb};
use crate::kinds::{Registry, Resource};
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
    /// `/`: all paths that lead somewhere.
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
    /// Finds out what a request is about.
    pub(crate) fn parse(registry: &Registry, method: &Method, uri: &Uri) -> Result<Self, ApiError> {
        let Some(path) = percent_decoded(uri.path()) else {
            return Err(ApiError::bad_request("400 Bad Request").plain());
        };
        let path = path.strip_prefix('/').unwrap_or(&path);
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Vec<&str> = path.split('/').collect();
        let (group, version, rest) = match segments.as_slice() {
            [""] => return discovery(method, DiscoveryPath::Paths),
            ["version"] => return only_get(method, Self::Version),
            ["healthz"] | ["healthz", "ping"] => return Ok(Self::Health("healthz")),
            ["livez"] | ["livez", "ping"] => return Ok(Self::Health("livez")),
            ["readyz"] | ["readyz", "ping"] => return Ok(Self::Health("readyz")),
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
            let (group, version) = (group.to_owned(), version.to_owned());
            return discovery(method, DiscoveryPath::Resources { group, version });
        }
        let query = Query::parse(uri.query().unwrap_or_default());
        let place = Place::parse(rest).ok_or_else(|| nothing_there(registry, group))?;
        let resource = registry.find(group, version, place.plural);
        let resource = resource.ok_or_else(|| nothing_there(registry, group))?;
        place.target(resource, method, &query).map(Self::Objects)
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

/// In a group that is built in, a Status; elsewhere plain text.
fn nothing_there(registry: &Registry, group: &str) -> ApiError {
    match registry.is_builtin(group) {
        true => ApiError::no_such_resource(),
        false => ApiError::page_not_found(),
    }
}

/// What comes after the group and version in a path.
#[derive(Debug, Default)]
struct Place<'a> {
    /// Begins with `watch/`, an old way to ask for a watch.
    is_watch: bool,
    namespace: Option<&'a str>,
    plural: &'a str,
    name: Option<&'a str>,
    subresource: Option<&'a str>,
}

impl<'a> Place<'a> {
    /// `None` if it has too many segments, or an empty one.
    fn parse(segments: &[&'a str]) -> Option<Self> {
        if segments.iter().any(|segment| segment.is_empty()) {
            return None;
        }
        let (is_watch, segments) = match segments {
            ["watch", rest @ ..] => (true, rest),
            all => (false, all),
        };
        // A namespace is an object as well as a place for others.
        let (namespace, segments) = match segments {
            ["namespaces", _, "status" | "finalize"] => (None, segments),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            all => (None, all),
        };
        let (plural, name, subresource) = match *segments {
            [plural] => (plural, None, None),
            [plural, name] => (plural, Some(name), None),
            [plural, name, subresource] => (plural, Some(name), Some(subresource)),
            _ => return None,
        };
        Some(Self { is_watch, namespace, plural, name, subresource })
    }

    fn target(&self, resource: Arc<Resource>, method: &Method, query: &Query) -> Result<Target, ApiError> {
        self.check_scope(&resource, method)?;
        let verb = self.verb(&resource, method, query)?;
        for (what, segment) in [("Name", self.name), ("Namespace", self.namespace)] {
            if let Some(why) = segment.and_then(bad_segment) {
                let segment = segment.unwrap_or_default();
                return Err(ApiError::bad_request(format!("{what} parameter invalid: {segment:?}: {why}")));
            }
        }
        if verb != Verb::Watch {
            query.check_timeout()?;
        }
        Ok(Target {
            verb,
            resource,
            namespace: self.namespace.map(str::to_owned),
            name: self.name.map(str::to_owned),
            subresource: self.subresource.map(str::to_owned),
        })
    }

    /// Objects in namespaces are reached through theirs, but for lists and watches of them all.
    fn check_scope(&self, resource: &Resource, method: &Method) -> Result<(), ApiError> {
        let is_all_namespaces = resource.namespaced && self.namespace.is_none();
        let leads_nowhere = match resource.namespaced {
            true => is_all_namespaces && (self.name.is_some() || !resource.verbs.contains(&Verb::List)),
            false => self.namespace.is_some(),
        };
        match () {
            () if leads_nowhere && resource.custom => Err(ApiError::page_not_found()),
            () if leads_nowhere => Err(ApiError::no_such_resource()),
            () if is_all_namespaces && *method != Method::GET => Err(match resource.custom {
                true => ApiError::page_not_found(),
                false => ApiError::method_not_allowed(),
            }),
            () => Ok(()),
        }
    }

    fn verb(&self, resource: &Resource, method: &Method, query: &Query) -> Result<Verb, ApiError> {
        let not_allowed = |verb: &str| match resource.custom {
            true => unsupported(resource, verb),
            false => ApiError::method_not_allowed(),
        };
        let verbs = match (self.subresource, self.name) {
            (Some(name), _) if !self.is_watch => match resource.subresource(name) {
                Some(subresource) => &subresource.verbs,
                None if resource.custom => {
                    return Err(ApiError::not_found(resource, self.name.unwrap_or_default()));
                }
                None => return Err(ApiError::no_such_resource()),
            },
            _ => &resource.verbs,
        };
        if self.is_watch {
            let can_be_watched = resource.verbs.contains(&Verb::Watch) && self.subresource.is_none();
            return match *method {
                _ if !can_be_watched => Err(ApiError::no_such_resource()),
                Method::GET => Ok(Verb::Watch),
                _ => Err(not_allowed(method.as_str())),
            };
        }
        let verb = match (method.as_str(), self.name) {
            ("GET", None) if query.flag("watch") == Some(true) => Verb::Watch,
            ("GET", None) => Verb::List,
            ("GET", Some(_)) => Verb::Get,
            ("POST", None) => Verb::Create,
            ("POST", Some(_)) if self.subresource.is_some() => Verb::Create,
            ("PUT", Some(_)) => Verb::Update,
            ("PATCH", Some(_)) => Verb::Patch,
            ("DELETE", Some(_)) => Verb::Delete,
            ("DELETE", None) => Verb::DeleteCollection,
            ("PUT" | "PATCH", None) if resource.custom => {
                return Err(ApiError::bad_request("name must be provided"));
            }
            _ => return Err(not_allowed("")),
        };
        match verb {
            verb if verbs.contains(&verb) => Ok(verb),
            Verb::Watch if verbs.contains(&Verb::List) => Err(unsupported(resource, "watch")),
            verb => Err(not_allowed(verb.as_str())),
        }
    }
}

fn unsupported(resource: &Resource, verb: &str) -> ApiError {
    let message = format!("{verb} is not supported on resources of kind {:?}", resource.qualified());
    ApiError::new(405, "MethodNotAllowed", message).with_details(resource.details(""))
}

/// What is wrong with a name that would lead to another place if it were part of a path.
fn bad_segment(name: &str) -> Option<&'static str> {
    match name {
        "." => Some("may not be '.'"),
        ".." => Some("may not be '..'"),
        name if name.contains('%') => Some("may not contain '%'"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
