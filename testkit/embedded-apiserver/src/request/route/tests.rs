use serde_json::json;

use super::*;
use crate::kinds::crd;

fn registry() -> Registry {
    let registry = Registry::new();
    let mut definition = json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object" } } }],
        },
    });
    crd::accept(&registry, &mut definition, "2026-01-01T00:00:00Z").unwrap();
    registry.install_crd(&definition).unwrap();
    registry
}

fn route(method: &str, path: &str) -> Result<Route, ApiError> {
    let (parts, ()) = http::Request::builder().method(method).uri(path).body(()).unwrap().into_parts();
    Route::find(&registry(), &Request::new(parts))
}

/// A target on one line: verb, api version, plural, namespace, name, subresource.
fn target(method: &str, path: &str) -> String {
    match route(method, path) {
        Ok(Route::Objects(target)) => {
            let or_dash = |part: &Option<String>| part.clone().unwrap_or_else(|| "-".to_owned());
            format!(
                "{} {} {} {} {} {}",
                target.verb,
                target.resource.api_version(),
                target.resource.plural,
                or_dash(&target.namespace),
                or_dash(&target.name),
                or_dash(&target.subresource)
            )
        }
        other => panic!("{method} {path}: {other:?}"),
    }
}

/// Code, reason and message of an error; `text` in place of the reason if it is no Status.
fn refused(method: &str, path: &str) -> String {
    match route(method, path) {
        Err(error) if matches!(error.format, crate::status::ErrorFormat::Plain { .. }) => {
            format!("{} text {}", error.code, error.message)
        }
        Err(error) => format!("{} {} {}", error.code, error.reason, error.message),
        Ok(route) => panic!("{method} {path}: {route:?}"),
    }
}

const NO_RESOURCE: &str = "404 NotFound the server could not find the requested resource";
const NO_PAGE: &str = "404 text 404 page not found";
const NO_METHOD: &str =
    "405 MethodNotAllowed the server does not allow this method on the requested resource";

#[test]
fn every_form_of_a_path_of_objects() {
    for (method, path, expected) in [
        ("GET", "/api/v1/pods", "list v1 pods - - -"),
        ("GET", "/api/v1/pods/", "list v1 pods - - -"),
        ("GET", "/api/v1/namespaces/a/pods", "list v1 pods a - -"),
        ("POST", "/api/v1/namespaces/a/pods", "create v1 pods a - -"),
        ("DELETE", "/api/v1/namespaces/a/pods", "deletecollection v1 pods a - -"),
        ("GET", "/api/v1/namespaces/a/pods/x", "get v1 pods a x -"),
        ("PUT", "/api/v1/namespaces/a/pods/x", "update v1 pods a x -"),
        ("PATCH", "/api/v1/namespaces/a/pods/x", "patch v1 pods a x -"),
        ("DELETE", "/api/v1/namespaces/a/pods/x", "delete v1 pods a x -"),
        ("PATCH", "/api/v1/namespaces/a/pods/x/status", "patch v1 pods a x status"),
        ("POST", "/api/v1/namespaces/a/pods/x/eviction", "create v1 pods a x eviction"),
        ("GET", "/api/v1/namespaces", "list v1 namespaces - - -"),
        ("POST", "/api/v1/namespaces", "create v1 namespaces - - -"),
        ("GET", "/api/v1/namespaces/a", "get v1 namespaces - a -"),
        ("GET", "/api/v1/namespaces/a/", "get v1 namespaces - a -"),
        ("GET", "/api/v1/namespaces/a/status", "get v1 namespaces - a status"),
        ("PUT", "/api/v1/namespaces/a/finalize", "update v1 namespaces - a finalize"),
        ("GET", "/api/v1/nodes/n/status", "get v1 nodes - n status"),
        ("GET", "/apis/apps/v1/namespaces/a/deployments/d/scale", "get apps/v1 deployments a d scale"),
        (
            "DELETE",
            "/apis/storage.k8s.io/v1/storageclasses",
            "deletecollection storage.k8s.io/v1 storageclasses - - -",
        ),
        ("GET", "/apis/example.com/v1/widgets", "list example.com/v1 widgets - - -"),
        (
            "PUT",
            "/apis/example.com/v1/namespaces/a/widgets/x/status",
            "update example.com/v1 widgets a x status",
        ),
        ("GET", "/api/v1/namespaces/a/pods/x%20y", "get v1 pods a x y -"),
        ("GET", "/api/v1/namespaces/a/pods/%C3%A9", "get v1 pods a é -"),
    ] {
        assert_eq!(target(method, path), expected, "{method} {path}");
    }
}

