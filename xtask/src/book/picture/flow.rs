//! Boxes in columns and rows, and arrows between them.
//!
//! ```text
//! flow
//! box store  3,1  store | one writer
//! box lister 4,2  listers
//! arrow store lister  read
//! ```
//!
//! A box has a name, a column and a row, and its text. An arrow goes to a box further right, or up or down in a column.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use super::rows;
use super::svg::{Canvas, LINE, number, widest, width};

struct Node {
    column: usize,
    row: usize,
    text: Vec<String>,
}

struct Arrow {
    from: String,
    to: String,
    label: String,
}

/// Where a column or a row begins, and how large it is.
type Track = (f64, f64);

pub(crate) fn draw(lines: &[&str]) -> Result<String> {
    let mut boxes = BTreeMap::new();
    let mut arrows = Vec::new();
    for line in lines {
        let (what, rest) = line.split_once(' ').with_context(|| format!("`{line}` says nothing"))?;
        match what {
            "box" => {
                let (name, node) = node(rest).with_context(|| format!("`{line}` is not a box"))?;
                ensure!(boxes.insert(name.clone(), node).is_none(), "there are two boxes `{name}`");
            }
            "arrow" => arrows.push(arrow(rest).with_context(|| format!("`{line}` is not an arrow"))?),
            _ => bail!("`{line}` is neither a box nor an arrow"),
        }
    }
    let columns = columns(&boxes, &arrows)?;
    let rows = row_tracks(&boxes);
    let mut canvas = Canvas::default();
    for Arrow { from, to, label } in &arrows {
        connect(&mut canvas, (&boxes[from], &boxes[to]), label, &columns, &rows)?;
    }
    for node in boxes.values() {
        let (left, top, width, height) = place(node, &columns, &rows);
        canvas.rectangle("box", left, top, width, height);
        canvas.rows(left + width / 2.0, top + height / 2.0, &node.text, ("strong", "soft"));
    }
    let label: Vec<&str> = boxes.values().filter_map(|node| node.text.first().map(String::as_str)).collect();
    Ok(canvas.finish(&label.join(", ")))
}

fn node(text: &str) -> Option<(String, Node)> {
    let (name, rest) = text.trim().split_once(' ')?;
    let (place, text) = rest.trim().split_once(' ')?;
    let (column, row) = place.split_once(',')?;
    let node = Node { column: column.parse().ok()?, row: row.parse().ok()?, text: rows(text) };
    Some((name.to_owned(), node))
}

fn arrow(text: &str) -> Option<Arrow> {
    let (from, rest) = text.trim().split_once(' ')?;
    let (to, label) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    Some(Arrow { from: from.to_owned(), to: to.to_owned(), label: label.trim().to_owned() })
}

/// Each column is as wide as its widest box, and the gap after it as wide as the longest text of an arrow that begins in it.
fn columns(boxes: &BTreeMap<String, Node>, arrows: &[Arrow]) -> Result<Vec<Track>> {
    let count = boxes.values().map(|node| node.column + 1).max().unwrap_or_default();
    let mut widths = vec![0.0_f64; count];
    let mut gaps = vec![34.0_f64; count];
    for node in boxes.values() {
        widths[node.column] = widths[node.column].max(widest(&node.text) + 24.0);
    }
    for Arrow { from, to, label } in arrows {
        ensure!(boxes.contains_key(to), "there is no box `{to}`");
        let from = boxes.get(from).with_context(|| format!("there is no box `{from}`"))?;
        gaps[from.column] = gaps[from.column].max(width(label) + 34.0);
    }
    let mut left = 0.0;
    Ok(widths
        .iter()
        .zip(&gaps)
        .map(|(width, gap)| {
            let track = (left, *width);
            left += width + gap;
            track
        })
        .collect())
}

fn row_tracks(boxes: &BTreeMap<String, Node>) -> Vec<Track> {
    let count = boxes.values().map(|node| node.row + 1).max().unwrap_or_default();
    let mut heights = vec![0.0_f64; count];
    for node in boxes.values() {
        heights[node.row] = heights[node.row].max(number(node.text.len()) * LINE + 20.0);
    }
    let mut top = 0.0;
    heights
        .iter()
        .map(|height| {
            let track = (top, *height);
            top += height + 26.0;
            track
        })
        .collect()
}

/// Left, top, width and height: as wide as its column, and in the middle of its row.
fn place(node: &Node, columns: &[Track], rows: &[Track]) -> (f64, f64, f64, f64) {
    let ((left, width), (top, height)) = (columns[node.column], rows[node.row]);
    let own = number(node.text.len()) * LINE + 20.0;
    (left, top + (height - own) / 2.0, width, own)
}

fn connect(
    canvas: &mut Canvas,
    (from, to): (&Node, &Node),
    label: &str,
    columns: &[Track],
    rows: &[Track],
) -> Result<()> {
    let (left, top, width, height) = place(from, columns, rows);
    let (to_left, to_top, _, to_height) = place(to, columns, rows);
    let (y, to_y) = (top + height / 2.0, to_top + to_height / 2.0);
    if to.column > from.column {
        let start = left + width;
        let bend = start + (columns[from.column + 1].0 - start) / 2.0;
        match from.row == to.row {
            true => canvas.line("", &[(start, y), (to_left, to_y)]),
            false => canvas.line("", &[(start, y), (bend, y), (bend, to_y), (to_left, to_y)]),
        }
        canvas.text(bend, y - 8.0, label, "soft");
    } else if to.column == from.column && to.row != from.row {
        let x = left + width / 2.0;
        let (start, end) = if to.row > from.row { (top + height, to_top) } else { (top, to_top + to_height) };
        canvas.line("", &[(x, start), (x, end)]);
        canvas.text(x + width / 4.0, (start + end) / 2.0 + 5.0, label, "soft");
    } else {
        bail!("an arrow cannot go back to the left, or to where it begins");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
