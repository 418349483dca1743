//! Finding the cluster of a program that does not name one.

mod service_account;

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::future::IntoFuture;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube_client::config::{KubeConfigOptions, Kubeconfig, KubeconfigError, NamedAuthInfo};
use kube_client::{Client, Config};

use super::told::told;
use super::{proxy, way};
use crate::error::{ClusterError, NoCluster};

/// A cluster to connect to.
///
/// Made by [`find`](Self::find), or from a `kube::Config` or a `kube::Client`, so that a factory takes any of them.
#[derive(Clone)]
pub struct Cluster {
    pub(super) way: Way,
    pub(super) manners: Manners,
    origin: Option<String>,
}

/// How the client that is built from a configuration behaves.
#[derive(Clone, Default)]
pub(super) struct Manners {
    /// What the program is called in the header `User-Agent`.
    pub(super) program: Option<String>,
    pub(super) http1_only: bool,
}

/// How a cluster is reached.
#[derive(Clone)]
pub(super) enum Way {
    Config(Box<Config>),
    Client(Client),
}

impl Cluster {
    /// Finds a cluster by the usual rule: the `KUBECONFIG` variable, else the service account of the pod this runs in,
    /// else `~/.kube/config`. A kubeconfig and a context of it can be named.
    ///
    /// With a kubeconfig, its `proxy-url` is used; without one there the proxy that `HTTPS_PROXY` names (`HTTP_PROXY` for a
    /// server without TLS), unless the server is on loopback or `NO_PROXY` excepts it. A pod reaches its own server
    /// directly.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informer::{Cluster, SharedInformerFactory};
    ///
    /// let here = SharedInformerFactory::builder(Cluster::find().await?).build()?;
    /// let there = Cluster::find().kubeconfig("/etc/kube/config").context("prod").await?;
    /// eprintln!("using {}", there.origin().unwrap_or_default());
    /// # Ok(())
    /// # }
    /// ```
    pub fn find() -> FindCluster {
        FindCluster::default()
    }

    /// A server, and the service account whose files `token` and `ca.crt` (and `namespace`, if there is one) are in a directory,
    /// as Kubernetes mounts them into pods. For those of other clusters, and for other places; in a pod
    /// [`find`](Self::find) finds its own. Files that are replaced are followed.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube_informer::{Cluster, SharedInformerFactory};
    ///
    /// let edge = Cluster::service_account("https://10.20.0.1:6443", "/etc/clusters/edge").await?;
    /// let edge = SharedInformerFactory::builder(edge).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn service_account(server: &str, directory: impl Into<PathBuf>) -> Result<Self, ClusterError> {
        let directory = directory.into();
        let origin = format!("the service account in {}", directory.display());
        in_pod(origin, Ok(server.to_owned()), directory).await
    }

    /// Where its configuration comes from, such as `kubeconfig ~/.kube/config`, to be shown to the user. Only known for
    /// a cluster from [`find`](Self::find) or [`service_account`](Self::service_account).
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// What the program is called in the header `User-Agent`, such as `my-operator/1.2`; the name and version of this library
    /// follow. The default is the name of the executable. Audit logs and the server's metrics show it, so that an
    /// administrator knows who asks. Has no effect on a cluster that was made from a client.
    #[must_use]
    pub fn user_agent(mut self, program: impl Into<String>) -> Self {
        self.manners.program = Some(program.into());
        self
    }

    /// Speaks HTTP/1.1 although the server knows HTTP/2, for proxies and balancers that do not handle it well. Every watch has
    /// a connection of its own then. Has no effect on a cluster that was made from a client.
    #[must_use]
    pub fn http1_only(mut self) -> Self {
        self.manners.http1_only = true;
        self
    }

    /// Its configuration, unless it was made from a client.
    pub fn config(&self) -> Option<&Config> {
        match &self.way {
            Way::Config(config) => Some(config),
            Way::Client(_) => None,
        }
    }
}

/// The client is built from it as [`HttpSources`](super::HttpSources) says.
impl From<Config> for Cluster {
    fn from(config: Config) -> Self {
        Self { way: Way::Config(Box::new(config)), manners: Manners::default(), origin: None }
    }
}

