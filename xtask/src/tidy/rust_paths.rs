//! Which names at the root of a crate a source file uses. A reading of the text, not of the language: it knows
//! paths and groups, and takes formatted code without comments and strings for granted.

use std::collections::HashMap;

/// The names `x` of all paths to `crate::x`, with their lines. `depth` is how many modules the file is below the
/// root: from a file at depth 1, `super::x` is `crate::x` as well.
pub(crate) fn root_names<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    depth: usize,
) -> Vec<(usize, String)> {
    let code = joined(lines);
    let to_root =
        [vec!["crate::".to_owned()], if depth > 0 { vec!["super::".repeat(depth)] } else { Vec::new() }];
    let mut names = Vec::new();
    for prefix in to_root.concat() {
        for (start, _) in code.match_indices(&prefix) {
            let before = code[..start].chars().next_back();
            let rest = &code[start + prefix.len()..];
            if before.is_some_and(|c| is_name(c) || c == ':') || rest.starts_with("super::") {
                continue;
            }
            let line = code[..start].matches('\n').count() + 1;
            names.extend(first_names(rest).into_iter().map(|name| (line, name)));
        }
    }
    names.sort();
    names
}

/// The names that the root of a crate takes from elsewhere, for users or for its modules, and the first part of the path each
/// comes from.
pub(crate) fn imports<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> HashMap<String, String> {
    let code = joined(lines);
    let mut imports = HashMap::new();
    for (start, _) in code.match_indices("use ").filter(|(start, _)| !code[..*start].ends_with(is_name)) {
        let tree = code[start + "use ".len()..].split(';').next().unwrap_or_default();
        let tree = tree.trim_start_matches("crate::").trim_start_matches("self::");
        let origin: String = tree.chars().take_while(|c| is_name(*c)).collect();
        imports.extend(leaves(tree).into_iter().map(|leaf| (leaf, origin.clone())));
    }
    imports
}

/// Every line keeps its place, so that a position still tells the line.
fn joined<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> String {
    lines.flat_map(|(_, line)| [line, "\n"]).collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name a path starts with, or those of all members if it starts with a group `{a, b::c}`.
fn first_names(path: &str) -> Vec<String> {
    let name = |path: &str| path.trim_start().chars().take_while(|c| is_name(*c)).collect::<String>();
    let names = match group(path) {
        Some(members) => members.into_iter().map(name).collect(),
        None => vec![name(path)],
    };
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// The names a use tree brings in: the last of each path, or what it is renamed to.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        return group(&tree[open..]).unwrap_or_default().into_iter().flat_map(leaves).collect();
    }
    let last = tree.rsplit("::").next().unwrap_or_default();
    let name = last.rsplit(" as ").next().unwrap_or_default().trim();
    if name.is_empty() { Vec::new() } else { vec![name.to_owned()] }
}

/// The members of the group that `text` starts with.
fn group(text: &str) -> Option<Vec<&str>> {
    let text = text.strip_prefix('{')?;
    let (mut members, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                members.push(&text[start..index]);
                break;
            }
            ',' if depth == 0 => {
                members.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    Some(members)
}

#[cfg(test)]
mod tests;
