//! `informer get` beside kubectl: the same arguments on the same server print the same.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_cluster::{Binaries, Cluster, Options};

use crate::support::{Said, Server, informer, run};

/// Arguments of `get` whose output is the same on any server.
const FORMS: &[&str] = &[
    "pods -n shop -o name",
    "deploy,cm -n shop -o name",
    "pod web-0 web-1 -n shop -o name",
    "pod/web-0 cm/settings -n shop -o name",
    "pods -A -o name -l app=web",
    "pods -n shop -o name -l tier=front",
    "pod nope -n shop -o name",
    "pod web-0 nope -n shop -o name",
];

/// Arguments whose output has the columns of the server. The embedded one has no tables.
const TABLES: &[&str] = &[
    "pods -n shop",
    "pods -n shop -o wide",
    "pods -A",
    "pods -n shop --no-headers",
    "pods -n shop --show-labels",
    "pods -n shop -L tier,app.kubernetes.io/name",
    "pods -n shop -L tier --show-labels --no-headers",
    "pod web-0 -n shop",
    "deploy -n shop",
    "deploy -n shop -o wide",
    "rs -n shop -o wide",
    "sts -n shop -o wide",
    "ds -n shop -o wide",
    "jobs -n shop -o wide",
    "cronjobs -n shop -o wide",
    "svc -n shop",
    "svc -n shop -o wide",
    "cm -n shop",
    "secrets -n shop",
    "ns shop",
    "nodes",
    "nodes -o wide",
    "pv -o wide",
    "pvc -n shop -o wide",
    "ing -n shop",
    "sa -n shop",
    "events -n shop",
    "events -n shop -o wide",
    "deploy,svc -n shop",
    "deploy,svc -n shop --no-headers",
    "deploy/web svc/web -n shop -o wide --show-labels",
];

/// Objects and the path to a field of them, which is a column of its own with both.
const FIELDS: &[(&str, &str)] = &[
    ("pods -n shop", ".spec.serviceAccountName"),
    ("pods -n shop", ".metadata.labels['tier']"),
    ("pods -n shop", r".metadata.labels['app\.kubernetes\.io/name']"),
    ("pods -n shop", r".metadata.labels.app\.kubernetes\.io/name"),
    ("pods -n shop", ".spec.containers[0].image"),
    ("pods -n shop", ".spec.containers[-1].image"),
    ("pods -n shop", ".spec.containers[*].name"),
    ("pods -n shop", ".spec.containers[*].ports[*].containerPort"),
    ("pods -n shop", r#".spec.containers[?(@.name=="side")].image"#),
    ("svc -n shop", ".spec.ports[?(@.port==80)].protocol"),
    ("deploy -n shop", ".spec.replicas"),
];

/// The kubeconfig and the cache of a server's clients.
struct Clients {
    directory: TempDir,
}

impl Clients {
    fn new(kubeconfig: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("kubeconfig"), kubeconfig).expect("a kubeconfig");
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    async fn kubectl(&self, arguments: &[String]) -> Said {
        let binaries = tokio::task::spawn_blocking(|| Binaries::locate_or_build()?.kubectl());
        let kubectl = binaries.await.expect("it is awaited").expect("kubectl");
        let mut command = Command::new(kubectl);
        command.arg("--kubeconfig").arg(self.path().join("kubeconfig"));
        command.arg("--cache-dir").arg(self.path().join("cache"));
        command.env("NO_PROXY", "127.0.0.1").stdin(Stdio::null()).args(arguments);
        run(command).await
    }

    async fn informer(&self, arguments: &[String]) -> Said {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let mut command = informer(&arguments);
        command.arg("--kubeconfig").arg(self.path().join("kubeconfig"));
        run(command).await
    }

    /// Creates the objects, and then gives them the status that they cannot be created with.
    async fn fill(&self) {
        let file = self.path().join("objects.json");
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects() });
        std::fs::write(&file, list.to_string()).expect("a file");
        let file = file.display().to_string();
        let created = self.kubectl(&words(&format!("create --validate=false -f {file}"))).await;
        assert_eq!(created.code, 0, "{created:?}");
        for (object, status) in statuses() {
            let patch = json!({ "status": status }).to_string();
            let mut arguments =
                words(&format!("patch {object} -n shop --subresource=status --type=merge -p"));
            arguments.push(patch);
            let patched = self.kubectl(&arguments).await;
            assert_eq!(patched.code, 0, "{object}: {patched:?}");
        }
    }

    /// Runs `get` with both, and says what is different.
    async fn compare(&self, cases: &[&str]) -> String {
        let mut problems = String::new();
        for case in cases {
            let mut arguments = vec!["get".to_owned()];
            arguments.extend(words(case));
            let (theirs, ours) = tokio::join!(self.kubectl(&arguments), self.informer(&arguments));
            if (lines(&theirs.out), theirs.code == 0) != (lines(&ours.out), ours.code == 0) {
                writeln!(
                    problems,
                    "{case}\n--- kubectl {theirs:?}\n{}\n--- informer {ours:?}\n{}\n",
                    theirs.out, ours.out
                )
                .expect("memory");
            }
        }
        problems
    }

    /// Shows fields with both, and says which columns are different.
    async fn compare_fields(&self) -> String {
        let mut problems = String::new();
        for (objects, path) in FIELDS {
            let of =
                |form: &[String]| [words(&format!("get {objects} --no-headers")), form.to_vec()].concat();
            let theirs = of(&["-o".to_owned(), format!("custom-columns=X:{path}")]);
            let ours = of(&["--field".to_owned(), (*path).to_owned()]);
            let (theirs, ours) = tokio::join!(self.kubectl(&theirs), self.informer(&ours));
            let (wanted, found) = (last_column(&theirs.out), last_column(&ours.out));
            if (theirs.code, ours.code) != (0, 0) || wanted.is_empty() || wanted != found {
                writeln!(
                    problems,
                    "{objects} {path}\n--- kubectl {theirs:?}\n{wanted:?}\n--- informer {ours:?}\n{found:?}\n"
                )
                .expect("memory");
            }
        }
        problems
    }
}

