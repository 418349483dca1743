//! The rounds of a plan.

use std::fmt;

use anyhow::Result;
use fastrand::Rng;
use futures::StreamExt as _;
use serde_json::Value;

use super::answers::{Write, answer};
use super::custom::{Slot, any_schema};
use super::{ROUNDS, builtin, shrink};

/// How many objects of a plan are written to at the same time.
const AT_ONCE: usize = 4;
/// How often it is tried to create an object that the servers accept.
const CREATIONS: usize = 4;
/// How many patches an object gets.
const PATCHES: usize = 3;

/// A round that came out differently.
pub(super) struct Failure {
    pub(super) seed: u64,
    pub(super) what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cargo xtask differential --rounds {ROUNDS} --seed {}\n{}", self.seed, self.what)
    }
}

/// What was done.
#[derive(Default)]
pub(super) struct Count {
    pub(super) rounds: u64,
    answers: u64,
    refused: u64,
    /// Rounds that ended early: the real server found something wrong with an object of a built-in kind that the embedded
    /// server does not check, or had no time for an answer.
    pub(super) skipped: u64,
}

impl Count {
    pub(super) fn add(&mut self, other: &Self) {
        self.rounds += other.rounds;
        self.answers += other.answers;
        self.refused += other.refused;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, answers, refused, skipped } = self;
        write!(
            f,
            "{rounds} rounds, {answers} answers compared, {refused} of them errors, {skipped} rounds ended early"
        )
    }
}

/// An object, and what was written to it under the first schema and under the second.
pub(super) struct Round {
    pub(super) collection: String,
    pub(super) name: String,
    pub(super) writes: [Vec<Write>; 2],
    rng: Rng,
    /// The object as the real server has it.
    now: Value,
    ended: bool,
    pub(super) differs: Option<Difference>,
}

/// How two answers differ.
#[derive(Clone)]
pub(super) struct Difference {
    /// The status on both sides.
    pub(super) statuses: [Value; 2],
    pub(super) told: String,
}

impl Round {
    fn new(seed: u64, number: u64, collection: String) -> Self {
        Self {
            collection,
            name: format!("x{seed}-{number}"),
            writes: [Vec::new(), Vec::new()],
            rng: Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(number)),
            now: Value::Null,
            ended: false,
            differs: None,
        }
    }

    /// Sends a request to both servers. The round ends with the first difference.
    async fn send(&mut self, slot: &Slot<'_>, stage: usize, write: Write, count: &mut Count) -> Result<()> {
        let (real, embedded) = tokio::try_join!(
            answer(&slot.servers.real, &self.collection, &self.name, &write),
            answer(&slot.servers.embedded, &self.collection, &self.name, &write)
        )?;
        count.answers += 1;
        count.refused += u64::from(real["status"].as_u64() >= Some(300));
        if real != embedded {
            self.ended = true;
            if is_too_busy(real["status"].as_u64())
                || builtin::is_unchecked(&self.collection, &real, &embedded)
            {
                count.skipped += 1;
            } else {
                self.differs = Some(Difference::of(&real, &embedded));
            }
        } else if real["status"].as_u64() < Some(300) {
            self.now = real["body"].clone();
        }
        self.writes[stage].push(write);
        Ok(())
    }
}

/// Whether a server says that it cannot answer now. What became of a write is not known then.
pub(super) fn is_too_busy(status: Option<u64>) -> bool {
    matches!(status, Some(429 | 503 | 504))
}

impl Difference {
    pub(super) fn of(real: &Value, embedded: &Value) -> Self {
        let mut found = Vec::new();
        collect(real, embedded, "", &mut found);
        found.truncate(8);
        Self { statuses: [real["status"].clone(), embedded["status"].clone()], told: found.join("\n") }
    }
}

