//! A backup is restored while others go on writing: what is noticed, how soon, and what cannot be.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kube_informer::Options;
use kube_informer::status::{Phase, RelistReason};
use tokio::task::block_in_place;
use tokio::time::{interval, timeout};

use super::cluster;
use crate::support::config;
use crate::support::link::Link;
use crate::support::objects::Objects;
use crate::support::watched::Watched;

/// How long the cache may be wrong after the watch is open again, where it can be told.
const NOTICED_WITHIN: Duration = Duration::from_secs(10);

/// One restored backup.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// How many versions are lost.
    old: usize,
    /// Writes a second to the restored server.
    writes: u64,
    /// The informer comes back only when the server has passed the version that it has seen.
    passed: bool,
    /// The newest object that the informer holds is among those that are written.
    newest_written: bool,
}

impl Case {
    /// A server that has passed our version and has the newest object that we hold at a version that is not lower.
    fn can_be_told(self) -> bool {
        !(self.passed && self.newest_written)
    }
}

/// All cases, if they are asked for: they take minutes. Otherwise the one that was never noticed before, and the plain one.
fn cases() -> Vec<Case> {
    if std::env::var_os("KUBE_INFORMER_BACKUPS").is_none() {
        let passed = Case { old: 20, writes: 200, passed: true, newest_written: false };
        return vec![passed, Case { writes: 0, passed: false, ..passed }];
    }
    let mut cases = Vec::new();
    for old in [20, 600] {
        cases.push(Case { old, writes: 0, passed: false, newest_written: false });
        for writes in [5, 200] {
            for (passed, newest_written) in [(false, false), (true, false), (true, true)] {
                // 600 versions at 5 a second are two minutes, which shows nothing that 200 a second do not.
                if !(passed && old == 600 && writes == 5) {
                    cases.push(Case { old, writes, passed, newest_written });
                }
            }
        }
    }
    cases
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backups_restored_under_load() -> Result<()> {
    let test = "backups_restored_under_load";
    let Some(mut cluster) = block_in_place(|| cluster(test)) else { return Ok(()) };
    let objects = Objects::seeded(&cluster).await?;
    let (link, through_link) = Link::to(config(&cluster).await?).await?;
    for case in cases() {
        let mut watched = Watched::start(through_link.clone(), &objects.resource, Options::default()).await?;
        block_in_place(|| cluster.backup_etcd())?;
        objects.label_again("changes", "after-the-backup").await?;
        let last = objects.write(case.old).await?;
        watched.informer.wait_for(&last, crate::support::PATIENCE).await?;
        let seen: u64 = last.metadata.resource_version.context("a version")?.parse()?;

        link.refuse();
        block_in_place(|| cluster.restore_etcd())?;
        let traffic = Traffic { objects: objects.clone(), case };
        if case.passed {
            traffic.until(|version| version > seen).await?;
        }
        link.restore();
        // How soon that is has nothing to do with the backup.
        watched
            .until("it watches again", |status| {
                !matches!(status.phase, Phase::BackingOff | Phase::Unreachable)
            })
            .await?;
        let over = Instant::now();
        if !case.passed && case.writes > 0 {
            traffic.until(|_| over.elapsed() > Duration::from_secs(3)).await?;
        }
        let content = objects.content().await?;
        let told = timeout(NOTICED_WITHIN, watched.until_told("a restored backup", &content)).await;
        let noticed = told.ok().transpose()?.map(|()| over.elapsed());
        let rewinds = watched.relists(RelistReason::Rewound);
        let outcome = match noticed {
            Some(took) => format!("right after {:.2} s, {rewinds} rewinds noticed", took.as_secs_f64()),
            None => format!("wrong after {NOTICED_WITHIN:?}, {rewinds} rewinds noticed"),
        };
        // The harness swallows what a test prints that passes.
        writeln!(std::io::stderr(), "backup: {case:?}: {outcome}").ok();
        ensure!(
            noticed.is_some() || !case.can_be_told(),
            "{case:?}: {outcome}: {:#?}",
            watched.informer.status()
        );
    }
    Ok(())
}

/// Somebody else who writes.
struct Traffic {
    objects: Objects,
    case: Case,
}

impl Traffic {
    /// Writes until one of the writes has a version that will do.
    async fn until(&self, enough: impl Fn(u64) -> bool) -> Result<()> {
        let mut tick = interval(Duration::from_secs(1) / u32::try_from(self.case.writes)?);
        let name = if self.case.newest_written { "changes" } else { "stays" };
        for number in 0..10_000 {
            tick.tick().await;
            let value = format!("traffic-{number}");
            let written = self.objects.label_again(name, &value).await?;
            if enough(written.metadata.resource_version.context("a version")?.parse()?) {
                return Ok(());
            }
        }
        anyhow::bail!("10,000 writes are not enough")
    }
}
