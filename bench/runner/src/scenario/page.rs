//! What was measured, as tables.

use crate::scenario::{BEFORE, Columns, Transport};
use crate::statistics::Spread;
use crate::table::Table;

/// A participant's figures.
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) ours: bool,
    pub(crate) baseline: bool,
    pub(crate) transport: Transport,
    /// Those of all tables.
    pub(crate) values: Vec<Option<Spread>>,
}

/// The tables of a scenario.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) tables: &'a [Columns],
    pub(crate) rows: &'a [Row],
    pub(crate) runs: u64,
    pub(crate) load: f64,
}

impl Page<'_> {
    pub(crate) fn render(&self) -> String {
        let mut text = format!("### {}\n", self.title);
        let mut first = 0;
        for columns in self.tables {
            if !columns.subtitle.is_empty() {
                text.push_str(&format!("\n#### {}\n", columns.subtitle));
            }
            text.push_str(&format!("\n{}", self.figures(columns, first)));
            if let Some(ratios) = self.ratios(columns, first) {
                text.push_str(&format!(
                    "\nOurs as a multiple of the others (medians; below 1 is better):\n\n{ratios}"
                ));
            }
            first += columns.metrics.len();
        }
        text.push_str(&format!(
            "\nMedian of {} runs (least–most; without a range: one run), load average {:.1}.\n",
            self.runs, self.load
        ));
        text
    }

    fn table(columns: &Columns) -> Table {
        let head = std::iter::once("").chain(columns.metrics.iter().map(|metric| metric.title));
        Table::new(head.map(str::to_owned).collect())
    }

    /// `first` is the place of the first column among the values.
    fn figures(&self, columns: &Columns, first: usize) -> String {
        let mut table = Self::table(columns);
        for row in self.rows {
            let cells = row.values[first..].iter().zip(&columns.metrics).map(|(value, metric)| match value {
                None => "–".to_owned(),
                Some(Spread { median, least, most }) if self.runs > 1 && least < most => {
                    let digits = metric.digits;
                    format!("{median:.digits$} ({least:.digits$}–{most:.digits$})")
                }
                Some(spread) => format!("{:.*}", metric.digits, spread.median),
            });
            table.row(std::iter::once(row.label.clone()).chain(cells).collect());
        }
        table.render()
    }

    /// Ours beside what it was before and beside the baselines of the same connection.
    fn ratios(&self, columns: &Columns, first: usize) -> Option<String> {
        let mut table = Self::table(columns);
        let mut any = false;
        for ours in self.rows.iter().filter(|row| row.ours) {
            let former = format!("{BEFORE}{}", ours.label);
            let is_compared = |row: &&Row| {
                row.label == former || (row.baseline && !row.ours && row.transport == ours.transport)
            };
            for other in self.rows.iter().filter(is_compared) {
                let pairs = ours.values[first..].iter().zip(&other.values[first..]);
                let cells = pairs.take(columns.metrics.len()).map(|pair| match pair {
                    (Some(ours), Some(other)) if other.median > 0.0 => {
                        format!("{:.3}", ours.median / other.median)
                    }
                    _ => "–".to_owned(),
                });
                let label = format!("{} / {}", ours.label, other.label);
                table.row(std::iter::once(label).chain(cells).collect());
                any = true;
            }
        }
        any.then(|| table.render())
    }
}

#[cfg(test)]
mod tests;
