//! No cluster, or no client for it.

use std::fmt;

/// No cluster was found, or its configuration cannot be used, or no client can be made from the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterError(Box<NoCluster>);

/// Why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoCluster {
    /// There is neither a kubeconfig nor a pod's service account.
    Nowhere {
        /// The path of the kubeconfig that was tried last.
        default: String,
        /// The context that the program named while running in a pod. A service account has no contexts, so it was not
        /// used.
        context: Option<String>,
    },
    /// The configuration cannot be used.
    Unusable {
        /// Where the configuration comes from.
        origin: String,
        /// What is wrong with the configuration.
        message: String,
    },
    /// There is a configuration, and no client can be made from it.
    Client(String),
}

impl From<NoCluster> for ClusterError {
    fn from(why: NoCluster) -> Self {
        Self(Box::new(why))
    }
}

impl ClusterError {
    /// Whether no cluster was found: no kubeconfig was named or found, and the program does not run in a pod.
    pub fn is_not_found(&self) -> bool {
        matches!(&*self.0, NoCluster::Nowhere { .. })
    }

    /// Whether a kubeconfig or a pod's service account was found but cannot be used.
    pub fn is_unusable(&self) -> bool {
        matches!(&*self.0, NoCluster::Unusable { .. })
    }

    /// Whether a configuration was found but no client can be made from it.
    pub fn is_no_client(&self) -> bool {
        matches!(&*self.0, NoCluster::Client(_))
    }

    /// Where the unusable configuration comes from, such as `kubeconfig ~/.kube/config`.
    pub fn origin(&self) -> Option<&str> {
        match &*self.0 {
            NoCluster::Unusable { origin, .. } => Some(origin),
            NoCluster::Nowhere { .. } | NoCluster::Client(_) => None,
        }
    }

    /// Why no client can be made.
    pub(crate) fn client_problem(&self) -> Option<&str> {
        match &*self.0 {
            NoCluster::Client(problem) => Some(problem),
            NoCluster::Nowhere { .. } | NoCluster::Unusable { .. } => None,
        }
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            NoCluster::Nowhere { default, context } => write!(
                f,
                "no cluster: no kubeconfig was named, KUBECONFIG is not set, {}, and {default} does not exist",
                not_the_pod(context.as_deref())
            ),
            NoCluster::Unusable { origin, message } => write!(f, "{origin} cannot be used: {message}"),
            NoCluster::Client(problem) => write!(f, "no client for the cluster: {problem}"),
        }
    }
}

impl std::error::Error for ClusterError {}

fn not_the_pod(context: Option<&str>) -> String {
    match context {
        Some(context) => {
            format!("the service account of this pod is not used as the context {context:?} was named")
        }
        None => "this is not a pod".to_owned(),
    }
}
