//! The features that docs.rs is to build a crate with are the crate's own, or of dependencies that it then has.
//!
//! docs.rs builds the library alone: a feature of a dev-dependency is switched on for nobody there, and the build fails.

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.name() == "Cargo.toml") {
        let features = section(&file.text, "package.metadata.docs.rs")
            .filter_map(|line| line.split_once('=').filter(|(key, _)| key.trim() == "features"))
            .flat_map(|(_, list)| list.split('"').skip(1).step_by(2).collect::<Vec<_>>());
        for feature in features {
            let (place, name) = match feature.split_once('/') {
                Some((dependency, _)) => ("dependencies", dependency),
                None => ("features", feature),
            };
            if !section(&file.text, place).any(|line| is_entry(line, name)) {
                let text =
                    format!("docs.rs is to build with `{feature}`, but `{name}` is not in `[{place}]`");
                problems.push(Problem::new(&file.path, 0, text));
            }
        }
    }
    problems
}

/// The lines below a header.
fn section<'a>(toml: &'a str, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let header = format!("[{name}]");
    toml.lines()
        .skip_while(move |line| line.trim() != header)
        .skip(1)
        .take_while(|line| !line.trim_start().starts_with('['))
}

/// Whether a line sets `name`, as in `name = "1"` or `name.workspace = true`.
fn is_entry(line: &str, name: &str) -> bool {
    line.trim().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(toml: &str) -> usize {
        let toml =
            format!("{toml}\n[package.metadata.docs.rs]\nfeatures = [\"own\", \"some-crate/latest\"]\n");
        check(&Tree::of(&[("crates/a/Cargo.toml", &toml)])).len()
    }

    #[test]
    fn features_of_the_crate_and_of_its_dependencies_are_fine() {
        assert_eq!(found("[dependencies]\nsome-crate.workspace = true\n[features]\nown = []"), 0);
        assert_eq!(found("[dependencies]\nsome-crate = \"1\"\n[features]\nown = []"), 0);
        assert_eq!(check(&Tree::of(&[("Cargo.toml", "[package]\nname = \"a\"\n")])), []);
    }

    #[test]
    fn those_of_dev_dependencies_and_of_nobody_are_not() {
        assert_eq!(found("[dev-dependencies]\nsome-crate = \"1\"\n[features]\nown = []"), 1);
        assert_eq!(found("[dependencies]\nsome-crate-two = \"1\"\n[features]\nown = []"), 1);
        assert_eq!(found(""), 2);
    }
}
