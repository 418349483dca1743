//! What `growth` measured, as tables and plots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::plot::{Plot, Series};
use crate::table::Table;

const MIB: f64 = 1_048_576.0;

/// What grows.
pub(crate) struct Subject {
    /// In the names of files and scenarios.
    pub(crate) name: &'static str,
    title: &'static str,
}

pub(crate) const OBJECTS: Subject = Subject { name: "objects", title: "objects" };
pub(crate) const HANDLERS: Subject = Subject { name: "handlers", title: "handlers" };
pub(crate) const INFORMERS: Subject = Subject { name: "informers", title: "informers, 20,000 pods in all" };

impl Subject {
    /// What the raw figures call a run with so many.
    pub(crate) fn scenario(&self, number: u64) -> String {
        format!("growth, {number} {}", self.name)
    }

    /// How many there were in a run that the raw figures call this. None if it is about something else.
    pub(crate) fn number(&self, scenario: &str) -> Option<u64> {
        scenario.strip_prefix("growth, ")?.strip_suffix(self.name)?.trim_end().parse().ok()
    }
}

/// A table and a plot.
struct Figure {
    /// In the name of the plot's file.
    file: &'static str,
    table: &'static str,
    plot: &'static str,
    unit: &'static str,
    /// From a report.
    value: fn(&Value) -> Option<f64>,
}

const FIGURES: [Figure; 3] = [
    Figure {
        file: "sync-cpu",
        table: "CPU s until synced",
        plot: "CPU until synced",
        unit: "seconds of CPU",
        value: |report| report["sync"]["cpu"].as_f64(),
    },
    Figure {
        file: "memory",
        table: "resident MiB after sync",
        plot: "Memory after sync",
        unit: "resident MiB",
        value: |report| Some(report["sync"]["rss"].as_f64()? / MIB),
    },
    Figure {
        file: "event-cpu",
        table: "CPU s for the events",
        plot: "CPU for the events",
        unit: "seconds of CPU",
        value: |report| report["events"]["cpu"].as_f64(),
    },
];

/// The reports of all clients about one subject.
pub(crate) struct Curves<'a> {
    subject: &'a Subject,
    /// By client, in the order in which they ran, and by number.
    reports: Vec<(String, BTreeMap<u64, Value>)>,
}

impl<'a> Curves<'a> {
    pub(crate) fn new(subject: &'a Subject) -> Self {
        Self { subject, reports: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reports.is_empty()
    }

    pub(crate) fn add(&mut self, client: &str, number: u64, report: Value) {
        match self.reports.iter_mut().find(|(label, _)| label == client) {
            Some((_, reports)) => {
                reports.insert(number, report);
            }
            None => self.reports.push((client.to_owned(), BTreeMap::from([(number, report)]))),
        }
    }

    pub(crate) fn tables(&self) -> String {
        let mut text = format!("### Growth with the number of {}\n", self.subject.title);
        for figure in &FIGURES {
            text.push_str(&format!("\n{}", self.table(figure)));
        }
        text
    }

    fn table(&self, figure: &Figure) -> String {
        let numbers: BTreeSet<u64> =
            self.reports.iter().flat_map(|(_, reports)| reports.keys().copied()).collect();
        let head = numbers.iter().map(u64::to_string);
        let mut table = Table::new(std::iter::once(figure.table.to_owned()).chain(head).collect());
        for (label, reports) in &self.reports {
            let cells = numbers.iter().map(|number| {
                reports
                    .get(number)
                    .and_then(figure.value)
                    .map_or(String::new(), |value| format!("{value:.2}"))
            });
            table.row(std::iter::once(label.clone()).chain(cells).collect());
        }
        table.render()
    }

    /// Writes the plots into a directory, which need not exist.
    pub(crate) fn draw(&self, directory: &Path) -> Result<()> {
        fs::create_dir_all(directory)?;
        for figure in &FIGURES {
            let path = directory.join(format!("{}-{}.svg", self.subject.name, figure.file));
            self.plot(figure).write(&path)?;
            eprintln!("plotted {}", path.display());
        }
        Ok(())
    }

    #[allow(clippy::cast_precision_loss)] // Counts.
    fn plot(&self, figure: &Figure) -> Plot {
        let x = format!("number of {}", self.subject.title);
        let mut plot = Plot::new(figure.plot, &x, figure.unit);
        for (label, reports) in &self.reports {
            let point = |(number, report): (&u64, &Value)| Some((*number as f64, (figure.value)(report)?));
            plot.add(Series { label: label.clone(), points: reports.iter().filter_map(point).collect() });
        }
        plot
    }
}

#[cfg(test)]
mod tests;