#[test]
fn a_watch_is_asked_for_by_query_or_by_path() {
    for (path, expected) in [
        ("/api/v1/pods?watch=1", "watch v1 pods - - -"),
        ("/api/v1/pods?watch", "watch v1 pods - - -"),
        ("/api/v1/namespaces/a/pods?watch=true&watch=false", "watch v1 pods a - -"),
        ("/api/v1/pods?watch=0", "list v1 pods - - -"),
        ("/api/v1/namespaces/a/pods/x?watch=1", "get v1 pods a x -"),
        ("/api/v1/watch/pods", "watch v1 pods - - -"),
        ("/api/v1/watch/namespaces", "watch v1 namespaces - - -"),
        ("/api/v1/watch/namespaces/a", "watch v1 namespaces - a -"),
        ("/api/v1/watch/namespaces/a/pods?watch=0", "watch v1 pods a - -"),
        ("/api/v1/watch/namespaces/a/pods/x", "watch v1 pods a x -"),
        ("/apis/example.com/v1/watch/widgets", "watch example.com/v1 widgets - - -"),
    ] {
        assert_eq!(target("GET", path), expected, "{path}");
    }
    for path in [
        "/api/v1/watch",
        "/api/v1/watch/foos",
        "/api/v1/watch/bindings",
        "/api/v1/watch/componentstatuses",
        "/api/v1/watch/namespaces/a/status",
        "/api/v1/watch/namespaces/a/pods/x/status",
    ] {
        assert_eq!(refused("GET", path), NO_RESOURCE, "{path}");
    }
    assert_eq!(refused("POST", "/api/v1/watch/pods"), NO_METHOD);
    assert_eq!(
        refused("GET", "/api/v1/componentstatuses?watch=1"),
        "405 MethodNotAllowed watch is not supported on resources of kind \"componentstatuses\""
    );
}

#[test]
fn what_is_not_there_is_a_status_in_groups_that_are_built_in_and_text_elsewhere() {
    for path in [
        "/api/v1/foos",
        "/api/v2",
        "/api/v2/pods",
        "/apis/apps/v9",
        "/apis/apps/v9/deployments",
        "/apis/apps/v1/foos",
        "/apis/apps/v1/namespaces/a/pods",
        "/apis/apps/v1/namespaces/a",
        "/api/v1/Pods",
        "/api/v1/pods/x",
        "/api/v1/bindings",
        "/api/v1/namespaces/a/nodes",
        "/api/v1/namespaces/a/nodes/x",
        "/api/v1/namespaces/a/pods/x/foo",
        "/api/v1/namespaces/a/pods/x/status/y",
    ] {
        assert_eq!(refused("GET", path), NO_RESOURCE, "{path}");
    }
    for path in [
        "/nowhere",
        "/API/v1/pods",
        "/apis/no.such.group",
        "/apis/no.such.group/v1",
        "/apis/no.such.group/v1/foos",
        "/apis/example.com/v9",
        "/apis/example.com/v9/widgets",
        "/apis/example.com/v1/foos",
        "/apis/example.com/v1/widgets/x",
        "/healthz/nope",
        "/openapi/v2",
        "/openapi/v2/apis",
    ] {
        assert_eq!(refused("GET", path), NO_PAGE, "{path}");
    }
    assert_eq!(
        refused("GET", "/apis/example.com/v1/namespaces/a/widgets/x/foo"),
        "404 NotFound widgets.example.com \"x\" not found"
    );
}

#[test]
fn documents_of_open_api() {
    for (path, document) in [
        ("/openapi/v3", ""),
        ("/openapi/v3/api/v1", "api/v1"),
        ("/openapi/v3/apis/example.com/v1", "apis/example.com/v1"),
    ] {
        let found = route("GET", path);
        assert!(matches!(&found, Ok(Route::OpenApi(name)) if name == document), "{path}: {found:?}");
    }
}