/// The last word of each line: no value of [`FIELDS`] has a blank.
fn last_column(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.split_whitespace().last().unwrap_or_default()).collect()
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

/// Lines without blanks at their ends, which kubectl has where the last cell is empty, and without ages, which may differ by
/// a second. As an age may be one character longer, runs of blanks count as one blank where there is an age.
fn lines(text: &str) -> Vec<String> {
    let is_age = |word: &str| {
        let digits = word.trim_start_matches('(').trim_end_matches(['s', 'm']);
        !digits.is_empty() && digits.len() < word.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let line = |line: &str| {
        if !line.split_whitespace().any(is_age) {
            return line.trim_end().to_owned();
        }
        let mask = |word| if is_age(word) { "AGE" } else { word };
        line.split_whitespace().map(mask).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect()
}

fn objects() -> Vec<Value> {
    let namespace =
        |name: &str| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    let containers = json!([{ "name": "web", "image": "nginx:1", "ports": [{ "containerPort": 80 }, { "containerPort": 443 }] },
        { "name": "side", "image": "busybox" }]);
    let pod = |name: &str, labels: Value| {
        json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "shop", "labels": labels },
            "spec": { "containers": containers, "automountServiceAccountToken": false, "serviceAccountName": "web" } })
    };
    let selector = json!({ "matchLabels": { "app": "web" } });
    let template =
        json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": containers } });
    let of = |group: &str, kind: &str, spec: Value| {
        json!({ "apiVersion": group, "kind": kind, "metadata": { "name": "web", "namespace": "shop", "labels": { "app": "web" } },
            "spec": spec })
    };
    let job = json!({ "metadata": {}, "spec": { "containers": containers, "restartPolicy": "Never" } });
    let claim = json!({ "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } }, "storageClassName": "fast" });
    vec![
        namespace("shop"),
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "web", "namespace": "shop" } }),
        pod("web-0", json!({ "app": "web", "app.kubernetes.io/name": "web", "tier": "front", "rank": "10" })),
        pod("web-1", json!({ "app": "web", "tier": "back", "rank": "9" })),
        pod("web-2", json!({ "app": "web", "rank": "1Ki" })),
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "settings", "namespace": "shop" },
            "data": { "text": "two\nlines\twith a tab\n", "html": "<b>&amp;</b>", "number": "1" } }),
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "namespace": "shop" }, "stringData": { "a": "b" } }),
        of("apps/v1", "Deployment", json!({ "replicas": 2, "selector": selector, "template": template })),
        of("apps/v1", "ReplicaSet", json!({ "replicas": 2, "selector": selector, "template": template })),
        of(
            "apps/v1",
            "StatefulSet",
            json!({ "replicas": 2, "selector": selector, "template": template, "serviceName": "web" }),
        ),
        of("apps/v1", "DaemonSet", json!({ "selector": selector, "template": template })),
        of("batch/v1", "Job", json!({ "completions": 3, "template": job })),
        of(
            "batch/v1",
            "CronJob",
            json!({ "schedule": "*/5 * * * *", "jobTemplate": { "spec": { "template": job } } }),
        ),
        of(
            "v1",
            "Service",
            json!({ "selector": { "app": "web" }, "ports": [{ "name": "a", "port": 80 }, { "name": "b", "port": 53, "protocol": "UDP" }] }),
        ),
        json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "far", "namespace": "shop" },
            "spec": { "type": "ExternalName", "externalName": "example.com" } }),
        json!({ "apiVersion": "v1", "kind": "Service", "metadata": { "name": "balanced", "namespace": "shop" },
            "spec": { "type": "LoadBalancer", "ports": [{ "port": 80, "nodePort": 30080 }] } }),
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-1", "labels": { "node-role.kubernetes.io/worker": "" } },
            "spec": { "unschedulable": true } }),
        json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "volume" }, "spec": { "capacity": { "storage": "1Gi" },
            "accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "hostPath": { "path": "/data" }, "storageClassName": "fast" } }),
        of("v1", "PersistentVolumeClaim", claim),
        of(
            "networking.k8s.io/v1",
            "Ingress",
            json!({ "ingressClassName": "nginx", "tls": [{ "hosts": ["a.example.com"] }], "rules": [{ "host": "a.example.com",
            "http": { "paths": [{ "path": "/", "pathType": "Prefix", "backend": { "service": { "name": "web", "port": { "number": 80 } } } }] } }] }),
        ),
        json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": "web-0.1", "namespace": "shop" }, "type": "Warning",
            "reason": "BackOff", "message": "Back-off restarting failed container", "count": 3,
            "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z",
            "source": { "component": "kubelet", "host": "node-1" },
            "involvedObject": { "kind": "Pod", "name": "web-0", "namespace": "shop", "fieldPath": "spec.containers{web}" } }),
    ]
}

