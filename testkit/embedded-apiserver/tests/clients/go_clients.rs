//! kubectl, and the informers of client-go.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use embedded_apiserver::{EmbeddedApiserver, ServerFault, TcpServer, Verb};
use serde_json::Value;
use tempfile::TempDir;
use test_cluster::{Binaries, Oracle, Watched, available, print_skip};

/// A server with a kubeconfig in a temporary directory.
struct Bed {
    server: EmbeddedApiserver,
    _endpoint: TcpServer,
    dir: TempDir,
}

impl Bed {
    /// `None` if the tools are not available; the reason is printed.
    async fn new(test: &str) -> Result<Option<Self>> {
        if let Err(why) = available() {
            print_skip(test, &why);
            return Ok(None);
        }
        // Without a token: clients in Go send none to a server without TLS.
        let server = EmbeddedApiserver::new();
        let endpoint = server.listen().await?;
        let dir = tempfile::tempdir()?;
        endpoint.write_kubeconfig(dir.path().join("kubeconfig"))?;
        Ok(Some(Self { server, _endpoint: endpoint, dir }))
    }

    fn kubeconfig(&self) -> PathBuf {
        self.dir.path().join("kubeconfig")
    }

    /// Runs kubectl and returns its output.
    async fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        let mut command = kubectl(self.dir.path(), arguments)?;
        let output: Output = tokio::task::spawn_blocking(move || command.output()).await??;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "kubectl {arguments:?}: {said}{complained}");
        Ok(said)
    }

    fn write(&self, name: &str, text: &str) -> Result<String> {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    }
}

fn kubectl(dir: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(Binaries::locate_or_build()?.kubectl()?);
    command.arg("--kubeconfig").arg(dir.join("kubeconfig")).arg("--cache-dir").arg(dir.join("cache"));
    command.args(arguments).env("NO_PROXY", "127.0.0.1").stdin(Stdio::null());
    Ok(command)
}

/// A process that is killed at the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  key: one\n";

