//! Relative links in Markdown lead somewhere.

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.is_markdown()) {
        for (line, target) in links(&file.text) {
            let Some(path) = relative_path(&target) else { continue };
            match resolve(&file.path, path) {
                Some(place) if tree.contains(&place) => {}
                _ => problems.push(Problem::new(
                    &file.path,
                    line,
                    format!("link to `{target}`, which is not there"),
                )),
            }
        }
    }
    problems
}

/// The targets of `[text](target)` and `[name]: target`, with their lines; code is not looked at.
fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in markdown.lines().enumerate() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code {
            let line = without_code_spans(line);
            found.extend(targets(&line).map(|target| (index + 1, target.to_owned())));
        }
    }
    found
}

fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let definition = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "))
        // A footnote is text, not a link.
        .filter(|(name, _)| !name.starts_with('^'))
        .and_then(|(_, rest)| rest.split_whitespace().next());
    inline.chain(definition).map(|target| target.trim_matches(['<', '>']))
}

/// Every other part between backticks is code.
fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The path part of a link into the project.
fn relative_path(target: &str) -> Option<&str> {
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    let path = target.split(['#', '?']).next().unwrap_or_default();
    (!is_elsewhere && !path.is_empty()).then_some(path)
}

/// The place, from the root, of `path` as seen from the file `from`; none outside the project.
fn resolve(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    if path.starts_with('/') {
        parts.clear();
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;
