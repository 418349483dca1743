//! What the documentation has of raw figures that were kept: the table "In short" and a picture of it, all tables, and the figures
//! that pages may quote. Nothing is built or run for them.

mod figures;
mod lines;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::cli::Settings;
use crate::curves::{HANDLERS, INFORMERS, OBJECTS};
use crate::plot::bars::{Bar, Bars, Panel};
use crate::redraw;
use crate::scenario::BEFORE;
use crate::scenarios::{self, counts};
use crate::statistics::Spread;
use crate::summary::lines::{CLIENTS, LINES, Line};
use crate::table::Table;

/// What the picture is called.
const PICTURE: &str = "in-short.svg";

/// The lines of the table that the picture shows, each with what its bar says of ours; the first is about all clients.
const UPDATES: [(&str, &str); 3] =
    [(lines::UNREAD, "not read"), (lines::VIEW, "view() of 2 fields"), (lines::GET, "get() of all of it")];

/// All tables.
const TABLES: &str = "tables.md";

/// The figures that pages quote.
const QUOTED: &str = "figures.toml";

pub(crate) fn run(files: &[PathBuf], settings: &Settings) -> Result<()> {
    let figures = Figures::read(files)?;
    println!("\n{}", figures.table()?);
    let directory = match &settings.plots {
        Some(directory) => directory.clone(),
        None => redraw::beside(&std::path::absolute(&files[0])?),
    };
    fs::create_dir_all(&directory)?;
    fs::write(directory.join(TABLES), figures.tables(settings)?)?;
    fs::write(directory.join(QUOTED), figures.quoted())?;
    eprintln!("wrote {TABLES} and {QUOTED} in {}", directory.display());
    let Some(picture) = figures.picture() else {
        println!("No picture: there are no figures of `work` and `sync`.");
        return Ok(());
    };
    picture.write(&directory.join(PICTURE))?;
    eprintln!("drew {}", directory.join(PICTURE).display());
    Ok(())
}

/// Raw figures of any number of files.
struct Figures {
    machines: BTreeSet<String>,
    runs: Vec<Value>,
}

impl Figures {
    fn read(files: &[PathBuf]) -> Result<Self> {
        let mut figures = Self { machines: BTreeSet::new(), runs: Vec::new() };
        for file in files {
            let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
            let raw: Value = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
            figures.add(&raw).with_context(|| file.display().to_string())?;
        }
        Ok(figures)
    }

    /// Those of a file, which must not be about what another file is about: a median of two commits would be one of neither.
    fn add(&mut self, raw: &Value) -> Result<()> {
        let runs = raw["runs"].as_array().map(Vec::as_slice).unwrap_or_default();
        let has = |runs: &[Value], line: &Line| runs.iter().any(|run| run["scenario"] == line.scenario);
        for line in LINES.iter().filter(|line| has(&self.runs, line)) {
            ensure!(!has(runs, line), "another file has figures of the scenario `{}` too", line.scenario);
        }
        self.machines.extend(raw["machine"].as_str().map(str::to_owned));
        self.runs.extend_from_slice(runs);
        Ok(())
    }

    /// The median of a participant's runs.
    fn median(&self, line: &Line, participant: &str) -> Option<f64> {
        let runs = self
            .runs
            .iter()
            .filter(|run| run["scenario"] == line.scenario && run["participant"] == participant);
        Spread::of(runs.filter_map(|run| (line.value)(&run["report"])).collect()).map(|spread| spread.median)
    }

    fn table(&self) -> Result<String> {
        // What was before has columns only if there is any.
        let former = |line: &Line| self.median(line, &format!("{BEFORE}{}", line.participants[0]));
        let has_former = LINES.iter().any(|line| former(line).is_some());
        let mut head = vec![String::new(), CLIENTS[0].to_owned()];
        let others = CLIENTS[1..].iter().copied().chain(has_former.then_some("before"));
        head.extend(others.flat_map(|other| [other.to_owned(), format!("ours / {other}")]));
        let (mut table, mut any) = (Table::new(head), false);
        for line in &LINES {
            let Some(ours) = self.median(line, line.participants[0]) else { continue };
            let mut cells = vec![line.title.to_owned(), line.number(ours)];
            let others = line.participants[1..].iter().map(|participant| self.median(line, participant));
            for other in others.chain(has_former.then(|| former(line))) {
                cells.extend(match other.filter(|other| *other > 0.0) {
                    Some(other) => [line.number(other), format!("{:.2}", ours / other)],
                    None => ["–".to_owned(), "–".to_owned()],
                });
            }
            table.row(cells);
            any = true;
        }
        ensure!(any, "there are no figures of the scenarios that the table is made of");
        Ok(format!("## In short\n\nMedians; below 1 means less than theirs.\n\n{}", table.render()))
    }

    /// Everything, scenario by scenario.
    fn tables(&self, settings: &Settings) -> Result<String> {
        let machines: Vec<&str> = self.machines.iter().map(String::as_str).collect();
        let mut text = format!(
            "# All tables\n\nWritten by `cargo xtask bench --summary FILE…` from the raw figures beside this page. [Speed and \
             memory](../BENCHMARKS.md) says what\nwas measured, and how. Measured on: {}.\n\n{}",
            machines.join("; "),
            self.table()?
        );
        for page in scenarios::all(settings).iter().filter_map(|scenario| scenario.page(&self.runs)) {
            text.push_str(&format!("\n{}", page.replacen("###", "##", 1).replace("\n####", "\n###")));
        }
        for subject in [&OBJECTS, &HANDLERS, &INFORMERS] {
            let curves = redraw::curves(subject, &self.runs);
            if !curves.is_empty() {
                text.push_str(&format!("\n{}", curves.tables().replacen("###", "##", 1)));
            }
        }
        Ok(text)
    }

    /// How many of them were synced.
    fn pods(&self) -> Option<String> {
        let objects = |run: &Value| run["report"]["objects"].as_u64();
        self.runs.iter().filter(|run| run["scenario"] == "sync").find_map(objects).map(counts)
    }

    /// None if a bar is missing: what is not shown would be taken for nothing.
    fn picture(&self) -> Option<Bars> {
        let line = |title: &str| LINES.iter().find(|line| line.title == title);
        let value = |title: &str, client: usize| {
            let line = line(title)?;
            self.median(line, line.participants[client])
        };
        let bar =
            |label: &str, client: usize, value: f64| Bar { label: label.to_owned(), colour: client, value };
        let mut updates = Vec::new();
        for (title, what) in UPDATES {
            updates.push(bar(&format!("ours, {what}"), 0, value(title, 0)?));
        }
        let mut memory = vec![bar(CLIENTS[0], 0, value(lines::RSS, 0)?)];
        for client in [1, 2] {
            updates.push(bar(CLIENTS[client], client, value(UPDATES[0].0, client)?));
            memory.push(bar(CLIENTS[client], client, value(lines::RSS, client)?));
        }
        Some(Bars {
            panels: [
                Panel { title: "CPU for an update of a pod".to_owned(), unit: "µs", bars: updates },
                Panel {
                    title: format!("Memory with {} pods in the cache", self.pods()?),
                    unit: "MiB",
                    bars: memory,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests;
