//! `cargo xtask test`: everything a change must pass.

use anyhow::Result;

use crate::cargo::Cargo;
use crate::report::{self, Outcome};
use crate::{e2e, lint, tidy};

pub(crate) fn run(policy: e2e::Policy) -> Result<()> {
    report::run(|report| {
        // Quick ones first.
        tidy::step(report);
        lint::steps(report);
        lint::api_version_steps(report);
        report.step("unit and integration tests", || {
            // The end-to-end tests have their own steps below; here they would run a third time.
            let count =
                Cargo::new("test --workspace --no-fail-fast").env("KUBE_INFORMER_E2E", "skip").run_tests()?;
            Ok(Outcome::Passed(format!("{count}, doctests among them")))
        });
        lint::doc_step(report, false);
        e2e::steps(report, policy, &[]);
    })
}
