//! The benchmark, which is a workspace of its own in `bench/`: what it compares with stays out of our lock file.

use anyhow::{Result, bail, ensure};

use crate::cargo::Cargo;
use crate::ran::Ran;
use crate::report::{self, Outcome};

/// A quick run is a smoke test: the benchmark's own tests, then every scenario with small numbers.
const QUICK: &str = "--manifest-path bench/Cargo.toml --locked --profile quick";

/// The packages of the benchmark that have tests.
const TESTED: &str =
    "--package bench-data --package bench-meter --package replay-server --package bench-runner";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let [first, rest @ ..] = arguments
        && first == "replicas"
    {
        return replicas(rest);
    }
    if arguments.iter().any(|argument| argument == "--quick") {
        return report::run(|report| {
            report.step("bench, formatting and tests", || {
                Cargo::new("fmt --manifest-path bench/Cargo.toml --all --check").run()?;
                let tests = Cargo::new(&format!("test {QUICK} {TESTED}"));
                let count = tests.run_tests(&mut Ran::default())?;
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

/// The manager of replicas beside kube-controller-manager. It needs real servers, so it is among the tests, which run it with
/// small numbers.
fn replicas(arguments: &[String]) -> Result<()> {
    let (mut controllers, mut pods, mut rounds) = ("200", "25", "3");
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--controllers" => controllers = value,
            [name, value] if name == "--pods" => pods = value,
            [name, value] if name == "--rounds" => rounds = value,
            _ => bail!("`bench replicas` takes --controllers N (200), --pods N (25) and --rounds N (3)"),
        }
    }
    Cargo::new("build --release --package informer-controller --example replication_manager").run()?;
    let count = Cargo::new(
        "test --release --package informer-controller --features test-cluster/servers --test e2e beside::it_ends -- --nocapture",
    )
    .env("KUBE_INFORMER_E2E", "required")
    .env("KUBE_INFORMER_CONTROLLERS", controllers)
    .env("KUBE_INFORMER_PODS", pods)
    .env("KUBE_INFORMER_ROUNDS", rounds)
    .run_tests(&mut Ran::default())?;
    ensure!(count.all_passed(), "it did not run: {count}");
    Ok(())
}

fn runner(cargo: &str, arguments: &[String]) -> Result<()> {
    Cargo::new(&format!("{cargo} --package bench-runner --")).args(arguments).run()
}
