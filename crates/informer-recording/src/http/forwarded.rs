//! Which headers of a request are passed on.

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderMap,
    HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};

/// What is between the client and us, and what says who the client is: a request is sent with our credentials.
const OURS: [HeaderName; 16] = [
    ACCEPT,
    ACCEPT_ENCODING,
    AUTHORIZATION,
    CONNECTION,
    CONTENT_LENGTH,
    COOKIE,
    EXPECT,
    HOST,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// All other headers are passed on, also those that nobody here knows: without `Impersonate-User` a request that is to be
/// made with the rights of somebody else would be made with ours.
pub(super) fn forwarded(headers: &HeaderMap, accept: &str) -> HeaderMap {
    let named: Vec<&str> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|names| names.to_str().ok())
        .flat_map(|names| names.split(','))
        .map(str::trim)
        .collect();
    let is_ours = |name: &HeaderName| {
        OURS.contains(name) || named.iter().any(|one| one.eq_ignore_ascii_case(name.as_str()))
    };
    let mut passed = HeaderMap::new();
    for (name, value) in headers.iter().filter(|(name, _)| !is_ours(name)) {
        passed.append(name, value.clone());
    }
    if let Ok(accept) = HeaderValue::from_str(accept) {
        passed.insert(ACCEPT, accept);
    }
    // What is compressed could not be looked through.
    passed.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    passed
}
