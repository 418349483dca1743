use super::*;

fn resource(path: &str) -> Option<(String, String, Option<String>, bool)> {
    Resource::of(path).map(|of| (of.group, of.plural, of.namespace, of.is_collection))
}

fn some(
    group: &str,
    plural: &str,
    namespace: Option<&str>,
    all: bool,
) -> Option<(String, String, Option<String>, bool)> {
    Some((group.into(), plural.into(), namespace.map(Into::into), all))
}

#[test]
fn paths_name_resources() {
    assert_eq!(resource("/api/v1/pods"), some("", "pods", None, true));
    assert_eq!(resource("/api/v1/namespaces/a/secrets"), some("", "secrets", Some("a"), true));
    assert_eq!(resource("/api/v1/namespaces/a/secrets/b"), some("", "secrets", Some("a"), false));
    assert_eq!(resource("/api/v1/namespaces/a"), some("", "namespaces", None, false));
    assert_eq!(resource("/api/v1/namespaces/a/status"), some("", "namespaces", None, false));
    assert_eq!(resource("/api/v1/namespaces"), some("", "namespaces", None, true));
    assert_eq!(resource("/apis/apps/v1/deployments"), some("apps", "deployments", None, true));
    assert_eq!(
        resource("/apis/apps/v1/namespaces/a/deployments/b/scale"),
        some("apps", "deployments", Some("a"), false)
    );
    assert_eq!(resource("/api/v1/watch/secrets"), some("", "secrets", None, true));
    assert_eq!(resource("/api/v1/watch/namespaces/a/secrets"), some("", "secrets", Some("a"), true));
    let is_old_watch = |path: &str| Resource::of(path).is_some_and(|of| of.is_old_watch);
    assert!(
        is_old_watch("/api/v1/watch/pods") && is_old_watch("/apis/apps/v1/watch/namespaces/a/deployments")
    );
    assert!(!is_old_watch("/api/v1/namespaces/watch/pods") && !is_old_watch("/apis/watch/v1/pods"));
    for path in ["/", "/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/version", "/openapi/v3"] {
        assert_eq!(resource(path), None, "{path}");
    }
}

#[test]
fn the_same_request_may_last_longer_and_one_like_it_may_begin_elsewhere() {
    let first = Target::parse("/api/v1/pods?watch=1&resourceVersion=5&timeoutSeconds=300");
    let second = Target::parse("/api/v1/pods?timeoutSeconds=411&resourceVersion=5&watch=true");
    assert_eq!(first, second);
    let later = Target::parse("/api/v1/pods?watch=true&resourceVersion=9");
    assert!(first != later && first.resembles(&later));
    for other in [
        "/api/v1/nodes?watch=true&resourceVersion=5",
        "/api/v1/pods?resourceVersion=5",
        "/api/v1/pods?watch=true&resourceVersion=5&sendInitialEvents=true",
        "/api/v1/pods?watch=true&resourceVersion=5&labelSelector=a",
        "/api/v1/pods?watch=true&resourceVersion=5&continue=a",
    ] {
        assert!(!first.resembles(&Target::parse(other)), "{other}");
    }
}

#[test]
fn values_of_parameters_with_the_names_of_secrets_are_not_written() {
    let target = "/api/v1/namespaces/a/services/b/proxy/login?user=c&access_token=d&password=";
    let shown = "/api/v1/namespaces/a/services/b/proxy/login?user=c&access_token=x&password=x";
    assert_eq!(without_secrets(target), shown);
    let list = "/api/v1/pods?limit=500&continue=abc";
    assert_eq!(without_secrets(list), list);
}

#[test]
fn queries_are_decoded() {
    assert_eq!(decoded("app%3Dweb%2Ctier+in+%28a%29"), "app=web,tier in (a)");
    assert_eq!(decoded("100%"), "100%");
    assert_eq!(decoded("%zz%4"), "%zz%4");
}
