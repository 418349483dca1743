//! The proxy on the way to the server: which one, and how to connect through it.

use http::Uri;
#[cfg(feature = "socks")]
use hyper_util::client::legacy::connect::proxy::SocksV5;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use kube_client::Config;

use super::address;

/// A proxy by what it speaks.
pub(super) enum Proxy {
    Http(Intercept),
    Https(Intercept),
    #[cfg(feature = "socks")]
    Socks5(Intercept),
}

impl Proxy {
    /// The proxy that a configuration names.
    pub(super) fn of(config: &Config) -> Result<Option<Self>, kube_client::Error> {
        let Some(url) = &config.proxy_url else { return Ok(None) };
        // Without the password that may be in it.
        let shown = || Box::new(address(url, "http").parse().unwrap_or_default());
        let unsupported = || kube_client::Error::ProxyProtocolUnsupported { proxy_url: shown() };
        // It takes the address apart; whether a proxy is used is not its decision here.
        let any_server = Uri::from_static("https://server");
        let proxy = Matcher::builder().all(url.to_string()).build().intercept(&any_server);
        let proxy = proxy.ok_or_else(unsupported)?;
        match proxy.uri().scheme_str() {
            Some("http") => Ok(Some(Self::Http(proxy))),
            Some("https") => Ok(Some(Self::Https(proxy))),
            #[cfg(feature = "socks")]
            Some("socks5" | "socks5h") => Ok(Some(Self::Socks5(proxy))),
            #[cfg(not(feature = "socks"))]
            Some("socks5" | "socks5h") => Err(kube_client::Error::ProxyProtocolDisabled {
                proxy_url: shown(),
                protocol_feature: "kube-informer/socks",
            }),
            _ => Err(unsupported()),
        }
    }
}

/// Connects by asking an HTTP proxy with `CONNECT`.
pub(super) fn tunnel<C>(proxy: &Intercept, connector: C) -> Tunnel<C> {
    let tunnel = Tunnel::new(proxy.uri().clone(), connector);
    match proxy.basic_auth() {
        Some(credentials) => tunnel.with_auth(credentials.clone()),
        None => tunnel,
    }
}

/// Connects by asking a SOCKS5 proxy, which also resolves the name of the server.
#[cfg(feature = "socks")]
pub(super) fn socks5<C>(proxy: &Intercept, connector: C) -> SocksV5<C> {
    let socks = SocksV5::new(with_socks_port(proxy.uri()), connector);
    match proxy.raw_auth() {
        Some((user, password)) => socks.with_auth(user.to_owned(), password.to_owned()),
        None => socks,
    }
}

/// 1080 unless the address says otherwise: the connector knows the ports of HTTP only.
#[cfg(feature = "socks")]
fn with_socks_port(address: &Uri) -> Uri {
    let named = match (address.port(), address.host()) {
        (None, Some(host)) => format!("socks5://{host}:1080").parse().ok(),
        _ => None,
    };
    named.unwrap_or_else(|| address.clone())
}

/// The proxy that the environment names for a server, by the rules of client-go: `HTTPS_PROXY`, or `HTTP_PROXY` for a
/// server without TLS, unless the server is on loopback or `NO_PROXY` excepts it.
pub(super) fn from_environment(
    server: &Uri,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Uri>, http::uri::InvalidUri> {
    let either = |upper: &str| {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        set(upper).or_else(|| set(&upper.to_ascii_lowercase()))
    };
    let plain = server.scheme_str() == Some("http");
    let Some(proxy) = either(if plain { "HTTP_PROXY" } else { "HTTPS_PROXY" }) else { return Ok(None) };
    let excepted = either("NO_PROXY").is_some_and(|list| is_excepted(server, &list));
    if excepted || is_loopback(server) { Ok(None) } else { proxy.parse().map(Some) }
}

fn is_loopback(server: &Uri) -> bool {
    let host = server.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Whether a list as in `NO_PROXY` has the server: names with all below them, addresses and networks, each for one port
/// or for all, or `*` for everything.
fn is_excepted(server: &Uri, list: &str) -> bool {
    let default = if server.scheme_str() == Some("http") { 80 } else { 443 };
    let port = server.port_u16().unwrap_or(default);
    let mut hosts = Vec::new();
    for entry in list.split(',').map(str::trim) {
        if entry == "*" {
            return true;
        }
        match entry.rsplit_once(':') {
            // More colons are those of an IPv6 address.
            Some((host, one)) if !host.contains(':') || host.ends_with(']') => {
                if one.parse() == Ok(port) {
                    hosts.push(host);
                }
            }
            _ => hosts.push(entry),
        }
    }
    let plain = |host: &&str| host.trim_start_matches('*').trim_matches(['[', ']']).to_owned();
    let hosts: Vec<_> = hosts.iter().map(plain).collect();
    Matcher::builder().all("http://any").no(hosts.join(",")).build().intercept(server).is_none()
}

#[cfg(test)]
mod tests;
