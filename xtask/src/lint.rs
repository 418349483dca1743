//! What the compiler and its companions can say without running a test.

use anyhow::Result;

use crate::cargo::{Cargo, SERVERS};
use crate::codegen;
use crate::report::{Outcome, Report};

/// Formatting, generated files, clippy for everything with the features that tests have; with `every` also
/// for the libraries with every other set of features, which is a build of all dependencies each.
pub(crate) fn steps(report: &mut Report, every: bool) {
    codegen::step(report, true);
    simple(report, "fmt", || Cargo::new("fmt --all --check").run());
    simple(report, "clippy", || {
        // With the features that tests are built with, or what only these see would not be looked at.
        Cargo::new(&format!("clippy --workspace --all-targets {SERVERS} -- -D warnings")).run()
    });
    if every {
        feature_steps(report);
    }
}

/// The libraries whose features others choose: with none of them on the oldest Kubernetes API there is, and with all on
/// the newest. No test does this: they all see what the dev-dependencies chose. The second is what docs.rs builds.
fn feature_steps(report: &mut Report) {
    for (version, features) in [("earliest", "--no-default-features"), ("latest", "--all-features")] {
        simple(report, &format!("clippy, {version} Kubernetes API, {features}"), || {
            let libraries = "--lib --package kube-informer --package informer-controller --package informer-endpoint \
                             --package informer-recording --package embedded-apiserver";
            let features = format!("{features} --features k8s-openapi/{version}");
            Cargo::new(&format!("clippy {libraries} {features} -- -D warnings")).run()
        });
    }
}

fn simple(report: &mut Report, step: &str, body: impl FnOnce() -> Result<()>) {
    report.step(step, || body().map(|()| Outcome::passed()));
}
