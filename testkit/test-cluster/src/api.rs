//! A blocking HTTPS client, just enough to ask the API server whether it is ready.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// Longer than the API server needs for a single object.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A client of the API server at one address, which trusts only that server's certificate.
pub(crate) struct Api<'a> {
    pub(crate) url: &'a str,
    pub(crate) token: &'a str,
    pub(crate) ca_cert_pem: &'a str,
}

impl Api<'_> {
    /// The body of the answer to a GET; an error unless the status is 2xx.
    pub(crate) fn get(&self, path: &str) -> Result<String> {
        let url = format!("{}{path}", self.url);
        let mut response = agent(self.ca_cert_pem)?
            .get(&url)
            .header("Authorization", format!("Bearer {}", self.token))
            .call()
            .with_context(|| format!("GET {url}"))?;
        let body = response.body_mut().read_to_string().with_context(|| format!("GET {url}"))?;
        ensure!(response.status().is_success(), "GET {url}: {}: {}", response.status(), body.trim());
        Ok(body)
    }
}

/// A new agent for each request, because a connection that is kept open would not survive a restart of the server.
fn agent(ca_cert_pem: &str) -> Result<Agent> {
    let mut certificates = Vec::new();
    for item in parse_pem(ca_cert_pem.as_bytes()) {
        if let PemItem::Certificate(certificate) = item.context("cannot read the API server's certificate")? {
            certificates.push(certificate);
        }
    }
    ensure!(!certificates.is_empty(), "the API server has not written its certificate yet");
    let tls = TlsConfig::builder().root_certs(RootCerts::new_with_certs(&certificates)).build();
    Ok(Agent::config_builder()
        .tls_config(tls)
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        // The server is on loopback, whatever proxy the environment names.
        .proxy(None)
        .build()
        .into())
}
