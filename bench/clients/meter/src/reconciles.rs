//! What a controller has reconciled, and when.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use crate::{Latency, Meter, Options, Phase, Report, Server, now_nanos};

/// How long nothing is reconciled when there is nothing more to do.
const QUIET: Duration = Duration::from_millis(500);
/// How often it is looked. What is measured is what else the process does.
const LOOK: Duration = Duration::from_millis(20);
/// How long any part of a run may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// How often a controller reconciled.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Counts {
    /// Until every object had been reconciled with all that it owns.
    pub sync: u64,
    /// For the events.
    pub events: u64,
}

/// The runs of a controller's reconcile function.
#[derive(Debug)]
pub struct Reconciles {
    objects: usize,
    owned: usize,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    runs: u64,
    last: Option<Instant>,
    newest: u64,
    /// The objects that were reconciled with all that they own.
    whole: HashSet<u64>,
    /// Once events come: object, version, when the run began.
    stamps: Option<Vec<(u64, u64, u64)>>,
}

/// One run that has begun.
#[derive(Clone, Copy, Debug)]
pub struct Begun(u64);

impl Begun {
    /// Now.
    pub fn now() -> Self {
        Self(now_nanos())
    }
}

impl Reconciles {
    /// None yet.
    pub fn new(options: &Options) -> Result<Self> {
        let (objects, owned) = (usize::try_from(options.objects)?, usize::try_from(options.owned)?);
        Ok(Self { objects, owned, seen: Mutex::default() })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An object was reconciled and found to own so many others; `version` is the newest it saw of those that change.
    pub fn note(&self, begun: Begun, uid: &str, owned: usize, version: u64) {
        let mut seen = self.seen();
        seen.runs += 1;
        seen.last = Some(Instant::now());
        seen.newest = seen.newest.max(version);
        let object = number(uid);
        match &mut seen.stamps {
            Some(stamps) => stamps.push((object, version, begun.0)),
            None if owned == self.owned => {
                seen.whole.insert(object);
            }
            None => {}
        }
    }

    /// Waits for the first runs, then has the objects change and waits for those runs.
    pub async fn measure(
        &self,
        options: &Options,
        server: &Server,
        heap: crate::Heap,
        sync: Meter,
    ) -> Result<Report> {
        let sync = self.quiet(sync, |seen| seen.whole.len() == self.objects).await?;
        let before = {
            let mut seen = self.seen();
            seen.stamps = Some(Vec::with_capacity(usize::try_from(options.events)?));
            seen.newest = 0;
            seen.runs
        };
        let meter = Meter::start(heap)?;
        let last = server.events(options)?;
        let events = self.quiet(meter, |seen| seen.newest >= last).await?;
        let (runs, stamps) = {
            let mut seen = self.seen();
            (seen.runs, seen.stamps.take().unwrap_or_default())
        };
        let latency = latency(stamps, &server.sent(options)?, &server.owners(options)?, last)?;
        let reconciles = Counts { sync: before, events: runs - before };
        Ok(Report {
            sync,
            events: Some(events),
            calls: reconciles.events,
            reconciles: Some(reconciles),
            latency: Some(latency),
            ..Report::default()
        })
    }

    /// Waits until something is so, and nothing is reconciled any more. The wall time does not contain the latter.
    async fn quiet(&self, meter: Meter, is_over: impl Fn(&Seen) -> bool) -> Result<Phase> {
        let started = Instant::now();
        loop {
            tokio::time::sleep(LOOK).await;
            ensure!(
                started.elapsed() < PATIENCE,
                "not everything was reconciled: {:?} runs",
                self.seen().runs
            );
            let last = {
                let seen = self.seen();
                seen.last.filter(|last| is_over(&seen) && last.elapsed() >= QUIET)
            };
            if let Some(last) = last {
                let phase = meter.stop()?;
                return Ok(Phase { wall: phase.wall - last.elapsed().as_secs_f64(), ..phase });
            }
        }
    }
}

/// From each write to the start of the first run that saw it or what came after it.
fn latency(stamps: Vec<(u64, u64, u64)>, sent: &[u64], owners: &[String], last: u64) -> Result<Latency> {
    let mut runs: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
    for (object, version, at) in stamps {
        runs.entry(object).or_default().push((version, at));
    }
    runs.values_mut().for_each(|runs| runs.sort_unstable());
    let mut times = Vec::with_capacity(sent.len());
    for ((version, sent), owner) in (last + 1 - sent.len() as u64..).zip(sent).zip(owners) {
        let runs = runs.get(&number(owner)).map_or(&[][..], Vec::as_slice);
        let first = runs.get(runs.partition_point(|(seen, _)| *seen < version));
        let (_, at) = first.with_context(|| format!("nothing was reconciled after version {version}"))?;
        times.push(at.saturating_sub(*sent));
    }
    Latency::of_times(times).context("nothing was reconciled")
}

/// A uid, short: 64 of its bits.
fn number(uid: &str) -> u64 {
    let digits = |range| uid.get(range).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    digits(0..8).unwrap_or_default() << 32 | digits(24..32).unwrap_or_default()
}