fn collect(real: &Value, embedded: &Value, path: &str, found: &mut Vec<String>) {
    match (real, embedded) {
        (Value::Object(left), Value::Object(right)) => {
            let names: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for name in names {
                let path = format!("{path}/{name}");
                match (left.get(name), right.get(name)) {
                    (Some(left), Some(right)) => collect(left, right, &path, found),
                    (Some(left), None) => found.push(format!("  {path}: only the real server has {left}")),
                    (_, right) => found.push(format!("  {path}: only the embedded server has {right:?}")),
                }
            }
        }
        _ if real != embedded => {
            found.push(format!("  {path}\n    real     {real}\n    embedded {embedded}"));
        }
        _ => {}
    }
}

/// Changes the schema to one that both servers accept. The error is how they differ.
async fn next_schema(slot: &mut Slot<'_>, rng: &mut Rng) -> Result<Result<Value, String>> {
    loop {
        let schema = any_schema(rng);
        match slot.change(&schema).await? {
            Ok(true) => return Ok(Ok(schema)),
            Ok(false) => {}
            Err(differs) => return Ok(Err(format!("a schema: {schema}\n{differs}"))),
        }
    }
}

/// Runs a plan. Returns the first round that differs, made smaller.
pub(super) async fn run(slot: &mut Slot<'_>, seed: u64, count: &mut Count) -> Result<Option<Failure>> {
    let mut rng = Rng::with_seed(seed);
    let is_builtin = seed % 3 == 2;
    let mut schemas = [Value::Null, Value::Null];
    let kinds: Vec<&builtin::Kind> = (0..ROUNDS).map(|_| builtin::any_kind(&mut rng)).collect();
    let new = |(number, kind): (u64, &&builtin::Kind)| {
        let collection = if is_builtin { kind.collection.to_owned() } else { slot.collection() };
        Round::new(seed, number, collection)
    };
    let mut rounds: Vec<Round> = (0..ROUNDS).zip(&kinds).map(new).collect();
    for stage in [0, 1] {
        if !is_builtin {
            match next_schema(slot, &mut rng).await? {
                Ok(schema) => schemas[stage] = schema,
                Err(what) => return Ok(Some(Failure { seed, what })),
            }
        }
        let schema = &schemas[stage];
        let (shared, kinds) = (&*slot, &kinds);
        let work = rounds.into_iter().enumerate().map(|(number, mut round)| async move {
            let mut count = Count::default();
            let kind = kinds[number];
            let patch = |round: &mut Round| {
                if is_builtin {
                    kind.patch(&mut round.rng, &round.now)
                } else {
                    shared.patch(&mut round.rng, schema, &round.now)
                }
            };
            // Half of the objects are there before the second schema is.
            if (number % 2 == 0) == (stage == 0) {
                for _ in 0..CREATIONS {
                    let create = if is_builtin {
                        kind.create(&mut round.rng)
                    } else {
                        shared.create(&mut round.rng, schema)
                    };
                    round.send(shared, stage, create, &mut count).await?;
                    if round.ended || !round.now.is_null() {
                        break;
                    }
                }
            } else if stage == 1 && !round.ended && !round.now.is_null() {
                round.send(shared, stage, Write::get(), &mut count).await?;
            }
            let patches = if stage == 1 { PATCHES } else { usize::from(number % 4 == 0) };
            for _ in 0..patches {
                if round.ended || round.now.is_null() {
                    break;
                }
                let patch = patch(&mut round);
                round.send(shared, stage, patch, &mut count).await?;
            }
            anyhow::Ok((round, count))
        });
        let done: Vec<Result<(Round, Count)>> = futures::stream::iter(work).buffered(AT_ONCE).collect().await;
        rounds = Vec::new();
        for done in done {
            let (round, counted) = done?;
            count.add(&counted);
            rounds.push(round);
        }
    }
    count.rounds += ROUNDS;
    let differing = rounds.into_iter().find(|round| round.differs.is_some());
    match differing {
        None => Ok(None),
        Some(round) => Ok(Some(Failure { seed, what: shrink::shrink(slot, &round, &schemas).await? })),
    }
}
