//! No assertion in a function that the library calls: a panic there is caught and reported, and the test goes on and passes.
//!
//! A reading of the text, not of the language: it looks at what is written between the parentheses of a call that takes
//! such a function. One that is made elsewhere and handed over by its name is not seen.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

/// What takes functions whose panics are caught.
const TAKES: [&str; 11] = [
    "on_add",
    "on_update",
    "on_delete",
    "on_event",
    "on_undecodable",
    "on_full_state",
    "on_error",
    "async_handler",
    "build_unshared",
    "transform",
    "add_index",
];

const ASSERTS: [&str; 3] = ["assert!(", "assert_eq!(", "assert_ne!("];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    // Its tests show what it finds.
    tree.rust_files()
        .filter(|file| !file.path.ends_with("/handler_asserts.rs"))
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &SourceFile) -> Vec<Problem> {
    let code = file.code();
    let mut problems = Vec::new();
    let calls =
        TAKES.iter().flat_map(|name| starts(code, &format!("{name}(")).map(move |start| (name, start)));
    for (name, start) in calls {
        let arguments = arguments(&code[start + name.len()..]);
        let assert = ASSERTS.iter().find_map(|assert| arguments.find(assert));
        if let Some(place) = assert {
            let line = code[..start + name.len() + place].matches('\n').count() + 1;
            let advice = "is caught and the test passes: note what was seen, and check it outside";
            problems.push(Problem::new(
                &file.path,
                line,
                format!("an assertion that fails within `{name}` {advice}"),
            ));
        }
    }
    problems.sort_by_key(|problem| problem.line);
    problems
}

/// Where a word begins, and not merely goes on.
fn starts<'a>(code: &'a str, word: &str) -> impl Iterator<Item = usize> + use<'a> {
    let found: Vec<usize> = code.match_indices(word).map(|(start, _)| start).collect();
    found.into_iter().filter(move |start| {
        !code[..*start].chars().next_back().is_some_and(|before| before.is_alphanumeric() || before == '_')
    })
}

/// From the parenthesis that `code` starts with to the one that closes it.
fn arguments(code: &str) -> &str {
    let mut depth = 0_usize;
    for (index, c) in code.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth <= 1 => return &code[..index],
            ')' => depth -= 1,
            _ => {}
        }
    }
    code
}

#[cfg(test)]
mod tests;
