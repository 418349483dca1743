//! The features that docs.rs is to build a crate with are the crate's own, or of dependencies that it then has.
//!
//! docs.rs builds the library alone: a feature of a dev-dependency is switched on for nobody there, and the build fails.

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.name() == "Cargo.toml") {
        let features = file
            .section("package.metadata.docs.rs")
            .filter_map(|line| line.split_once('=').filter(|(key, _)| key.trim() == "features"))
            .flat_map(|(_, list)| list.split('"').skip(1).step_by(2).collect::<Vec<_>>());
        for feature in features {
            let (place, name) = match feature.split_once('/') {
                Some((dependency, _)) => ("dependencies", dependency),
                None => ("features", feature),
            };
            if !file.section(place).any(|line| is_entry(line, name)) {
                let text =
                    format!("docs.rs is to build with `{feature}`, but `{name}` is not in `[{place}]`");
                problems.push(Problem::new(&file.path, 0, text));
            }
        }
    }
    problems
}

/// Whether a line sets `name`, as in `name = "1"` or `name.workspace = true`.
fn is_entry(line: &str, name: &str) -> bool {
    line.trim().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
}

#[cfg(test)]
mod tests;
