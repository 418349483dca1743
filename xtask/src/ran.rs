//! Which test programs ran, which of their tests did nothing, and how long the others took.
//!
//! The harness of Rust has no word for a test that finds out while it runs that it cannot run here: it counts
//! as passed. Ours say so on stderr (`test_cluster::print_skip`). Tests that need a server or a program in Go
//! among others that do not are ignored by the harness, and run by a call of their own. Cargo names the program
//! that runs, the harness its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo::Cargo;
use crate::report::Outcome;

/// A test that takes longer is told of by name, in seconds.
const SLOW: f64 = 10.0;

/// What a suite on real servers asks for in its manifest, in test-cluster and elsewhere.
const SERVERS: [&str; 2] = ["servers", "test-cluster/servers"];

/// What one call of cargo ran, or several.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    programs: BTreeMap<Program, Tests>,
    /// Seconds, target and name.
    slow: Vec<(f64, String)>,
}

/// A test program: its target, and its file, which tells targets of different packages apart that are called
/// the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Program {
    target: Target,
    file: String,
}

/// Name and source, such as `real` and `tests/real/main.rs`.
type Target = (String, String);

#[derive(Debug, Default)]
struct Tests {
    /// Whether the program came to its end: the harness has said how many tests passed. A test could have ended
    /// it before.
    ended: bool,
    passed: BTreeSet<String>,
    /// Those that were skipped or ignored every time, and why.
    never_ran: BTreeMap<String, String>,
}

/// Reads what one call of cargo says.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    ran: Ran,
    current: Option<Program>,
    skipped: usize,
}

impl Reader {
    /// Takes in one line; those that say nothing about programs and tests are of no interest.
    pub(crate) fn line(&mut self, line: &str) {
        if let Some(program) = running(line) {
            self.ran.programs.entry(program.clone()).or_default();
            self.current = Some(program);
        } else if line.trim_start().starts_with("Doc-tests ") {
            self.current = None;
        } else if line.contains("test result: ") {
            if let Some(tests) = self.tests() {
                tests.ended = true;
            }
        } else if let Some((test, why)) = test_cluster::skipped_test(line) {
            self.skipped += 1;
            self.never_ran(test, why);
        } else if let Some((before, outcome)) = line.split_once(" ... ")
            // What a test prints, in pieces, may stand before it on the line.
            && let Some((_, test)) = before.rsplit_once("test ")
        {
            self.test(test, outcome);
        }
    }

    /// A test has ended: `ok`, perhaps with its time, `ignored`, perhaps with a reason, or `FAILED`.
    fn test(&mut self, test: &str, outcome: &str) {
        if let Some(why) = outcome.strip_prefix("ignored") {
            self.never_ran(test, why.trim_start_matches(", "));
        } else if outcome.starts_with("ok")
            && let Some(tests) = self.tests()
        {
            tests.passed.insert(test.to_owned());
        }
        let seconds = outcome.split_once('<').and_then(|(_, time)| time.trim_end().strip_suffix("s>"));
        if let (Some(seconds), Some(program)) = (seconds.and_then(|text| text.parse().ok()), &self.current)
            && seconds > SLOW
        {
            self.ran.slow.push((seconds, format!("{test} of {}", shown(&program.target))));
        }
    }

    fn never_ran(&mut self, test: &str, why: &str) {
        if let Some(tests) = self.tests() {
            tests.never_ran.insert(test.to_owned(), why.to_owned());
        }
    }

    /// Those of the program that runs.
    fn tests(&mut self) -> Option<&mut Tests> {
        self.current.as_ref().and_then(|program| self.ran.programs.get_mut(program))
    }

    /// What ran, and how many tests were skipped.
    pub(crate) fn end(self) -> (Ran, usize) {
        (self.ran, self.skipped)
    }
}

/// The program of a line such as `     Running tests/real/main.rs (target/debug/deps/real-0123456789abcdef)`.
fn running(line: &str) -> Option<Program> {
    let (source, path) = line.trim_start().strip_prefix("Running ")?.strip_suffix(')')?.split_once(" (")?;
    let source = source.strip_prefix("unittests ").unwrap_or(source);
    let file = Path::new(path).file_name()?.to_str()?;
    let (name, _hash) = file.rsplit_once('-')?;
    Some(Program { target: (name.to_owned(), source.to_owned()), file: file.to_owned() })
}

impl Tests {
    /// Whether a test that calls itself by this name, or by a part of its name, has passed and did not skip
    /// what it is for.
    fn has_run(&self, name: &str) -> bool {
        !self.never_ran.contains_key(name) && self.passed.iter().any(|test| test.contains(name))
    }

    /// Adds those of another call. A test that ran in one of them has run; a call that does not mention it says nothing.
    fn add(&mut self, mut new: Self) {
        self.never_ran.retain(|test, _| !new.has_run(test));
        let has_run: BTreeSet<String> =
            new.never_ran.keys().filter(|test| self.has_run(test)).cloned().collect();
        new.never_ran.retain(|test, _| !has_run.contains(test));
        self.never_ran.append(&mut new.never_ran);
        self.passed.append(&mut new.passed);
        self.ended |= new.ended;
    }
}

impl Ran {
    /// Adds what another call ran.
    pub(crate) fn add(&mut self, mut other: Self) {
        self.slow.append(&mut other.slow);
        for (program, new) in other.programs {
            self.programs.entry(program).or_default().add(new);
        }
    }

    /// Adds what another call ran that was for the ignored tests only; a program that ran for nothing else has
    /// not run.
    pub(crate) fn add_ignored(&mut self, mut other: Self) {
        self.slow.append(&mut other.slow);
        for (program, new) in other.programs {
            if let Some(tests) = self.programs.get_mut(&program) {
                tests.add(Tests { ended: false, ..new });
            }
        }
    }

