//! Paths of fields in rules, such as `.spec.parts['a.b']`.

use super::super::node::Node;

/// The path as it is shown in messages; `None` if the schema has no such field.
pub(super) fn normalised(path: &str, node: &Node) -> Option<String> {
    let mut rest = path;
    let mut node = node;
    let mut shown = String::new();
    while !rest.is_empty() {
        let name;
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[', ']']).unwrap_or(after.len());
            name = after.get(..end).filter(|name| !name.is_empty())?.to_owned();
            rest = &after[end..];
        } else {
            (name, rest) = quoted(rest.strip_prefix("['")?)?;
        }
        if node.properties.is_empty() {
            shown.push_str(&format!("[{name}]"));
            node = node.additional()?;
        } else {
            let dot = if shown.is_empty() { "" } else { "." };
            shown.push_str(&format!("{dot}{name}"));
            node = node.properties.get(&name)?;
        }
    }
    Some(shown)
}

/// A name up to its closing quote and bracket, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return Some((name, text[at + 1..].strip_prefix(']')?)),
            '\\' => name.push(match chars.next()?.1 {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                c @ ('\'' | '\\') => c,
                _ => return None,
            }),
            c => name.push(c),
        }
    }
    None
}