/// Statuses that show what columns make of them.
fn statuses() -> Vec<(&'static str, Value)> {
    let running = json!({ "name": "web", "image": "nginx:1", "imageID": "", "ready": true, "restartCount": 2, "state": { "running": {} },
        "lastState": { "terminated": { "exitCode": 1, "finishedAt": "2026-01-01T00:00:00Z" } } });
    let crashing = json!({ "name": "side", "image": "busybox", "imageID": "", "ready": false, "restartCount": 1,
        "state": { "waiting": { "reason": "CrashLoopBackOff" } } });
    let done = json!({ "name": "web", "image": "nginx:1", "imageID": "", "ready": false, "restartCount": 0,
        "state": { "terminated": { "exitCode": 0, "reason": "Completed" } } });
    vec![
        (
            "pod/web-0",
            json!({ "phase": "Running", "podIP": "10.0.0.1", "podIPs": [{ "ip": "10.0.0.1" }], "containerStatuses": [running, crashing] }),
        ),
        ("pod/web-1", json!({ "phase": "Succeeded", "containerStatuses": [done] })),
        (
            "deploy/web",
            json!({ "replicas": 2, "updatedReplicas": 2, "readyReplicas": 1, "availableReplicas": 1 }),
        ),
        ("rs/web", json!({ "replicas": 2, "readyReplicas": 1 })),
        (
            "node/node-1",
            json!({ "conditions": [{ "type": "Ready", "status": "True" }], "addresses": [{ "type": "InternalIP", "address": "10.1.1.1" }],
            "nodeInfo": { "kubeletVersion": "v1.36.4", "osImage": "Linux", "kernelVersion": "6.1", "containerRuntimeVersion": "containerd://2",
                "architecture": "amd64", "operatingSystem": "linux", "bootID": "", "machineID": "", "systemUUID": "", "kubeProxyVersion": "" } }),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs kubectl: `cargo xtask e2e` runs it"]
async fn get_prints_what_kubectl_prints_on_the_embedded_server() {
    let server = Server::start().await;
    let clients = Clients::new(&std::fs::read_to_string(server.kubeconfig()).expect("a kubeconfig"));
    let shop = words("delete namespace shop");
    assert_eq!(clients.kubectl(&shop).await.code, 0);
    clients.fill().await;
    let problems = clients.compare(FORMS).await + &clients.compare_fields().await;
    assert!(problems.is_empty(), "{problems}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs kubectl and a real kube-apiserver: `cargo xtask e2e` runs it"]
async fn get_prints_what_kubectl_prints_on_a_real_server() {
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(Options::default()));
    let cluster = cluster.await.expect("it is awaited").expect("a cluster");
    let clients = Clients::new(&cluster.kubeconfig_yaml());
    clients.fill().await;
    let problems =
        clients.compare(FORMS).await + &clients.compare(TABLES).await + &clients.compare_fields().await;
    assert!(problems.is_empty(), "{problems}");
}
