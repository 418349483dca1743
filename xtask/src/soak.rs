//! The soak: hours, or three minutes in CI, of everything that can go wrong on a real kube-apiserver.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{Cargo, SERVERS, TestCount};
use crate::e2e;
use crate::ran::Ran;
use crate::report::{Outcome, Report};
use crate::timing::timed;

/// What the program prints last if it fails: where, and how to repeat it.
const LAST_WORDS: [&str; 2] = ["soak: failed ", "to repeat it: "];

/// How long, and which.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Soak {
    pub(crate) minutes: u64,
    /// Any if nothing is said.
    pub(crate) seed: Option<u64>,
    /// The step to begin with.
    pub(crate) step: Option<u64>,
    /// Where the table goes, as Markdown.
    pub(crate) report: Option<String>,
}

impl Default for Soak {
    fn default() -> Self {
        Self { minutes: 3, seed: None, step: None, report: None }
    }
}

impl Soak {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self> {
        let mut soak = Self::default();
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("`{name}` needs a value"));
            let number = |value: &String| {
                let number = value.parse::<u64>();
                number.with_context(|| format!("`{name} {value}`: that is not a number"))
            };
            match name.as_str() {
                "--minutes" => soak.minutes = number(value?)?,
                "--seed" => soak.seed = Some(number(value?)?),
                "--step" => soak.step = Some(number(value?)?),
                "--report" => soak.report = Some(value?.clone()),
                _ => bail!("`soak` does not take `{name}`; see `cargo xtask --help`"),
            }
        }
        ensure!(soak.minutes > 0, "a soak of no minutes shows nothing");
        Ok(soak)
    }

    fn seed(&self) -> u64 {
        // A number that a person can type.
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs() % 100_000);
        self.seed.unwrap_or_else(now)
    }
}

/// Runs it. It cannot be skipped, and fails where the servers cannot be had.
pub(crate) fn run(soak: &Soak, ran: &mut Ran) -> Result<TestCount> {
    let test = format!("test --workspace {SERVERS} --test soak -- --nocapture");
    let mut cargo = Cargo::new(&test)
        .env("KUBE_INFORMER_E2E", "required")
        // It counts what its process uses, so nothing else runs beside it.
        .env("RUST_TEST_THREADS", "1")
        .env("KUBE_INFORMER_SOAK_MINUTES", &soak.minutes.to_string())
        .env("KUBE_INFORMER_SOAK_SEED", &soak.seed().to_string());
    if let Some(step) = soak.step {
        cargo = cargo.env("KUBE_INFORMER_SOAK_STEP", &step.to_string());
    }
    if let Some(report) = &soak.report {
        // The test runs in the directory of its package.
        let report = std::path::absolute(report)?;
        cargo = cargo.env("KUBE_INFORMER_SOAK_REPORT", report.to_str().context("a path in UTF-8")?);
    }
    let mut last_words = Vec::new();
    let count = timed(cargo)?.run_tests_reading(ran, |line| {
        if LAST_WORDS.iter().any(|beginning| line.starts_with(beginning)) {
            last_words.push(line.to_owned());
        }
    });
    let last_words = last_words.join("\n");
    let count = match count {
        Err(_) if !last_words.is_empty() => bail!(last_words),
        count => count?,
    };
    ensure!(count.all_passed(), "the soak did not run: {count}");
    Ok(count)
}

/// Its short form, as a step of `cargo xtask ci`.
pub(crate) fn step(report: &mut Report, policy: &e2e::Policy, ran: &mut Ran) -> bool {
    report.step("soak, three minutes", || {
        if let Some(why) = policy.why_skipped() {
            return Ok(Outcome::Skipped(why.to_owned()));
        }
        let soak = Soak { seed: Some(1), ..Soak::default() };
        run(&soak, ran)?;
        Ok(Outcome::Passed(
            "on kube-apiserver: cache and handlers right after every fault; `cargo xtask soak` runs longer"
                .to_owned(),
        ))
    })
}
