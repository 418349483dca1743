//! The tables and plots of `growth` once more, from raw figures that were kept: nothing is built or run for them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::curves::{Curves, HANDLERS, INFORMERS, OBJECTS, Subject};

pub(crate) fn run(file: &Path, plots: Option<&Path>) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let raw: Value = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
    let directory = match plots {
        Some(directory) => directory.to_owned(),
        None => beside(&std::path::absolute(file)?),
    };
    let mut any = false;
    let runs = raw["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
    for subject in [&OBJECTS, &HANDLERS, &INFORMERS] {
        let curves = curves(subject, runs);
        if !curves.is_empty() {
            println!("\n{}", curves.tables());
            curves.draw(&directory)?;
            any = true;
        }
    }
    ensure!(any, "{}: there are no figures of the scenario `growth`", file.display());
    Ok(())
}

/// Where the plots of a file go: beside it, and beside `raw` if that is its directory, because it holds no pictures.
pub(crate) fn beside(file: &Path) -> PathBuf {
    let mut directory = file.to_owned();
    directory.pop();
    if directory.ends_with("raw") {
        directory.pop();
    }
    directory
}

/// What is measured of a subject, from raw figures of any scenarios.
pub(crate) fn curves<'a>(subject: &'a Subject, runs: &[Value]) -> Curves<'a> {
    let mut curves = Curves::new(subject);
    for run in runs {
        let number = run["scenario"].as_str().and_then(|scenario| subject.number(scenario));
        if let (Some(number), Some(client)) = (number, run["participant"].as_str()) {
            curves.add(client, number, run["report"].clone());
        }
    }
    curves
}

#[cfg(test)]
mod tests;
