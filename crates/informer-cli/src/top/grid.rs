//! Small tables: the first column takes what is left, and those at the right go first if there is no room.

use super::text::{left, right};

/// Blanks between two columns.
const BETWEEN: usize = 2;

/// A column after the first.
pub(super) struct Field {
    pub(super) title: &'static str,
    pub(super) width: usize,
    /// Texts begin at the left, numbers end at the right.
    pub(super) is_text: bool,
}

impl Field {
    pub(super) const fn number(title: &'static str, width: usize) -> Self {
        Self { title, width, is_text: false }
    }

    pub(super) const fn text(title: &'static str, width: usize) -> Self {
        Self { title, width, is_text: true }
    }
}

/// The titles and the rows, each as a line of this width, in which the first column has at least so many.
pub(super) fn grid(
    (first, least): (&str, usize),
    fields: &[Field],
    rows: &[Vec<String>],
    width: usize,
) -> Vec<String> {
    let least = least.min(width);
    let mut shown = 0;
    let mut rest = width - least;
    while fields.get(shown).is_some_and(|field| field.width + BETWEEN <= rest) {
        rest -= fields[shown].width + BETWEEN;
        shown += 1;
    }
    let fields = &fields[..shown];
    let titles: Vec<_> =
        [first].into_iter().chain(fields.iter().map(|field| field.title)).map(str::to_owned).collect();
    let line = |row: &Vec<String>| {
        let mut cells = row.iter();
        let mut line = left(cells.next().map_or("", String::as_str), least + rest);
        for (field, cell) in fields.iter().zip(cells) {
            line.push_str(&" ".repeat(BETWEEN));
            line.push_str(&if field.is_text { left(cell, field.width) } else { right(cell, field.width) });
        }
        line
    };
    std::iter::once(&titles).chain(rows).map(line).collect()
}

#[cfg(test)]
mod tests;
