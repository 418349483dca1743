//! One comparison: some clients, the same server, the same objects and events.

mod page;

use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use serde_json::Value;

use crate::build::{Program, Programs};
use crate::cli::Settings;
use crate::processes::{self, Server};
use crate::results::Results;
use crate::scenario::page::{Page, Row};
use crate::statistics::Spread;
use crate::{floor, machine};

/// What the rows of an earlier program of ours begin with.
pub(crate) const BEFORE: &str = "before: ";

/// A comparison.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Which of those with this name, in the raw figures; empty if there is one.
    pub(crate) part: &'static str,
    pub(crate) title: String,
    pub(crate) server: Vec<String>,
    pub(crate) participants: Vec<Participant>,
    pub(crate) tables: Vec<Columns>,
    /// Whether the floor is measured as well.
    pub(crate) floor: bool,
}

/// A client with its options.
#[derive(Clone)]
pub(crate) struct Participant {
    pub(crate) label: String,
    pub(crate) program: Program,
    pub(crate) arguments: Vec<String>,
    /// How it talks to the server. Only those with the same way are compared.
    pub(crate) transport: Transport,
    /// Whether others are shown as a multiple of it.
    pub(crate) baseline: bool,
    /// Whether it is so slow that it runs only once.
    pub(crate) once: bool,
}

/// How a client talks to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transport {
    /// More options of the server.
    pub(crate) server: &'static str,
    /// Whether the row is about HTTP/2: a client that speaks HTTP/1.1 all the same has no row.
    pub(crate) http2: bool,
    /// Whether the first state is a LIST where other rows have a stream.
    pub(crate) list: bool,
}

/// A table.
#[derive(Clone)]
pub(crate) struct Columns {
    /// Below the title of the scenario; empty for none.
    pub(crate) subtitle: &'static str,
    pub(crate) metrics: Vec<Metric>,
}

/// What is read from a report.
pub(crate) type Figure = Rc<dyn Fn(&Value) -> Option<f64>>;

/// A column of a table.
#[derive(Clone)]
pub(crate) struct Metric {
    pub(crate) title: &'static str,
    pub(crate) digits: usize,
    /// From a report.
    pub(crate) value: Figure,
    /// What the value is divided by.
    pub(crate) per: f64,
}

impl Metric {
    fn is_live_heap(&self) -> bool {
        self.title.starts_with("live")
    }

    fn spread(&self, reports: &[Value]) -> Option<Spread> {
        Spread::of(reports.iter().filter_map(|report| Some((self.value)(report)? / self.per)).collect())
    }
}

impl Scenario {
    /// Runs every client as often as wanted, alternating, and shows the tables.
    pub(crate) fn run(&self, settings: &Settings, programs: &Programs, results: &mut Results) -> Result<()> {
        let participants = self.participants(settings.before.is_some());
        let mut without = Vec::new();
        for run in 0..settings.runs {
            if self.floor {
                let (label, report) = floor::read_list(&Server::start(programs, &self.server)?)?;
                results.keep(&self.raw_name(), label, run, machine::load(), &report)?;
            }
            for participant in &participants {
                let Ok(program) = programs.client(participant.program, false) else { continue };
                if participant.once && run > 0 || without.contains(&participant.label) {
                    continue;
                }
                eprintln!("{} {}/{}: {}", self.raw_name(), run + 1, settings.runs, participant.label);
                let load = machine::load();
                let report = match self.one(participant, &program, programs, &[]) {
                    // It may be older than what is measured.
                    Err(error) if participant.program == Program::Before => {
                        eprintln!("it takes no part in this: {error:#}");
                        without.push(participant.label.clone());
                        continue;
                    }
                    report => report?,
                };
                results.keep(&self.raw_name(), &participant.label, run, load, &report)?;
                if !participant.is_row(&report) {
                    eprintln!("it speaks no HTTP/2, so this is no row");
                    without.push(participant.label.clone());
                }
            }
        }
        if self.metrics().any(Metric::is_live_heap) {
            for participant in &participants {
                if !without.contains(&participant.label)
                    && programs.client(participant.program, false).is_ok()
                {
                    // Once more with an allocator that counts: its times are not used.
                    self.counted(participant, programs, results)?;
                }
            }
        }
        match self.page(results.raw()) {
            Some(page) => results.table(&page),
            None => Ok(()),
        }
    }

