//! Small files: one that grows past the limit usually holds two ideas.

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

const LIMIT: usize = 500;
/// Tests are a list, which is read one by one.
const TEST_LIMIT: usize = 900;

/// Files that may be longer, and why.
const ALLOWED: &[(&str, &str)] = &[];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    check_with(tree, ALLOWED)
}

fn check_with(tree: &Tree, allowed: &[(&str, &str)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut used = Vec::new();
    for file in tree.rust_files() {
        let limit = if file.is_test() { TEST_LIMIT } else { LIMIT };
        let lines = file.text.lines().count();
        if lines <= limit {
            continue;
        }
        if allowed.iter().any(|(path, _)| *path == file.path) {
            used.push(file.path.as_str());
            continue;
        }
        let text =
            format!("{lines} lines, {limit} at most: split it, or allow it with a reason in {}", file!());
        problems.push(Problem::new(&file.path, 0, text));
    }
    for (path, _) in allowed.iter().filter(|(path, _)| !used.contains(path)) {
        problems.push(Problem::new(
            path,
            0,
            format!("needs no allowance any more: remove it from {}", file!()),
        ));
    }
    problems
}

#[cfg(test)]
mod tests;
