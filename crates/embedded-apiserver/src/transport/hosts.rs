//! By which names the server is called.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::HOST;

use crate::status::ApiError;

/// The names that a server on loopback answers to. A page in a browser can have a name that leads to this machine, and could
/// read and change all objects.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    /// These, beside those of loopback.
    pub(crate) fn new(others: impl IntoIterator<Item = String>) -> Self {
        Self(others.into_iter().collect())
    }

    /// Why a request that calls the server by another name is not answered.
    pub(crate) fn refusal(&self, headers: &HeaderMap) -> Option<ApiError> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let is_ours = address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            || name.eq_ignore_ascii_case("localhost")
            || self.0.iter().any(|other| other.eq_ignore_ascii_case(name));
        (!is_ours).then(|| {
            let message = format!("the server is not called {name:?}: it answers to localhost and 127.0.0.1");
            ApiError::new(403, "Forbidden", message)
        })
    }
}

#[cfg(test)]
mod tests;
