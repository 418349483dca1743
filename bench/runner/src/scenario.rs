//! One comparison: some clients, the same server, the same objects and events.

use anyhow::Result;
use serde_json::Value;

use crate::build::{Program, Programs};
use crate::cli::Settings;
use crate::processes::{self, Server};
use crate::results::Results;
use crate::statistics::Spread;
use crate::table::Table;
use crate::{floor, machine};

/// A comparison.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) title: String,
    pub(crate) server: Vec<String>,
    pub(crate) participants: Vec<Participant>,
    pub(crate) metrics: Vec<Metric>,
    /// Whether the floor is measured as well.
    pub(crate) floor: bool,
}

/// A client with its options.
#[derive(Clone)]
pub(crate) struct Participant {
    pub(crate) label: &'static str,
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
}

/// A column of the table.
#[derive(Clone)]
pub(crate) struct Metric {
    pub(crate) title: &'static str,
    pub(crate) digits: usize,
    /// From a report.
    pub(crate) value: fn(&Value) -> Option<f64>,
    /// What the value is divided by.
    pub(crate) per: f64,
}

/// A participant's figures.
struct Row {
    label: &'static str,
    ours: bool,
    baseline: bool,
    transport: Transport,
    values: Vec<Option<Spread>>,
}

impl Scenario {
    /// Runs every client as often as wanted, alternating, and shows the table.
    pub(crate) fn run(&self, settings: &Settings, programs: &Programs, results: &mut Results) -> Result<()> {
        let mut reports: Vec<Vec<Value>> = vec![Vec::new(); self.participants.len()];
        let (mut floors, mut floor_label) = (Vec::new(), "");
        let (mut loads, mut without) = (Vec::new(), Vec::new());
        for run in 0..settings.runs {
            if self.floor {
                let (label, report) = floor::read_list(&Server::start(programs, &self.server)?)?;
                floor_label = label;
                results.keep(self.name, label, run, machine::load(), &report)?;
                floors.push(report);
            }
            for (participant, reports) in self.participants.iter().zip(&mut reports) {
                let Ok(program) = programs.client(participant.program, false) else { continue };
                if participant.once && run > 0 || without.contains(&participant.label) {
                    continue;
                }
                eprintln!("{} {}/{}: {}", self.name, run + 1, settings.runs, participant.label);
                let (load, report) = (machine::load(), self.one(participant, &program, programs, &[])?);
                loads.push(load);
                results.keep(self.name, participant.label, run, load, &report)?;
                if participant.transport.http2 && report["http2"] != true {
                    eprintln!("it speaks no HTTP/2, so this is no row");
                    without.push(participant.label);
                    continue;
                }
                reports.push(report);
            }
        }
        let counted = self.metrics.iter().any(|metric| metric.title.starts_with("live"));
        let mut rows = Vec::new();
        for (participant, reports) in self.participants.iter().zip(&mut reports) {
            if reports.is_empty() {
                continue;
            }
            // Once more with an allocator that counts: its times are not used.
            let heap = if counted { Some(self.counted(participant, programs, results)?) } else { None };
            let value = |metric: &Metric| {
                let values: Vec<f64> = match &heap {
                    Some(heap) if metric.title.starts_with("live") => {
                        (metric.value)(heap).into_iter().collect()
                    }
                    _ => reports.iter().filter_map(metric.value).collect(),
                };
                Spread::of(values.into_iter().map(|value| value / metric.per).collect())
            };
            rows.push(Row {
                label: participant.label,
                ours: participant.program == Program::Ours,
                baseline: participant.baseline,
                transport: participant.transport,
                values: self.metrics.iter().map(value).collect(),
            });
        }
        if self.floor {
            let value = |metric: &Metric| {
                Spread::of(floors.iter().filter_map(metric.value).map(|v| v / metric.per).collect())
            };
            let values = self.metrics.iter().map(value).collect();
            rows.push(Row {
                label: floor_label,
                ours: false,
                baseline: true,
                transport: Transport::default(),
                values,
            });
        }
        let load = Spread::of(loads).map_or(0.0, |spread| spread.median);
        results.table(&self.render(settings, &rows, load))
    }

    fn one(
        &self,
        participant: &Participant,
        program: &std::path::Path,
        programs: &Programs,
        more: &[String],
    ) -> Result<Value> {
        let more_of_server = participant.transport.server.split_whitespace().map(str::to_owned);
        let server =
            Server::start(programs, &self.server.iter().cloned().chain(more_of_server).collect::<Vec<_>>())?;
        processes::client(&server, program, &[&participant.arguments, more].concat())
    }

    fn counted(
        &self,
        participant: &Participant,
        programs: &Programs,
        results: &mut Results,
    ) -> Result<Value> {
        let program = programs.client(participant.program, true).map_err(anyhow::Error::msg)?;
        eprintln!("{}, live heap: {}", self.name, participant.label);
        let more = if participant.program.is_go() { vec!["--heap".to_owned()] } else { Vec::new() };
        let report = self.one(participant, &program, programs, &more)?;
        results.keep(&format!("{}, live heap", self.name), participant.label, 0, machine::load(), &report)?;
        Ok(report)
    }

    fn render(&self, settings: &Settings, rows: &[Row], load: f64) -> String {
        let head = std::iter::once("").chain(self.metrics.iter().map(|metric| metric.title));
        let mut table = Table::new(head.map(str::to_owned).collect());
        for row in rows {
            let cells = row.values.iter().zip(&self.metrics).map(|(value, metric)| match value {
                None => "–".to_owned(),
                Some(Spread { median, least, most }) if settings.runs > 1 && least < most => {
                    let digits = metric.digits;
                    format!("{median:.digits$} ({least:.digits$}–{most:.digits$})")
                }
                Some(spread) => format!("{:.*}", metric.digits, spread.median),
            });
            table.row(std::iter::once(row.label.to_owned()).chain(cells).collect());
        }
        let mut text = format!("### {}\n\n{}", self.title, table.render());
        let ratios = self.ratios(rows);
        if !ratios.is_empty() {
            text.push_str(&format!(
                "\nOurs as a multiple of the others (medians; below 1 is better):\n\n{ratios}"
            ));
        }
        text.push_str(&format!(
            "\nMedian of {} runs (least–most; without a range: one run), load average {load:.1}.\n",
            settings.runs
        ));
        text
    }

    fn ratios(&self, rows: &[Row]) -> String {
        let head = std::iter::once("").chain(self.metrics.iter().map(|metric| metric.title));
        let mut table = Table::new(head.map(str::to_owned).collect());
        let mut any = false;
        for ours in rows.iter().filter(|row| row.ours) {
            for other in
                rows.iter().filter(|row| row.baseline && !row.ours && row.transport == ours.transport)
            {
                let cells = ours.values.iter().zip(&other.values).map(|(ours, other)| match (ours, other) {
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
        if any { table.render() } else { String::new() }
    }
}