#[test]
fn methods_that_a_path_does_not_take() {
    for (method, path) in [
        ("POST", "/api/v1/namespaces/a/pods/x"),
        ("PUT", "/api/v1/namespaces/a/pods"),
        ("PATCH", "/api/v1/namespaces/a/pods"),
        ("POST", "/api/v1/pods"),
        ("DELETE", "/api/v1/pods"),
        ("DELETE", "/api/v1/namespaces"),
        ("OPTIONS", "/api/v1/namespaces/a/pods"),
        ("HEAD", "/api/v1/namespaces/a/pods"),
        ("FOO", "/api/v1/namespaces/a/pods"),
        ("GET", "/api/v1/namespaces/a/bindings"),
        ("GET", "/api/v1/namespaces/a/finalize"),
        ("DELETE", "/api/v1/namespaces/a/pods/x/status"),
        ("POST", "/api/v1"),
        ("POST", "/version"),
    ] {
        assert_eq!(refused(method, path), NO_METHOD, "{method} {path}");
    }
    let widgets = "/apis/example.com/v1/namespaces/a/widgets";
    assert_eq!(refused("PUT", widgets), "400 BadRequest name must be provided");
    assert_eq!(
        refused("DELETE", &format!("{widgets}/x/status")),
        "405 MethodNotAllowed delete is not supported on resources of kind \"widgets.example.com\""
    );
    for method in ["POST", "DELETE"] {
        assert_eq!(refused(method, "/apis/example.com/v1/widgets"), NO_PAGE, "{method}");
    }
}

#[test]
fn nobody_climbs_out_of_a_path() {
    for path in [
        "/api/v1/namespaces/a/pods/../configmaps",
        "/api/v1/namespaces/a/pods/%2e%2e/configmaps",
        "/api/v1/namespaces/a/pods/x%2fy%2fz",
        "/api/v1/namespaces/a%2fb/pods",
        "/api/v1/namespaces/..%2f/pods",
        "/api//v1/pods",
        "/api/v1//pods",
        "/api/v1/namespaces//pods",
        "/api/v1/pods//",
    ] {
        assert_eq!(refused("GET", path), NO_RESOURCE, "{path}");
    }
    for path in ["//api/v1/pods", "/../api/v1/pods", "/apis//v1/pods", "/%2e%2e/etc/passwd"] {
        assert_eq!(refused("GET", path), NO_PAGE, "{path}");
    }
    for (path, why) in [
        ("/api/v1/namespaces/a/pods/%2e%2e", "Name parameter invalid: \"..\": may not be '..'"),
        ("/api/v1/namespaces/a/pods/.", "Name parameter invalid: \".\": may not be '.'"),
        ("/api/v1/namespaces/a/pods/x%25y", "Name parameter invalid: \"x%y\": may not contain '%'"),
        ("/api/v1/namespaces/%2e%2e", "Name parameter invalid: \"..\": may not be '..'"),
        ("/api/v1/namespaces/%2e%2e/pods", "Namespace parameter invalid: \"..\": may not be '..'"),
    ] {
        assert_eq!(refused("GET", path), format!("400 BadRequest {why}"), "{path}");
    }
    assert_eq!(refused("GET", "/api/v1/namespaces/%zz/pods"), "400 text 400 Bad Request");
}

#[test]
fn a_timeout_that_makes_no_sense_is_refused_but_for_watches() {
    assert_eq!(
        refused("GET", "/api/v1/pods?timeout=x"),
        "400 BadRequest invalid timeout specified in the request URL - time: invalid duration \"x\""
    );
    assert_eq!(target("GET", "/api/v1/pods?timeout=x&watch=1"), "watch v1 pods - - -");
}

#[test]
fn paths_that_tell_about_the_server() {
    let resources = |group: &str, version: &str| DiscoveryPath::Resources {
        group: group.to_owned(),
        version: version.to_owned(),
    };
    for (path, expected) in [
        ("/", DiscoveryPath::Paths),
        ("/api", DiscoveryPath::CoreVersions),
        ("/api/", DiscoveryPath::CoreVersions),
        ("/apis/", DiscoveryPath::Groups),
        ("/apis/apps", DiscoveryPath::Group("apps".to_owned())),
        ("/apis/example.com/", DiscoveryPath::Group("example.com".to_owned())),
        ("/api/v1", resources("", "v1")),
        ("/apis/apps/v1/", resources("apps", "v1")),
        ("/apis/example.com/v1", resources("example.com", "v1")),
    ] {
        assert_eq!(route("GET", path), Ok(Route::Discovery(expected)), "{path}");
    }
    assert_eq!(route("GET", "/version"), Ok(Route::Version));
    assert_eq!(route("GET", "/healthz"), Ok(Route::Health("healthz")));
    assert_eq!(route("POST", "/livez/"), Ok(Route::Health("livez")));
    assert_eq!(route("GET", "/readyz/ping?verbose"), Ok(Route::Health("readyz")));
}
