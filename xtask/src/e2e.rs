//! The tests against a real kube-apiserver.

use std::env;
use std::num::NonZero;
use std::thread::available_parallelism;

use anyhow::{Result, bail};
use test_cluster::{Binaries, Oracle, controller_runtime_manager, promtool};

use crate::cargo::{Cargo, SERVERS, TestCount};
use crate::ran::Ran;
use crate::report::{Outcome, Report};
use crate::timing::timed;

/// What runs on the server as it is, which streams lists.
const SUITES: &str = "--test cluster --test conformance_real --test e2e";

/// Of these what runs once more where the server does not stream lists, as one finds it where the feature
/// gate is off.
const WITHOUT_STREAMING: &str = "--test conformance_real --test e2e";

/// And there only what comes of a list, the first one or another: the gate changes nothing else. Parts of the
/// names of tests.
const LISTS: [&str; 16] = [
    // Of the protocol.
    "bookmarks::",
    "list::",
    "paging::",
    "streaming::",
    "transitions::",
    // Of the library.
    "differential::client_go",
    "faults::etcd::",
    "faults::kinds::",
    "faults::large::",
    "faults::network::every_connection_stalls",
    "faults::servers::",
    "namespaces::",
    "recover::",
    "served::every_served_resource",
    "waiting::",
    "watch_pods::",
];

/// How often the differential test repeats its workload there.
const ROUNDS_WITHOUT_STREAMING: &str = "10";

/// The embedded server compared with the real one, and asked by kubectl and client-go. It streams lists, so it is compared
/// with one that does.
const OF_THE_EMBEDDED_SERVER: &str = "--test clients --test real";

/// Where there are tests that need programs in Go or a real server among others that do not: they look at
/// what only the library itself can see, compare the command with kubectl, or read the Go of the book. `cargo
/// test` ignores them.
const AMONG_OTHERS: &str = "--lib --test command --test guide --test monitoring";

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

/// One step for the servers, which may have to be built, one for each kind of server, one for the embedded
/// server beside the real one, and one for single tests elsewhere. With `long` the cases that take minutes
/// are not left out. True if none failed.
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
    let mut server = String::new();
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
        server =
            format!("kube-apiserver {} on etcd {}", binaries.kubernetes_version(), binaries.etcd_version());
        Ok(Outcome::Passed(server.clone()))
    });
    if !ready {
        return false;
    }
    let mut all = true;
    // Which of the filters are in the name of no test.
    let mut unmatched: Vec<&str> = filters.iter().map(String::as_str).collect();
    all &= report.step("e2e, default feature gates", || {
        let mut these = Ran::default();
        let count = run(&Call::new(SUITES, filters).long(long), &mut these);
        unmatched.retain(|name| these.unmatched(&[name]).is_some());
        ran.add(these);
        Ok(Outcome::Passed(format!("{} on {server}", count?)))
    });
    all &= report.step("e2e, WatchList=false", || {
        // Whoever asks for tests by name gets those on both.
        let lists = LISTS.map(str::to_owned);
        let is_part = filters.is_empty() && !long;
        let mut call = Call::new(WITHOUT_STREAMING, if is_part { &lists } else { filters }).long(long);
        call.gates = "WatchList=false";
        call.rounds = is_part.then_some(ROUNDS_WITHOUT_STREAMING);
        let mut these = Ran::default();
        let count = run(&call, &mut these);
        let missing = these.unmatched(&LISTS).filter(|_| is_part);
        unmatched.retain(|name| these.unmatched(&[name]).is_some());
        ran.add(these);
        let count = count?;
        if let Some(name) = missing {
            bail!("no test is called {name}: mend the list of what runs where lists are not streamed");
        }
        Ok(Outcome::Passed(format!("{count} on {server}, WatchList=false")))
    });
    all &= report.step("e2e, embedded server", || {
        let mut these = Ran::default();
        let count = run(&Call::new(OF_THE_EMBEDDED_SERVER, filters).long(long), &mut these);
        unmatched.retain(|name| these.unmatched(&[name]).is_some());
        ran.add(these);
        Ok(Outcome::Passed(format!("{} on the embedded server beside {server}", count?)))
    });
    all &= report.step("e2e, in libraries and the command", || {
        let ignored = format!("test --workspace --no-fail-fast {AMONG_OTHERS} -- --ignored --nocapture");
        let tests = timed(Cargo::new(&ignored).args(filters).env("KUBE_INFORMER_E2E", "required"))?;
        let mut these = Ran::default();
        let count = tests.run_tests(&mut these);
        unmatched.retain(|name| these.unmatched(&[name]).is_some());
        ran.add_ignored(these);
        Ok(Outcome::Passed(format!("{} on {server}, on the embedded server, and beside Go", count?)))
    });
    // A test that failed has been told of.
    if all && !unmatched.is_empty() {
        all = report.step("e2e, names of tests", || bail!(no_such_test(&unmatched)));
    }
    all
}

fn no_such_test(names: &[&str]) -> String {
    let part = "as the name of a test on a real kube-apiserver, or a part of one";
    format!("no test is called {}: `cargo xtask e2e NAME` takes NAME {part}", names.join(", "))
}

/// The same as a command of its own. No suite may have been forgotten, which `cargo xtask ci` sees by itself.
pub(crate) fn all_steps(report: &mut Report, filters: &[String]) {
    let (policy, mut ran) = (Policy::from_environment(), Ran::default());
    let complete = steps(report, &policy, filters, &mut ran, false);
    if complete && filters.is_empty() && policy == Policy::Run {
        report.step("every suite has run", || ran.check_suites());
    }
}

/// One call of cargo for suites on real servers.
struct Call<'a> {
    suites: &'a str,
    filters: &'a [String],
    gates: &'static str,
    rounds: Option<&'static str>,
    long: bool,
}

impl<'a> Call<'a> {
    fn new(suites: &'a str, filters: &'a [String]) -> Self {
        Self { suites, filters, gates: "", rounds: None, long: false }
    }

    fn long(mut self, long: bool) -> Self {
        self.long = long;
        self
    }
}

fn run(call: &Call<'_>, ran: &mut Ran) -> Result<TestCount> {
    // Some tests run them, and `--test` alone does not build them. They are those that `cargo test` has
    // built.
    Cargo::new("build --quiet --workspace --examples --profile test").run()?;
    let mut tests =
        Cargo::new(&format!("test --workspace {SERVERS} --no-fail-fast {} -- --nocapture", call.suites))
            .args(call.filters)
            .env("KUBE_INFORMER_FEATURE_GATES", call.gates)
            .env("KUBE_INFORMER_E2E", "required")
            .env("RUST_TEST_THREADS", &threads().to_string());
    if call.long {
        tests = tests.env("KUBE_INFORMER_BACKUPS", "1");
    }
    if let Some(rounds) = call.rounds.filter(|_| env::var_os("KUBE_INFORMER_ROUNDS").is_none()) {
        tests = tests.env("KUBE_INFORMER_ROUNDS", rounds);
    }
    timed(tests)?.run_tests(ran)
}

/// How many tests run at a time. They wait more than they compute, but each has servers of its own.
fn threads() -> usize {
    available_parallelism().map_or(2, NonZero::get) + 2
}

#[cfg(test)]
mod tests;
