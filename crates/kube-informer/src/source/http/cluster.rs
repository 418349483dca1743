//! Which cluster a program means when it does not say.

use std::env;
use std::path::{Path, PathBuf};

use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};

/// A cluster that was found, and where its configuration came from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundCluster {
    /// How to reach it.
    pub config: Config,
    /// Where that is written, such as `kubeconfig ~/.kube/config`, to be shown to the user.
    pub origin: String,
}

/// There is no cluster to be found, or what says how to reach it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindClusterError {
    /// Nothing says which cluster to use.
    #[error(
        "no cluster: no kubeconfig was named, KUBECONFIG is not set, this is not a pod, and {default} does not exist"
    )]
    Nowhere {
        /// The file that was looked for last.
        default: String,
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
    let place = choose(
        kubeconfig,
        context,
        set("KUBECONFIG"),
        set("KUBERNETES_SERVICE_HOST"),
        &default,
        default.exists(),
    );
    let Some(place) = place else {
        return Err(FindClusterError::Nowhere { default: default.display().to_string() });
    };
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let (origin, config) = match place {
        Place::File(file) => (format!("kubeconfig {}", file.display()), from_file(file, &options).await),
        Place::Environment => {
            let files = env::var("KUBECONFIG").unwrap_or_default();
            let config = Config::from_kubeconfig(&options).await;
            (format!("kubeconfig {files}"), config.map_err(|error| error.to_string()))
        }
        Place::Pod => {
            let config = Config::incluster().map_err(|error| error.to_string());
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

async fn from_file(file: &Path, options: &KubeConfigOptions) -> Result<Config, String> {
    let read: PathBuf = file.to_owned();
    let kubeconfig = tokio::task::spawn_blocking(move || Kubeconfig::read_from(read))
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?;
    Config::from_custom_kubeconfig(kubeconfig, options).await.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_rule() {
        let (explicit, default) = (Path::new("mine"), Path::new("home"));
        let chosen = |explicit, context, variable, pod, exists| {
            choose(explicit, context, variable, pod, default, exists).map(|place| match place {
                Place::File(file) => file.display().to_string(),
                Place::Environment => "variable".into(),
                Place::Pod => "pod".into(),
            })
        };
        assert_eq!(chosen(Some(explicit), None, true, true, true).as_deref(), Some("mine"));
        assert_eq!(chosen(None, None, true, true, true).as_deref(), Some("variable"));
        assert_eq!(chosen(None, None, false, true, true).as_deref(), Some("pod"));
        assert_eq!(chosen(None, Some("prod"), false, true, true).as_deref(), Some("home"));
        assert_eq!(chosen(None, None, false, false, true).as_deref(), Some("home"));
        assert_eq!(chosen(None, None, false, false, false), None);
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_used_is_named() {
        let missing = Path::new("does/not/exist");
        let error = find_cluster(Some(missing), None).await.unwrap_err();
        assert!(error.to_string().starts_with("kubeconfig does/not/exist cannot be used: "), "{error}");
    }
}