    /// The tables, from raw figures of any scenarios. None if there are none of this one.
    pub(crate) fn page(&self, raw: &[Value]) -> Option<String> {
        let of = |name: String| raw.iter().filter(move |run| run["scenario"] == name);
        let reports = |name: String, label: &str| -> Vec<Value> {
            of(name).filter(|run| run["participant"] == label).map(|run| run["report"].clone()).collect()
        };
        let mut rows = Vec::new();
        let participants = self.participants(true);
        for participant in &participants {
            let mut seen = reports(self.raw_name(), &participant.label);
            seen.retain(|report| participant.is_row(report));
            if !seen.is_empty() {
                let heap = reports(self.raw_name_of_heap(), &participant.label);
                let value =
                    |metric: &Metric| metric.spread(if metric.is_live_heap() { &heap } else { &seen });
                rows.push(Row {
                    label: participant.label.clone(),
                    ours: participant.program == Program::Ours,
                    baseline: participant.baseline,
                    transport: participant.transport,
                    values: self.metrics().map(value).collect(),
                });
            }
        }
        let is_floor = |run: &&Value| participants.iter().all(|known| run["participant"] != *known.label);
        if let Some(label) = of(self.raw_name()).find(is_floor).and_then(|run| run["participant"].as_str()) {
            let floors = reports(self.raw_name(), label);
            rows.push(Row {
                label: label.to_owned(),
                ours: false,
                baseline: true,
                transport: Transport::default(),
                values: self.metrics().map(|metric| metric.spread(&floors)).collect(),
            });
        }
        let loads = of(self.raw_name()).filter(|run| !is_floor(run)).filter_map(|run| run["load"].as_f64());
        let load = Spread::of(loads.collect())?.median;
        let last = of(self.raw_name()).filter_map(|run| run["run"].as_u64()).max()?;
        let page = Page { title: &self.title, tables: &self.tables, rows: &rows, runs: last + 1, load };
        Some(page.render())
    }

    /// All participants; each of ours is followed by what it was before, if that is known.
    fn participants(&self, before: bool) -> Vec<Participant> {
        let with_former = |participant: &Participant| {
            let has_former = before && participant.program == Program::Ours;
            let former = has_former.then(|| Participant {
                label: format!("{BEFORE}{}", participant.label),
                program: Program::Before,
                ..participant.clone()
            });
            std::iter::once(participant.clone()).chain(former)
        };
        self.participants.iter().flat_map(with_former).collect()
    }

    /// What the raw figures call it.
    pub(crate) fn raw_name(&self) -> String {
        if self.part.is_empty() { self.name.to_owned() } else { format!("{}, {}", self.name, self.part) }
    }

    fn raw_name_of_heap(&self) -> String {
        format!("{}, live heap", self.raw_name())
    }

    fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.tables.iter().flat_map(|table| &table.metrics)
    }

    fn one(
        &self,
        participant: &Participant,
        program: &Path,
        programs: &Programs,
        more: &[String],
    ) -> Result<Value> {
        let more_of_server = participant.transport.server.split_whitespace().map(str::to_owned);
        let server =
            Server::start(programs, &self.server.iter().cloned().chain(more_of_server).collect::<Vec<_>>())?;
        processes::client(&server, program, &[&participant.arguments, more].concat())
    }

    /// Nothing of an earlier program that is there without the allocator only.
    fn counted(&self, participant: &Participant, programs: &Programs, results: &mut Results) -> Result<()> {
        let program = match programs.client(participant.program, true) {
            Err(why) if participant.program == Program::Before => {
                eprintln!("no live heap of what was before: {why}");
                return Ok(());
            }
            program => program.map_err(anyhow::Error::msg)?,
        };
        let name = self.raw_name_of_heap();
        eprintln!("{name}: {}", participant.label);
        let more = if participant.program.is_go() { vec!["--heap".to_owned()] } else { Vec::new() };
        let report = self.one(participant, &program, programs, &more)?;
        results.keep(&name, &participant.label, 0, machine::load(), &report)
    }
}

impl Participant {
    /// Whether this is what the row is about.
    fn is_row(&self, report: &Value) -> bool {
        !self.transport.http2 || report["http2"] == true
    }
}

#[cfg(test)]
mod tests;
