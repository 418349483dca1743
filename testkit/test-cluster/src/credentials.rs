//! The tokens of a cluster and its kubeconfig.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::rand::{SecureRandom, SystemRandom};

/// The bearer tokens of one cluster. Each cluster has its own, so a client that reaches another cluster by mistake is
/// refused.
#[derive(Clone)]
pub(crate) struct Tokens {
    pub(crate) admin: String,
    pub(crate) unprivileged: String,
}

impl Tokens {
    pub(crate) fn generate() -> Result<Self> {
        Ok(Self { admin: random_token()?, unprivileged: random_token()? })
    }

    /// Writes the file for `--token-auth-file`: one line with token, user, uid and groups for each.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let Self { admin, unprivileged } = self;
        let lines = format!("{admin},admin,1,\"system:masters\"\n{unprivileged},unprivileged,2,\n");
        fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Replaces a file atomically: a reader sees either the old or the new content.
pub(crate) fn replace(path: &Path, content: &str) -> Result<()> {
    let new = path.with_extension("new");
    let replaced = fs::write(&new, content).and_then(|()| fs::rename(&new, path));
    replaced.with_context(|| format!("cannot write {}", path.display()))
}

fn random_token() -> Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok().context("the system has no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A kubeconfig with one cluster, one user and one context.
pub(crate) fn kubeconfig(url: &str, ca_cert_pem: &str, token: &str) -> String {
    let ca = BASE64.encode(ca_cert_pem);
    format!(
        "apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster:
    server: {url}
    certificate-authority-data: {ca}
users:
- name: test
  user:
    token: {token}
contexts:
- name: test
  context:
    cluster: test
    user: test
    namespace: default
"
    )
}

#[cfg(test)]
mod tests;
