//! `replication_manager` beside the real kube-controller-manager, on a kube-apiserver each: the same controllers, the same
//! changes, and the server killed in the middle. Ours has to end where the objects say, to the pod.
//!
//! Small by itself; `cargo xtask bench replicas` runs it at the size of a cluster, several times, and prints a table.

mod audit;
mod load;
mod ranking;
mod usage;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use test_cluster::{Cluster, Options};

use self::audit::Writes;
use self::load::{Load, World};
use self::usage::Usage;
use crate::support::{PATIENCE, Program};

/// As many workers as ours have, for each of the two kinds, and no limit of requests, which ours do not have either.
const AS_OURS: [&str; 4] = [
    "--concurrent-replicaset-syncs=8",
    "--concurrent-rc-syncs=8",
    "--kube-api-qps=100000",
    "--kube-api-burst=100000",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Manager {
    Ours,
    Theirs,
}

/// What one manager did in one run.
#[derive(Debug)]
struct Figures {
    /// Until all pods were there and every status said so.
    created: Duration,
    /// From the last change until everything was as it is to be, or nobody waited any longer.
    converged: Duration,
    /// How many controllers did not have as many pods as they are to have even then.
    wrong: usize,
    usage: Usage,
    writes: Writes,
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_where_the_objects_say() {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip("beside::it_ends_where_the_objects_say", &why);
        return;
    }
    let (load, rounds) = (Load::from_environment(), load::number("KUBE_INFORMER_ROUNDS").unwrap_or(1));
    let mut all: BTreeMap<Manager, Vec<Figures>> = BTreeMap::new();
    for round in 0..rounds {
        for manager in [Manager::Ours, Manager::Theirs] {
            let figures = run(manager, &load, round as u64).await;
            eprintln!("round {round}, {manager:?}: {figures:?}");
            all.entry(manager).or_default().push(figures);
        }
    }
    print(&load, &all);
}

async fn run(manager: Manager, load: &Load, seed: u64) -> Figures {
    let directory = tempfile::tempdir().unwrap();
    let options =
        audit::arguments(directory.path()).into_iter().fold(Options::default(), Options::apiserver_arg);
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(options)).await.unwrap().unwrap();
    let client = client(&cluster).await;
    let (mut cluster, running) = start(manager, cluster).await;
    let process = running.as_ref().map(Program::id).or(cluster.controller_manager_process()).unwrap();
    let mut world = World::new(client, seed).await;
    // It works when it has made these.
    world.create(2, 1).await;
    assert_eq!(world.wrong_after(PATIENCE).await, 0, "{}", cluster.controller_manager_log_tail());
    let (before, written, begun) = (Usage::of(process), Writes::read(&directory), Instant::now());
    world.create(load.controllers, load.pods).await;
    assert_eq!(world.wrong_after(load.patience()).await, 0, "{}", cluster.controller_manager_log_tail());
    let created = begun.elapsed();

    world.change(load.changes() / 2, load.pods).await;
    let crash = tokio::task::spawn_blocking(move || {
        cluster.crash_apiserver().unwrap();
        cluster
    });
    // The server is away while half of these are made.
    world.change(load.changes() / 2, load.pods).await;
    let last = Instant::now();
    let cluster = crash.await.unwrap();
    let is_test = manager == Manager::Theirs && load.is_small();
    let patience = if is_test { Duration::from_secs(5) } else { load.patience() };
    let wrong = world.wrong_after(patience).await;
    let converged = last.elapsed();
    let (usage, writes) = (Usage::of(process) - before, Writes::read(&directory) - written);
    if let Some(program) = running {
        program.ended_by_sigterm().await;
    }
    // Whether they converge is theirs to show and ours to promise.
    assert!(manager == Manager::Theirs || wrong == 0, "{}", cluster.log_tail());
    if wrong == 0 {
        world.is_exact().await;
    }
    world.end().await;
    tokio::task::spawn_blocking(move || drop(cluster)).await.unwrap();
    Figures { created, converged, wrong, usage, writes }
}

/// The two managers have the token of the one who may do everything, by which the server's log tells them from us.
async fn client(cluster: &Cluster) -> Client {
    let kubeconfig = cluster.kubeconfig_yaml().replace(cluster.token(), cluster.unprivileged_token());
    let kubeconfig = Kubeconfig::from_yaml(&kubeconfig).unwrap();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    config.proxy_url = None;
    Client::try_from(config).unwrap()
}

async fn start(manager: Manager, mut cluster: Cluster) -> (Cluster, Option<Program>) {
    if manager == Manager::Ours {
        let program = Program::start_at("replication_manager", &cluster.kubeconfig_yaml(), &[]);
        return (cluster, Some(program));
    }
    let started = tokio::task::spawn_blocking(move || {
        let controllers = ["replicaset-controller", "replicationcontroller-controller"];
        cluster.start_controller_manager_with(&controllers, &AS_OURS).unwrap();
        cluster
    });
    (started.await.unwrap(), None)
}

/// The table of docs/benchmarks/controllers.md.
fn print(load: &Load, all: &BTreeMap<Manager, Vec<Figures>>) {
    let row = |name: &str, figure: &dyn Fn(&Figures) -> f64| {
        let told = all.values().map(|figures| {
            let mut figures: Vec<f64> = figures.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            format!(
                "{:.2} ({:.2} – {:.2})",
                figures[figures.len() / 2],
                figures[0],
                figures[figures.len() - 1]
            )
        });
        eprintln!("| {name} | {} |", told.collect::<Vec<_>>().join(" | "));
    };
    let rounds = all[&Manager::Ours].len();
    eprintln!("{load:?}; median (least – most) of {rounds}\n");
    eprintln!("| | replication_manager | kube-controller-manager |\n|---|---:|---:|");
    row("all pods created, s", &|it| it.created.as_secs_f64());
    row("from the last change until all is right, s", &|it| it.converged.as_secs_f64());
    row("controllers that were not right by then", &|it| it.wrong as f64);
    row("CPU, s", &|it| it.usage.cpu.as_secs_f64());
    row("memory (RSS), most, MB", &|it| it.usage.peak_bytes as f64 / 1e6);
    row("writes in all", &|it| it.writes.count(|_| true) as f64);
    row("pods created", &|it| it.writes.count(|what| what == "create pods") as f64);
    row("pods deleted", &|it| it.writes.count(|what| what == "delete pods") as f64);
    row("statuses written", &|it| it.writes.count(|what| what.ends_with("/status")) as f64);
    row("events written", &|it| it.writes.count(|what| what.contains("events")) as f64);
    row("writes that were refused", &|it| it.writes.refused as f64);
}
