//! The tests against a real kube-apiserver.

use std::env;

use anyhow::{Result, ensure};
use test_cluster::{Binaries, Oracle};

use crate::cargo::{Cargo, TestCount, workspace_root};
use crate::report::{Outcome, Report};

/// The servers to meet: with streaming lists, and with what one finds where they are switched off.
const FEATURE_GATES: [&str; 2] = ["", "WatchList=false"];

/// The library's own end-to-end tests.
const LIBRARY_TESTS: &str = "crates/kube-informer/tests/e2e/main.rs";

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
}

/// One step for the servers, which may have to be built, and one for each kind of server.
pub(crate) fn steps(report: &mut Report, policy: Policy, filters: &[String]) {
    if let Policy::Skip(why) = policy {
        report.step("e2e", || Ok(Outcome::Skipped(format!("nothing ran against a real server: {why}"))));
        return;
    }
    let mut servers = None;
    let ready = report.step("e2e servers", || {
        let binaries = Binaries::locate_or_build()?;
        Oracle::locate_or_build()?;
        let versions =
            format!("kube-apiserver {} on etcd {}", binaries.kubernetes_version(), binaries.etcd_version());
        servers = Some(versions.clone());
        Ok(Outcome::Passed(versions))
    });
    if !ready {
        return;
    }
    let servers = servers.unwrap_or_default();
    for gates in FEATURE_GATES {
        let shown = if gates.is_empty() { "default feature gates" } else { gates };
        report.step(&format!("e2e, {shown}"), || {
            let count = run(gates, filters)?;
            Ok(Outcome::Passed(format!("{count} against {servers}")))
        });
    }
}

fn run(gates: &str, filters: &[String]) -> Result<TestCount> {
    let tests = |arguments: &str| {
        Cargo::new(arguments)
            // What runs on the embedded server is among the other tests.
            .args(&["--", "--nocapture", "--skip", "embedded::"].map(str::to_owned))
            .args(filters)
            .env("KUBE_INFORMER_FEATURE_GATES", gates)
            .env("KUBE_INFORMER_E2E", "required")
            .run_tests()
    };
    // With `--workspace` the dependencies are those that the unit tests were built with; with `--package` they
    // would be built again, with fewer features.
    let own = tests("test --workspace --test cluster")?;
    ensure!(
        workspace_root().join(LIBRARY_TESTS).is_file(),
        "{LIBRARY_TESTS} does not exist: there are no end-to-end tests of the library yet"
    );
    let library = tests("test --workspace --test e2e")?;
    let protocol = tests("test --workspace --test conformance")?;
    Ok(own.and(library).and(protocol))
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn without_go_the_tests_are_skipped_but_not_in_ci() {
        let no_go = || Err("no Go".to_owned());
        assert_eq!(Policy::decide(false, false, no_go()), Policy::Skip("no Go".to_owned()));
        assert_eq!(Policy::decide(true, false, no_go()), Policy::Run);
        assert_eq!(Policy::decide(true, true, no_go()), Policy::Skip("no Go".to_owned()));
        assert_eq!(Policy::decide(false, false, Ok(())), Policy::Run);
    }
}
