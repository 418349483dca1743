//! The configuration of a program that runs in a pod: files that Kubernetes mounts, two variables, and the server.

use std::fs;
use std::net::Ipv6Addr;
use std::path::Path;

use http::Uri;
use kube_client::Config;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

/// Where pods have the files of their service account.
pub(super) const MOUNTED: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The server that a pod's variables name.
pub(super) fn server(variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let variable = |name| {
        variable(name)
            .filter(|value| !value.is_empty())
            .ok_or_else(|| format!("the variable {name} is not set"))
    };
    let (host, port) = (variable("KUBERNETES_SERVICE_HOST")?, variable("KUBERNETES_SERVICE_PORT")?);
    Ok(match host.parse::<Ipv6Addr>() {
        Ok(address) => format!("https://[{address}]:{port}"),
        Err(_) => format!("https://{host}:{port}"),
    })
}

/// The configuration for a server with a service account's files in this directory.
///
/// Token and authorities are named, not taken: both files are replaced while a program runs.
pub(super) fn config(server: &str, directory: &Path) -> Result<Config, String> {
    let url: Uri =
        server.parse().map_err(|error| format!("{server:?} is no address of a server: {error}"))?;
    if url.scheme().is_none() || url.host().is_none_or(str::is_empty) {
        return Err(format!("{server:?} is no address of a server, such as https://10.0.0.1:443"));
    }
    let read = |file: &Path| fs::read(file).map_err(|error| format!("{}: {error}", file.display()));

    let token = directory.join("token");
    if read(&token)?.trim_ascii().is_empty() {
        return Err(format!("{} is empty", token.display()));
    }
    let authorities = directory.join("ca.crt");
    let certificates: Vec<Vec<u8>> = CertificateDer::pem_slice_iter(&read(&authorities)?)
        .map(|certificate| certificate.map(|certificate| certificate.to_vec()))
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{}: {error}", authorities.display()))?;
    if certificates.is_empty() {
        return Err(format!("{} has no certificate", authorities.display()));
    }

    let mut config = Config::new(url);
    config.auth_info.token_file = Some(token.display().to_string());
    config.root_cert = Some(certificates);
    config.root_cert_file = Some(authorities);
    // Not every service account that is mounted by hand has it.
    if let Ok(namespace) = fs::read_to_string(directory.join("namespace")) {
        config.default_namespace = namespace.trim().to_owned();
    }
    Ok(config)
}

#[cfg(test)]
mod tests;
