//! Steps, one after the other, and the table at the end.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// How a step that did not fail ended, with a word for the table.
pub(crate) enum Outcome {
    Passed(String),
    Skipped(String),
}

impl Outcome {
    pub(crate) fn passed() -> Self {
        Self::Passed(String::new())
    }
}

/// Collects what happened. A failed step does not keep the next from running: one run should show all that is wrong.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    /// What is told after the table.
    notes: String,
}

struct Row {
    step: String,
    result: &'static str,
    took: Duration,
    detail: String,
    /// All that is known about a failure.
    failure: Option<String>,
}

/// Runs the steps that `body` makes, prints the table and what failed, and fails if one of them failed.
pub(crate) fn run(body: impl FnOnce(&mut Report)) -> Result<()> {
    run_within(Duration::MAX, body)
}

/// The same, and fails if it took longer.
pub(crate) fn run_within(limit: Duration, body: impl FnOnce(&mut Report)) -> Result<()> {
    let started = Instant::now();
    let mut report = Report::default();
    body(&mut report);
    let took = started.elapsed();
    println!("\n{}\n{}", report.table(took), report.notes);
    println!("{}", report.failures());
    match report.failed().as_slice() {
        [] if took > limit => bail!("it took {} minutes, and {} are allowed", minutes(took), minutes(limit)),
        [] => Ok(()),
        failed => bail!("failed: {}", failed.join(", ")),
    }
}

/// Rounded up, so that a bit more than allowed is not shown as what is allowed.
fn minutes(time: Duration) -> f64 {
    (time.as_secs_f64() / 60.0).ceil()
}

impl Report {
    /// Something to be told after the table.
    pub(crate) fn note(&mut self, text: &str) {
        self.notes.push_str(text);
        self.notes.push('\n');
    }

    /// Runs one step; true if it did not fail.
    pub(crate) fn step(&mut self, step: &str, body: impl FnOnce() -> Result<Outcome>) -> bool {
        eprintln!("\n== {step}");
        let started = Instant::now();
        let (result, detail, failure) = match body() {
            Ok(Outcome::Passed(detail)) => ("passed", detail, None),
            Ok(Outcome::Skipped(why)) => ("SKIPPED", why, None),
            Err(error) => {
                let error = format!("{error:#}");
                eprintln!("{error}");
                ("FAILED", first_line(&error).to_owned(), Some(error))
            }
        };
        self.rows.push(Row { step: step.to_owned(), result, took: started.elapsed(), detail, failure });
        result != "FAILED"
    }

    fn failed(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| row.result == "FAILED").map(|row| row.step.as_str()).collect()
    }

    /// What failed, at length: what was said when it did may be far above.
    fn failures(&self) -> String {
        let failed =
            |row: &Row| row.failure.as_ref().map(|why| format!("\n== {} failed:\n{why}\n", row.step));
        self.rows.iter().filter_map(failed).collect()
    }

    fn table(&self, total: Duration) -> String {
        let width =
            self.rows.iter().map(|row| row.step.chars().count()).max().unwrap_or(0).max("in total".len());
        let mut table = String::new();
        for Row { step, result, took, detail, .. } in &self.rows {
            let line = format!("{step:width$}  {result:7}  {:>7.1} s  {detail}", took.as_secs_f64());
            // Writing to a string does not fail.
            let _ = writeln!(table, "{}", line.trim_end());
        }
        let _ = write!(table, "{:width$}  {:7}  {:>7.1} s", "in total", "", total.as_secs_f64());
        table
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
