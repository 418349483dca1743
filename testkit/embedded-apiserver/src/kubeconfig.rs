//! The address and token of a server, for clients.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;

use http::Uri;
use kube_client::Config;
use serde_json::Value;

/// A kubeconfig as YAML. There is no TLS, and JavaScript's client wants to be told so before it sends anything.
pub(crate) fn yaml(url: &str, token: Option<&str>) -> String {
    let user = match token {
        // Every JSON string is a valid YAML string.
        Some(token) => format!("\n    token: {}", Value::from(token)),
        None => " {}".to_owned(),
    };
    format!(
        "apiVersion: v1\n\
         kind: Config\n\
         clusters:\n\
         - name: embedded\n  \
           cluster:\n    \
             server: {url}\n    \
             insecure-skip-tls-verify: true\n\
         users:\n\
         - name: embedded\n  \
           user:{user}\n\
         contexts:\n\
         - name: embedded\n  \
           context:\n    \
             cluster: embedded\n    \
             user: embedded\n    \
             namespace: default\n\
         current-context: embedded\n"
    )
}

/// Writes a kubeconfig to a file that only its owner may read. The permissions of an existing file are changed.
pub(crate) fn write(path: &Path, yaml: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(yaml.as_bytes())
}

/// The configuration of a client in this process.
pub(crate) fn config(address: SocketAddr, token: Option<&str>) -> Config {
    let authority = address.to_string();
    let uri = Uri::builder().scheme("http").authority(authority).path_and_query("/").build();
    // Never an error: a socket address is always a valid authority of a URL.
    let mut config = Config::new(uri.unwrap_or_default());
    config.auth_info.token = token.map(|token| token.to_owned().into());
    config
}