impl Bed {
    /// Creates a ConfigMap from a file, because `kubectl create configmap` sends protobuf.
    async fn create(&self, name: &str) -> Result<String> {
        let file = self.write(name, &MAP.replace("mine", name))?;
        self.kubectl(&["create", "-f", &file]).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_reads_and_writes() -> Result<()> {
    let Some(bed) = Bed::new("kubectl_reads_and_writes").await? else { return Ok(()) };
    let nothing = bed.kubectl(&["get", "configmaps", "-o", "name"]).await?;
    assert_eq!(nothing, "");
    for name in ["first", "mine"] {
        assert_eq!(bed.create(name).await?.trim(), format!("configmap/{name} created"));
    }
    let refused = bed.kubectl(&["create", "configmap", "other"]).await.unwrap_err().to_string();
    assert!(refused.contains("accepted media types include: application/json"), "{refused}");
    let names = bed.kubectl(&["get", "cm", "-o", "name"]).await?;
    assert_eq!(names, "configmap/first\nconfigmap/mine\n");
    let table = bed.kubectl(&["get", "cm"]).await?;
    assert!(table.lines().next().unwrap_or_default().starts_with("NAME"), "{table}");
    assert_eq!(table.lines().count(), 3, "{table}");
    let said = bed.kubectl(&["label", "cm", "mine", "tier=front"]).await?;
    assert_eq!(said.trim(), "configmap/mine labeled");
    let names = bed.kubectl(&["get", "cm", "-l", "tier=front", "-A", "-o", "name"]).await?;
    assert_eq!(names, "configmap/mine\n");
    let said = bed.kubectl(&["delete", "cm", "mine", "first"]).await?;
    assert_eq!(
        said,
        "configmap \"mine\" deleted from default namespace\nconfigmap \"first\" deleted from default namespace\n"
    );
    assert_eq!(bed.kubectl(&["get", "cm", "-o", "name"]).await?, "");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_applies() -> Result<()> {
    let Some(bed) = Bed::new("kubectl_applies").await? else { return Ok(()) };
    for (key, expected) in [("one", "created"), ("one", "unchanged"), ("two", "configured")] {
        let file = bed.write("mine.yaml", &MAP.replace("one", key))?;
        let said = bed.kubectl(&["apply", "-f", &file]).await?;
        assert_eq!(said.trim(), format!("configmap/mine {expected}"));
    }
    let value = bed.kubectl(&["get", "cm", "mine", "-o", "jsonpath={.data.key}"]).await?;
    assert_eq!(value, "two");
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  selector:\n    \
        matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      \
        - {name: web, image: web:1}\n";
    for (image, expected) in [("web:1", "created"), ("web:2", "configured")] {
        let file = bed.write("web.yaml", &deployment.replace("web:1", image))?;
        let said = bed.kubectl(&["apply", "-f", &file]).await?;
        assert_eq!(said.trim(), format!("deployment.apps/web {expected}"));
    }
    let images = bed
        .kubectl(&["get", "deploy", "web", "-o", "jsonpath={.spec.template.spec.containers[*].image}"])
        .await?;
    assert_eq!(images, "web:2");
    bed.kubectl(&["scale", "deploy", "web", "--replicas=3"]).await?;
    let replicas = bed.kubectl(&["get", "deploy", "web", "-o", "jsonpath={.spec.replicas}"]).await?;
    assert_eq!(replicas, "3");
    Ok(())
}

const WIDGETS: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: \
    widgets.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget, singular: \
    widget, listKind: WidgetList}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      \
    openAPIV3Schema:\n        type: object\n        description: Something that turns.\n        properties:\n          spec:\n            \
    type: object\n            properties:\n              size: {type: integer, description: How large it is.}\n";
const WIDGET: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: one\nspec:\n  size: 1\n";

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_knows_the_fields() -> Result<()> {
    let Some(bed) = Bed::new("kubectl_knows_the_fields").await? else { return Ok(()) };
    let explained = bed.kubectl(&["explain", "deployment.spec.strategy.rollingUpdate.maxSurge"]).await?;
    assert!(explained.contains("FIELD: maxSurge <IntOrString>"), "{explained}");
    assert!(explained.contains("The maximum number of pods that can be scheduled above"), "{explained}");
    let explained = bed.kubectl(&["explain", "pod.spec.containers", "--recursive"]).await?;
    assert!(explained.contains("imagePullPolicy"), "{explained}");
    let misspelt = bed.write("misspelt.yaml", &MAP.replace("\ndata:", "\ndat:"))?;
    for command in ["create", "apply"] {
        let refused = bed.kubectl(&[command, "-f", &misspelt]).await.unwrap_err().to_string();
        assert!(refused.contains("strict decoding error: unknown field \"dat\""), "{refused}");
    }
    bed.kubectl(&["create", "--validate=ignore", "-f", &misspelt]).await?;

    let definition = bed.write("definition.yaml", WIDGETS)?;
    bed.kubectl(&["create", "-f", &definition]).await?;
    let explained = bed.kubectl(&["explain", "widgets.spec.size"]).await?;
    assert!(
        explained.contains("FIELD: size <integer>") && explained.contains("How large it is."),
        "{explained}"
    );
    for (size, expected) in [("1", "created"), ("1", "unchanged"), ("2", "configured")] {
        let file = bed.write("widget.yaml", &WIDGET.replace("size: 1", &format!("size: {size}")))?;
        let said = bed.kubectl(&["apply", "-f", &file]).await?;
        assert_eq!(said.trim(), format!("widget.example.com/one {expected}"));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_changes_objects_in_place() -> Result<()> {
    let Some(bed) = Bed::new("kubectl_changes_objects_in_place").await? else { return Ok(()) };
    bed.create("mine").await?;
    let file = bed.write("mine.yaml", &MAP.replace("one", "two"))?;
    assert_eq!(bed.kubectl(&["replace", "-f", &file]).await?.trim(), "configmap/mine replaced");
    let editor = bed.write("editor.sh", "#!/bin/sh\nsed -i.bak 's/key: two/key: three/' \"$1\"\n")?;
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let mut command = kubectl(bed.dir.path(), &["edit", "configmap", "mine"])?;
    command.env("KUBE_EDITOR", &editor).env_remove("EDITOR");
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.trim(), "configmap/mine edited", "{complained}");
    let value = bed.kubectl(&["get", "cm", "mine", "-o", "jsonpath={.data.key}"]).await?;
    assert_eq!(value, "three");

    let node = bed.write("node.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n")?;
    bed.kubectl(&["create", "-f", &node]).await?;
    let taints = ["get", "node", "node", "-o", "jsonpath={.spec.taints[*].key}"];
    bed.kubectl(&["taint", "node", "node", "a=b:NoSchedule", "c=d:NoExecute"]).await?;
    assert_eq!(bed.kubectl(&taints).await?, "a c");
    bed.kubectl(&["taint", "node", "node", "a-"]).await?;
    assert_eq!(bed.kubectl(&taints).await?, "c");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_watches() -> Result<()> {
    let Some(bed) = Bed::new("kubectl_watches").await? else { return Ok(()) };
    bed.create("first").await?;
    let mut command = kubectl(bed.dir.path(), &["get", "configmaps", "--watch", "-o", "name"])?;
    let mut child = Running(command.stdout(Stdio::piped()).spawn()?);
    let stdout = child.0.stdout.take().context("kubectl has no output")?;
    let mut lines = BufReader::new(stdout).lines();
    bed.server.journal().until(1, |request| request.is(Verb::Watch, "configmaps")).await;
    bed.create("second").await?;
    bed.kubectl(&["label", "configmap", "first", "a=b"]).await?;
    let told =
        tokio::task::spawn_blocking(move || lines.by_ref().take(3).collect::<Result<Vec<_>, _>>()).await??;
    assert_eq!(told, ["configmap/first", "configmap/second", "configmap/first"]);
    Ok(())
}

/// Reads lines of the oracle until all expected ones have come, in any order. Returns the other lines.
async fn told(mut oracle: Oracle, expected: &[&str]) -> Result<(Oracle, Vec<String>)> {
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    tokio::task::spawn_blocking(move || {
        let mut others = Vec::new();
        while !expected.is_empty() {
            let line = oracle.line_within(Duration::from_secs(60))?;
            let line = line.with_context(|| format!("the oracle never says {expected:?}"))?;
            let line: Value = serde_json::from_str(&line)?;
            let text = |key: &str| line[key].as_str().unwrap_or_default();
            let line = match line["synced"].as_bool() {
                Some(true) => "synced".to_owned(),
                _ => format!("{} {}", text("call"), text("key")),
            };
            match expected.iter().position(|expected| *expected == line) {
                Some(index) => drop(expected.remove(index)),
                None => others.push(line),
            }
        }
        Ok((oracle, others))
    })
    .await?
}

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_of_client_go_follows() -> Result<()> {
    let Some(bed) = Bed::new("an_informer_of_client_go_follows").await? else { return Ok(()) };
    bed.create("a").await?;
    let kubeconfig = bed.kubeconfig();
    let oracle = tokio::task::spawn_blocking(move || {
        let watched = Watched { resource: "/v1/configmaps".to_owned(), ..Watched::default() };
        Oracle::start(&kubeconfig, &watched)
    });
    let (oracle, others) = told(oracle.await??, &["add default/a", "synced"]).await?;
    assert!(others.is_empty(), "{others:?}");
    bed.create("b").await?;
    bed.kubectl(&["label", "configmap", "a", "c=d"]).await?;
    bed.kubectl(&["delete", "configmap", "b"]).await?;
    let (oracle, others) = told(oracle, &["add default/b", "update default/a", "delete default/b"]).await?;
    assert!(others.is_empty(), "{others:?}");
    // The watch of the informer ends and the next ones fail; then it has to catch up.
    let faults = [
        bed.server.inject(ServerFault::refuse().on(Verb::Watch).once()),
        bed.server.inject(ServerFault::expired_event().on(Verb::Watch).once()),
        bed.server
            .inject(ServerFault::too_many_requests(Some(1)).resource("configmaps").on(Verb::List).once()),
    ];
    bed.server.rewind(bed.server.version() - 1)?;
    bed.create("e").await?;
    told(oracle, &["add default/b", "add default/e"]).await?;
    assert_eq!([faults[0].struck(), faults[1].struck()], [1, 1]);
    Ok(())
}
