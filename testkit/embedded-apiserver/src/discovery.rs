//! Discovery, version and health.

use std::sync::Arc;

use http::{HeaderValue, Response, header};
use serde::Serialize;

use crate::body::{Body, full};
use crate::kinds::{Registry, Resource, Subresource};
use crate::request::{DiscoveryPath, Query, Verb};
use crate::status::ApiError;

/// The version of Kubernetes that this server behaves like.
const GIT_VERSION: &str = "v1.36.4+embedded";
const MINOR: &str = "36";

#[derive(Serialize)]
struct ApiVersions<'a> {
    kind: &'static str,
    versions: Vec<&'static str>,
    #[serde(rename = "serverAddressByClientCIDRs")]
    addresses: [Address<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Address<'a> {
    #[serde(rename = "clientCIDR")]
    client_cidr: &'static str,
    server_address: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiGroupList {
    kind: &'static str,
    api_version: &'static str,
    groups: Vec<ApiGroup>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiGroup {
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    api_version: &'static str,
    name: String,
    versions: Vec<GroupVersion>,
    preferred_version: GroupVersion,
}

#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupVersion {
    group_version: String,
    version: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResourceList {
    kind: &'static str,
    /// Empty for the core group, as in the real server.
    #[serde(skip_serializing_if = "str::is_empty")]
    api_version: &'static str,
    group_version: String,
    resources: Vec<ApiResource>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResource {
    name: String,
    singular_name: String,
    namespaced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    kind: String,
    verbs: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    short_names: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    categories: Vec<String>,
}

impl ApiResource {
    fn of(resource: &Resource) -> Self {
        let mut verbs = resource.verbs.clone();
        if resource.custom {
            // The real server lists the verbs of custom resources in this order.
            let after_patch = [Verb::Create, Verb::Update, Verb::Watch];
            verbs.sort_by_key(|verb| after_patch.iter().position(|after| after == verb).map_or(0, |n| n + 1));
        }
        Self {
            name: resource.plural.to_string(),
            singular_name: resource.singular.to_string(),
            namespaced: resource.namespaced,
            group: None,
            version: None,
            kind: resource.kind.to_string(),
            verbs: verbs.into_iter().map(Verb::as_str).collect(),
            short_names: texts(&resource.short_names),
            categories: texts(&resource.categories),
        }
    }

    fn of_part(resource: &Resource, part: &Subresource) -> Self {
        let (group, version) = part
            .group_version
            .as_ref()
            .map(|(group, version)| (group.to_string(), version.to_string()))
            .unzip();
        Self {
            name: format!("{}/{}", resource.plural, part.name),
            singular_name: String::new(),
            namespaced: resource.namespaced,
            group,
            version,
            kind: part.kind.to_string(),
            verbs: part.verbs.iter().map(|verb| verb.as_str()).collect(),
            short_names: Vec::new(),
            categories: Vec::new(),
        }
    }
}

/// The answer to a discovery request. `host` is the `Host` header: the address that the client uses.
pub(crate) fn answer(registry: &Registry, path: &DiscoveryPath, host: &str) -> Response<Body> {
    match path {
        DiscoveryPath::Paths => indented(&paths(registry)),
        DiscoveryPath::CoreVersions => json(&ApiVersions {
            kind: "APIVersions",
            versions: vec!["v1"],
            addresses: [Address { client_cidr: "0.0.0.0/0", server_address: host }],
        }),
        DiscoveryPath::Groups => {
            let kind = "APIGroupList";
            let api_version = "v1";
            json(&ApiGroupList { kind, api_version, groups: groups(registry) })
        }
        DiscoveryPath::Group(name) => {
            match groups(registry).into_iter().find(|group| *group.name == **name) {
                Some(group) => json(&ApiGroup { kind: "APIGroup", api_version: "v1", ..group }),
                None => ApiError::page_not_found().into_response(),
            }
        }
        DiscoveryPath::Resources { group, version } => json(&resources(registry, group, version)),
    }
}

/// All groups but the core one, with their versions.
fn groups(registry: &Registry) -> Vec<ApiGroup> {
    let mut groups: Vec<ApiGroup> = Vec::new();
    for resource in registry.all().iter().filter(|resource| !resource.group.is_empty()) {
        let version =
            GroupVersion { group_version: resource.api_version(), version: resource.version.to_string() };
        match groups.iter_mut().find(|group| *group.name == *resource.group) {
            Some(group) if group.versions.contains(&version) => {}
            Some(group) => group.versions.push(version),
            None => groups.push(ApiGroup {
                kind: "",
                api_version: "",
                name: resource.group.to_string(),
                versions: vec![version.clone()],
                preferred_version: version,
            }),
        }
    }
    groups
}

fn resources(registry: &Registry, group: &str, version: &str) -> ApiResourceList {
    let all = registry.all();
    let served = all.iter().filter(|resource| &*resource.group == group && &*resource.version == version);
    let with_parts = served.flat_map(|resource| {
        let parts = resource.subresources.iter().map(|part| ApiResource::of_part(resource, part));
        [ApiResource::of(resource)].into_iter().chain(parts)
    });
    ApiResourceList {
        kind: "APIResourceList",
        api_version: if group.is_empty() { "" } else { "v1" },
        group_version: if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") },
        resources: with_parts.collect(),
    }
}

#[derive(Serialize)]
struct Paths {
    paths: Vec<String>,
}

fn paths(registry: &Registry) -> Paths {
    let mut paths: Vec<String> = [
        "/api",
        "/api/v1",
        "/apis",
        "/healthz",
        "/livez",
        "/openapi/v3",
        "/openapi/v3/",
        "/readyz",
        "/version",
    ]
    .map(str::to_owned)
    .into();
    for group in groups(registry) {
        paths.push(format!("/apis/{}", group.name));
        paths.extend(group.versions.iter().map(|version| format!("/apis/{}", version.group_version)));
    }
    paths.sort_unstable();
    Paths { paths }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VersionInfo {
    major: &'static str,
    minor: &'static str,
    git_version: &'static str,
    git_commit: &'static str,
    git_tree_state: &'static str,
    build_date: &'static str,
    go_version: &'static str,
    compiler: &'static str,
    platform: String,
}

/// The answer to `/version`.
pub(crate) fn version() -> Response<Body> {
    let platform = format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH);
    indented(&VersionInfo {
        major: "1",
        minor: MINOR,
        git_version: GIT_VERSION,
        git_commit: "",
        git_tree_state: "",
        build_date: "1970-01-01T00:00:00Z",
        go_version: "",
        compiler: "rustc",
        platform,
    })
}

/// The answer to `/healthz`, `/livez` and `/readyz`. A server that answers is healthy.
pub(crate) fn health(check: &str, query: &Query) -> Response<Body> {
    let body = match query.first("verbose") {
        Some(_) => format!("[+]ping ok\n{check} check passed\n"),
        None => "ok".to_owned(),
    };
    let mut response = with_type(body, "text/plain; charset=utf-8");
    let nosniff = HeaderValue::from_static("nosniff");
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    response
}

fn texts(names: &[Arc<str>]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn json(body: &impl Serialize) -> Response<Body> {
    respond(serde_json::to_string(body).map(|text| text + "\n"))
}

fn indented(body: &impl Serialize) -> Response<Body> {
    respond(serde_json::to_string_pretty(body))
}

fn respond(body: serde_json::Result<String>) -> Response<Body> {
    match body {
        Ok(text) => with_type(text, "application/json"),
        Err(error) => ApiError::internal(error.to_string()).into_response(),
    }
}

fn with_type(body: String, content_type: &'static str) -> Response<Body> {
    let mut response = Response::new(full(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

#[cfg(test)]
mod tests;
