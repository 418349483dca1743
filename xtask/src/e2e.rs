//! The tests against a real kube-apiserver.

use std::env;

use anyhow::{Result, ensure};
use test_cluster::{Binaries, Oracle, controller_runtime_manager, promtool};

use crate::cargo::{Cargo, FEATURES, TestCount};
use crate::ran::Ran;
use crate::report::{Outcome, Report};

/// What runs on the server as it is, which streams lists.
const ALL: &str = "--test cluster --test e2e --test conformance --test programs";

/// What runs once more where the server does not stream lists, as one finds it where the feature gate is off.
const WITHOUT_STREAMING: &str = "--test e2e --test conformance";

/// Of these the part that has nothing to do with how a list comes, and the faults that are met beside client-go, as they are
/// without it as well: it would only show the same again. Names of modules.
const EITHER_WAY: [&str; 7] = [
    "callbacks::",
    "errors::",
    "many::",
    "programs::",
    "faults::beside::",
    "faults::certificates",
    "faults::proxies",
];

/// The embedded server compared with the real one, and asked by kubectl and client-go. It streams lists, so it is compared
/// with one that does. And promtool, which is in Go as well, on the alerts.
const OF_THE_EMBEDDED_SERVER: &str = "--test real --test clients --test monitoring";

/// Tests that need programs in Go or a real server, among others that do not: they look at what only the library itself can see, or
/// compare the command with kubectl.
const AMONG_OTHERS: [&str; 6] = [
    "get_prints_what_kubectl_prints_on_a_real_server",
    "get_prints_what_kubectl_prints_on_the_embedded_server",
    "kubectl_reads_a_recording_that_is_served",
    "managers_are_those_of_the_real_server",
    "the_cases_of_apimachinery_come_out_as_in_go",
    "the_cases_of_structured_merge_diff_come_out_as_in_go",
];

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
/// the real one. With `long` the cases that take minutes are not left out. True if none failed.
pub(crate) fn steps(
    report: &mut Report,
    policy: &Policy,
    filters: &[String],
    ran: &mut Ran,
    long: bool,
) -> bool {
    if let Some(why) = policy.why_skipped() {
        return report
            .step("e2e", || Ok(Outcome::Skipped(format!("nothing ran against a real server: {why}"))));
    }
    let mut servers = String::new();
    let ready = report.step("e2e servers", || {
        let binaries = Binaries::locate_or_build()?;
        binaries.kubectl()?;
        // Whoever asks for tests by name builds these only if one of them needs it.
        if filters.is_empty() {
            binaries.kube_controller_manager()?;
            controller_runtime_manager()?;
            promtool()?;
        }
        Oracle::locate_or_build()?;
        servers =
            format!("kube-apiserver {} on etcd {}", binaries.kubernetes_version(), binaries.etcd_version());
        Ok(Outcome::Passed(servers.clone()))
    });
    if !ready {
        return false;
    }
    let mut all = true;
    let mut step = |name: &str, tests: &str, gates: &str, without: &[&str]| {
        all &= report.step(name, || {
            let (count, these) = run(tests, gates, without, filters, long)?;
            ran.add(these);
            Ok(Outcome::Passed(format!("{count} against {servers}")))
        });
    };
    step("e2e, default feature gates", ALL, "", &[]);
    // Whoever asks for tests by name gets those on both.
    let without: &[&str] = if filters.is_empty() && !long { &EITHER_WAY } else { &[] };
    step("e2e, WatchList=false", WITHOUT_STREAMING, "WatchList=false", without);
    step("e2e, embedded server", OF_THE_EMBEDDED_SERVER, "", &[]);
    // Whoever asks for tests by name would get all others that are called so as well.
    if filters.is_empty() {
        all &= report.step("e2e, in libraries and the command", || {
            let names = AMONG_OTHERS.map(str::to_owned);
            let (count, these) = run("--lib --test command", "", &[], &names, long)?;
            // The others of the same targets did not run, so this says nothing about them.
            ensure!(count.passed() == AMONG_OTHERS.len(), "not all of them ran: {count}");
            ran.add_only(these, &AMONG_OTHERS);
            Ok(Outcome::Passed(format!("{count} against {servers} and in Go")))
        });
    }
    all
}

fn run(
    tests: &str,
    gates: &str,
    without: &[&str],
    filters: &[String],
    long: bool,
) -> Result<(TestCount, Ran)> {
    // Some tests run them, and `--test` alone does not build them.
    Cargo::new(&format!("build --quiet --workspace {FEATURES} --examples --profile test")).run()?;
    // What needs neither a real server nor a program in Go is among the other tests.
    let skipped = ["embedded::", "kube_rs::"].iter().chain(without).flat_map(|name| ["--skip", name]);
    let arguments: Vec<String> =
        ["--", "--nocapture"].into_iter().chain(skipped).map(str::to_owned).collect();
    // With `--workspace` the dependencies are those that the unit tests were built with; with `--package` they
    // would be built again, with fewer features.
    let tests = Cargo::new(&format!("test --workspace {FEATURES} --no-fail-fast {tests}"))
        .args(&arguments)
        .args(filters)
        .env("KUBE_INFORMER_FEATURE_GATES", gates)
        .env("KUBE_INFORMER_E2E", "required");
    let tests = if long { tests.env("KUBE_INFORMER_BACKUPS", "1") } else { tests };
    tests.run_tests()
}

#[cfg(test)]
mod tests;
