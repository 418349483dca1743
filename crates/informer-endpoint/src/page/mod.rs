//! The pages: HTML, style and script in one file each, which asks for nothing but the events of this program.
//!
//! No page has anything of the program in it: that comes as events, and the scripts write it into the document as text. So a page
//! is the same for everybody, and its policy allows exactly its own script and style, by their hashes.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, Response, StatusCode};
use ring::digest::{SHA256, digest};

use crate::answer::{Body, typed};

const STYLE: &str = include_str!("style.css");
const COMMON: &str = include_str!("common.js");

/// A page put together.
pub(crate) struct Page {
    html: String,
    policy: HeaderValue,
}

/// `/debug/informers` for browsers.
pub(crate) static INFORMERS: LazyLock<Page> =
    LazyLock::new(|| Page::new(include_str!("informers.html"), include_str!("informers.js")));

/// `/debug/objects`.
pub(crate) static OBJECTS: LazyLock<Page> =
    LazyLock::new(|| Page::new(include_str!("objects.html"), include_str!("objects.js")));

impl Page {
    fn new(frame: &str, script: &str) -> Self {
        let script = format!("{COMMON}\n{script}");
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; connect-src 'self'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
            hash(&script),
            hash(STYLE)
        );
        Self {
            html: frame.replace("{style}", STYLE).replace("{script}", &script),
            // A hash in base64 has no character that a header may not have.
            policy: HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'")),
        }
    }

    pub(crate) fn answer(&self) -> Response<Body> {
        let mut answer = typed(StatusCode::OK, "text/html; charset=utf-8", Body::from(self.html.clone()));
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        answer
    }
}

/// As a content security policy names a script or style.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

#[cfg(test)]
mod tests;
