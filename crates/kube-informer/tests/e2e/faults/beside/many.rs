//! Two hundred watches of one program: what they cost the program and the server, ours and client-go's.
//!
//! What the program costs depends on how it is compiled: `cargo test --release` for figures to be shown.

use std::fs;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_client::api::PostParams;
use kube_client::{Api, Client};
use kube_informer::source::HttpSource;
use kube_informer::{Options, SharedInformer};
use serde_json::{from_value, json};
use test_cluster::Cluster;
use tokio::task::{JoinHandle, block_in_place};

use super::config_maps;
use super::observers::{ClientGo, ours};
use crate::support::{PATIENCE, Server as _, cluster, config, eventually, kubeconfig_of};

const WATCHES: usize = 200;
const OBJECTS_EACH: usize = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_client_go_two_hundred_watches() -> Result<()> {
    let test = "beside_client_go_two_hundred_watches";
    let Some(cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let client = Client::try_from(config(&cluster).await?)?;
    let namespaces: Vec<String> = (0..WATCHES).map(|number| format!("team-{number}")).collect();
    stream::iter(&namespaces)
        .map(|name| fill(&client, name))
        .buffer_unordered(8)
        .try_collect::<Vec<_>>()
        .await?;

    // One after the other, so that each has the server for itself; the server is warm for both.
    let first = Cost::of("client-go", &cluster, async || {
        let kubeconfig = kubeconfig_of(&cluster, cluster.url(), &format!("token: {}", cluster.token()));
        let theirs = block_in_place(|| ClientGo::start_in(&kubeconfig, &config_maps(), namespaces.clone()))?;
        Ok((theirs.process(), theirs))
    })
    .await?;
    let ours = Cost::of("ours", &cluster, async || {
        let source = HttpSource::of::<ConfigMap>(ours(config(&cluster).await?))?;
        let informer = SharedInformer::<ConfigMap>::builder(source)
            .options(|_| Options::default().namespaces(namespaces.clone()))
            .build()?;
        let running = tokio::spawn({
            let informer = informer.clone();
            async move { informer.run(std::future::pending()).await.expect("runs once") }
        });
        informer.wait_synced(PATIENCE).await?;
        ensure!(informer.lister().list().len() == WATCHES * OBJECTS_EACH, "all objects are there");
        Ok((std::process::id(), Running(running)))
    })
    .await?;
    ensure!(
        ours.connections <= first.connections.max(5),
        "{} and {} connections",
        ours.connections,
        first.connections
    );
    Ok(())
}

/// Ends with its owner.
struct Running(JoinHandle<()>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn fill(client: &Client, name: &str) -> Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.create(&PostParams::default(), &from_value(json!({ "metadata": { "name": name } }))?).await?;
    let objects: Api<ConfigMap> = Api::namespaced(client.clone(), name);
    for number in 0..OBJECTS_EACH {
        let object = from_value(json!({ "metadata": { "name": format!("object-{number}") } }))?;
        objects.create(&PostParams::default(), &object).await?;
    }
    Ok(())
}

/// What a program with its watches costs.
struct Cost {
    connections: usize,
}

impl Cost {
    /// Measures from before the start until all is synced and all watches are open, and prints it.
    async fn of<T>(
        name: &str,
        cluster: &Cluster,
        start: impl AsyncFnOnce() -> Result<(u32, T)>,
    ) -> Result<Self> {
        let server = cluster.apiserver_process().context("the API server runs")?;
        let (server_before, own_before) = (Usage::of(server)?, Usage::of(std::process::id())?);
        let watches_before = cluster.watches("configmaps").await?;
        let connections_before = connections(cluster.url())?;
        let started = Instant::now();
        let (client, running) = start().await?;
        let synced = started.elapsed();
        eventually("all watches are open", || async {
            let open = cluster.watches("configmaps").await? - watches_before;
            ensure!(open >= u64::try_from(WATCHES)?, "{open} are");
            Ok(())
        })
        .await?;
        let connections = connections(cluster.url())?.saturating_sub(connections_before);
        let (server_after, client_after) = (Usage::of(server)?, Usage::of(client)?);
        let before = if client == std::process::id() { own_before } else { Usage::default() };
        writeln!(
            std::io::stderr(),
            "beside: {WATCHES} watches, {name:<9} synced after {synced:.2?} over {connections} connections; program {:.2} s \
             of CPU, {:.1} MB; server {:.2} s of CPU, {:+.1} MB",
            client_after.cpu - before.cpu,
            client_after.megabytes - before.megabytes,
            server_after.cpu - server_before.cpu,
            server_after.megabytes - server_before.megabytes,
        )
        .ok();
        drop(running);
        // The server closes them in its own time. Those that were still open would be missing from the count of the next one.
        eventually("all watches are closed", || async {
            let open = cluster.watches("configmaps").await?;
            ensure!(open <= watches_before, "{open} are open, and {watches_before} were");
            Ok(())
        })
        .await?;
        Ok(Self { connections })
    }
}

/// What a process has used so far.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// In seconds.
    cpu: f64,
    megabytes: f64,
}

impl Usage {
    fn of(process: u32) -> Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The name, in parentheses, may hold blanks. User and system time are the 12th and 13th field behind it.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks =
            |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<f64>().ok()).context("a time");
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a size")?;
        let kilobytes: f64 = resident.trim().trim_end_matches(" kB").parse()?;
        // A tick is a hundredth of a second on every Linux.
        Ok(Self { cpu: (ticks(11)? + ticks(12)?) / 100.0, megabytes: kilobytes / 1024.0 })
    }
}

/// How many connections to a server on loopback are open.
fn connections(url: &str) -> Result<usize> {
    let port: u16 = url.rsplit(':').next().context("a port")?.trim_end_matches('/').parse()?;
    let (remote, established) = (format!("0100007F:{port:04X}"), "01");
    let table = fs::read_to_string("/proc/net/tcp")?;
    let fields = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    Ok(fields
        .filter(|fields| fields.get(2) == Some(&&*remote) && fields.get(3) == Some(&established))
        .count())
}
