//! No cluster to be found, and no client for it.

use kube_client::Config;
use serde_json::json;

use crate::error::{ClusterError, NoCluster};
use crate::factory::SharedInformerFactory;
use crate::source::Cluster;

/// Where the page's user has the kubeconfig.
const HOME: &str = "~/.kube/config";

const KUBECONFIG: &str = "{apiVersion: v1, kind: Config, current-context: test, clusters: [], users: [], contexts: [\
    {name: staging, context: {cluster: a, user: a}}, {name: test, context: {cluster: b, user: b}}]}";

pub(super) async fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [None, Some("prod".to_owned())]
        .map(|context| {
            ClusterError::from(NoCluster::Nowhere { default: HOME.to_owned(), context }).to_string()
        })
        .into();
    let stale = KUBECONFIG.replace("current-context: test", "current-context: old");
    for (kubeconfig, context) in [
        (None, None),
        (Some("contexts: none"), None),
        (Some(KUBECONFIG), Some("prod")),
        (Some(&*stale), None),
        (Some(KUBECONFIG), None),
    ] {
        texts.push(unusable(kubeconfig, context).await);
    }
    let without_runtime = || no_client(Config::new(http::Uri::from_static("https://127.0.0.1:6443")));
    texts.push(std::thread::spawn(without_runtime).join().unwrap());
    texts.extend(["echo log in first >&2; exit 3", "echo token"].map(plugin));
    texts.push(certificate());
    texts
}

fn no_client(config: Config) -> String {
    SharedInformerFactory::builder(config).build().unwrap_err().to_string()
}

/// What is said of a credential plugin that does this.
fn plugin(script: &str) -> String {
    let mut config = Config::new(http::Uri::from_static("http://127.0.0.1:6443"));
    let exec = json!({
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "sh",
        "args": ["-c", script],
        "interactiveMode": "Never",
    });
    config.auth_info.exec = Some(serde_json::from_value(exec).unwrap());
    no_client(config)
}

/// What is said of a client certificate that has lost its lines.
fn certificate() -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tls.crt");
    std::fs::write(&file, "-----BEGIN CERTIFICATE").unwrap();
    let mut config = Config::new(http::Uri::from_static("https://127.0.0.1:6443"));
    config.auth_info.client_certificate = Some(file.display().to_string());
    config.auth_info.client_key = config.auth_info.client_certificate.clone();
    no_client(config)
}

/// What is said of a kubeconfig, as if it were at home.
async fn unusable(kubeconfig: Option<&str>, context: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    if let Some(kubeconfig) = kubeconfig {
        std::fs::write(&file, kubeconfig).unwrap();
    }
    let mut find = Cluster::find().kubeconfig(&file);
    if let Some(context) = context {
        find = find.context(context);
    }
    let error = find.await.unwrap_err();
    error.to_string().replace(file.to_str().unwrap(), HOME)
}
