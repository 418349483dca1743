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

/// A form or `fetch(…, { mode: "no-cors" })` calls the server by its own name.
#[test]
fn pages_of_other_sites_write_nothing() {
    let hosts = Hosts::new([]);
    let message = |host: &'static str, site: &'static str| {
        let headers = [(HOST, host), (http::HeaderName::from_static("sec-fetch-site"), site)];
        let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
        hosts.refusal(&headers.into_iter().collect()).map(|error| format!("{error:?}"))
    };
    for site in ["cross-site", "same-site", ""] {
        assert!(message("localhost:1", site).is_some_and(|said| said.contains("other sites")), "{site}");
    }
    for site in ["none", "same-origin"] {
        assert_eq!(message("localhost:1", site), None);
    }
    assert!(message("kind.example.com", "none").is_some_and(|said| said.contains("--host")));
}
