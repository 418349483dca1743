use super::accept::form;
use super::*;

#[test]
fn the_form_is_the_one_that_is_wanted_most() {
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    assert_eq!(form(table), Some("Table"));
    let metadata = "application/json; as=PartialObjectMetadataList; g=meta.k8s.io; v=v1";
    assert_eq!(form(metadata), Some("PartialObjectMetadata"));
    assert_eq!(form("application/json,application/json;as=Table"), None);
    assert_eq!(form(""), None);
    assert_eq!(form("application/json;as=eyJh.bGci.Oi12"), None);
}

#[test]
fn objects_are_given_in_the_first_form_that_there_is() {
    use super::accept::{ObjectForm, negotiate};
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    for whole in ["", "*/*", "application/json, */*", &format!("{table},application/json")] {
        assert_eq!(negotiate(whole), Some(ObjectForm::Whole), "{whole}");
    }
    assert_eq!(
        negotiate("application/vnd.kubernetes.protobuf;stream=watch,application/json"),
        Some(ObjectForm::Whole)
    );
    assert_eq!(negotiate(&format!("{table},{metadata},application/json")), Some(ObjectForm::Metadata));
    for none in [table, "application/vnd.kubernetes.protobuf", "text/html"] {
        assert_eq!(negotiate(none), None, "{none}");
    }
}

#[test]
fn only_this_machine_is_answered_by_its_own_names() {
    let code = |headers: &[(&'static str, &'static str)]| {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, http::HeaderValue::from_static(value));
        }
        refusal(&Uri::from_static("/api/v1/pods"), &map).map(|answer| answer.status().as_u16())
    };
    for host in ["localhost", "localhost:8001", "127.0.0.1:1", "[::1]:8001", "[::1]"] {
        assert_eq!(code(&[("host", host)]), None, "{host}");
    }
    for host in ["", "example.com", "localhost.example.com:80", "127.0.0.1.example.com"] {
        assert_eq!(code(&[("host", host)]), Some(403), "{host}");
    }
    assert_eq!(code(&[("host", "localhost"), ("origin", "http://localhost")]), Some(403));
    for site in ["cross-site", "same-site", "same-origin", ""] {
        assert_eq!(code(&[("host", "localhost"), ("sec-fetch-site", site)]), Some(403), "{site}");
    }
    assert_eq!(code(&[("host", "localhost"), ("sec-fetch-site", "none")]), None);
}

#[test]
fn watches_over_a_websocket_are_to_be_asked_for_without_one_and_an_offer_of_http2_changes_nothing() {
    let code = |target: &'static str, protocol: &'static str| {
        let headers = [(HOST, "localhost"), (UPGRADE, protocol)];
        let headers = headers.map(|(name, value)| (name, http::HeaderValue::from_static(value)));
        refusal(&Uri::from_static(target), &headers.into_iter().collect())
            .map(|answer| answer.status().as_u16())
    };
    let watches = ["/api/v1/pods?watch=true", "/apis/apps/v1/deployments?a=b&watch=1", "/api/v1/watch/pods"];
    let others =
        ["/api/v1/pods", "/api/v1/pods?watch=false", "/api/v1/namespaces/watch/pods/b/exec?command=sh"];
    for target in watches.into_iter().chain(others) {
        let is_watch = watches.contains(&target);
        for protocol in ["websocket", "WebSocket", "h2c, websocket"] {
            assert_eq!(code(target, protocol), Some(if is_watch { 503 } else { 501 }), "{target} {protocol}");
        }
        assert_eq!(code(target, "SPDY/3.1"), Some(501), "{target}");
        assert_eq!(code(target, "h2c"), None, "{target}");
    }
}
