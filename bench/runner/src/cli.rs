//! The command line.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};

pub(crate) const HELP: &str = "\
kube-informer beside client-go, controller-runtime and kube-rs: the same objects and events, from the same server, in the same run.

Usage: cargo xtask bench [--quick] [--runs N] [--before PATH] [--plots DIR] [SCENARIO]...
       cargo xtask bench --redraw FILE [--plots DIR]
       cargo xtask bench --summary FILE... [--plots DIR]

  --quick        Small numbers and one run, to see that everything works. The figures mean nothing.
  --runs N       How often each client runs; the median is shown (default 5)
  --before PATH  A client-ours of an earlier commit (bench/target/release/client-ours): it runs beside each of ours, in turn with
                 all others, in all scenarios but `queue`. Live heap is that of PATH-counted, if there is one.
  --plots DIR    Where the plots of `growth` are written (default: docs/benchmarks, or the results if --quick)
  --redraw FILE  Prints the tables of `growth` and draws its plots again, from raw figures that were kept. Nothing is run.
                 The plots are written beside FILE, or one directory up if FILE is in a directory `raw`.
  --summary FILE...
                 Prints the table `In short` from raw figures that were kept, those of any scenarios and of any number of files.
                 Writes all tables (tables.md) and the figures that pages quote (figures.toml), and draws in-short.svg, where
                 --redraw would. Nothing is run.

Scenarios: sync, kinds, work, stuck, reads, latency, informers, transport, controller, growth, queue (default: all). `transport`
is sync and latency over plain HTTP/1.1, whole and in pieces, and over TLS with HTTP/1.1 and HTTP/2. `informers` are many of them
in one process. `controller` is from the write to the reconcile function. `queue` needs no server: the work queues of
informer-controller, client-go and controller-runtime.

The server is pinned to one core and the client to another, if there are two and `taskset`. Raw figures are kept in
bench/results. Without Go there is no client-go and no controller-runtime, and the tables say so.
";

/// What the user asked for.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) quick: bool,
    pub(crate) runs: usize,
    pub(crate) plots: Option<PathBuf>,
    /// Raw figures to draw, instead of a run.
    pub(crate) redraw: Option<PathBuf>,
    /// Raw figures to put into one table, instead of a run.
    pub(crate) summary: Option<Vec<PathBuf>>,
    /// A client of ours of an earlier commit.
    pub(crate) before: Option<PathBuf>,
    only: Vec<String>,
}

const SCENARIOS: [&str; 11] = [
    "sync",
    "kinds",
    "work",
    "stuck",
    "reads",
    "latency",
    "informers",
    "transport",
    "controller",
    "growth",
    "queue",
];

impl Settings {
    /// None if the user asked for help.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>> {
        let mut settings = Self {
            quick: false,
            runs: 5,
            plots: None,
            redraw: None,
            summary: None,
            before: None,
            only: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => {
                    settings.quick = true;
                    settings.runs = 1;
                }
                "--runs" => {
                    let runs = arguments.next().context("--runs needs a number")?;
                    settings.runs = runs.parse().with_context(|| format!("--runs {runs}"))?;
                }
                "--plots" => {
                    settings.plots = Some(arguments.next().context("--plots needs a directory")?.into());
                }
                "--redraw" => {
                    settings.redraw = Some(arguments.next().context("--redraw needs a file")?.into());
                }
                "--before" => {
                    settings.before = Some(arguments.next().context("--before needs a program")?.into());
                }
                "--summary" => settings.summary = Some(Vec::new()),
                name => match &mut settings.summary {
                    Some(files) if !name.starts_with('-') => files.push(argument.into()),
                    _ if SCENARIOS.contains(&name) => settings.only.push(argument),
                    _ => bail!("there is no scenario or option `{argument}`\n\n{HELP}"),
                },
            }
        }
        let runs_something = settings.quick || settings.before.is_some() || !settings.only.is_empty();
        ensure!(
            settings.redraw.is_none() || !runs_something,
            "--redraw runs nothing, so that it goes with no scenario and not with --quick or --before"
        );
        if let Some(files) = &settings.summary {
            ensure!(!files.is_empty(), "--summary needs files of raw figures");
            ensure!(
                !runs_something && settings.redraw.is_none(),
                "--summary runs nothing, so that it goes with no scenario and not with --quick, --before or --redraw"
            );
        }
        Ok(Some(settings))
    }

    pub(crate) fn wants(&self, scenario: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == scenario)
    }

    /// Whether nothing else is wanted.
    pub(crate) fn wants_only(&self, scenario: &str) -> bool {
        !self.only.is_empty() && self.only.iter().all(|name| name == scenario)
    }

    /// A number that a quick run makes smaller.
    pub(crate) fn scaled(&self, full: u64, quick: u64) -> u64 {
        if self.quick { quick } else { full }
    }
}

#[cfg(test)]
mod tests;
