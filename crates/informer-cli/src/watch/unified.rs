//! Two versions of an object as a unified diff of their YAML.

use informer_wire::document::{YamlError, yaml};
use serde_json::Value;

use crate::plain::plain;

/// Lines before and after a change that are shown with it.
const CONTEXT: usize = 3;

/// Longer lines are cut, such as an annotation of a megabyte.
const WIDTH: usize = 300;

/// Up to so many pairs of lines are compared to find the shortest difference. Beyond, all lines between the first and the last
/// change count as changed.
const PAIRS: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The lines of the diff, without the two that name the files. Empty if nothing but the version changed.
pub(crate) fn unified(old: &Value, new: &Value) -> Result<Vec<String>, YamlError> {
    let (old, new) = (yaml(&without_noise(old))?, yaml(&without_noise(new))?);
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    Ok(hunks(&compare(&old, &new)))
}

/// Without what changes with every write.
fn without_noise(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
        metadata.remove("managedFields");
    }
    object
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let begin = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[begin..], &new[begin..]);
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - end], &new_rest[..new_rest.len() - end]);
    let mut lines: Vec<_> = old[..begin].iter().map(|line| Line::Same(line)).collect();
    if old_middle.len().saturating_mul(new_middle.len()) > PAIRS {
        lines.extend(old_middle.iter().map(|line| Line::Removed(line)));
        lines.extend(new_middle.iter().map(|line| Line::Added(line)));
    } else {
        longest_common(old_middle, new_middle, &mut lines);
    }
    lines.extend(old_rest[old_rest.len() - end..].iter().map(|line| Line::Same(line)));
    lines
}

/// Keeps as many lines as possible.
fn longest_common<'a>(old: &[&'a str], new: &[&'a str], lines: &mut Vec<Line<'a>>) {
    let width = new.len() + 1;
    // How many lines can be kept of what begins here in both.
    let mut kept = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            kept[a * width + b] = if old[a] == new[b] {
                kept[(a + 1) * width + b + 1] + 1
            } else {
                kept[(a + 1) * width + b].max(kept[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            lines.push(Line::Same(old[a]));
            (a, b) = (a + 1, b + 1);
        } else if b == new.len() || (a < old.len() && kept[(a + 1) * width + b] >= kept[a * width + b + 1]) {
            lines.push(Line::Removed(old[a]));
            a += 1;
        } else {
            lines.push(Line::Added(new[b]));
            b += 1;
        }
    }
}

fn hunks(lines: &[Line<'_>]) -> Vec<String> {
    let changed: Vec<_> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !matches!(line, Line::Same(_)))
        .map(|(place, _)| place)
        .collect();
    let mut text = Vec::new();
    for run in changed.chunk_by(|a, b| b - a <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let (begin, end) = (first.saturating_sub(CONTEXT), (last + CONTEXT + 1).min(lines.len()));
        let is_old = |line: &&Line<'_>| !matches!(line, Line::Added(_));
        let is_new = |line: &&Line<'_>| !matches!(line, Line::Removed(_));
        let (before, hunk) = (&lines[..begin], &lines[begin..end]);
        let old =
            format!("{},{}", before.iter().filter(is_old).count() + 1, hunk.iter().filter(is_old).count());
        let new =
            format!("{},{}", before.iter().filter(is_new).count() + 1, hunk.iter().filter(is_new).count());
        text.push(format!("@@ -{old} +{new} @@"));
        text.extend(hunk.iter().map(|line| match line {
            Line::Same(line) => format!(" {}", cut(line)),
            Line::Removed(line) => format!("-{}", cut(line)),
            Line::Added(line) => format!("+{}", cut(line)),
        }));
    }
    text
}

fn cut(line: &str) -> String {
    let line = plain(line);
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}… ({} characters)", &line[..end], line.chars().count()),
        None => line.into_owned(),
    }
}

#[cfg(test)]
mod tests;
