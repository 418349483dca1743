//! Reads input files of all formats.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::derive;
use crate::description;
use crate::model::KindSpec;
use crate::problem::{InputError, Place, Problem};

/// Reads kinds from description files (`.toml`) and from Rust sources (`.rs`).
///
/// `module` is the module of the kinds in Rust sources; without it, it is derived from their path below `src`.
pub fn read(files: &[PathBuf], module: Option<&str>) -> Result<Vec<KindSpec>, InputError> {
    let mut problems = InputError::default();
    let mut kinds = Vec::new();
    for file in files {
        let place = Place::file(file);
        let found = match file.extension().and_then(OsStr::to_str) {
            Some("toml") => read_description(file, &place),
            Some("rs") => read_source(file, module, &place),
            _ => Err(Problem::new(&place, "an input is a description (.toml) or a Rust source (.rs)").into()),
        };
        match found {
            Ok(found) => kinds.extend(found),
            Err(found) => problems.extend(found),
        }
    }
    problems.or(kinds)
}

fn read_description(file: &Path, place: &Place) -> Result<Vec<KindSpec>, InputError> {
    let description = description::read(&contents(file, place)?, place)?;
    let mut problems = InputError::default();
    let mut kinds = description.kinds;
    let directory = file.parent().unwrap_or(Path::new(""));
    for source in &description.sources {
        match read_source(&directory.join(&source.file), source.module.as_deref(), &source.place) {
            Ok(found) => kinds.extend(found),
            Err(found) => problems.extend(found),
        }
    }
    // Without the kinds of a source that cannot be read, its indexes would be reported as wrong too.
    problems.or(())?;
    let mut problems = InputError::default();
    for extra in description.indexes {
        let mut known = false;
        for kind in kinds.iter_mut().filter(|kind| kind.kind == extra.kind) {
            kind.indexes.extend(extra.indexes.iter().cloned());
            known = true;
        }
        if !known {
            let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.kind.as_str()).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let message = format!("there is no kind {:?} here; there are {}", extra.kind, names.join(", "));
            problems.add(&extra.place, message);
        }
    }
    if kinds.is_empty() {
        problems.add(place, "no kind here: add one as [[kind]], or a file with kinds as [[source]]");
    }
    problems.or(kinds)
}

/// `named_at` is where the file is named, for problems with the file as a whole.
fn read_source(file: &Path, module: Option<&str>, named_at: &Place) -> Result<Vec<KindSpec>, InputError> {
    let text = contents(file, named_at)?;
    let module = match module {
        Some(module) => module.to_owned(),
        None => derive::module_of(file).ok_or_else(|| {
            let file = file.display();
            Problem::new(
                named_at,
                format!("{file} is not below a directory src: name the module of its kinds"),
            )
        })?,
    };
    let kinds = derive::read(&text, &Place::file(file), &module)?;
    if kinds.is_empty() {
        let message = format!("no struct with #[derive(CustomResource)] in {}", file.display());
        return Err(Problem::new(named_at, message).into());
    }
    Ok(kinds)
}

fn contents(file: &Path, named_at: &Place) -> Result<String, Problem> {
    fs::read_to_string(file)
        .map_err(|error| Problem::new(named_at, format!("cannot read {}: {error}", file.display())))
}
