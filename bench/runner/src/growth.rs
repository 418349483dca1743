//! How cost grows with the number of objects, handlers and informers, as tables and plots.

use std::path::PathBuf;

use anyhow::Result;

use crate::build::Program::{self, Before, ClientGo, KubeRs, Ours};
use crate::build::{self, Programs};
use crate::cli::Settings;
use crate::curves::{Curves, HANDLERS, INFORMERS, OBJECTS, Subject};
use crate::machine;
use crate::processes::{self, Server};
use crate::results::Results;
use crate::scenarios::{participant, server};

/// One curve: what grows, and how a client is started with so many of it.
struct Growth {
    subject: Subject,
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
            subject: OBJECTS,
            numbers: numbers(&[1_000, 10_000, 100_000, 1_000_000], &[100, 300]),
            server: |number, _| server(number, ""),
            client: |_, settings| format!("--events={}", settings.scaled(20_000, 200)),
            limit: |program| if matches!(program, Ours | Before) { u64::MAX } else { 100_000 },
        },
        Growth {
            subject: HANDLERS,
            numbers: numbers(&[1, 10, 100], &[1, 5]),
            server: |_, settings| server(settings.scaled(20_000, 200), ""),
            client: |number, settings| {
                format!("--handlers={number} --events={}", settings.scaled(20_000, 200))
            },
            limit: |_| u64::MAX,
        },
        Growth {
            subject: INFORMERS,
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
    fn run(&self, settings: &Settings, programs: &Programs, results: &mut Results) -> Result<()> {
        let clients = [
            ("ours, packed", Ours),
            ("before: ours, packed", Before),
            ("client-go, protobuf", ClientGo),
            ("kube-rs", KubeRs),
        ];
        let mut curves = Curves::new(&self.subject);
        for (label, program) in clients {
            let Ok(path) = programs.client(program, false) else { continue };
            for number in self.numbers.iter().copied().filter(|number| *number <= (self.limit)(program)) {
                eprintln!("growth: {number} {}: {label}", self.subject.name);
                let server = Server::start(programs, &(self.server)(number, settings))?;
                let client = participant(label, program, &(self.client)(number, settings));
                let report = processes::client(&server, &path, &client.arguments)?;
                results.keep(&self.subject.scenario(number), label, 0, machine::load(), &report)?;
                curves.add(label, number, report);
            }
        }
        curves.draw(&plots(settings, results))?;
        results.table(&curves.tables())
    }
}

/// Where plots go: those of a quick run mean nothing.
fn plots(settings: &Settings, results: &Results) -> PathBuf {
    match &settings.plots {
        Some(directory) => directory.clone(),
        None if settings.quick => results.directory().clone(),
        None => build::root().join("../docs/benchmarks"),
    }
}
