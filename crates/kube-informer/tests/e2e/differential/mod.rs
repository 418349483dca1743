//! The same random workload observed at once by client-go's informer and by ours, over connections that fail.
//!
//! In every fifth round the server forgets what it did while nobody could hear of it, so that both observers are told
//! 410 and read everything again.
//!
//! 30 rounds or three minutes, whichever comes first; `KUBE_INFORMER_ROUNDS=1000` for that many, however long they
//! take. A failure names the seed of its round: `KUBE_INFORMER_SEED=<seed> KUBE_INFORMER_ROUNDS=1` begins with it.

mod compare;
mod observers;
mod told;
mod truth;
mod workload;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use kube_client::Client;
use test_cluster::{Cluster, Oracle};
use tokio::task::block_in_place;

use self::compare::{Tally, compare};
use self::observers::{Ours, Theirs};
use self::truth::View;
use self::workload::{Mark, NAMESPACES, Workload};
use crate::support::proxy::Proxy;
use crate::support::{PATIENCE, cluster, config};

const ROUNDS: u64 = 30;
const TIME: Duration = Duration::from_secs(180);
/// client-go waits up to a minute after half a dozen failures in a row.
const CATCHES_UP_WITHIN: Duration = Duration::from_secs(120);
/// How long to listen between two writes while an observer catches up.
const BETWEEN_WRITES: Duration = Duration::from_millis(15);
/// One of so many rounds has a server that forgets.
const FORGETS_EVERY: u64 = 5;
/// How many writes are made while waiting; then it is only waited.
const WRITES_WHILE_WAITING: u32 = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_go_and_we_see_the_same() -> Result<()> {
    let Some(mut cluster) = cluster("client_go_and_we_see_the_same") else { return Ok(()) };
    block_in_place(Oracle::locate_or_build)?;
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>()).transpose();
    let rounds = number("KUBE_INFORMER_ROUNDS").context("KUBE_INFORMER_ROUNDS")?;
    let first = number("KUBE_INFORMER_SEED")
        .context("KUBE_INFORMER_SEED")?
        .unwrap_or_else(|| fastrand::u64(..1 << 40));

    let mut workloads = Workload::all(&Client::try_from(config(&cluster).await?)?).await?;
    let (mut tally, started, mut done) = (Tally::default(), Instant::now(), 0);
    while done < rounds.unwrap_or(ROUNDS) && (rounds.is_some() || started.elapsed() < TIME) {
        let seed = first + done;
        round(&mut cluster, &mut workloads, seed, &mut tally)
            .await
            .with_context(|| format!("run it again with KUBE_INFORMER_SEED={seed} KUBE_INFORMER_ROUNDS=1"))?;
        done += 1;
    }
    let writes = workloads.iter().map(Workload::writes).sum::<u64>();
    let seconds = started.elapsed().as_secs();
    eprintln!("{done} rounds from seed {first} in {seconds} s, {writes} writes; {tally}");
    // Otherwise the test no longer tests what it is for.
    let tested = tally.identical > 0 && tally.relists_ours > 0 && tally.relists_theirs > 0;
    ensure!(tested || done < 20, "no relist, or no two histories that had to be the same");
    let forgotten = tally.expired_ours > 0 && tally.expired_theirs > 0;
    ensure!(forgotten || done < FORGETS_EVERY, "the server never said 410, although it forgot what was");
    Ok(())
}

/// Two observers of the same part of the same kind.
struct Pair<'a> {
    workload: &'a mut Workload,
    view: View,
    ours: Ours,
    theirs: Theirs,
}

async fn round(
    cluster: &mut Cluster,
    workloads: &mut [Workload; 2],
    seed: u64,
    tally: &mut Tally,
) -> Result<()> {
    let mut rng = Rng::with_seed(seed);
    let mut pairs = Vec::new();
    for workload in workloads {
        pairs.push(start(cluster, workload, &mut rng).await?);
    }
    if seed.is_multiple_of(FORGETS_EVERY) {
        forget(cluster, &mut pairs, &mut rng).await?;
    }
    for _ in 0..rng.u32(2..=3) {
        for pair in &mut pairs {
            fail(&mut pair.ours.proxy, &mut rng).await;
            fail(&mut pair.theirs.proxy, &mut rng).await;
        }
        for _ in 0..rng.u32(5..20) {
            let pair = rng.usize(..pairs.len());
            pairs[pair].workload.write(&mut rng).await?;
        }
        for pair in &mut pairs {
            recover(&mut pair.ours.proxy, &mut rng)?;
            recover(&mut pair.theirs.proxy, &mut rng)?;
            if rng.u32(..4) == 0 {
                pair.ours.informer.refresh();
            }
        }
        for pair in &mut pairs {
            pair.catch_up(&mut rng, WRITES_WHILE_WAITING).await?;
        }
    }
    for mut pair in pairs {
        // Whoever is told of the first mark by a relist may hear of other objects after it, but not after the second.
        pair.catch_up(&mut rng, 0).await?;
        for mark in pair.catch_up(&mut rng, 0).await? {
            let (key, rv) = (mark.key.parse()?, kube_informer::object::ResourceVersion::new(&mark.rv));
            pair.ours.informer.wait_for_version(&key, &rv, PATIENCE).await?;
        }
        let Pair { workload, view, ours, theirs } = &mut pair;
        compare(ours, theirs, &workload.truth, view, tally)
            .with_context(|| format!("{} in {view:?}", workload.resource.plural))?;
    }
    Ok(())
}

