//! The options of a cluster.

use crate::authority::Authority;

/// Feature gates every cluster of a test run gets, in the API server's own syntax (`WatchList=false,…`).
const GATES_VARIABLE: &str = "KUBE_INFORMER_FEATURE_GATES";

/// The options of a [`Cluster`](crate::Cluster).
///
/// The default has the feature gates named in the environment variable `KUBE_INFORMER_FEATURE_GATES`
/// (for example `WatchList=false`), so that a whole test run can use another kind of server.
#[derive(Debug, Clone)]
#[must_use]
pub struct Options {
    pub(crate) feature_gates: Vec<String>,
    pub(crate) apiserver_args: Vec<String>,
    pub(crate) authorization_mode: String,
    pub(crate) client_authorities: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            feature_gates: split_gates(&std::env::var(GATES_VARIABLE).unwrap_or_default()),
            apiserver_args: Vec::new(),
            authorization_mode: "AlwaysAllow".to_owned(),
            client_authorities: None,
        }
    }
}

impl Options {
    /// Switches a feature gate of the API server; takes precedence over the environment variable.
    pub fn feature_gate(mut self, name: &str, on: bool) -> Self {
        self.feature_gates.push(format!("{name}={on}"));
        self
    }

    /// The value of a feature gate; the last one that was set counts.
    pub(crate) fn gate(&self, name: &str) -> Option<bool> {
        let named = self.feature_gates.iter().rev().filter_map(|gate| gate.split_once('='));
        named.filter(|(gate, _)| *gate == name).find_map(|(_, value)| value.parse().ok())
    }

    /// Adds an argument to the API server's command line, such as `--etcd-compaction-interval=10s`.
    /// Arguments come after the built-in ones, and the last one with the same name counts.
    pub fn apiserver_arg(mut self, argument: impl Into<String>) -> Self {
        self.apiserver_args.push(argument.into());
        self
    }

    /// Sets `--authorization-mode`, by default `AlwaysAllow`. With `RBAC` the cluster's
    /// [`token`](crate::Cluster::token) may do everything and its
    /// [`unprivileged_token`](crate::Cluster::unprivileged_token) nothing.
    pub fn authorization_mode(mut self, mode: impl Into<String>) -> Self {
        self.authorization_mode = mode.into();
        self
    }

    /// Accepts client certificates of these authorities too, until
    /// [`trust_client_authorities`](crate::Cluster::trust_client_authorities) names others.
    pub fn client_authorities(mut self, authorities: &[&Authority]) -> Self {
        self.client_authorities = Some(bundle(authorities));
        self
    }
}

/// The certificates of several authorities in one file.
pub(crate) fn bundle(authorities: &[&Authority]) -> String {
    authorities.iter().map(|authority| authority.certificate_pem()).collect()
}

fn split_gates(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|gate| !gate.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
