//! Columns below each other.

use crate::plain::plain;

/// The blanks between two columns, and the least width of a column with them, as in kubectl.
const BETWEEN: usize = 3;
const LEAST: usize = 6;

/// The widths of columns. They grow with the longest cells, and later lines keep them.
#[derive(Default)]
pub(crate) struct Aligned {
    widths: Vec<usize>,
}

impl Aligned {
    /// The lines of these rows. What a terminal would obey is escaped; there are no blanks at the end of a line.
    pub(crate) fn lines(&mut self, rows: &[Vec<String>]) -> String {
        let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
        for row in &rows {
            self.widths.resize(self.widths.len().max(row.len()), 0);
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count() + BETWEEN).max(LEAST);
            }
        }
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&self.widths) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width - cell.chars().count()));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}
