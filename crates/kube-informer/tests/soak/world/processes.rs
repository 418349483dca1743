//! Other processes with an informer, many at once.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kube_client::api::DynamicObject;
use kube_informer::source::HttpSource;
use kube_informer::{Event, Kind, SharedInformer, handler};
use tempfile::TempDir;
use test_cluster::Cluster;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::metered::Metered;
use crate::support::{PATIENCE, config_from};
use crate::world::kinds::What;

/// Set for such a process, to the file of its kubeconfig.
pub(crate) const KUBECONFIG: &str = "KUBE_INFORMER_SOAK_WATCHER";

/// A process with an informer of ConfigMaps, which prints what it is told of the object `signal`. Killed when dropped.
pub(crate) struct Watcher {
    child: Child,
    lines: mpsc::UnboundedReceiver<(Instant, String)>,
    _folder: TempDir,
}

impl Watcher {
    /// Starts this program once more, in its other role.
    pub(crate) fn start(cluster: &Cluster, url: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let kubeconfig = folder.path().join("kubeconfig");
        std::fs::write(&kubeconfig, cluster.kubeconfig_yaml_at(url))?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--exact", "random_walk", "--nocapture"])
            .env(KUBECONFIG, kubeconfig)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = BufReader::new(child.stdout.take().context("its output")?);
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            let mut lines = out.lines().map_while(Result::ok);
            lines.try_for_each(|line| sender.send((Instant::now(), line)))
        });
        Ok(Self { child, lines, _folder: folder })
    }

    pub(crate) async fn until_synced(&mut self) -> Result<()> {
        self.until("synced", PATIENCE).await.map(drop)
    }

    /// Waits until it has been told of this signal; gives the moment, and how many requests it had sent until then.
    pub(crate) async fn until_signalled(
        &mut self,
        value: &str,
        patience: Duration,
    ) -> Result<(Instant, usize)> {
        let (at, line) = self.until(&format!("signal {value} "), patience).await?;
        let requests = line.rsplit(' ').next().context("a number")?;
        Ok((at, requests.parse()?))
    }

    async fn until(&mut self, wanted: &str, patience: Duration) -> Result<(Instant, String)> {
        let found = timeout(patience, async {
            while let Some((at, line)) = self.lines.recv().await {
                // The harness writes the name of the test before the first line.
                if let Some(place) = line.find(wanted) {
                    return Ok((at, line[place..].to_owned()));
                }
            }
            bail!("a process has ended")
        });
        found.await.with_context(|| format!("a process did not print {wanted:?}"))?
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What such a process does, until it is killed or its parent is gone.
pub(crate) async fn watch(kubeconfig: &OsStr) -> Result<()> {
    std::thread::spawn(|| {
        // Nothing ever comes: it ends with the parent.
        std::io::stdin().lines().for_each(drop);
        std::process::exit(0);
    });
    let config = config_from(&std::fs::read_to_string(kubeconfig)?).await?;
    let resource = What::ConfigMaps.resource();
    let source = Metered::new(HttpSource::new(config, DynamicObject::info(&resource))?);
    let informer = SharedInformer::<DynamicObject>::builder_with(source.clone(), &resource)
        .namespace(What::ConfigMaps.namespace())
        .build()?;
    let asked = source.clone();
    informer.add_event_handler(handler().on_event(move |event: &Event<DynamicObject>| {
        if let Some(object) = event.object().filter(|object| object.name() == "signal") {
            let value = object.labels().get("value").map(ToString::to_string).unwrap_or_default();
            println!("signal {value} after {}", asked.asked().len());
        }
    }))?;
    let running = informer.clone();
    let run = async move { running.run(std::future::pending()).await };
    let synced = async {
        informer.wait_synced(PATIENCE).await?;
        println!("synced");
        Ok(())
    };
    tokio::try_join!(async { run.await.map_err(anyhow::Error::from) }, synced).map(drop)
}
