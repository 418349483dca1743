//! Relative links in Markdown lead somewhere: to a file, and within it to a heading or an anchor.

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in tree.files().iter().filter(|file| file.is_markdown()) {
        for (line, target) in links(&file.text) {
            let Some((path, fragment)) = relative(&target) else { continue };
            let place = if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) };
            if !place.is_some_and(|place| is_there(tree, &place, fragment)) {
                let text = format!("link to `{target}`, which is not there");
                problems.push(Problem::new(&file.path, line, text));
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

/// The path and the fragment of a link into the project.
pub(crate) fn relative(target: &str) -> Option<(&str, &str)> {
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    (!is_elsewhere).then(|| (path.split('?').next().unwrap_or_default(), fragment))
}

/// Whether there is such a file, and in it such a place if it is a page.
fn is_there(tree: &Tree, place: &str, fragment: &str) -> bool {
    let page = tree.file(place).filter(|file| file.is_markdown() && !fragment.is_empty());
    tree.contains(place) && page.is_none_or(|page| anchors(&page.text).any(|anchor| anchor == fragment))
}

/// What a fragment can name: the headings, as forges turn them into anchors, and explicit anchors.
fn anchors(markdown: &str) -> impl Iterator<Item = String> {
    let explicit =
        markdown.split("<a id=\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
    let headings = markdown.lines().filter(|line| line.starts_with('#'));
    explicit.chain(headings.map(|line| {
        let text = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    }))
}

/// The place, from the root, of `path` as seen from the file `from`; none outside the project.
pub(crate) fn resolve(from: &str, path: &str) -> Option<String> {
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
