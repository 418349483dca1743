//! Every crate takes part in the workspace's lint table, and every workspace forbids unsafe code.

use crate::tidy::Problem;
use crate::tidy::tree::{SourceFile, Tree};

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.name() == "Cargo.toml") {
        let has = |section: &str, entry: &str| section_has(file, section, entry);
        let is_headed = |header: &str| file.lines().any(|(_, line)| line.trim() == header);
        if is_headed("[package]") && !has("lints", "workspace=true") {
            problems.push(Problem::new(&file.path, 0, "add `[lints]` with `workspace = true`"));
        }
        if is_headed("[workspace]") && !has("workspace.lints.rust", "unsafe_code=\"forbid\"") {
            problems.push(Problem::new(
                &file.path,
                0,
                "add `unsafe_code = \"forbid\"` to `[workspace.lints.rust]`",
            ));
        }
    }
    problems
}

/// Whether the section has a line that is `entry`, spaces aside.
fn section_has(file: &SourceFile, section: &str, entry: &str) -> bool {
    file.section(section).any(|line| line.replace(' ', "") == entry)
}

#[cfg(test)]
mod tests;
