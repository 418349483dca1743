use super::*;

/// What the environment names for a server.
fn named(server: &'static str, variables: &[(&str, &str)]) -> Option<String> {
    let variable = |name: &str| {
        let set = variables.iter().find(|(variable, _)| *variable == name);
        set.map(|(_, value)| (*value).to_owned())
    };
    from_environment(&Uri::from_static(server), variable).unwrap().map(|proxy| proxy.to_string())
}

#[test]
fn the_environment_names_a_proxy_by_the_scheme_of_the_server() {
    let variables = [("HTTPS_PROXY", "http://tls:1"), ("HTTP_PROXY", "http://plain:2")];
    assert_eq!(named("https://api.example.com:6443", &variables).as_deref(), Some("http://tls:1/"));
    assert_eq!(named("http://api.example.com:8080", &variables).as_deref(), Some("http://plain:2/"));
    assert_eq!(named("http://api.example.com:8080", &variables[..1]), None);
    let lower = [("HTTPS_PROXY", ""), ("https_proxy", "socks5://lower:3")];
    assert_eq!(named("https://api.example.com", &lower).as_deref(), Some("socks5://lower:3/"));
    assert_eq!(named("https://api.example.com", &[]), None);
}

#[test]
fn a_server_on_loopback_needs_no_proxy() {
    for server in ["https://127.0.0.1:6443", "https://[::1]:6443", "https://LocalHost:6443"] {
        assert_eq!(named(server, &[("HTTPS_PROXY", "http://proxy:1")]), None, "{server}");
    }
}

#[test]
fn no_proxy_excepts_servers() {
    let excepted =
        |server, list| named(server, &[("HTTPS_PROXY", "http://proxy:1"), ("NO_PROXY", list)]).is_none();
    for list in [
        "example.com",
        ".example.com",
        "*.example.com",
        "other, api.example.com",
        "*",
        "api.example.com:6443",
        "x,,",
    ] {
        assert_eq!(excepted("https://api.example.com:6443", list), list != "x,,", "{list}");
    }
    for list in ["ample.com", "api.example.com:443", "example.org", "10.0.0.0/8", ",", "proxy"] {
        assert!(!excepted("https://api.example.com:6443", list), "{list}");
    }
    for list in ["10.1.2.3", "10.0.0.0/8", "10.1.2.3:443", "*"] {
        assert!(excepted("https://10.1.2.3", list), "{list}");
    }
    assert!(!excepted("https://10.1.2.3", "10.1.2.4,11.0.0.0/8,10.1.2.3:6443"));
    for list in ["fd00::1", "[fd00::1]", "[fd00::1]:6443", "fd00::/8"] {
        assert!(excepted("https://[fd00::1]:6443", list), "{list}");
    }
    assert!(!excepted("https://[fd00::1]:6443", "[fd00::1]:443,fd00::2"));
}

#[test]
fn an_address_that_is_none_is_an_error() {
    let broken = |_: &str| Some("http://a b".to_owned());
    assert!(from_environment(&Uri::from_static("https://api.example.com"), broken).is_err());
}

fn proxy(url: &'static str) -> Result<Option<Proxy>, kube_client::Error> {
    let mut config = Config::new(Uri::from_static("https://api.example.com"));
    config.proxy_url = Some(Uri::from_static(url));
    Proxy::of(&config)
}

#[test]
fn a_proxy_is_taken_by_what_it_speaks() {
    assert!(matches!(proxy("http://proxy:3128"), Ok(Some(Proxy::Http(_)))));
    assert!(matches!(proxy("proxy:3128"), Ok(Some(Proxy::Http(_)))), "as curl and client-go read it");
    assert!(matches!(proxy("https://proxy:3128"), Ok(Some(Proxy::Https(_)))));
    assert!(Proxy::of(&Config::new(Uri::from_static("https://api.example.com"))).unwrap().is_none());
    for other in ["socks4://proxy:1080", "ftp://user:secret@proxy"] {
        let error = proxy(other).err().unwrap().to_string();
        assert!(error.contains("unsupported protocol") && !error.contains("secret"), "{error}");
    }
}

#[test]
fn user_and_password_are_taken_out_of_the_address() {
    let Ok(Some(Proxy::Http(http))) = proxy("http://user:p%40ss@proxy:3128") else { panic!("an HTTP proxy") };
    assert_eq!(http.uri(), "http://proxy:3128/");
    assert_eq!(http.basic_auth().unwrap(), "Basic dXNlcjpwQHNz");
}

#[cfg(feature = "socks")]
#[test]
fn a_socks_proxy_is_known_with_its_user_and_password() {
    assert!(matches!(proxy("socks5://proxy:1080"), Ok(Some(Proxy::Socks5(_)))));
    assert!(matches!(proxy("socks5h://proxy:1080"), Ok(Some(Proxy::Socks5(_)))));
    let Ok(Some(Proxy::Socks5(socks))) = proxy("socks5://user:p%40ss@proxy:1080") else {
        panic!("a SOCKS5 proxy")
    };
    assert_eq!(socks.uri(), "socks5://proxy:1080/");
    assert_eq!(socks.raw_auth(), Some(("user", "p@ss")));
}

#[cfg(not(feature = "socks"))]
#[test]
fn without_the_feature_a_socks_proxy_is_refused_by_its_name() {
    let error = proxy("socks5://user:secret@proxy:1080").err().unwrap().to_string();
    assert!(error.contains("kube-informer/socks") && !error.contains("secret"), "{error}");
}

#[cfg(feature = "socks")]
#[test]
fn the_port_of_a_socks_proxy_is_1080_unless_it_is_named() {
    let port = |address| with_socks_port(&Uri::from_static(address)).to_string();
    assert_eq!(port("socks5://proxy"), "socks5://proxy:1080/");
    assert_eq!(port("socks5h://[fd00::1]/"), "socks5://[fd00::1]:1080/");
    assert_eq!(port("socks5://proxy:9"), "socks5://proxy:9/");
}
