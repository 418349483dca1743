//! `cargo xtask test`: everything a change must pass.

use anyhow::Result;

use crate::cargo::Cargo;
use crate::ran::Ran;
use crate::report::{self, Outcome};
use crate::{e2e, lint, tidy};

pub(crate) fn run(policy: e2e::Policy) -> Result<()> {
    report::run(|report| {
        // Quick ones first.
        tidy::step(report);
        lint::steps(report);
        lint::api_version_steps(report);
        let mut ran = Ran::default();
        let mut complete = report.step("unit and integration tests", || {
            // The end-to-end tests have their own steps below; here they would run a third time.
            let (count, these) =
                Cargo::new("test --workspace --no-fail-fast").env("KUBE_INFORMER_E2E", "skip").run_tests()?;
            ran.add(these);
            Ok(Outcome::Passed(format!("{count}, doctests among them")))
        });
        lint::doc_step(report, false);
        complete &= e2e::steps(report, &policy, &[], &mut ran);
        // A step that failed may not have come to all of its tests, and has been told of.
        if complete {
            report.step("every test has run", || ran.check(policy.why_skipped()));
        }
    })
}
