//! Which cluster a program means when it does not say.

use std::env;
use std::fmt;
use std::path::Path;

use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};

use super::told::told;
use super::{proxy, way};

/// A cluster that was found, and where its configuration came from.
#[derive(Clone)]
#[non_exhaustive]
pub struct FoundCluster {
    /// How to reach it.
    pub config: Config,
    /// Where that is written, such as `kubeconfig ~/.kube/config`, to be shown to the user.
    pub origin: String,
}

/// The configuration holds credentials, also in the address of a proxy.
impl fmt::Debug for FoundCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundCluster")
            .field("origin", &self.origin)
            .field("server", &way(&self.config))
            .finish_non_exhaustive()
    }
}

/// There is no cluster to be found, or what says how to reach it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindClusterError {
    /// Nothing says which cluster to use.
    #[error(
        "no cluster: no kubeconfig was named, KUBECONFIG is not set, {}, and {default} does not exist",
        not_the_pod(.context.as_deref())
    )]
    #[non_exhaustive]
    Nowhere {
        /// The file that was looked for last.
        default: String,
        /// The context that was named in a pod. Its service account has no contexts, so it was not used.
        context: Option<String>,
    },
    /// It says something that cannot be used.
    #[error("{origin} cannot be used: {message}")]
    Unusable {
        /// Where it is written.
        origin: String,
        /// What is wrong with it.
        message: String,
    },
}

/// Where to look for a cluster.
#[derive(Clone, Copy)]
enum Place<'a> {
    File(&'a Path),
    Environment,
    Pod,
}

/// Finds the cluster by the usual rule: an explicit kubeconfig, else the `KUBECONFIG` variable, else the service account of
/// the pod this runs in, else `~/.kube/config`. A context can only be chosen in a kubeconfig.
///
/// With a kubeconfig, its `proxy-url` is used; without one there the proxy that `HTTPS_PROXY` names (`HTTP_PROXY` for a
/// server without TLS), unless the server is on loopback or `NO_PROXY` excepts it. A pod reaches its own server directly.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::{HttpSource, find_cluster};
///
/// let cluster = find_cluster(None, None).await?;
/// eprintln!("using {}", cluster.origin);
/// let source = HttpSource::new::<Pod>(cluster.config)?;
/// # Ok(())
/// # }
/// ```
pub async fn find_cluster(
    kubeconfig: Option<&Path>,
    context: Option<&str>,
) -> Result<FoundCluster, FindClusterError> {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let default = env::home_dir().unwrap_or_default().join(".kube/config");
    let pod = set("KUBERNETES_SERVICE_HOST");
    let place = choose(kubeconfig, context, set("KUBECONFIG"), pod, &default, default.exists());
    let Some(place) = place else { return Err(nowhere(context, pod, &default)) };
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let (origin, config) = match place {
        Place::File(file) => {
            let (path, origin) = (file.to_owned(), format!("kubeconfig {}", file.display()));
            (origin, from_kubeconfig(move || Kubeconfig::read_from(path), options).await)
        }
        Place::Environment => {
            let files = env::var("KUBECONFIG").unwrap_or_default();
            (format!("kubeconfig {files}"), from_kubeconfig(Kubeconfig::read, options).await)
        }
        Place::Pod => {
            let config = Config::incluster().map_err(|error| told(&error));
            ("the service account of this pod".to_owned(), config)
        }
    };
    match config {
        Ok(config) => Ok(FoundCluster { config, origin }),
        Err(message) => Err(FindClusterError::Unusable { origin, message }),
    }
}

fn choose<'a>(
    explicit: Option<&'a Path>,
    context: Option<&str>,
    variable: bool,
    pod: bool,
    default: &'a Path,
    default_exists: bool,
) -> Option<Place<'a>> {
    match explicit {
        Some(file) => Some(Place::File(file)),
        None if variable => Some(Place::Environment),
        None if pod && context.is_none() => Some(Place::Pod),
        None => default_exists.then_some(Place::File(default)),
    }
}

fn nowhere(context: Option<&str>, pod: bool, default: &Path) -> FindClusterError {
    let context = context.filter(|_| pod).map(str::to_owned);
    FindClusterError::Nowhere { default: default.display().to_string(), context }
}

fn not_the_pod(context: Option<&str>) -> String {
    match context {
        Some(context) => {
            format!("the service account of this pod is not used as the context {context:?} was named")
        }
        None => "this is not a pod".to_owned(),
    }
}

async fn from_kubeconfig(
    read: impl FnOnce() -> Result<Kubeconfig, KubeconfigError> + Send + 'static,
    options: KubeConfigOptions,
) -> Result<Config, String> {
    let kubeconfig = tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| told(&error))?;
    check_context(&kubeconfig, options.context.as_deref())?;
    let named = proxy_of(&kubeconfig, options.context.as_ref());
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(|error| told(&error))?;
    with_proxy(config, named, |name| env::var(name).ok())
}

/// A context that is not there is mostly a slip of the pen: those that are there are named.
fn check_context(kubeconfig: &Kubeconfig, named: Option<&str>) -> Result<(), String> {
    let (wanted, what) = match (named, kubeconfig.current_context.as_deref()) {
        (Some(named), _) => (named, "context"),
        (None, Some(current)) if !current.is_empty() => (current, "current-context"),
        // Whether that matters is for others to say.
        _ => return Ok(()),
    };
    let mut there: Vec<_> = kubeconfig.contexts.iter().map(|context| format!("{:?}", context.name)).collect();
    if kubeconfig.contexts.iter().any(|context| context.name == wanted) {
        return Ok(());
    }
    there.sort();
    Err(match there.is_empty() {
        true => format!("it has no {what} {wanted:?}, and no other"),
        false => format!("it has no {what} {wanted:?}; there is {}", there.join(", ")),
    })
}

/// The proxy that a kubeconfig names for the cluster of a context.
fn proxy_of(kubeconfig: &Kubeconfig, context: Option<&String>) -> Option<String> {
    let context = context.or(kubeconfig.current_context.as_ref())?;
    let context = kubeconfig.contexts.iter().find(|named| named.name == *context)?.context.as_ref()?;
    let cluster = kubeconfig.clusters.iter().find(|named| named.name == context.cluster)?.cluster.as_ref()?;
    cluster.proxy_url.clone().filter(|url| !url.is_empty())
}

/// A proxy that the kubeconfig names is used always, one that the environment names by the environment's rules.
/// kube-client compares `NO_PROXY` with the address of the proxy instead of the server's, and for every proxy.
fn with_proxy(
    mut config: Config,
    named: Option<String>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Config, String> {
    let proxy = match named {
        Some(url) => url.parse().map(Some),
        None => proxy::from_environment(&config.cluster_url, variable),
    };
    config.proxy_url = proxy.map_err(|error| format!("the address of the proxy: {error}"))?;
    Ok(config)
}

#[cfg(test)]
mod tests;
