//! Words that must not be in the repository.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

/// A test may be left out of `cargo test` if it says so: the last step of `cargo xtask ci` fails if it was not run
/// elsewhere.
const RUN_ELSEWHERE: &str = "`cargo xtask e2e` runs it\"]";

/// This rule and its tests have to name what it forbids.
const SELF: &str = "xtask/src/tidy/forbidden";

struct Rule {
    words: &'static [&'static str],
    applies: fn(&SourceFile) -> bool,
    /// Only where a path may start, so that `docs/home/` is not `/home/`.
    is_path: bool,
    advice: &'static str,
}

const SLEEPING: &str =
    "makes a test slow, and flaky on a busy machine: wait for what should happen, with a deadline";

const RULES: &[Rule] = &[
    Rule {
        words: &["/home/", "/Users/", "/root/"],
        applies: |file| !file.is_test(),
        is_path: true,
        advice: "is a path of one machine",
    },
    Rule {
        words: &["/tmp/"],
        // A manual may well use it in an example.
        applies: |file| !file.is_test() && !file.is_markdown(),
        is_path: true,
        advice: "is not everywhere the place for temporary files: ask for a temporary directory",
    },
    Rule {
        words: &["todo!(", "unimplemented!(", "dbg!("],
        applies: SourceFile::is_rust,
        is_path: false,
        advice: "is for work in progress",
    },
    Rule {
        words: &["thread::sleep"],
        applies: |file| file.is_rust() && file.is_in_tests_directory(),
        is_path: false,
        advice: SLEEPING,
    },
    Rule {
        words: &["time::sleep"],
        // Test programs live in real time. Unit tests may sleep in the runtime's paused time, which costs nothing.
        applies: |file| file.is_rust() && file.is_in_tests_directory() && !file.path.contains("/src/"),
        is_path: false,
        advice: SLEEPING,
    },
    Rule {
        words: &["#[ignore"],
        applies: SourceFile::is_rust,
        is_path: false,
        advice: "hides a test: fix it or remove it; one that needs a real server says `cargo xtask e2e` runs it",
    },
];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| !file.path.starts_with(SELF)) {
        for rule in RULES.iter().filter(|rule| (rule.applies)(file)) {
            check_file(file, rule, &mut problems);
        }
    }
    problems
}

fn check_file(file: &SourceFile, rule: &Rule, problems: &mut Vec<Problem>) {
    // A test may name any path, but not be unfinished or hidden.
    let lines: Vec<(usize, &str)> =
        if rule.is_path { file.lines_before_tests().collect() } else { file.lines().collect() };
    for (number, line) in lines {
        let is_run_elsewhere = line.trim_end().ends_with(RUN_ELSEWHERE);
        for word in rule.words.iter().filter(|word| !is_run_elsewhere && occurs(line, word, rule.is_path)) {
            problems.push(Problem::new(&file.path, number, format!("`{word}` {}", rule.advice)));
        }
    }
}

fn occurs(line: &str, word: &str, is_path: bool) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        !is_path || !before.is_some_and(|c| c.is_alphanumeric() || "._-/}".contains(c))
    })
}

#[cfg(test)]
mod tests;
