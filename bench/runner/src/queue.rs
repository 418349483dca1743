//! The work queues: what an add, a get and a done cost, and how much memory a key that waits takes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::cli::Settings;
use crate::processes::on_client_core;
use crate::results::Results;
use crate::scenarios::counts;
use crate::statistics::Spread;
use crate::table::Table;
use crate::{build, machine};

/// How many workers there are in the second half of the table.
const WORKERS: u64 = 8;

struct Participant {
    label: &'static str,
    program: PathBuf,
    /// The one that knows its live heap.
    counted: PathBuf,
    arguments: &'static [&'static str],
    /// Whether it has metrics. Only those that are alike in this are compared.
    metered: bool,
}

pub(crate) fn run(settings: &Settings, results: &mut Results) -> Result<()> {
    let participants = participants(settings)?;
    let sizes = if settings.quick { [100, 300, 1_000] } else { [1_000, 20_000, 1_000_000] };
    let items = settings.scaled(2_000_000, 3_000);
    let columns: Vec<(u64, u64)> =
        [0, WORKERS].into_iter().flat_map(|workers| sizes.map(|keys| (keys, workers))).collect();
    let mut nanos = vec![vec![Vec::new(); columns.len()]; participants.len()];
    let mut loads = Vec::new();
    for run in 0..settings.runs {
        for (column, &(keys, workers)) in columns.iter().enumerate() {
            for (participant, nanos) in participants.iter().zip(&mut nanos) {
                eprintln!(
                    "queue {}/{}: {keys} keys, {workers} workers: {}",
                    run + 1,
                    settings.runs,
                    participant.label
                );
                loads.push(machine::load());
                let arguments = [("--keys", keys), ("--items", items), ("--workers", workers)];
                let report = participant.run(&participant.program, &arguments, workers == 0)?;
                // Everything went through the queue, and the metrics were on, or not.
                ensure!(report["items"].as_u64() >= Some(items), "{report}");
                let adds = if participant.metered { report["items"].clone() } else { 0.into() };
                ensure!(report["adds"] == adds, "{report}");
                results.keep("queue", participant.label, run, machine::load(), &report)?;
                nanos[column].extend(report["nanos"].as_f64());
            }
        }
    }
    let head = columns.iter().map(|&(keys, workers)| match workers {
        0 => format!("{} keys", counts(keys)),
        _ => format!("{}, {workers} workers", counts(keys)),
    });
    let memory = ["RSS bytes/key", "live heap bytes/key"].map(str::to_owned);
    let mut table = Table::new(std::iter::once(String::new()).chain(head).chain(memory).collect());
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (participant, nanos) in participants.iter().zip(nanos) {
        let spreads: Vec<Spread> = nanos.into_iter().filter_map(Spread::of).collect();
        let memory = participant.memory(sizes[2], results)?;
        let cells = spreads.iter().map(|Spread { median, least, most }| match least < most {
            true => format!("{median:.0} ({least:.0}–{most:.0})"),
            false => format!("{median:.0}"),
        });
        let label = std::iter::once(participant.label.to_owned());
        table.row(label.chain(cells).chain(memory.iter().map(|bytes| format!("{bytes:.0}"))).collect());
        rows.push(spreads.iter().map(|spread| spread.median).chain(memory).collect());
    }
    // Of each sort ours is the first.
    for metered in [true, false] {
        let mut alike =
            participants.iter().zip(&rows).filter(|(participant, _)| participant.metered == metered);
        let Some((_, ours)) = alike.next() else { continue };
        for (other, values) in alike {
            let ratios = ours.iter().zip(values).map(|(ours, other)| format!("{:.2}", ours / other));
            table.row(std::iter::once(format!("ours / {}", other.label)).chain(ratios).collect());
        }
    }
    let load = Spread::of(loads).map_or(0.0, |spread| spread.median);
    results.table(&format!(
        "### Work queues: nanoseconds of CPU for an add, a get and a done\n\n{}\nMedian of {} runs (least–most; \
         memory: one run), load average {load:.1}.\n",
        table.render(),
        settings.runs
    ))
}

impl Participant {
    fn run(&self, program: &Path, arguments: &[(&str, u64)], pinned: bool) -> Result<Value> {
        let mut command = if pinned { on_client_core(program) } else { Command::new(program) };
        command.args(self.arguments).args(arguments.iter().map(|(name, value)| format!("{name}={value}")));
        self.report(command)
    }

    /// Bytes a key: resident memory, live heap.
    fn memory(&self, keys: u64, results: &mut Results) -> Result<[f64; 2]> {
        let one = |program: &Path, figure: &str| {
            let mut command = on_client_core(program);
            command.args(self.arguments).arg(format!("--keys={keys}")).arg("--memory");
            let report = self.report(command)?;
            ensure!(report["waiting"].as_u64() == Some(keys), "{report}");
            let value = report[figure].as_f64().with_context(|| format!("no {figure} in {report}"))?;
            Ok((value, report))
        };
        let (rss, report) = one(&self.program, "rss")?;
        results.keep("queue, memory", self.label, 0, machine::load(), &report)?;
        Ok([rss, one(&self.counted, "heap")?.0])
    }

    fn report(&self, mut command: Command) -> Result<Value> {
        let output =
            command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(output.status.success(), "{command:?} failed with {}", output.status);
        serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?}"))
    }
}

/// Of each sort ours first.
fn participants(settings: &Settings) -> Result<Vec<Participant>> {
    let rust = build::rust(settings, &["--package", "queue-ours"])?;
    let (program, counted) = (rust.join("queue-ours"), rust.join("queue-ours-counted"));
    let ours: [(_, &[&str], _); 2] = [("ours", &[], true), ("ours, no metrics", &["--metrics=false"], false)];
    let mut all: Vec<Participant> = ours
        .into_iter()
        .map(|(label, arguments, metered)| Participant {
            label,
            program: program.clone(),
            counted: counted.clone(),
            arguments,
            metered,
        })
        .collect();
    match build::go("queue-go", &rust.join("queue-go")) {
        Ok(program) => {
            let others: [(_, &[&str], _); 3] = [
                ("client-go, plain", &["--queue=client-go"], true),
                ("controller-runtime, priority", &["--queue=controller-runtime"], true),
                ("client-go, plain, no metrics", &["--queue=client-go", "--metrics=false"], false),
            ];
            for (label, arguments, metered) in others {
                let (program, counted) = (program.clone(), program.clone());
                all.push(Participant { label, program, counted, arguments, metered });
            }
        }
        Err(why) => eprintln!("client-go and controller-runtime take no part: {why}"),
    }
    Ok(all)
}
