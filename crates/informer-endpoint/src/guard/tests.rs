use super::*;

fn local() -> IpAddr {
    "10.1.2.3".parse().unwrap()
}

fn asks(hosts: &Hosts, host: &str) -> u16 {
    let headers = [(HOST, HeaderValue::try_from(host).unwrap())].into_iter().collect();
    hosts.check(&headers, local()).map_or_else(|refused| refused.status.as_u16(), |()| 200)
}

#[test]
fn only_hosts_that_it_listens_on_are_answered() {
    let hosts = Hosts::default();
    for host in [
        "localhost",
        "LocalHost:9090",
        "localhost.:1",
        "127.0.0.1",
        "127.0.0.9:80",
        "[::1]:9090",
        "10.1.2.3:9090",
        "[::ffff:10.1.2.3]",
    ] {
        assert_eq!(asks(&hosts, host), 200, "{host}");
    }
    for host in [
        "",
        "evil.example",
        "evil.example:9090",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.1.2.4",
        "[::2]",
        "[",
        "[::1",
        "localhost@evil.example",
    ] {
        assert_eq!(asks(&hosts, host), 421, "{host}");
    }
    assert_eq!(Hosts::default().check(&HeaderMap::new(), local()).unwrap_err().status, 421, "none at all");
}

#[test]
fn a_listener_on_all_addresses_is_also_asked_for_by_what_it_prints() {
    let asked = ["0.0.0.0:9090", "[::]:9090", "[::ffff:0.0.0.0]"];
    for bound in ["0.0.0.0", "::"] {
        let everywhere = Hosts::default().bound_to(bound.parse().unwrap()).and("web");
        assert_eq!(asked.map(|host| asks(&everywhere, host)), [200; 3], "{bound}");
        assert_eq!((asks(&everywhere, "10.1.2.4"), asks(&everywhere, "evil.example")), (421, 421));
    }
    let here = Hosts::default().bound_to(local());
    assert_eq!(asked.map(|host| asks(&here, host)), [421; 3]);
}

#[test]
fn of_two_hosts_none_counts() {
    let mut headers = HeaderMap::new();
    headers.append(HOST, HeaderValue::from_static("localhost"));
    headers.append(HOST, HeaderValue::from_static("evil.example"));
    assert_eq!(Hosts::default().check(&headers, local()).unwrap_err().status, 421);
}

#[test]
fn names_of_the_program_are_answered_too() {
    let hosts = Hosts::default().and("Informer.Shop.svc").and("web");
    assert_eq!(
        (asks(&hosts, "informer.shop.svc:9090"), asks(&hosts, "WEB"), asks(&hosts, "localhost")),
        (200, 200, 200)
    );
    assert_eq!(asks(&hosts, "informer.shop.svc.evil.example"), 421);
}

#[test]
fn pages_of_other_sites_get_nothing_and_links_are_followed() {
    let asks = |said: &[(&'static str, &'static str)]| {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        let headers = said.iter().map(header).collect();
        check_site(&headers).map_or_else(|refused| refused.status.as_u16(), |()| 200)
    };
    let (site, mode, dest) = ("sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest");
    assert_eq!(asks(&[]), 200, "no browser, or an old one");
    for own in ["same-origin", "none"] {
        assert_eq!(asks(&[(site, own), (mode, "cors")]), 200, "{own}");
    }
    for foreign in ["cross-site", "same-site"] {
        assert_eq!(asks(&[(site, foreign), (mode, "no-cors"), (dest, "image")]), 403);
        assert_eq!(asks(&[(site, foreign), (mode, "cors"), (dest, "empty")]), 403);
        assert_eq!(asks(&[(site, foreign), (mode, "navigate"), (dest, "iframe")]), 403);
        assert_eq!(asks(&[(site, foreign)]), 403);
        assert_eq!(asks(&[(site, foreign), (mode, "navigate"), (dest, "document")]), 200);
        assert_eq!(asks(&[(site, foreign), (mode, "navigate")]), 200);
    }
}

#[test]
fn the_token_has_to_be_the_whole_one() {
    let check = |said: &'static str| {
        let headers = [(AUTHORIZATION, HeaderValue::from_static(said))].into_iter().collect();
        check_token(&headers, "s3cret").map_or_else(|refused| refused.status.as_u16(), |()| 200)
    };
    assert_eq!(check("Bearer s3cret"), 200);
    for wrong in
        ["", "s3cret", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret1", "Bearer S3cret", "Basic s3cret"]
    {
        assert_eq!(check(wrong), 401, "{wrong:?}");
    }
    assert_eq!(
        check_token(&HeaderMap::new(), "s3cret").unwrap_err().answer().headers()[WWW_AUTHENTICATE],
        "Bearer"
    );
}

#[test]
fn every_answer_has_the_headers_that_keep_browsers_strict() {
    let mut answer = Response::new(());
    harden(&mut answer);
    for (name, value) in ALWAYS {
        assert_eq!(answer.headers()[name], value);
    }
    assert_eq!(answer.headers()[CONTENT_SECURITY_POLICY], NOTHING);
    assert!(answer.headers().keys().all(|name| !name.as_str().starts_with("access-control")));
}
