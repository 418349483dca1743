//! `cargo xtask test`: everything a change must pass.

use anyhow::Result;

use crate::cargo::{Cargo, FEATURES};
use crate::ran::Ran;
use crate::report::{self, Outcome};
use crate::{book, deny, e2e, face, lint, msrv, page, publish, soak, tidy};

/// How many seeds the model tests try in a long run.
const LONG_SEEDS: &str = "10000";

/// With `long` the random tests try more, as before a release; otherwise what their environment says.
pub(crate) fn run(policy: &e2e::Policy, long: bool) -> Result<()> {
    report::run(|report| {
        // Quick ones first.
        tidy::step(report);
        lint::steps(report);
        deny::step(report);
        book::step(report, true);
        publish::step(report, false);
        msrv::step(report);
        let mut ran = Ran::default();
        let mut complete = report.step("unit and integration tests", || {
            // The end-to-end tests have their own steps below; here they would run a third time.
            let tests = format!("test --workspace {FEATURES} --no-fail-fast");
            let tests = Cargo::new(&tests).env("KUBE_INFORMER_E2E", "skip");
            let tests = if long { tests.env("INFORMER_SEEDS", LONG_SEEDS) } else { tests };
            let (count, these) = tests.run_tests()?;
            ran.add(these);
            Ok(Outcome::Passed(format!("{count}, doctests among them")))
        });
        page::step(report, page::Asked::default());
        publish::docs_rs_step(report, false);
        face::step(report);
        complete &= e2e::steps(report, policy, &[], &mut ran, long);
        complete &= soak::step(report, policy, &mut ran);
        // A step that failed may not have come to all of its tests, and has been told of.
        if complete {
            report.step("every test has run", || ran.check(policy.why_skipped()));
        }
    })
}
