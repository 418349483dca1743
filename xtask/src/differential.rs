//! The embedded server and a real kube-apiserver, the same random writes to both. Five hundred rounds are part of `e2e`.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{Cargo, SERVERS};
use crate::ran::Ran;

const TEST: &str = "differential::random_objects_and_patches_come_out_as_on_the_real_server";

/// How many, and which.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Differential {
    pub(crate) rounds: u64,
    /// Any if nothing is said.
    pub(crate) seed: Option<u64>,
}

impl Differential {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self> {
        let mut differential = Self { rounds: 10_000, seed: None };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let number = || {
                let value = arguments.clone().next().with_context(|| format!("`{name}` needs a value"))?;
                value.parse::<u64>().with_context(|| format!("`{name} {value}`: that is not a number"))
            };
            match name.as_str() {
                "--rounds" => differential.rounds = number()?,
                "--seed" => differential.seed = Some(number()?),
                _ => bail!("`differential` does not take `{name}`; see `cargo xtask --help`"),
            }
            arguments.next();
        }
        ensure!(differential.rounds > 0, "no rounds show nothing");
        Ok(differential)
    }
}

/// Runs it. It cannot be skipped, and fails where the servers cannot be had.
pub(crate) fn run(differential: &Differential) -> Result<()> {
    // A number that a person can type.
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs() % 1_000_000);
    let seed = differential.seed.unwrap_or_else(now);
    let tests = Cargo::new(&format!("test --workspace {SERVERS} --test real -- --exact {TEST} --nocapture"))
        .env("KUBE_INFORMER_E2E", "required")
        .env("KUBE_INFORMER_DIFFERENTIAL_ROUNDS", &differential.rounds.to_string())
        .env("KUBE_INFORMER_DIFFERENTIAL_SEED", &seed.to_string());
    let count = tests.run_tests(&mut Ran::default())?;
    ensure!(count.all_passed(), "it did not run: {count}");
    Ok(())
}
