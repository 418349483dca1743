//! Every crate takes part in the workspace's lint table, and every workspace forbids unsafe code.

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.name() == "Cargo.toml") {
        let has = |section: &str, entry: &str| section_has(&file.text, section, entry);
        if has_section(&file.text, "package") && !has("lints", "workspace=true") {
            problems.push(Problem::new(&file.path, 0, "add `[lints]` with `workspace = true`"));
        }
        if has_section(&file.text, "workspace") && !has("workspace.lints.rust", "unsafe_code=\"forbid\"") {
            problems.push(Problem::new(
                &file.path,
                0,
                "add `unsafe_code = \"forbid\"` to `[workspace.lints.rust]`",
            ));
        }
    }
    problems
}

fn has_section(toml: &str, section: &str) -> bool {
    toml.lines().any(|line| is_header(line, section))
}

fn is_header(line: &str, section: &str) -> bool {
    line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) == Some(section)
}

/// Whether the section has a line that is `entry`, spaces aside.
fn section_has(toml: &str, section: &str, entry: &str) -> bool {
    toml.lines()
        .skip_while(|line| !is_header(line, section))
        .skip(1)
        .take_while(|line| !line.trim_start().starts_with('['))
        .any(|line| line.replace(' ', "") == entry)
}

#[cfg(test)]
mod tests;
