//! Words that must not be in the repository.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

/// This file has to name what it forbids.
const SELF: &str = "xtask/src/tidy/forbidden.rs";

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
        advice: "hides a test: fix it or remove it",
    },
];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.path != SELF) {
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
        for word in rule.words.iter().filter(|word| occurs(line, word, rule.is_path)) {
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
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&Tree::of(&[(path, text)])).len()
    }

    #[test]
    fn machine_paths_are_found_where_a_path_starts() {
        assert_eq!(found("run.sh", "cd /home/me/project\n"), 1);
        assert_eq!(found("a.md", "plotted /root/project/a.png\n"), 1);
        assert_eq!(found("a.rs", "open(\"/tmp/x\")\n"), 1);
        assert_eq!(found("a.md", "see https://example.com/home/1 and docs/home/x\n"), 0);
        assert_eq!(found("a.md", "write it to /tmp/config\n"), 0);
        assert_eq!(found("tests/a.rs", "open(\"/tmp/x\")\n"), 0);
    }

    #[test]
    fn unfinished_code_is_found_with_its_line() {
        let problems = check(&Tree::of(&[("a.rs", "fn a() {\n    todo!()\n}\n")]));
        assert_eq!((problems.len(), problems[0].line), (1, 2));
        assert_eq!(found("a.md", "we never write `todo!()`\n"), 0);
    }

    #[test]
    fn tests_neither_sleep_nor_hide() {
        assert_eq!(found("crates/a/tests/a.rs", "tokio::time::sleep(second).await;\n"), 1);
        assert_eq!(found("crates/a/src/b/tests/a.rs", "thread::sleep(second);\n"), 1);
        assert_eq!(found("crates/a/src/b/tests/a.rs", "tokio::time::sleep(second).await;\n"), 0);
        assert_eq!(found("crates/a/src/a.rs", "tokio::time::sleep(second).await;\n"), 0);
        assert_eq!(found("crates/a/tests/a.rs", "#[ignore = \"slow\"]\n"), 1);
    }

    #[test]
    fn a_test_module_at_the_end_may_name_paths() {
        assert_eq!(found("a.rs", "#[cfg(test)]\nmod tests {\n    const X: &str = \"/tmp/x\";\n}\n"), 0);
        assert_eq!(found("a.rs", "#[cfg(test)]\nmod tests {\n    #[ignore]\n}\n"), 1);
    }
}
