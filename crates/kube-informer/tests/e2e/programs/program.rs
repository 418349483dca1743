//! A server to run the examples against, and what they print.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, Endpoint};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{Api, ApiResource, DynamicObject, PostParams};
use kube_core::{GroupVersionKind, Resource};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How long an example has to print what it should.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a port, and a kubeconfig for it.
pub(crate) struct Server {
    pub(crate) api: EmbeddedApiserver,
    directory: TempDir,
    _endpoint: Endpoint,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let api = EmbeddedApiserver::new();
        let endpoint = api.listen().await.unwrap();
        let directory = tempfile::tempdir().unwrap();
        endpoint.write_kubeconfig(directory.path().join("kubeconfig")).unwrap();
        Self { api, directory, _endpoint: endpoint }
    }

    /// The objects of `default`.
    pub(crate) fn all<K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>>(&self) -> Api<K> {
        Api::namespaced(self.api.quiet_client(), "default")
    }

    pub(crate) async fn pod(&self, name: &str, node: Option<&str>) {
        let container = json!({ "name": "main", "image": "nginx:1" });
        let pod: Pod = object(name, json!({ "spec": { "nodeName": node, "containers": [container] } }));
        self.api.create(&pod).await.unwrap();
    }

    pub(crate) async fn deployment(&self, name: &str) {
        let container = json!({ "name": "main", "image": "nginx:1" });
        let labels = json!({ "app": name });
        let template = json!({ "metadata": { "labels": labels }, "spec": { "containers": [container] } });
        let spec = json!({ "replicas": 2, "selector": { "matchLabels": labels }, "template": template });
        let deployment: Deployment = object(name, json!({ "spec": spec }));
        self.api.create(&deployment).await.unwrap();
    }

    pub(crate) async fn config_map(&self, name: &str, data: Value) {
        let map: ConfigMap = object(name, json!({ "data": data }));
        self.api.create(&map).await.unwrap();
    }

    /// Defines the kind of the example `custom_kind`.
    pub(crate) async fn certificates(&self) {
        let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let version =
            json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
        let names = json!({ "kind": "Certificate", "plural": "certificates", "singular": "certificate" });
        let definition: CustomResourceDefinition = serde_json::from_value(json!({
            "metadata": { "name": "certificates.cert-manager.io" },
            "spec": { "group": "cert-manager.io", "names": names, "scope": "Namespaced", "versions": [version] },
        }))
        .unwrap();
        self.api.create(&definition).await.unwrap();
    }

    pub(crate) async fn certificate(&self, name: &str, host: &str) {
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("cert-manager.io", "v1", "Certificate"));
        let certificates: Api<DynamicObject> =
            Api::namespaced_with(self.api.quiet_client(), "default", &kind);
        let spec = json!({ "secretName": format!("{name}-tls"), "dnsNames": [host] });
        let certificate = DynamicObject::new(name, &kind).data(json!({ "spec": spec }));
        certificates.create(&PostParams::default(), &certificate).await.unwrap();
    }
}

fn object<K: serde::de::DeserializeOwned>(name: &str, mut content: Value) -> K {
    content["metadata"] = json!({ "name": name, "namespace": "default", "labels": { "app": name } });
    serde_json::from_value(content).unwrap()
}

/// An example that runs; it is ended when this is dropped.
pub(crate) struct Example {
    name: &'static str,
    child: Child,
    lines: mpsc::UnboundedReceiver<String>,
    printed: Vec<String>,
}

impl Example {
    pub(crate) fn start(name: &'static str, server: &Server, arguments: &[&str]) -> Self {
        let mut command = Command::new(binary(name));
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "KUBERNETES_SERVICE_HOST"]
        {
            command.env_remove(variable);
        }
        command.env("KUBECONFIG", server.directory.path().join("kubeconfig")).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { name, child, lines, printed: Vec::new() }
    }

    /// Waits for a line that begins so.
    pub(crate) async fn until(&mut self, beginning: &str) {
        self.until_all(&[beginning]).await;
    }

    /// Waits for lines that begin so, in whatever order.
    pub(crate) async fn until_all(&mut self, beginnings: &[&str]) {
        let mut missing = beginnings.to_vec();
        while !missing.is_empty() {
            let Ok(Some(line)) = timeout(PATIENCE, self.lines.recv()).await else {
                self.child.kill().ok();
                let mut said = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut said).ok();
                panic!("{} does not print {missing:?} but {:?}; {said}", self.name, self.printed);
            };
            missing.retain(|beginning| !line.starts_with(beginning));
            self.printed.push(line);
        }
    }

    /// Ctrl-C ends it, and in good order.
    pub(crate) async fn interrupted(self) {
        let id = self.child.id().to_string();
        // What it printed came from another thread; the one that listens for Ctrl-C may not have come so far.
        timeout(PATIENCE, async {
            while !listens_for_interrupt(&id) {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("it listens for Ctrl-C");
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.ended().await;
    }

    /// It ends by itself, in good order.
    pub(crate) async fn ended(mut self) {
        while timeout(PATIENCE, self.lines.recv()).await.expect("it ends").is_some() {}
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).ok();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{} ends in good order: {status}; {said}", self.name);
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Examples are beside the tests: `target/debug/deps/examples-…` and `target/debug/examples/…`.
fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name);
    assert!(path.exists(), "{name} is not built: run `cargo build --package kube-informer --examples`");
    path
}

/// Whether the process catches SIGINT. Where there is no `/proc` it is taken to do so.
fn listens_for_interrupt(id: &str) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else { return true };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    // The signal's number is 2, and bits count from 1.
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 0b10 != 0)
}
