//! No cluster, or no client for it.

use std::fmt;

/// There is no cluster to be found, what says how to reach it cannot be read, or no client can be made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterError(Box<NoCluster>);

/// Why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoCluster {
    /// Nothing says which cluster to use.
    Nowhere {
        /// The file that was looked for last.
        default: String,
        /// The context that was named in a pod. Its service account has no contexts, so it was not used.
        context: Option<String>,
    },
    /// It says something that cannot be used.
    Unusable {
        /// Where it is written.
        origin: String,
        /// What is wrong with it.
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
    /// Whether nothing says which cluster to use: no kubeconfig was named or found, and this is not a pod.
    pub fn is_not_found(&self) -> bool {
        matches!(&*self.0, NoCluster::Nowhere { .. })
    }

    /// Whether a kubeconfig, or a pod's service account, says something that cannot be used.
    pub fn is_unusable(&self) -> bool {
        matches!(&*self.0, NoCluster::Unusable { .. })
    }

    /// Whether there is a configuration and no client can be made from it.
    pub fn is_no_client(&self) -> bool {
        matches!(&*self.0, NoCluster::Client(_))
    }

    /// Where the configuration that cannot be used is written, such as `kubeconfig ~/.kube/config`.
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