/// For clients with a special HTTP stack. The disadvantages compared with a `Config`:
///
/// - kube-client's own retries stay as they are in this client, by default up to fifteen for 429, 503 and 504.
///   Until they are used up the informer knows of no error. Set `default_retry = false` in its `Config`.
/// - Connection settings are those of the client. A stack without TCP keep-alive notices a peer that vanished
///   only by the informer's own watchdogs.
/// - The client is never built again: credentials that it does not renew itself end with it.
/// - A stack that decompresses answers holds watch events back until a block is full; the request asks for
///   `identity`, which such a stack must not overwrite.
impl From<Client> for Cluster {
    fn from(client: Client) -> Self {
        Self { way: Way::Client(client), manners: Manners::default(), origin: None }
    }
}

/// The configuration holds credentials, also in the address of a proxy.
impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("origin", &self.origin)
            .field("server", &self.config().map(way))
            .finish_non_exhaustive()
    }
}

/// Looks for a cluster when it is awaited; see [`Cluster::find`].
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is looked for until it is awaited"]
pub struct FindCluster {
    kubeconfig: Option<PathBuf>,
    context: Option<String>,
}

impl FindCluster {
    /// Looks in this file only.
    pub fn kubeconfig(mut self, file: impl Into<PathBuf>) -> Self {
        self.kubeconfig = Some(file.into());
        self
    }

    /// The context to use instead of the current one. Only a kubeconfig has contexts, so the service account of a pod is not
    /// considered.
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }
}

impl IntoFuture for FindCluster {
    type Output = Result<Cluster, ClusterError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        async move { find(self.kubeconfig.as_deref(), self.context.as_deref()).await }.boxed()
    }
}

/// Where to look for a cluster.
#[derive(Clone, Copy)]
enum Configured<'a> {
    File(&'a Path),
    Environment,
    Pod,
}

async fn find(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<Cluster, ClusterError> {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let listed = env::var_os("KUBECONFIG").map(|list| files(&list)).unwrap_or_default();
    let default = env::home_dir().unwrap_or_default().join(".kube/config");
    let pod = set("KUBERNETES_SERVICE_HOST");
    let place = choose(kubeconfig, context, !listed.is_empty(), pod, &default, default.exists());
    let Some(place) = place else { return Err(nowhere(context, pod, &default)) };
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let (origin, config) = match place {
        Configured::File(file) => {
            let (path, origin) = (file.to_owned(), format!("kubeconfig {}", file.display()));
            (origin, from_kubeconfig(move || Kubeconfig::read_from(path), options).await)
        }
        Configured::Environment => {
            let names: Vec<_> = listed.iter().map(|file| file.display().to_string()).collect();
            (
                format!("kubeconfig {}", names.join(", ")),
                from_kubeconfig(move || merged(&listed), options).await,
            )
        }
        Configured::Pod => {
            let (origin, server) =
                ("the service account of this pod", service_account::server(|name| env::var(name).ok()));
            return in_pod(origin.to_owned(), server, service_account::MOUNTED.into()).await;
        }
    };
    found(origin, config)
}

/// The files of a list, as `KUBECONFIG` is one.
fn files(list: &OsStr) -> Vec<PathBuf> {
    env::split_paths(list).filter(|file| !file.as_os_str().is_empty()).collect()
}

/// All files of a list that are there, of which the first that says something counts.
fn merged(files: &[PathBuf]) -> Result<Kubeconfig, KubeconfigError> {
    let (mut merged, mut missing) = (None::<Kubeconfig>, None);
    for file in files {
        match (Kubeconfig::read_from(file), merged.take()) {
            (Ok(next), Some(before)) => merged = Some(before.merge(next)?),
            (Ok(first), None) => merged = Some(first),
            (Err(KubeconfigError::ReadConfig(error, file)), before)
                if error.kind() == ErrorKind::NotFound =>
            {
                merged = before;
                missing.get_or_insert(KubeconfigError::ReadConfig(error, file));
            }
            (Err(error), _) => return Err(error),
        }
    }
    merged.ok_or_else(|| missing.unwrap_or(KubeconfigError::FindPath))
}

async fn in_pod(
    origin: String,
    server: Result<String, String>,
    directory: PathBuf,
) -> Result<Cluster, ClusterError> {
    let read = move || service_account::config(&server?, &directory);
    let config = tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| Err(error.to_string()));
    found(origin, config)
}

