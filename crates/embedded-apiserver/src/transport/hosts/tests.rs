use http::HeaderValue;

use super::*;

#[test]
fn loopback_and_what_was_allowed_are_names_of_the_server() {
    let hosts = Hosts::new(["kind.example.com".to_owned()]);
    let is_refused = |host: &'static str| {
        let headers = [(HOST, HeaderValue::from_static(host))].into_iter().collect();
        hosts.refusal(&headers).is_some()
    };
    for host in [
        "localhost",
        "LocalHost:8080",
        "127.0.0.1:1",
        "127.9.9.9",
        "[::1]:80",
        "kind.example.com",
        "Kind.example.com:1",
    ] {
        assert!(!is_refused(host), "{host}");
    }
    for host in
        ["", "example.com", "localhost.example.com:80", "127.0.0.1.example.com", "10.0.0.1:80", "[::2]"]
    {
        assert!(is_refused(host), "{host}");
    }
    assert!(hosts.refusal(&HeaderMap::new()).is_some());
}
