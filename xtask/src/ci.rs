//! `cargo xtask ci`: everything a change must pass.

use std::env;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cargo::{Cargo, Limits};
use crate::ran::Ran;
use crate::report::{self, Outcome};
use crate::timing::timed;
use crate::{book, deny, e2e, face, lint, page, publish, soak, tidy};

/// How many seeds the model tests try: a newcomer's `cargo test` tries 100 of them.
const SEEDS: &str = "500";

/// And in a long run, as before a release.
const LONG_SEEDS: &str = "10000";

/// Longer than this is a failure, and not only a pity. A long run may take as long as it takes.
const LIMIT: Duration = Duration::from_secs(50 * 60);

/// Nothing that works says nothing for so long.
const SILENCE: Duration = Duration::from_secs(15 * 60);

/// A test of many seeds says nothing until it ends.
const LONG_SILENCE: Duration = Duration::from_secs(3 * 3600);

/// All of it, dependencies compiled once to run and once to be checked.
pub(crate) fn run(policy: &e2e::Policy, long: bool) -> Result<()> {
    let limit = if long { Duration::MAX } else { LIMIT };
    let silence = if long { LONG_SILENCE } else { SILENCE };
    // What hangs is ended, or nobody would ever read what the others did.
    Limits { silence, until: Instant::now().checked_add(limit) }.set();
    report::run_within(limit, |report| {
        // Quick ones first.
        tidy::step(report);
        deny::step(report);
        book::step(report);
        publish::step(report, false);
        // Before anything else is compiled, so that this is the time that a newcomer waits for.
        report.step("the README's first command", || {
            let command = "run --locked -- watch deployments --embedded --for 1s";
            Cargo::new(command).run().map(|()| Outcome::Passed("on the embedded server".to_owned()))
        });
        let mut ran = Ran::default();
        let mut complete = report.step("cargo test", || {
            let mut tests = Cargo::new("test --locked --no-fail-fast");
            if env::var_os("INFORMER_SEEDS").is_none() {
                tests = tests.env("INFORMER_SEEDS", if long { LONG_SEEDS } else { SEEDS });
            }
            let count = timed(tests)?.run_tests(&mut ran)?;
            Ok(Outcome::Passed(format!("{count}, doctests among them; on the embedded server")))
        });
        lint::steps(report, false);
        face::step(report);
        page::step(report, page::Asked::default());
        complete &= e2e::steps(report, policy, &[], &mut ran, long);
        complete &= soak::step(report, policy, &mut ran);
        // A step that failed may not have come to all of its tests, and has been told of.
        if complete {
            report.step("every test target has run", || ran.check(policy.why_skipped()));
        }
        report.note(&ran.slow_ones());
    })
}