fn found(origin: String, config: Result<Config, String>) -> Result<Cluster, ClusterError> {
    match config {
        Ok(config) => Ok(Cluster { origin: Some(origin), ..config.into() }),
        Err(message) => Err(NoCluster::Unusable { origin, message }.into()),
    }
}

fn choose<'a>(
    explicit: Option<&'a Path>,
    context: Option<&str>,
    variable: bool,
    pod: bool,
    default: &'a Path,
    default_exists: bool,
) -> Option<Configured<'a>> {
    match explicit {
        Some(file) => Some(Configured::File(file)),
        None if variable => Some(Configured::Environment),
        None if pod && context.is_none() => Some(Configured::Pod),
        None => default_exists.then_some(Configured::File(default)),
    }
}

fn nowhere(context: Option<&str>, pod: bool, default: &Path) -> ClusterError {
    let context = context.filter(|_| pod).map(str::to_owned);
    NoCluster::Nowhere { default: default.display().to_string(), context }.into()
}

async fn from_kubeconfig(
    read: impl FnOnce() -> Result<Kubeconfig, KubeconfigError> + Send + 'static,
    options: KubeConfigOptions,
) -> Result<Config, String> {
    let mut kubeconfig = tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| told(&error))?;
    check_context(&kubeconfig, options.context.as_deref())?;
    complete(&mut kubeconfig, options.context.as_deref());
    let cluster = cluster_of(&kubeconfig, options.context.as_ref());
    let named = cluster.and_then(|cluster| cluster.proxy_url.clone()).filter(|url| !url.is_empty());
    let authorities = cluster.and_then(authorities_of);
    let mut config =
        Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(|error| told(&error))?;
    config.root_cert_file = authorities;
    with_proxy(config, named, |name| env::var(name).ok())
}

/// As client-go reads the address of a server without a scheme: with TLS if anything is said of certificates, those of the
/// context's user included.
fn complete(kubeconfig: &mut Kubeconfig, context: Option<&str>) {
    let context = context.or(kubeconfig.current_context.as_deref());
    let context = kubeconfig.contexts.iter().find(|named| context == Some(&named.name));
    let user = context.and_then(|named| named.context.as_ref()?.user.as_deref());
    let is_certified = |user: &NamedAuthInfo| {
        let auth = user.auth_info.as_ref();
        auth.is_some_and(|auth| auth.client_certificate.is_some() || auth.client_certificate_data.is_some())
    };
    let certified =
        kubeconfig.auth_infos.iter().any(|named| user == Some(&named.name) && is_certified(named));
    for cluster in kubeconfig.clusters.iter_mut().filter_map(|named| named.cluster.as_mut()) {
        let has_tls = certified
            || cluster.certificate_authority.is_some()
            || cluster.certificate_authority_data.is_some()
            || cluster.insecure_skip_tls_verify == Some(true);
        let scheme = if has_tls { "https" } else { "http" };
        if let Some(server) =
            cluster.server.as_mut().filter(|server| !server.is_empty() && !server.contains("://"))
        {
            *server = format!("{scheme}://{server}");
        }
    }
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
    Err(if there.is_empty() {
        format!("it has no {what} {wanted:?}, and no other")
    } else {
        format!("it has no {what} {wanted:?}; there is {}", there.join(", "))
    })
}

/// What a kubeconfig says of the cluster of a context.
fn cluster_of<'a>(
    kubeconfig: &'a Kubeconfig,
    context: Option<&String>,
) -> Option<&'a kube_client::config::Cluster> {
    let context = context.or(kubeconfig.current_context.as_ref())?;
    let context = kubeconfig.contexts.iter().find(|named| named.name == *context)?.context.as_ref()?;
    kubeconfig.clusters.iter().find(|named| named.name == context.cluster)?.cluster.as_ref()
}

/// The file of authorities, if they are in one, so that it can be read again when it is replaced.
fn authorities_of(cluster: &kube_client::config::Cluster) -> Option<PathBuf> {
    let inline = cluster.certificate_authority_data.as_ref().is_some_and(|data| !data.is_empty());
    cluster.certificate_authority.as_ref().filter(|file| !inline && !file.is_empty()).map(PathBuf::from)
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
