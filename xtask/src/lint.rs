//! What the compiler and its companions can say without running a test.

use anyhow::Result;

use crate::cargo::Cargo;
use crate::codegen;
use crate::report::{Outcome, Report};

/// Formatting, generated files, clippy.
pub(crate) fn steps(report: &mut Report) {
    codegen::step(report, true);
    simple(report, "fmt", || Cargo::new("fmt --all --check").run());
    simple(report, "clippy", || Cargo::new("clippy --workspace --all-targets -- -D warnings").run());
}

/// The documentation, which must build without a warning.
pub(crate) fn doc_step(report: &mut Report, open: bool) {
    let options = if open { vec!["--open".to_owned()] } else { Vec::new() };
    simple(report, "doc", || {
        // The library leaves the choice of the Kubernetes version to its user, so one has to be made here.
        Cargo::new("doc --no-deps --workspace --features k8s-openapi/latest")
            .args(&options)
            .env("RUSTDOCFLAGS", "-D warnings")
            .run()
    });
}

/// The library against the oldest and the newest Kubernetes API its user may choose. No test does this: they all
/// see the version that the dev-dependencies chose.
pub(crate) fn api_version_steps(report: &mut Report) {
    for version in ["earliest", "latest"] {
        simple(report, &format!("clippy, {version} Kubernetes API"), || {
            let features = format!("--features k8s-openapi/{version}");
            Cargo::new(&format!("clippy --package kube-informer --lib {features} -- -D warnings")).run()
        });
    }
}

fn simple(report: &mut Report, step: &str, body: impl FnOnce() -> Result<()>) {
    report.step(step, || body().map(|()| Outcome::passed()));
}
