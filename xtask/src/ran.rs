//! Which test targets ran, and which of their tests did nothing but say that they are skipped.
//!
//! The harness of Rust has no word for a test that finds out while it runs that it cannot run here: it counts as passed.
//! Ours say so on stderr (`test_cluster::print_skip`), where cargo names the target that runs as well, so both are read
//! from there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo::Cargo;
use crate::report::Outcome;

/// What one call of cargo ran, or several.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    /// For each target the tests that were skipped every time it ran, and why.
    never_ran: BTreeMap<Target, BTreeMap<String, String>>,
}

/// Name and source, such as `real` and `tests/real/main.rs`: neither alone tells targets of different packages apart.
type Target = (String, String);

/// Reads the standard error of one call of cargo.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    ran: Ran,
    current: Option<Target>,
    skipped: usize,
}

impl Reader {
    /// Takes in one line; those that say nothing about targets and skipped tests are of no interest.
    pub(crate) fn line(&mut self, line: &str) {
        if let Some(target) = running(line) {
            self.ran.never_ran.entry(target.clone()).or_default();
            self.current = Some(target);
        } else if let Some((test, why)) = test_cluster::skipped_test(line) {
            self.skipped += 1;
            if let Some(tests) = self.current.as_ref().and_then(|target| self.ran.never_ran.get_mut(target)) {
                tests.insert(test.to_owned(), why.to_owned());
            }
        }
    }

    /// What ran, and how many tests were skipped.
    pub(crate) fn end(self) -> (Ran, usize) {
        (self.ran, self.skipped)
    }
}

/// The target of a line such as `     Running tests/real/main.rs (target/debug/deps/real-0123456789abcdef)`.
fn running(line: &str) -> Option<Target> {
    let (source, program) =
        line.trim_start().strip_prefix("Running ")?.strip_suffix(')')?.split_once(" (")?;
    let source = source.strip_prefix("unittests ").unwrap_or(source);
    let (name, _hash) = Path::new(program).file_name()?.to_str()?.rsplit_once('-')?;
    Some((name.to_owned(), source.to_owned()))
}

impl Ran {
    /// Adds what another call ran. A test that ran in one of them has run.
    pub(crate) fn add(&mut self, other: Self) {
        for (target, skipped) in other.never_ran {
            let tests = self.never_ran.entry(target).or_insert_with(|| skipped.clone());
            tests.retain(|test, _| skipped.contains_key(test));
        }
    }

    /// Adds what another call ran that was to run these tests and no others.
    pub(crate) fn add_only(&mut self, other: Self, tests: &[&str]) {
        let skipped: BTreeSet<String> = other.never_ran.into_values().flat_map(BTreeMap::into_keys).collect();
        for never_ran in self.never_ran.values_mut() {
            never_ran.retain(|test, _| skipped.contains(test) || !tests.contains(&test.as_str()));
        }
    }

    /// Fails if a test target of the workspace has not run, or a test was skipped every time. Where the tests on a real
    /// server are skipped, for the reason that is given, that is what is to be expected of those.
    pub(crate) fn check(&self, without_servers: Option<&str>) -> Result<Outcome> {
        let metadata = Cargo::new("metadata --no-deps --format-version 1 --locked").output()?;
        self.check_against(&targets(&serde_json::from_slice(&metadata)?)?, without_servers)
    }

    fn check_against(&self, targets: &BTreeSet<Target>, without_servers: Option<&str>) -> Result<Outcome> {
        let missing: Vec<_> =
            targets.iter().filter(|target| !self.never_ran.contains_key(*target)).map(shown).collect();
        ensure!(missing.is_empty(), "these test targets have not run: {}", missing.join(", "));
        let skipped = self.never_ran.iter().flat_map(|(target, tests)| {
            tests.iter().map(move |(test, why)| (format!("{test} of {}", shown(target)), why.as_str()))
        });
        let (on_terminals, skipped): (Vec<_>, Vec<_>) =
            skipped.partition(|(_, why)| *why == test_cluster::WITHOUT_TMUX);
        let named = |tests: &[(String, &str)]| {
            tests.iter().map(|(test, _)| test.as_str()).collect::<Vec<_>>().join(", ")
        };
        match without_servers {
            Some(why) if !skipped.is_empty() => {
                Ok(Outcome::Skipped(format!("{} tests have not run: {why}", skipped.len())))
            }
            _ => {
                ensure!(skipped.is_empty(), "these tests were skipped every time: {}", named(&skipped));
                match on_terminals.is_empty() {
                    true => Ok(Outcome::Passed(format!("all {} test targets", targets.len()))),
                    false => Ok(Outcome::Skipped(format!(
                        "{}: {}",
                        test_cluster::WITHOUT_TMUX,
                        named(&on_terminals)
                    ))),
                }
            }
        }
    }
}

fn shown((name, source): &Target) -> String {
    format!("{name} ({source})")
}

/// The targets that `cargo test` is to run, from `cargo metadata`. Those of `tests/` count even where the manifest keeps
/// `cargo test` from running them.
fn targets(metadata: &Value) -> Result<BTreeSet<Target>> {
    let mut targets = BTreeSet::new();
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
            targets.insert((name, source.to_owned()));
        }
    }
    Ok(targets)
}

#[cfg(test)]
mod tests;
