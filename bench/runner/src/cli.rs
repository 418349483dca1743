//! The command line.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};

pub(crate) const HELP: &str = "\
kube-informer beside client-go, controller-runtime and kube-rs: the same objects and events, from the same server, in the same run.

Usage: cargo xtask bench [--quick] [--runs N] [--plots DIR] [SCENARIO]...
       cargo xtask bench --redraw FILE [--plots DIR]

  --quick        Small numbers and one run, to see that everything works. The figures mean nothing.
  --runs N       How often each client runs; the median is shown (default 5)
  --plots DIR    Where the plots of `growth` are written (default: docs/benchmarks, or the results if --quick)
  --redraw FILE  Prints the tables of `growth` and draws its plots again, from raw figures that were kept. Nothing is run.
                 The plots are written beside FILE, or one directory up if FILE is in a directory `raw`.

Scenarios: sync, kinds, work, stuck, reads, latency, transport, controller, growth, queue (default: all). `transport` is sync
and latency over plain HTTP/1.1, whole and in pieces, and over TLS with HTTP/1.1 and HTTP/2. `controller` is from the write to
the reconcile function. `queue` needs no server: the work queues of informer-controller, client-go and controller-runtime.

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
    only: Vec<String>,
}

const SCENARIOS: [&str; 10] =
    ["sync", "kinds", "work", "stuck", "reads", "latency", "transport", "controller", "growth", "queue"];

impl Settings {
    /// None if the user asked for help.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>> {
        let mut settings = Self { quick: false, runs: 5, plots: None, redraw: None, only: Vec::new() };
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
                name if SCENARIOS.contains(&name) => settings.only.push(argument),
                _ => bail!("there is no scenario or option `{argument}`\n\n{HELP}"),
            }
        }
        ensure!(
            settings.redraw.is_none() || (!settings.quick && settings.only.is_empty()),
            "--redraw runs nothing, so that it goes with no scenario and not with --quick"
        );
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
