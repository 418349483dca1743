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
        let mut reports: Vec<Vec<Value>> = vec![Vec::new(); participants.len()];
        let (mut floors, mut floor_label) = (Vec::new(), "");
        let (mut loads, mut without) = (Vec::new(), Vec::new());
        for run in 0..settings.runs {
            if self.floor {
                let (label, report) = floor::read_list(&Server::start(programs, &self.server)?)?;
                floor_label = label;
                results.keep(&self.raw_name(), label, run, machine::load(), &report)?;
                floors.push(report);
            }
            for (participant, reports) in participants.iter().zip(&mut reports) {
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
                loads.push(load);
                results.keep(&self.raw_name(), &participant.label, run, load, &report)?;
                if participant.transport.http2 && report["http2"] != true {
                    eprintln!("it speaks no HTTP/2, so this is no row");
                    without.push(participant.label.clone());
                    continue;
                }
                reports.push(report);
            }
        }
        let mut rows = Vec::new();
        for (participant, reports) in participants.iter().zip(&reports) {
            if !reports.is_empty() {
                rows.push(self.row(participant, reports, programs, results)?);
            }
        }
        if self.floor {
            rows.push(Row {
                label: floor_label.to_owned(),
                ours: false,
                baseline: true,
                transport: Transport::default(),
                values: self.metrics().map(|metric| metric.spread(&floors)).collect(),
            });
        }
        let load = Spread::of(loads).map_or(0.0, |spread| spread.median);
        let page = Page { title: &self.title, tables: &self.tables, rows: &rows, runs: settings.runs, load };
        results.table(&page.render())
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

    fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.tables.iter().flat_map(|table| &table.metrics)
    }

    fn row(
        &self,
        participant: &Participant,
        reports: &[Value],
        programs: &Programs,
        results: &mut Results,
    ) -> Result<Row> {
        // Once more with an allocator that counts: its times are not used.
        let heap = match self.metrics().any(Metric::is_live_heap) {
            true => self.counted(participant, programs, results)?,
            false => None,
        };
        let value = |metric: &Metric| match metric.is_live_heap() {
            true => metric.spread(heap.as_slice()),
            false => metric.spread(reports),
        };
        Ok(Row {
            label: participant.label.clone(),
            ours: participant.program == Program::Ours,
            baseline: participant.baseline,
            transport: participant.transport,
            values: self.metrics().map(value).collect(),
        })
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

    /// None of an earlier program that is there without the allocator only.
    fn counted(
        &self,
        participant: &Participant,
        programs: &Programs,
        results: &mut Results,
    ) -> Result<Option<Value>> {
        let program = match programs.client(participant.program, true) {
            Err(why) if participant.program == Program::Before => {
                eprintln!("no live heap of what was before: {why}");
                return Ok(None);
            }
            program => program.map_err(anyhow::Error::msg)?,
        };
        let name = format!("{}, live heap", self.raw_name());
        eprintln!("{name}: {}", participant.label);
        let more = if participant.program.is_go() { vec!["--heap".to_owned()] } else { Vec::new() };
        let report = self.one(participant, &program, programs, &more)?;
        results.keep(&name, &participant.label, 0, machine::load(), &report)?;
        Ok(Some(report))
    }
}

#[cfg(test)]
mod tests;
