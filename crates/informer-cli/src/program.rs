//! The informer-endpoint of a running program, asked over HTTP.

use std::fmt::Display;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use kube_client::client::Body;
use kube_client::{Client, Config};
use serde_json::Value;

use crate::failure::Failure;

/// Where the page of a program is. Whoever copies the address of the page means the program.
pub(crate) const INFORMERS: &str = "/debug/informers";

/// What is longer is not read: no informer-endpoint says so much, and it has to fit into our memory several times.
const LONGEST: usize = 64 << 20;

/// So many characters of an answer that is an error are repeated.
const QUOTED: usize = 300;

/// A program that serves informer-endpoint.
pub(crate) struct Program {
    client: Client,
    url: String,
}

impl Program {
    /// The program at the address that was given with `--endpoint`. Nothing is asked yet.
    pub(crate) fn new(url: &str) -> Result<Self, Failure> {
        let wrong = |why: &dyn Display| {
            Failure::usage(format!(
                "--endpoint {url:?} is not an address such as http://127.0.0.1:9090: {why}"
            ))
        };
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix(INFORMERS).unwrap_or(url);
        let address: http::Uri = url.parse().map_err(|error: http::uri::InvalidUri| wrong(&error))?;
        if address.scheme().is_none() || address.host().is_none() {
            return Err(wrong(&"it needs http:// and a host"));
        }
        let client = Client::try_from(Config::new(address)).map_err(|error| wrong(&error))?;
        Ok(Self { client, url: url.to_owned() })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The JSON at a path; the error says what was asked.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, String> {
        let failed = |error: &dyn Display| format!("cannot read {}{path}: {error}", self.url);
        let request = http::Request::get(path).body(Body::empty()).map_err(|error| failed(&error))?;
        let answer = self.client.send(request).await.map_err(|error| failed(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), LONGEST).collect().await;
        let body = body.map_err(|error| {
            if error.is::<LengthLimitError>() {
                return failed(&format!("the answer is longer than {} MiB", LONGEST >> 20));
            }
            failed(&error)
        })?;
        let body = body.to_bytes();
        if !status.is_success() {
            let said: String = String::from_utf8_lossy(&body).trim().chars().take(QUOTED).collect();
            return Err(failed(&format!("HTTP {status}: {said}")));
        }
        serde_json::from_slice(&body).map_err(|error| failed(&error))
    }

    /// What is said of an answer that no informer-endpoint gives.
    pub(crate) fn is_something_else(&self) -> String {
        format!("{} does not answer as an informer-endpoint does", self.url)
    }
}
