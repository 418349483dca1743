//! One place for tests: those of the module `x` are the module `x::tests`, in `x/tests.rs`, or in `x/tests/mod.rs` and
//! files beside it. A test program is a folder `tests/<suite>/`. What the tests of one such folder share is its module
//! `support`.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

/// A file that a test writes or compares with, and not code of ours.
const FIXTURES: &str = "/fixtures/";

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.rust_files().filter(|file| !is_exempt(file)) {
        check_place(tree, file, &mut problems);
        check_declarations(file, &mut problems);
    }
    problems
}

/// A generator writes one file, so its tests can only be inside.
fn is_exempt(file: &SourceFile) -> bool {
    file.path.contains(FIXTURES) || file.text.starts_with("// @generated")
}

fn check_place(tree: &Tree, file: &SourceFile, problems: &mut Vec<Problem>) {
    let mut problem = |text: &str| problems.push(Problem::new(&file.path, 0, text));
    let name = file.name();
    if ["_test.rs", "_tests.rs"].iter().any(|end| name.ends_with(end)) {
        problem("tests of the module `x` belong in `x/tests.rs` or `x/tests/`");
    }
    if file.is_test() && file.path.strip_suffix(".rs").is_some_and(|folder| tree.contains(folder)) {
        problem("has a folder of the same name: it belongs there, as `mod.rs`");
    }
    let Some((_, within)) = file.path.split_once("/tests/") else {
        if !file.is_test() && has_test(file) {
            problem("has a test: it belongs in the module `tests`");
        }
        return;
    };
    let is_of_program = !file.path.contains("/src/");
    // The path within the folder that shares one `support`: of a unit, `tests/`, of a program, `tests/<suite>/`.
    let within = if is_of_program {
        let Some((_, within)) = within.split_once('/') else {
            problem("a test program belongs in a folder of its own: `tests/<suite>/main.rs`");
            return;
        };
        within
    } else {
        within
    };
    let is_entry = within == "main.rs" || within == "mod.rs";
    let is_support = within == "support.rs" || within.starts_with("support/");
    if !is_entry && !is_support && !within.contains('/') && !has_test(file) {
        problem("has no test: what tests share belongs in `support.rs` or `support/`");
    }
}

fn check_declarations(file: &SourceFile, problems: &mut Vec<Problem>) {
    let mut path = None;
    for (number, line) in file.lines().map(|(number, line)| (number, line.trim())) {
        if line.starts_with("#[path = ") && file.path.contains("/src/") && !file.is_test() {
            path = Some(number);
        }
        if line.starts_with("mod tests {") {
            problems.push(Problem::new(&file.path, number, "tests belong in a file: `mod tests;`"));
        }
        if line.starts_with("mod ") && path.take().is_some() && line.contains("test") {
            problems.push(Problem::new(
                &file.path,
                number,
                "tests are found without `#[path]`: `x/tests.rs`",
            ));
        }
    }
}

fn has_test(file: &SourceFile) -> bool {
    // The last is a macro that makes tests of stories.
    let is_test = |line: &str| {
        ["#[test]", "#[tokio::test", "stories!("].iter().any(|beginning| line.starts_with(beginning))
    };
    file.lines().any(|(_, line)| is_test(line.trim()))
}

#[cfg(test)]
mod tests;