/// While nobody hears anything, objects change and the server forgets how: etcd drops all that was before, and the API
/// server is started again, which has no memory but etcd's.
async fn forget(cluster: &mut Cluster, pairs: &mut [Pair<'_>], rng: &mut Rng) -> Result<()> {
    for pair in pairs.iter() {
        // Nobody notices, and so nobody waits longer and longer meanwhile.
        pair.ours.proxy.stall();
        pair.theirs.proxy.stall();
    }
    for _ in 0..rng.u32(2..10) {
        for pair in pairs.iter_mut() {
            pair.workload.write(rng).await?;
        }
    }
    let marks = pairs[0].workload.mark(|_| true).await?;
    let revision = marks.last().context("a mark")?.rv.parse()?;
    block_in_place(|| {
        cluster.compact_etcd(revision)?;
        cluster.crash_apiserver()
    })?;
    for pair in pairs {
        pair.workload.wait_until_served().await?;
        // What was on its way when nobody listened does not arrive.
        for proxy in [&mut pair.ours.proxy, &mut pair.theirs.proxy] {
            proxy.cut();
            proxy.resume()?;
        }
        pair.catch_up(rng, WRITES_WHILE_WAITING).await?;
    }
    Ok(())
}

/// A pair that has seen what was there before.
async fn start<'a>(cluster: &Cluster, workload: &'a mut Workload, rng: &mut Rng) -> Result<Pair<'a>> {
    workload.clear().await?;
    for _ in 0..rng.u32(..12) {
        workload.write(rng).await?;
    }
    let namespaces =
        NAMESPACES[..rng.usize(..NAMESPACES.len())].iter().map(|name| (*name).to_owned()).collect();
    let view = View { namespaces, labelled: rng.bool() };
    let mut theirs = Theirs::start(cluster, &workload.resource, &view)?;
    let ours = Ours::start(cluster, &workload.resource, &view, rng).await?;
    theirs.synced()?;
    Ok(Pair { workload, view, ours, theirs })
}

impl Pair<'_> {
    /// Marks the end of what was written and waits until both have been told, which is then the case for all before
    /// it. Goes on writing meanwhile, so that the recovery meets changes.
    async fn catch_up(&mut self, rng: &mut Rng, writes: u32) -> Result<Vec<Mark>> {
        let marks = self.workload.mark(|namespace| self.view.includes(namespace)).await?;
        for write in 0..=writes {
            let patience = if write < writes { BETWEEN_WRITES } else { CATCHES_UP_WITHIN };
            if self.ours.hears(&marks, patience).await? && self.theirs.hears(&marks, patience)? {
                return Ok(marks);
            }
            if write < writes {
                self.workload.write(rng).await?;
            }
        }
        bail!(
            "not told of {marks:?} within {CATCHES_UP_WITHIN:?}: we {}, client-go {}; our status: {:#?}\n{}",
            self.ours.hears(&marks, Duration::ZERO).await?,
            self.theirs.hears(&marks, Duration::ZERO)?,
            self.ours.informer.status(),
            self.theirs.oracle.log_tail()
        )
    }
}

/// Breaks the way to the server in one of several manners, or leaves it alone.
async fn fail(proxy: &mut Proxy, rng: &mut Rng) {
    match rng.u32(..10) {
        0 => proxy.cut(),
        1 => proxy.stall(),
        2 => proxy.delay(Duration::from_millis(rng.u64(1..20))),
        3 => {
            proxy.refuse().await;
            proxy.cut();
        }
        _ => {}
    }
}

/// Mends it; perhaps nothing of what was on its way arrives.
fn recover(proxy: &mut Proxy, rng: &mut Rng) -> Result<()> {
    if rng.u32(..8) == 0 {
        proxy.cut();
    }
    proxy.resume()
}
