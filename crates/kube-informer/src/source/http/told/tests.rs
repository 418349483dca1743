use std::fmt::Debug;
use std::path::Path;

use super::super::{Cluster, HttpSource};
use crate::error::ClusterError;
use crate::kind::KindInfo;

/// Neither what is shown nor what is logged has the secret.
fn assert_silent(error: &(impl ToString + Debug)) {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains("hunter2"), "{text}");
    }
}

/// A kubeconfig whose user is known by a plugin, which is a shell script in the same folder.
fn kubeconfig(folder: &Path, plugin: &str) -> std::path::PathBuf {
    let (file, script) = (folder.join("config"), folder.join("plugin"));
    std::fs::write(&script, plugin).expect("a file");
    let text = format!(
        "
apiVersion: v1
kind: Config
current-context: one
contexts: [{{ name: one, context: {{ cluster: one, user: one }} }}]
clusters: [{{ name: one, cluster: {{ server: 'http://127.0.0.1:1' }} }}]
users:
- name: one
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: sh
      args: ['{}', '{}']
      env: [{{ name: SECRET, value: hunter2 }}]
      interactiveMode: Never
",
        script.display(),
        folder.display()
    );
    std::fs::write(&file, text).expect("a file");
    file
}

async fn source(plugin: &str) -> (tempfile::TempDir, Result<HttpSource, ClusterError>) {
    let folder = tempfile::tempdir().expect("a directory");
    let cluster = Cluster::find().kubeconfig(kubeconfig(folder.path(), plugin)).await.expect("a cluster");
    (folder, HttpSource::new(cluster, KindInfo::new("", "v1", "Pod", "pods")))
}

#[tokio::test]
async fn a_broken_kubeconfig_is_not_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    for broken in [
        "users:\n- name: one\n  user:\n    token: hunter2\n   client-key-data: hunter2\n",
        "users:\n- name: one\n  user: [hunter2]\n",
        "users: hunter2\n",
    ] {
        std::fs::write(&file, broken).unwrap();
        let error = Cluster::find().kubeconfig(&file).await.unwrap_err();
        assert_silent(&error);
        assert!(error.to_string().contains("it is not a kubeconfig in YAML: line "), "{error}");
    }
}

#[tokio::test]
async fn what_a_plugin_prints_is_not_quoted() {
    let (_folder, source) =
        source("echo 'warning: {hunter2'; echo '{\"status\":{\"token\":\"hunter2\"}}'").await;
    let error = source.unwrap_err();
    assert_silent(&error);
    assert!(
        error.to_string().contains("the credential plugin \"sh\" printed what is not an ExecCredential"),
        "{error}"
    );
}

#[tokio::test]
async fn a_plugin_that_fails_is_told_by_its_status() {
    let (_folder, source) = source("echo hunter2; echo hunter2 >&2; exit 3").await;
    let error = source.unwrap_err();
    assert_silent(&error);
    assert!(error.to_string().contains("the credential plugin \"sh\" failed: exit status: 3: …"), "{error}");
}

#[tokio::test]
async fn what_a_plugin_prints_later_is_not_quoted() {
    let plugin = r#"
if [ -e "$1/broken" ]; then echo 'warning: {hunter2'; fi
echo '{"status":{"token":"hunter2","expirationTimestamp":"2020-01-01T00:00:00Z"}}'
"#;
    let (folder, source) = source(plugin).await;
    let source = source.unwrap();
    std::fs::write(folder.path().join("broken"), "").unwrap();
    let error = source.sources.document("/version").await.unwrap_err();
    assert_silent(&error);
    assert!(
        error.to_string().contains("the credential plugin \"sh\" printed what is not an ExecCredential"),
        "{error}"
    );
}

#[tokio::test]
async fn a_client_tells_others_no_more() {
    let plugin = r#"
if [ -e "$1/broken" ]; then echo hunter2; echo hunter2 >&2; exit 1; fi
echo '{"status":{"token":"hunter2","expirationTimestamp":"2020-01-01T00:00:00Z"}}'
"#;
    let (folder, source) = source(plugin).await;
    let client = source.unwrap().sources.client();
    std::fs::write(folder.path().join("broken"), "").unwrap();
    let error = client.apiserver_version().await.unwrap_err();
    assert_silent(&error);
    assert!(error.to_string().contains("the credential plugin \"sh\" failed: exit status: 1: …"), "{error}");
    // What quotes nothing stays what it is.
    let config = kube_client::Config::new(http::Uri::from_static("http://127.0.0.1:1"));
    let unreachable = HttpSource::new(config, KindInfo::new("", "v1", "Pod", "pods")).unwrap();
    let error = unreachable.sources.client().apiserver_version().await.unwrap_err();
    let mut causes = std::iter::successors(Some(&error as &dyn std::error::Error), |cause| cause.source());
    assert!(causes.any(|cause| cause.downcast_ref::<std::io::Error>().is_some()), "{error:?}");
}

#[tokio::test]
async fn a_key_on_one_line_is_not_quoted() {
    let mut config = kube_client::Config::new(http::Uri::from_static("https://127.0.0.1:1"));
    let line = "-----BEGIN PRIVATE KEY-----aHVudGVyMg==-----END PRIVATE KEY-----";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tls.key");
    std::fs::write(&file, line).unwrap();
    config.auth_info.client_certificate = Some(file.display().to_string());
    config.auth_info.client_key = config.auth_info.client_certificate.clone();
    let error = HttpSource::new(config, KindInfo::new("", "v1", "Pod", "pods")).unwrap_err();
    assert!(error.to_string().contains("the client certificate or its key is not valid PEM"), "{error}");
}
