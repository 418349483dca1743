//! By which names the server is called.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::HOST;

use crate::status::ApiError;

/// What browsers say about the page that a request comes from.
const SITE: &str = "sec-fetch-site";

/// The names that a server on loopback answers to. A page in a browser can have a name that leads to this machine, and could
/// read and change all objects.
#[derive(Clone, Debug)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    /// These, beside those of loopback.
    pub(crate) fn new(others: impl IntoIterator<Item = String>) -> Self {
        Self(others.into_iter().collect())
    }

    /// Why a request is not answered that calls the server by another name or that the page of another site makes: writes need
    /// no leave of the server if the page does not read the answer.
    pub(crate) fn refusal(&self, headers: &HeaderMap) -> Option<ApiError> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let is_ours = address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            || name.eq_ignore_ascii_case("localhost")
            || self.0.iter().any(|other| other.eq_ignore_ascii_case(name));
        let forbidden = |message: String| Some(ApiError::new(403, "Forbidden", message));
        if !is_ours {
            return forbidden(format!(
                "the server is not called {name:?}: it answers to localhost and 127.0.0.1, and to a further name with \
                 `informer serve --host NAME`"
            ));
        }
        // `none` is what somebody typed or has as a bookmark. Clients that are no browsers do not say it.
        match headers.get(SITE) {
            Some(site) if site != "none" && site != "same-origin" => {
                forbidden("pages of other sites are not answered, whatever names `--host` adds".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
