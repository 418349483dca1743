//! Tables that are Markdown and look well on a screen too.

/// A table; the first column is text, the others are figures.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: Vec<String>) -> Self {
        Self { rows: vec![head] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(3)
                .max(3)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let padding = " ".repeat(width - cell.chars().count());
                let cell = if column == 0 { format!("{cell}{padding}") } else { format!("{padding}{cell}") };
                text.push_str(&format!("| {cell} "));
            }
            text.push_str("|\n");
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    let line = "-".repeat(width + 1);
                    text.push_str(&if column == 0 { format!("|-{line}") } else { format!("|{line}:") });
                }
                text.push_str("|\n");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests;
