//! What rustdoc knows of a crate, as JSON.
//!
//! The form is not stable and has a number, so it is asked for with `-Z unstable-options`, and the number is checked. A
//! stable rustdoc accepts the option if it is told to with `RUSTC_BOOTSTRAP`. Set for all of cargo that variable would
//! have every dependency built again, since their build scripts look at it; so cargo is given this very program in place of
//! rustdoc, which sets the variable and calls rustdoc.

use std::env;
use std::fs;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo::{Cargo, target_directory};
use crate::packages::Package;

/// The form of the JSON that is understood: that of Rust 1.95.
const KNOWN_FORM: u64 = 57;

/// Set for the call of this program that stands in for rustdoc.
const STAND_IN: &str = "XTASK_IS_RUSTDOC";

/// Arguments of cargo that make the documentation of a package as docs.rs makes it.
pub(crate) fn as_docs_rs(command: &str, package: &Package) -> Result<Cargo> {
    let mut arguments = format!("{command} --package {} --lib", package.name);
    if !package.docs_features.is_empty() {
        arguments += &format!(" --features {}", package.docs_features.join(","));
    }
    in_place_of_rustdoc(Cargo::new(&arguments))
}

fn in_place_of_rustdoc(cargo: Cargo) -> Result<Cargo> {
    let this = env::current_exe().context("cannot tell where this program is")?;
    Ok(cargo.env_quietly("RUSTDOC", &this.to_string_lossy()).env_quietly(STAND_IN, "1"))
}

/// All libraries at once. An example comes along so that cargo unifies features as for tests, and no
/// dependency is checked again.
const WORKSPACE: &str = "doc --workspace --no-deps --lib --example watch_pods";

/// Describes these libraries of the workspace, warnings being errors; or says why this rustdoc cannot.
pub(crate) fn describe(libraries: &[&str]) -> Result<Result<Vec<Value>, String>> {
    let flags = "--cfg docsrs -D warnings -Zunstable-options --output-format json";
    in_place_of_rustdoc(Cargo::new(WORKSPACE))?.env("RUSTDOCFLAGS", flags).run()?;
    let folder = target_directory()?.join("doc");
    let mut descriptions = Vec::new();
    for library in libraries {
        let path = folder.join(format!("{}.json", library.replace('-', "_")));
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let description: Value = serde_json::from_slice(&text).context("rustdoc's JSON")?;
        let form = description["format_version"].as_u64().unwrap_or_default();
        if form != KNOWN_FORM {
            let why = format!(
                "this rustdoc writes its JSON in form {form}, and xtask/src/face knows form {KNOWN_FORM}"
            );
            return Ok(Err(why));
        }
        descriptions.push(description);
    }
    Ok(Ok(descriptions))
}

/// If this program was called in place of rustdoc, what rustdoc answers.
pub(crate) fn stand_in() -> Option<ExitCode> {
    env::var_os(STAND_IN)?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").env_remove(STAND_IN);
    Some(match rustdoc.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cannot run rustdoc: {error}");
            ExitCode::FAILURE
        }
    })
}
