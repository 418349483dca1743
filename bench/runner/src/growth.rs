//! How cost grows with the number of objects, handlers and informers, as tables and plots.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::Value;

use crate::build::Program::{self, ClientGo, KubeRs, Ours};
use crate::build::{self, Programs};
use crate::cli::Settings;
use crate::machine;
use crate::plot::{Plot, Series};
use crate::processes::{self, Server};
use crate::results::Results;
use crate::scenarios::{participant, server};
use crate::table::Table;

const MIB: f64 = 1_048_576.0;

/// A name for files, a title, and the figure of a report.
type Figure = (&'static str, &'static str, fn(&Value) -> Option<f64>);

/// One curve: what grows, and how a client is started with so many of it.
struct Growth {
    name: &'static str,
    title: &'static str,
    numbers: Vec<u64>,
    server: fn(u64, &Settings) -> Vec<String>,
    client: fn(u64, &Settings) -> String,
    /// The largest number that fits into the memory, by client.
    limit: fn(Program) -> u64,
}

pub(crate) fn run(settings: &Settings, programs: &Programs, results: &mut Results) -> Result<()> {
    let numbers = |full: &[u64], quick: &[u64]| if settings.quick { quick.to_vec() } else { full.to_vec() };
    let growths = [
        Growth {
            name: "objects",
            title: "objects",
            numbers: numbers(&[1_000, 10_000, 100_000, 1_000_000], &[100, 300]),
            server: |number, _| server(number, ""),
            client: |_, settings| format!("--events={}", settings.scaled(20_000, 200)),
            limit: |program| if program == Ours { u64::MAX } else { 100_000 },
        },
        Growth {
            name: "handlers",
            title: "handlers",
            numbers: numbers(&[1, 10, 100], &[1, 5]),
            server: |_, settings| server(settings.scaled(20_000, 200), ""),
            client: |number, settings| {
                format!("--handlers={number} --events={}", settings.scaled(20_000, 200))
            },
            limit: |_| u64::MAX,
        },
        Growth {
            name: "informers",
            title: "informers, 20,000 pods in all",
            numbers: numbers(&[1, 10, 50, 200], &[1, 4]),
            server: |number, settings| {
                server(
                    settings.scaled(20_000, 200),
                    &format!("--namespaces {}", if number == 1 { 20 } else { number }),
                )
            },
            client: |number, settings| {
                format!("--informers={number} --events={}", settings.scaled(20_000, 200))
            },
            limit: |_| u64::MAX,
        },
    ];
    for growth in growths {
        growth.run(settings, programs, results)?;
    }
    Ok(())
}

impl Growth {
    #[allow(clippy::cast_precision_loss)] // Counts.
    fn run(&self, settings: &Settings, programs: &Programs, results: &mut Results) -> Result<()> {
        let clients = [("ours, packed", Ours), ("client-go, protobuf", ClientGo), ("kube-rs", KubeRs)];
        let mut curves: Vec<(&str, Vec<(u64, Value)>)> = Vec::new();
        for (label, program) in clients {
            let Ok(path) = programs.client(program, false) else { continue };
            let mut points = Vec::new();
            for number in self.numbers.iter().copied().filter(|number| *number <= (self.limit)(program)) {
                eprintln!("growth: {number} {}: {label}", self.name);
                let server = Server::start(programs, &(self.server)(number, settings))?;
                let client = participant(label, program, &(self.client)(number, settings));
                let report = processes::client(&server, &path, &client.arguments)?;
                results.keep(
                    &format!("growth, {number} {}", self.name),
                    label,
                    0,
                    machine::load(),
                    &report,
                )?;
                points.push((number, report));
            }
            curves.push((label, points));
        }
        let figures: [Figure; 3] = [
            ("sync-cpu", "CPU s until synced", |report| report["sync"]["cpu"].as_f64()),
            ("memory", "resident MiB after sync", |report| Some(report["sync"]["rss"].as_f64()? / MIB)),
            ("event-cpu", "CPU s for the events", |report| report["events"]["cpu"].as_f64()),
        ];
        let mut text = format!("### Growth with the number of {}\n", self.title);
        for (file, what, value) in figures {
            let head = std::iter::once(what.to_owned()).chain(self.numbers.iter().map(u64::to_string));
            let mut table = Table::new(head.collect());
            let mut plot = Plot::new(what, self.title);
            for (label, points) in &curves {
                let figures: Vec<(f64, f64)> = points
                    .iter()
                    .filter_map(|(number, report)| Some((*number as f64, value(report)?)))
                    .collect();
                let cells = figures.iter().map(|(_, figure)| format!("{figure:.2}"));
                table.row(std::iter::once((*label).to_owned()).chain(cells).collect());
                plot.add(Series { label: (*label).to_owned(), points: figures });
            }
            text.push_str(&format!("\n{}", table.render()));
            let path = plots(settings, results)?.join(format!("{}-{file}.png", self.name));
            plot.write(&path)?;
            eprintln!("plotted {}", path.display());
        }
        results.table(&text)
    }
}

/// Where plots go: those of a quick run mean nothing.
fn plots(settings: &Settings, results: &Results) -> Result<PathBuf> {
    let directory = match &settings.plots {
        Some(directory) => directory.clone(),
        None if settings.quick => results.directory().clone(),
        None => build::root().join("../docs/benchmarks"),
    };
    std::fs::create_dir_all(&directory)?;
    Ok(directory)
}
