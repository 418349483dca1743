//! The pictures of the book, drawn from text: `docs/pictures/NAME.txt` becomes `NAME.svg` beside it.
//!
//! A text begins with what it is, `flow` or `sequence`; each line after it is one thing. Lines that begin with `#` are comments.

mod flow;
mod sequence;
mod svg;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// Draws all pictures of the folder. With `check` nothing is written, and it is an error if one is not up to date.
pub(crate) fn draw_all(folder: &Path, check: bool) -> Result<usize> {
    let mut drawn = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let source = entry?.path();
        if source.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let text = fs::read_to_string(&source)?;
        let svg = draw(&text).with_context(|| format!("cannot draw {}", source.display()))?;
        let target = source.with_extension("svg");
        if check {
            let is_current = fs::read_to_string(&target).is_ok_and(|there| there == svg);
            ensure!(is_current, "{} is not what its text says: run `cargo xtask book`", target.display());
        } else {
            fs::write(&target, svg).with_context(|| format!("cannot write {}", target.display()))?;
        }
        drawn += 1;
    }
    Ok(drawn)
}

/// The SVG for a text.
fn draw(text: &str) -> Result<String> {
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    match lines.split_first() {
        Some((&"flow", lines)) => flow::draw(lines),
        Some((&"sequence", lines)) => sequence::draw(lines),
        _ => bail!("the first line is neither `flow` nor `sequence`"),
    }
}

/// The lines of a text, which `|` separates.
fn rows(text: &str) -> Vec<String> {
    text.split('|').map(|row| row.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests;
