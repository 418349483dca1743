//! A recording that is served to clients that nobody recorded: `informer` again and again, and kubectl.

use std::process::{Command, Stdio};

use tempfile::TempDir;
use test_cluster::Binaries;

use crate::support::{Running, Said, informer, run};

/// What was recorded of the pods and deployments of an embedded server, served.
struct Served {
    directory: TempDir,
    _serving: Running,
}

impl Served {
    async fn start(speed: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let [file, kubeconfig] = ["a.recording", "kubeconfig"].map(|name| directory.path().join(name));
        let mut record = informer(&["record"]);
        record.arg(&file).args(["pods", "deployments", "--embedded", "--for", "2s"]);
        let recorded = run(record).await;
        assert_eq!(recorded.code, 0, "{recorded:?}");
        let mut serve = informer(&["replay"]);
        serve.arg(&file).args(["--serve", "--speed", speed, "--write-kubeconfig"]).arg(&kubeconfig);
        let mut serving = Running::start(serve);
        assert!(serving.line().await.starts_with("serving the recording at http://127.0.0.1:"));
        Self { directory, _serving: serving }
    }

    async fn informer(&self, arguments: &str) -> Said {
        let mut command = informer(&arguments.split(' ').collect::<Vec<_>>());
        command.arg("--kubeconfig").arg(self.directory.path().join("kubeconfig"));
        run(command).await
    }

    async fn kubectl(&self, arguments: &str) -> Said {
        let binaries = tokio::task::spawn_blocking(|| Binaries::locate_or_build()?.kubectl());
        let mut command = Command::new(binaries.await.expect("it is awaited").expect("kubectl"));
        command.arg("--kubeconfig").arg(self.directory.path().join("kubeconfig"));
        command.arg("--cache-dir").arg(self.directory.path().join("cache"));
        command.env("NO_PROXY", "127.0.0.1").stdin(Stdio::null()).args(arguments.split(' '));
        run(command).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_is_served_to_one_informer_after_the_other() {
    for speed in ["max", "1"] {
        let served = Served::start(speed).await;
        let mut before = None;
        for time in 0..3 {
            let said = served.informer("get pods -A -o name").await;
            assert_eq!(said.code, 0, "{said:?}");
            let names: Vec<String> = said.out.lines().map(str::to_owned).collect();
            assert!(names.len() > 5 && names[0].starts_with("pod/"), "{said:?}");
            // The first one is told what was recorded, and ends in the midst of it. For others it is the end if nothing is waited for.
            if time > 0
                && let (Some(before), "max") = (before.replace(names.clone()), speed)
            {
                assert_eq!(names, before);
            }
        }
        let listed = served.informer("get deployments -n team-0 -o name").await;
        assert!(listed.code == 0 && listed.out.contains("deployment.apps/checkout-0"), "{listed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs kubectl: `cargo xtask e2e` runs it"]
async fn kubectl_reads_a_recording_that_is_served() {
    let served = Served::start("max").await;
    let table = served.kubectl("get pods -A").await;
    assert_eq!(table.code, 0, "{table:?}");
    let mut rows = table.out.lines();
    let head = rows.next().unwrap_or_default();
    assert!(head.starts_with("NAMESPACE") && head.contains("NAME"), "{table:?}");
    let mut first = rows.next().unwrap_or_default().split_whitespace();
    let (namespace, name) = (first.next().expect("a namespace"), first.next().expect("a name"));
    // The same pods as for an informer; the first one is told what was recorded, and ends in the midst of it.
    served.informer("get pods -A -o name").await;
    let cached = served.informer("get pods -A -o name").await;
    let listed = served.kubectl("get pods -A -o name").await;
    let sorted = |said: &Said| {
        let mut lines: Vec<String> = said.out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&listed), sorted(&cached), "{listed:?} {cached:?}");
    let one = served.kubectl(&format!("get pod {name} -n {namespace} -o name")).await;
    assert_eq!((one.code, one.out.trim()), (0, &*format!("pod/{name}")), "{one:?}");
    let selected = served
        .kubectl(&format!("get pods -n {namespace} --field-selector metadata.name={name} -o name"))
        .await;
    assert_eq!(selected.out, one.out, "{selected:?}");
    let watched = served.kubectl("get deploy -n team-0 -o name -w --request-timeout=1s").await;
    assert!(watched.out.contains("deployment.apps/checkout-0"), "{watched:?}");
    let missing = served.kubectl("get pod nope -n team-0").await;
    assert!(missing.code == 1 && missing.err.contains("pods \"nope\" not found"), "{missing:?}");
    let unknown = served.kubectl("get nodes").await;
    assert!(unknown.code == 1 && unknown.err.contains("the recording has no answer to GET"), "{unknown:?}");
    let refused = served.kubectl(&format!("delete pod {name} -n {namespace}")).await;
    assert!(refused.code == 1 && refused.err.contains("this is a recording"), "{refused:?}");
}