    /// The first of these that is in the name of no test that passed.
    pub(crate) fn unmatched<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        let passed = |name: &str| {
            self.programs.values().flat_map(|tests| &tests.passed).any(|test| test.contains(name))
        };
        names.iter().copied().find(|name| !passed(name))
    }

    /// The tests that took long, the longest first, each on a line of its own; empty if there are none.
    pub(crate) fn slow_ones(&self) -> String {
        let mut slow = self.slow.clone();
        slow.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let mut text = String::new();
        if !slow.is_empty() {
            text.push_str("tests of more than 10 s:");
        }
        for (seconds, test) in slow {
            // Writing to a string does not fail.
            let _ = write!(text, "\n{seconds:>7.1} s  {test}");
        }
        text
    }

    /// Fails if a test target of the workspace has not run, or a test was skipped every time. Where the tests on a real
    /// server are skipped, for the reason that is given, that is what is to be expected of those.
    pub(crate) fn check(&self, without_servers: Option<&str>) -> Result<Outcome> {
        let metadata = Cargo::new("metadata --no-deps --format-version 1 --locked").output()?;
        self.check_against(&targets(&serde_json::from_slice(&metadata)?)?, without_servers)
    }

    /// The same for the suites on real servers alone. The soak is none of them: it has a command of its own.
    pub(crate) fn check_suites(&self) -> Result<Outcome> {
        let metadata = Cargo::new("metadata --no-deps --format-version 1 --locked").output()?;
        self.check_against(&suites(targets(&serde_json::from_slice(&metadata)?)?), None)
    }

    fn check_against(&self, targets: &Targets, without_servers: Option<&str>) -> Result<Outcome> {
        let ran = |target: &Target| {
            let is_it = |(program, tests): &(&Program, &Tests)| program.target == *target && tests.ended;
            self.programs.iter().filter(is_it).count()
        };
        let missing = |count: &Count| match without_servers {
            Some(_) => count.all - count.on_servers,
            None => count.all,
        };
        let missing: Vec<_> = targets
            .iter()
            .filter(|(target, count)| ran(target) < missing(count))
            .map(|(target, _)| shown(target))
            .collect();
        ensure!(missing.is_empty(), "these test targets have not run: {}", missing.join(", "));
        let skipped = self.programs.iter().flat_map(|(program, tests)| {
            let told = move |test: &String| format!("{test} of {}", shown(&program.target));
            tests.never_ran.iter().map(move |(test, why)| (told(test), why.as_str()))
        });
        let (on_terminals, skipped): (Vec<_>, Vec<_>) =
            skipped.partition(|(_, why)| *why == test_cluster::WITHOUT_TMUX);
        let named = |tests: &[(String, &str)]| {
            tests.iter().map(|(test, _)| test.as_str()).collect::<Vec<_>>().join(", ")
        };
        let suites: usize = targets.values().map(|count| count.on_servers).sum();
        match without_servers {
            Some(why) if suites + skipped.len() > 0 => Ok(Outcome::Skipped(format!(
                "{suites} suites on real servers and {} other tests have not run: {why}",
                skipped.len()
            ))),
            _ => {
                ensure!(skipped.is_empty(), "these tests were skipped every time: {}", named(&skipped));
                let all: usize = targets.values().map(|count| count.all).sum();
                if on_terminals.is_empty() {
                    return Ok(Outcome::Passed(format!("all {all} test targets")));
                }
                Ok(Outcome::Skipped(format!("{}: {}", test_cluster::WITHOUT_TMUX, named(&on_terminals))))
            }
        }
    }
}

fn shown((name, source): &Target) -> String {
    format!("{name} ({source})")
}

/// How many test targets of the workspace have this name and source, and how many of them need real servers.
#[derive(Debug, Default)]
struct Count {
    all: usize,
    on_servers: usize,
}

type Targets = BTreeMap<Target, Count>;

/// The targets that are to run, from `cargo metadata`. Those of `tests/` count even where the manifest keeps
/// `cargo test` from running them.
fn targets(metadata: &Value) -> Result<Targets> {
    let mut targets = Targets::new();
    for package in metadata["packages"].as_array().context("cargo metadata names no packages")? {
        let manifest = Path::new(package["manifest_path"].as_str().context("a package without a manifest")?);
        let root = manifest.parent().context("a manifest without a directory")?;
        for target in package["targets"].as_array().context("a package without targets")? {
            let kinds = target["kind"].as_array().context("a target without a kind")?;
            if target["test"] != true && !kinds.iter().any(|kind| kind == "test") {
                continue;
            }
            let name = target["name"].as_str().context("a target without a name")?.replace('-', "_");
            let source = Path::new(target["src_path"].as_str().context("a target without a source")?);
            let source = source.strip_prefix(root)?.to_str().context("a path that is not UTF-8")?;
            let required = target["required-features"].as_array().into_iter().flatten();
            let on_servers = required.filter_map(Value::as_str).any(|feature| SERVERS.contains(&feature));
            let count = targets.entry((name, source.to_owned())).or_default();
            count.all += 1;
            count.on_servers += usize::from(on_servers);
        }
    }
    Ok(targets)
}

/// Of these those that run with every `cargo xtask e2e`.
fn suites(mut targets: Targets) -> Targets {
    targets.retain(|(name, _), count| {
        count.all = count.on_servers;
        count.on_servers > 0 && name != "soak"
    });
    targets
}

#[cfg(test)]
mod tests;
