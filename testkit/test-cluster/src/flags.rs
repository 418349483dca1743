//! The command lines of etcd and kube-apiserver.

use std::path::Path;

use crate::options::Options;

/// The paths within the directory of a cluster.
pub(crate) const ETCD_DATA: &str = "etcd";
pub(crate) const ETCD_SOCKET: &str = "etcd.sock";
pub(crate) const CERT_DIR: &str = "certs";
pub(crate) const TOKENS: &str = "tokens.csv";
pub(crate) const CLIENT_AUTHORITIES: &str = "client-authorities.pem";

/// etcd listens on a socket in the cluster's directory, so it needs no port and cannot be confused with
/// another etcd.
///
/// It insists that the addresses it advertises have a port. They matter only to other members, and there are none.
pub(crate) fn etcd(dir: &Path) -> Vec<String> {
    let at = |name: &str| dir.join(name).display().to_string();
    vec![
        format!("--data-dir={}", at(ETCD_DATA)),
        format!("--listen-client-urls=unix://{}", at(ETCD_SOCKET)),
        "--advertise-client-urls=http://127.0.0.1:2379".to_owned(),
        format!("--listen-peer-urls=unix://{}", at("etcd-peer.sock")),
        "--initial-advertise-peer-urls=http://127.0.0.1:2380".to_owned(),
        "--initial-cluster=default=http://127.0.0.1:2380".to_owned(),
        // The data survives a killed etcd without fsync; it need not survive a crash of the machine.
        "--unsafe-no-fsync".to_owned(),
    ]
}

pub(crate) fn kube_apiserver(dir: &Path, port: u16, options: &Options) -> Vec<String> {
    let at = |name: &str| dir.join(name).display().to_string();
    let serving_key = dir.join(CERT_DIR).join("apiserver.key").display().to_string();
    let mut flags = vec![
        format!("--etcd-servers=unix://{}", at(ETCD_SOCKET)),
        format!("--cert-dir={}", at(CERT_DIR)),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        // Any address but loopback; without it the server looks for a default route and fails if there is none.
        "--advertise-address=10.0.0.1".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        // Service account tokens need some key pair to be signed with; the one of the generated certificate will do.
        format!("--service-account-key-file={serving_key}"),
        format!("--service-account-signing-key-file={serving_key}"),
        format!("--token-auth-file={}", at(TOKENS)),
        format!("--authorization-mode={}", options.authorization_mode),
        // This plugin requires a service account for every pod, and there is no controller to create it.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        // On SIGTERM end open watches cleanly within seconds; by default they are held for 60 s and then cut.
        "--shutdown-send-retry-after=true".to_owned(),
        "--shutdown-watch-termination-grace-period=1s".to_owned(),
    ];
    if options.client_authorities.is_some() {
        flags.push(format!("--client-ca-file={}", at(CLIENT_AUTHORITIES)));
    }
    if !options.feature_gates.is_empty() {
        flags.push(format!("--feature-gates={}", options.feature_gates.join(",")));
    }
    flags.extend(options.apiserver_args.iter().cloned());
    flags
}

pub(crate) fn kube_controller_manager(kubeconfig: &Path, controllers: &[&str]) -> Vec<String> {
    vec![
        format!("--kubeconfig={}", kubeconfig.display()),
        format!("--controllers={}", controllers.join(",")),
        "--leader-elect=false".to_owned(),
        // It serves nothing.
        "--secure-port=0".to_owned(),
        // By default it sends 20 requests a second, and discovery alone takes dozens.
        "--kube-api-qps=1000".to_owned(),
        "--kube-api-burst=1000".to_owned(),
    ]
}

#[cfg(test)]
mod tests;
