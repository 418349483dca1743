//! The benchmark, which is a workspace of its own in `bench/`: what it compares with stays out of our lock file.

use anyhow::Result;

use crate::cargo::Cargo;
use crate::report::{self, Outcome};

/// A quick run is a smoke test: the benchmark's own tests, then every scenario with small numbers.
const QUICK: &str = "--manifest-path bench/Cargo.toml --locked --profile quick";

/// The packages of the benchmark that have tests.
const TESTED: &str = "--package bench-data --package replay-server --package bench-runner";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|argument| argument == "--quick") {
        return report::run(|report| {
            report.step("bench, formatting and tests", || {
                Cargo::new("fmt --manifest-path bench/Cargo.toml --all --check").run()?;
                let (count, _) = Cargo::new(&format!("test {QUICK} {TESTED}")).run_tests()?;
                Ok(Outcome::Passed(count.to_string()))
            });
            report.step("bench, quick", || {
                runner(&format!("run --quiet {QUICK}"), arguments)?;
                Ok(Outcome::Passed(
                    "every client saw all objects and events; no timing is asserted".to_owned(),
                ))
            });
        });
    }
    runner("run --quiet --manifest-path bench/Cargo.toml --locked --release", arguments)
}

fn runner(cargo: &str, arguments: &[String]) -> Result<()> {
    Cargo::new(&format!("{cargo} --package bench-runner --")).args(arguments).run()
}
