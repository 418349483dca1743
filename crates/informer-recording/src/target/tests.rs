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
    for secrets in ["/api/v1/%73ecrets", "/api%2Fv1/secrets", "//api/v1/secrets"] {
        assert_eq!(resource(secrets), some("", "secrets", None, true), "{secrets}");
    }
    assert_eq!(
        Resource::of("/api/v1/namespaces/a/pods/b+%63").and_then(|of| of.name).as_deref(),
        Some("b+c")
    );
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
    let shown = "/api/v1/namespaces/a/services/b/proxy/login?user=c&access_token=x&password=";
    assert_eq!(without_secrets(target), shown);
}

#[test]
fn tokens_are_not_written_wherever_they_stand_in_a_target() {
    let proxy = "/api/v1/namespaces/a/services/b/proxy";
    let jwt = "eyJhbGciOiJI.eyJzdWIiOiJh.c2lnbmF0dXJl"; // 38 letters
    let x = |count: usize| "x".repeat(count);
    for (target, shown) in [
        (format!("{proxy}/reset/{jwt}/now"), format!("{proxy}/reset/{}/now", x(64))),
        (format!("{proxy}/reset/%65{}", &jwt[1..]), format!("{proxy}/reset/{}", x(64))),
        (format!("{proxy}/reset%2F{jwt}"), format!("{proxy}/reset/{}", x(64))),
        (format!("/logs/{jwt}"), format!("/logs/{}", x(64))),
        (format!("/api/v1/pods/{jwt}"), format!("/api/v1/pods/{}", x(64))),
        (format!("{proxy}?jwt={jwt}&a=b%20c"), format!("{proxy}?jwt={}&a=b%20c", x(64))),
        (format!("{proxy}?a=Bearer+{jwt}"), format!("{proxy}?a=Bearer%20{}", x(64))),
        (format!("{proxy}?{jwt}"), format!("{proxy}?{}", x(64))),
        (format!("{proxy}?access%5Ftoken=hush%2F"), format!("{proxy}?access%5Ftoken={}", x(8))),
        (format!("{proxy}?continue={jwt}"), format!("{proxy}?continue={}", x(64))),
        ("/api/v1/pods?to%6Ben=hush".to_owned(), "/api/v1/pods?to%6Ben=xxxx".to_owned()),
    ] {
        assert_eq!(without_secrets(&target), shown);
        assert_eq!(without_secrets(&shown), shown, "nothing is taken out twice");
    }
}

#[test]
fn what_is_asked_for_is_written_also_if_it_looks_like_a_token() {
    for target in [
        "/api/v1/pods?limit=500&continue=eyJ2IjoibWV0.abcd.efgh",
        "/api/v1/namespaces/a/events/broker.17a2b3c4d5e6f708",
        "/api/v1/namespaces/abcdef.0123456789abcdef/events?fieldSelector=metadata.name%3Dbroker.17a2b3c4d5e6f708",
        "/apis/apps/v1/namespaces/a/deployments/b/scale?fieldManager=kubectl%20edit",
        "/api/v1/namespaces/a/pods/b/log?container=c&follow=true&tailLines=10",
        "/version",
        "/api//v1/pods?",
    ] {
        assert_eq!(without_secrets(target), target);
    }
}

#[test]
fn a_target_is_compared_as_it_was_written_down() {
    let asked = "/api/v1/namespaces/a/services/b/proxy/eyJhbGciOiJI.eyJzdWIiOiJh.c2lnbmF0dXJl?token=hush";
    assert_eq!(Target::parse(asked), Target::parse(&without_secrets(asked)));
}

#[test]
fn queries_are_decoded() {
    assert_eq!(decoded("app%3Dweb%2Ctier+in+%28a%29"), "app=web,tier in (a)");
    assert_eq!(decoded("100%"), "100%");
    assert_eq!(decoded("%zz%4"), "%zz%4");
}
