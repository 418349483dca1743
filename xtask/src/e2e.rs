//! The tests against a real kube-apiserver.

use std::env;

use anyhow::Result;
use test_cluster::{Binaries, Oracle};

use crate::cargo::{Cargo, TestCount};
use crate::ran::Ran;
use crate::report::{Outcome, Report};

/// The servers to meet: with streaming lists, and with what one finds where they are switched off.
const FEATURE_GATES: [&str; 2] = ["", "WatchList=false"];

/// What meets both.
const ON_BOTH: &str = "--test cluster --test e2e --test conformance";

/// The embedded server compared with the real one, and asked by kubectl and client-go. It streams lists, so it is compared
/// with one that does.
const OF_THE_EMBEDDED_SERVER: &str = "--test real --test clients";

/// Whether to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// Run, and fail where the servers cannot be had.
    Run,
    /// Do not, for this reason.
    Skip(String),
}

impl Policy {
    pub(crate) fn from_environment() -> Self {
        let setting = |name: &str| env::var(name).unwrap_or_default();
        Self::decide(
            setting("CI") == "true",
            setting("KUBE_INFORMER_E2E") == "skip",
            test_cluster::available(),
        )
    }

    /// In CI only an explicit wish skips them: a build machine that lost its Go must not go unnoticed.
    fn decide(in_ci: bool, asked_to_skip: bool, available: Result<(), String>) -> Self {
        match available {
            Err(why) if asked_to_skip || !in_ci => Self::Skip(why),
            _ => Self::Run,
        }
    }

    pub(crate) fn why_skipped(&self) -> Option<&str> {
        match self {
            Self::Run => None,
            Self::Skip(why) => Some(why),
        }
    }
}

/// One step for the servers, which may have to be built, one for each kind of server, and one for the embedded server beside
/// the real one. True if none failed.
pub(crate) fn steps(report: &mut Report, policy: &Policy, filters: &[String], ran: &mut Ran) -> bool {
    if let Some(why) = policy.why_skipped() {
        return report
            .step("e2e", || Ok(Outcome::Skipped(format!("nothing ran against a real server: {why}"))));
    }
    let mut servers = String::new();
    let ready = report.step("e2e servers", || {
        let binaries = Binaries::locate_or_build()?;
        binaries.kubectl()?;
        Oracle::locate_or_build()?;
        servers =
            format!("kube-apiserver {} on etcd {}", binaries.kubernetes_version(), binaries.etcd_version());
        Ok(Outcome::Passed(servers.clone()))
    });
    if !ready {
        return false;
    }
    let mut all = true;
    let mut step = |name: &str, tests: &str, gates: &str| {
        all &= report.step(name, || {
            let (count, these) = run(tests, gates, filters)?;
            ran.add(these);
            Ok(Outcome::Passed(format!("{count} against {servers}")))
        });
    };
    for gates in FEATURE_GATES {
        let shown = if gates.is_empty() { "default feature gates" } else { gates };
        step(&format!("e2e, {shown}"), ON_BOTH, gates);
    }
    step("e2e, embedded server", OF_THE_EMBEDDED_SERVER, "");
    all
}

fn run(tests: &str, gates: &str, filters: &[String]) -> Result<(TestCount, Ran)> {
    // Some tests run them, and `--test` alone does not build them.
    Cargo::new("build --quiet --workspace --examples --profile test").run()?;
    // With `--workspace` the dependencies are those that the unit tests were built with; with `--package` they
    // would be built again, with fewer features.
    Cargo::new(&format!("test --workspace --no-fail-fast {tests}"))
        // What needs neither a real server nor a program in Go is among the other tests.
        .args(&["--", "--nocapture", "--skip", "embedded::", "--skip", "kube_rs::"].map(str::to_owned))
        .args(filters)
        .env("KUBE_INFORMER_FEATURE_GATES", gates)
        .env("KUBE_INFORMER_E2E", "required")
        .run_tests()
}

#[cfg(test)]
mod tests;
