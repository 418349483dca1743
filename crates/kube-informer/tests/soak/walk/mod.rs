//! Step by step: something goes wrong, is put right, and everything is checked.

pub(crate) mod plan;
mod report;
pub(crate) mod settings;

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use futures::FutureExt;

use self::plan::{Draw, Plan, Step};
use self::report::{Done, Report, say};
use self::settings::Settings;
use crate::faults::Fault;
use crate::world::World;
use crate::world::reader::Reader;
use crate::world::resources::{Resources, resident};

/// How long whoever is not concerned by a fault may take to be right while it lasts.
const UNCONCERNED: Duration = Duration::from_secs(5);

/// How long others write after the end of a fault before the server is compared with the caches.
const TRAFFIC: Duration = Duration::from_secs(1);

/// An informer may send so many requests in a step, and one more for each second and two for each cut. While nobody answers
/// it asks four times a second, six seconds long, and then once a second: 18 more than seconds. A process of its own
/// has its first list and watch besides, and whoever comes back a watch, a question and perhaps a list.
const REQUESTS: usize = 30;

/// The memory at the end, as a part of that after a quarter of the run.
const MEMORY: f64 = 1.1;

/// Lets time pass: how long a fault lasts, and never in order to wait for something.
pub(crate) async fn hold(length: Duration) {
    tokio::time::timeout(length, std::future::pending::<()>()).await.ok();
}

/// One run. What is printed last of one that fails is how to repeat it.
pub(crate) async fn run(settings: &Settings) -> Result<()> {
    test_cluster::available().map_err(|why| anyhow!("nothing can be run: {why}"))?;
    let mut report = Report::new(settings);
    let mut plan = Plan::new(settings);
    say(&format!(
        "soak: seed {}, {} minutes, {} objects in the large kind; too long for this run: {:?}",
        settings.seed,
        settings.minutes,
        settings.objects(),
        plan.left_out(),
    ));
    let mut number = 0;
    let walked = AssertUnwindSafe(walk(settings, &mut plan, &mut report, &mut number)).catch_unwind().await;
    // A panic has printed its message.
    let walked = walked.unwrap_or_else(|_| Err(anyhow!("a check failed")));
    say(&report.table());
    if let Some(file) = &settings.report {
        std::fs::write(file, report.markdown())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    if let Err(error) = &walked {
        say(&format!("{error:#}"));
        let cause = error.root_cause().to_string();
        let cause = cause.lines().next().unwrap_or_default();
        say(&format!("soak: failed at step {number} of seed {}: {cause}", settings.seed));
        say(&format!("to repeat it: {} (--step {number} begins with that step)", settings.command()));
    }
    walked
}

async fn walk(settings: &Settings, plan: &mut Plan, report: &mut Report, number: &mut usize) -> Result<()> {
    let mut world = World::start(settings).await?;
    world.until_right(UNCONCERNED, false).await?;
    // Warm: every connection has been made twice.
    world.link.cut();
    world.writer().await?.change(0, true).await?;
    world.until_right(UNCONCERNED, false).await?;
    world.until_settled().await?;
    report.warm = Some(Resources::steady().await?);

    let begun = Instant::now();
    while begun.elapsed() < settings.length() {
        let next = plan.step();
        if next.number < settings.first_step {
            continue;
        }
        *number = next.number;
        let done = step(&mut world, &next).await.with_context(|| format!("step {next}"))?;
        report.add(&next, &done, begun.elapsed());
        if report.memory_after_a_quarter.is_none() && begun.elapsed() >= settings.length() / 4 {
            report.memory_after_a_quarter = Some(resident()?);
        }
    }
    let (before, memory) = (report.memory_after_a_quarter.context("a run has a quarter")?, resident()?);
    report.memory = Some(memory);
    let warm = report.warm.context("it was warm")?;
    report.left = Some(warm.back_to().await?);
    #[expect(clippy::cast_precision_loss, reason = "KiB")]
    let grown = memory as f64 / before as f64;
    ensure!(
        grown <= MEMORY || !settings.memory_means_something(),
        "{memory} KiB of memory in the end, {before} after a quarter of the run"
    );
    Ok(())
}

async fn step(world: &mut World, step: &Step) -> Result<Done> {
    let asked: Vec<_> = world.readers.iter().map(Reader::requests).collect();
    let begun = Instant::now();
    for draw in &step.draws {
        draw.begin(world).await.with_context(|| format!("{} begins", draw.fault.name()))?;
    }
    let began = Instant::now();
    if world.can_be_written_to() {
        world.writer().await?.change(step.seed, world.kind_is_served).await?;
    }
    if step.draws.iter().all(|draw| draw.fault.is_of_handlers()) {
        let meanwhile = world.until_right(UNCONCERNED, true).await;
        meanwhile.context("the other handlers do not wait for one that is stuck")?;
    }
    let (lasting, ending): (Vec<&Draw>, Vec<&Draw>) =
        step.draws.iter().partition(|draw| draw.fault.lasts_until_noticed());
    let held = ending.iter().map(|draw| draw.length).max();
    hold(held.unwrap_or_default()).await;
    for draw in ending.iter().rev() {
        draw.end(world).await.with_context(|| format!("{} ends", draw.fault.name()))?;
    }
    let writer = world.writer().await?;
    if ending.iter().any(|draw| draw.fault.is_of_servers()) {
        writer.until_served(step.seed, world.kind_is_served).await?;
    }
    // A silent peer is to be noticed whatever a handler does.
    let silent = !lasting.is_empty() && ending.iter().all(|draw| draw.fault.is_of_handlers());
    let over = if silent { began } else { Instant::now() };
    if let Some(traffic) = world.traffic.take() {
        hold(TRAFFIC).await;
        traffic.stop().await?;
    }
    writer.change(!step.seed, world.kind_is_served).await?;
    let signal = format!("step-{}", step.number);
    writer.signal(&signal).await?;
    // Longer than allowed, so that the failure says how long it took.
    let (bound, patience) = (step.bound(), step.bound() * 2 + Duration::from_secs(30));
    let mut right = world.until_right(patience, false).await?;
    let mut most = 0;
    for mut watcher in std::mem::take(&mut world.watchers) {
        let (at, requests) = watcher.until_signalled(&signal, patience).await?;
        right = right.max((at, "a process"));
        most = most.max(requests);
    }
    let (right, last) = right;
    let took = right.saturating_duration_since(over);
    ensure!(took <= bound, "{last} right again after {took:.1?}, which is more than {bound:?}");
    for draw in lasting {
        draw.end(world).await.with_context(|| format!("{} ends", draw.fault.name()))?;
        world.until_right(patience, false).await.context("after what had lasted until it was noticed")?;
    }
    world.until_settled().await?;

    let cuts = step.draws.iter().filter(|draw| draw.fault == Fault::Cuts).map(|draw| draw.times).sum::<u32>();
    let allowed = REQUESTS + usize::try_from(begun.elapsed().as_secs() + 2 * u64::from(cuts))?;
    let mut requests = 0;
    for (reader, before) in world.readers.iter().zip(asked) {
        let sent = reader.requests() - before;
        most = most.max(sent);
        requests += sent;
        reader.assert_no_hot_loop();
    }
    ensure!(most <= allowed, "an informer sent {most} requests, which is more than {allowed}");
    Ok(Done { held, took, last, requests })
}
