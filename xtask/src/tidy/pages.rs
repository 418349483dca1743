//! The pages of `docs/` are pages of the book. Their Rust, and that of every README, is compiled by a test, and the commands of
//! ours that they name exist.

use crate::cli;
use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

/// The order of the pages.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The crate whose doc tests are the examples of the pages.
const DOC_TESTS: &str = "crates/book/src/lib.rs";

/// Pages whose Rust is compared with that of a project, which is built and tested.
const GUIDES: [&str; 2] = ["docs/write-a-controller.md", "docs/custom-kinds.md"];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let text = |path: &str| tree.file(path).map(|file| file.text.as_str()).unwrap_or_default();
    let (summary, doc_tests) = (text(SUMMARY), text(DOC_TESTS));
    let mut problems = Vec::new();
    for page in tree.files().iter().filter(|file| is_page(file)) {
        let name = page.path.strip_prefix("docs/");
        if name.is_some_and(|name| !summary.contains(&format!("]({name})"))) {
            problems.push(Problem::new(&page.path, 0, format!("is not in the book: add it to {SUMMARY}")));
        }
        let is_compiled = doc_tests.contains(&format!("/{}\")]", page.path)) || GUIDES.contains(&&*page.path);
        if !is_compiled && let Some((line, _)) = blocks(page).find(|(_, block)| is_rust(block.language)) {
            let text = format!("Rust that nothing compiles: add the page to `pages` in {DOC_TESTS}");
            problems.push(Problem::new(&page.path, line, text));
        }
        for (line, _) in blocks(page).filter(|(_, block)| is_ignored(block.language)) {
            let text = "Rust that nothing compiles: use `no_run`, and lines that begin with `# `";
            problems.push(Problem::new(&page.path, line, text));
        }
        for (line, block) in blocks(page).filter(|(_, block)| block.language == "sh") {
            problems.extend(unknown_commands(page, line, block.text));
        }
    }
    problems
}

/// The pages of the book, and what each crate says of itself.
pub(super) fn is_page(file: &SourceFile) -> bool {
    file.is_markdown()
        && (file.name() == "README.md" || file.path.starts_with("docs/"))
        && file.path != SUMMARY
}

fn is_rust(language: &str) -> bool {
    language == "rust" || (language.starts_with("rust,") && !is_ignored(language))
}

fn is_ignored(language: &str) -> bool {
    language.split(',').any(|word| word == "ignore")
}

pub(super) struct Block<'a> {
    pub(super) language: &'a str,
    pub(super) text: &'a str,
}

/// The blocks of code, each with the number of its first line.
pub(super) fn blocks(page: &SourceFile) -> impl Iterator<Item = (usize, Block<'_>)> {
    let parts: Vec<&str> = page.text.split("```").collect();
    let mut line = 1;
    let mut found = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if index % 2 == 1
            && let Some((language, text)) = part.split_once('\n')
        {
            found.push((line + 1, Block { language: language.trim(), text }));
        }
        line += part.matches('\n').count();
    }
    found.into_iter()
}

/// Calls of `cargo xtask` that it would not understand.
fn unknown_commands(page: &SourceFile, first: usize, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let command = line.split('#').next().unwrap_or_default().split_once("cargo xtask ");
        let Some((_, arguments)) = command else { continue };
        if cli::parse(arguments.split_whitespace().map(str::to_owned)).is_err() {
            let text = format!("there is no `cargo xtask {}`", arguments.trim());
            problems.push(Problem::new(&page.path, first + index, text));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
