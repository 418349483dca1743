//! Who may ask what: the headers of every answer, the `Host` of every request, and the token for contents.

use std::net::IpAddr;
use std::sync::Arc;

use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, REFERRER_POLICY, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};

use crate::answer::Refusal;

/// What an answer that is no page may do in a browser: nothing.
const NOTHING: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; base-uri 'none'");

/// Headers of every answer. There are none of CORS, so a script of another site cannot read an answer.
const ALWAYS: [(HeaderName, HeaderValue); 5] = [
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// Names that always mean this machine: a browser does not ask a name server for them.
const LOCALHOST: [&str; 2] = ["localhost", "localhost."];

/// Sets the headers that every answer has. A page has a policy of its own, which stays.
pub(crate) fn harden<B>(answer: &mut Response<B>) {
    let headers = answer.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, value);
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NOTHING);
}

/// Refuses anything but GET and HEAD.
pub(crate) fn check_method(method: &Method) -> Result<(), Refusal> {
    if method == Method::GET || method == Method::HEAD {
        return Ok(());
    }
    let why = "only GET and HEAD are answered";
    Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, why).with(ALLOW, "GET, HEAD"))
}

/// Refuses what a page of another site makes a browser ask for behind the back of its user: images, scripts, frames and `fetch`. It could
/// not read the answer, but the program would have to make it, and a stream takes a place. A link that somebody follows is no such
/// thing. Only browsers say where a request comes from, and a page cannot make them say something else.
pub(crate) fn check_site(headers: &HeaderMap) -> Result<(), Refusal> {
    let said = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let is_foreign = matches!(said("sec-fetch-site"), Some(b"cross-site" | b"same-site"));
    let is_followed = said("sec-fetch-mode") == Some(b"navigate")
        && said("sec-fetch-dest").is_none_or(|destination| destination == b"document");
    if !is_foreign || is_followed {
        return Ok(());
    }
    Err(Refusal::new(StatusCode::FORBIDDEN, "pages of other sites are not answered; open the address itself"))
}

/// The names that a listener answers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    /// What the program has set.
    more: Arc<[Box<str>]>,
    /// Whether it listens on all addresses of the machine.
    is_everywhere: bool,
}

impl Hosts {
    pub(crate) fn and(&self, name: &str) -> Self {
        let more = self.more.iter().cloned().chain([name.to_ascii_lowercase().into()]);
        Self { more: more.collect(), ..*self }
    }

    /// The names of a listener at this address.
    pub(crate) fn bound_to(self, address: IpAddr) -> Self {
        Self { is_everywhere: address.to_canonical().is_unspecified(), ..self }
    }

    /// Refuses a request whose `Host` is neither this machine, nor the address that it came to, nor a name that the
    /// program has set. A page of another site can have its own name resolve to this address, and a browser would then let it
    /// read the answers; but it cannot make the browser send another `Host`.
    ///
    /// Who listens on all addresses prints `0.0.0.0` or `[::]`, and people ask for what is printed. No name server has a say in
    /// that either.
    pub(crate) fn check(&self, headers: &HeaderMap, local: IpAddr) -> Result<(), Refusal> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next().map(HeaderValue::to_str), hosts.next()) {
            (Some(Ok(host)), None) => without_port(host).to_ascii_lowercase(),
            _ => String::new(),
        };
        let is_address = |address: IpAddr| {
            address.is_loopback()
                || address == local.to_canonical()
                || (self.is_everywhere && address.is_unspecified())
        };
        let is_known = LOCALHOST.contains(&&*host)
            || host.parse::<IpAddr>().is_ok_and(|address| is_address(address.to_canonical()))
            || self.more.iter().any(|more| **more == *host);
        if is_known {
            return Ok(());
        }
        Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this name is not one that the program listens on; ask by address, or have the program allow the name \
             (Endpoint::host)",
        ))
    }
}

/// The host without its port, and an IPv6 address without its brackets.
fn without_port(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').map_or("", |(address, _)| address);
    }
    host.split_once(':').map_or(host, |(host, _)| host)
}

/// Refuses a request without the token.
pub(crate) fn check_token(headers: &HeaderMap, token: &str) -> Result<(), Refusal> {
    let said = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let is_right =
        said.and_then(|said| said.strip_prefix(b"Bearer ")).is_some_and(|said| same(said, token.as_bytes()));
    if is_right {
        return Ok(());
    }
    let why = "contents of objects need the token of the program";
    Err(Refusal::new(StatusCode::UNAUTHORIZED, why).with(WWW_AUTHENTICATE, "Bearer"))
}

/// Whether two are the same. How long it takes tells their lengths, and nothing else of them.
fn same(said: &[u8], token: &[u8]) -> bool {
    let differing =
        said.iter().zip(token).fold(0, |differing, (a, b)| std::hint::black_box(differing | (a ^ b)));
    said.len() == token.len() && differing == 0
}

#[cfg(test)]
mod tests;
