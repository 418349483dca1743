//! What is printed, and the table at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::time::Duration;

use crate::faults::{Fault, TABLE};
use crate::walk::plan::Step;
use crate::walk::settings::Settings;
use crate::world::resources::Resources;

/// How a step went.
pub(crate) struct Done {
    /// How long it lasted, unless it was until it was noticed.
    pub(crate) held: Option<Duration>,
    /// The time until all was right again.
    pub(crate) took: Duration,
    /// Which informer was the last.
    pub(crate) last: &'static str,
    /// Of all informers together.
    pub(crate) requests: usize,
}

/// What is known so far.
pub(crate) struct Report {
    settings: Settings,
    alone: BTreeMap<Fault, Vec<Duration>>,
    /// Of steps with two faults, for both.
    together: BTreeMap<Fault, Vec<Duration>>,
    steps: usize,
    pairs: usize,
    requests: usize,
    pub(crate) warm: Option<Resources>,
    pub(crate) left: Option<Resources>,
    pub(crate) memory_after_a_quarter: Option<usize>,
    pub(crate) memory: Option<usize>,
}

/// Prints a line. The harness swallows what a test prints otherwise.
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").ok();
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.draws.iter().map(|draw| draw.fault.name()).collect();
        write!(f, "{:>3}  {}", self.number, names.join(" + "))
    }
}

impl Step {
    /// The time within which all has to be right: that of the worse of two faults.
    pub(crate) fn bound(&self) -> Duration {
        self.draws.iter().map(|draw| draw.fault.bound()).max().unwrap_or_default()
    }
}

impl Report {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            alone: BTreeMap::new(),
            together: BTreeMap::new(),
            steps: 0,
            pairs: 0,
            requests: 0,
            warm: None,
            left: None,
            memory_after_a_quarter: None,
            memory: None,
        }
    }

    pub(crate) fn add(&mut self, step: &Step, done: &Done, at: Duration) {
        let all = if step.draws.len() == 1 { &mut self.alone } else { &mut self.together };
        for draw in &step.draws {
            all.entry(draw.fault).or_default().push(done.took);
        }
        self.steps += 1;
        self.pairs += usize::from(step.draws.len() > 1);
        self.requests += done.requests;
        say(&format!(
            "soak: seed {}  {:>6.1} s  step {:<64} for {:>5.1} s, right after {:>8.3} s of {:>3} ({}), {:>3} requests",
            self.settings.seed,
            at.as_secs_f64(),
            step.to_string(),
            done.held.unwrap_or(done.took).as_secs_f64(),
            done.took.as_secs_f64(),
            step.bound().as_secs(),
            done.last,
            done.requests,
        ));
    }

    /// For each fault: name, how often alone and with another, median and worst of each, bound.
    fn rows(&self) -> Vec<[String; 8]> {
        let row = |fault: Fault| {
            let seconds = |took: Option<Duration>| {
                took.map_or_else(|| "–".to_owned(), |took| format!("{:.2} s", took.as_secs_f64()))
            };
            let of = |all: &BTreeMap<Fault, Vec<Duration>>| {
                let mut all = all.get(&fault).cloned().unwrap_or_default();
                all.sort();
                // Of an even number the mean of the two in the middle.
                let median = all.get(all.len() / 2).map(|upper| (*upper + all[(all.len() - 1) / 2]) / 2);
                [all.len().to_string(), seconds(median), seconds(all.last().copied())]
            };
            let ([times, median, worst], [with, with_median, with_worst]) =
                (of(&self.alone), of(&self.together));
            let bound = format!("{} s", fault.bound().as_secs());
            [fault.name().to_owned(), times, median, worst, with, with_median, with_worst, bound]
        };
        TABLE.iter().map(|row_of| row(row_of.fault)).collect()
    }

    fn head() -> [String; 8] {
        ["fault", "alone", "median", "worst", "with another", "median", "worst", "bound alone"]
            .map(str::to_owned)
    }

    /// For people at a terminal.
    pub(crate) fn table(&self) -> String {
        let mut table = String::new();
        for [fault, rest @ ..] in [vec![Self::head()], self.rows()].concat() {
            table.push_str(&format!("{fault:<42}"));
            rest.iter().for_each(|cell| table.push_str(&format!("{cell:>13}")));
            table.push('\n');
        }
        table + &self.facts().join("\n")
    }

    /// For a page of the documentation.
    pub(crate) fn markdown(&self) -> String {
        let mut lines: Vec<String> = self.facts().iter().map(|fact| format!("- {fact}")).collect();
        lines.push(String::new());
        for (number, row) in [vec![Self::head()], self.rows()].concat().iter().enumerate() {
            lines.push(format!("| {} |", row.join(" | ")));
            if number == 0 {
                lines.push(format!("|{}", "---|".repeat(row.len())));
            }
        }
        lines.join("\n") + "\n"
    }

    fn facts(&self) -> Vec<String> {
        let known =
            |value: Option<usize>| value.map_or_else(|| "not known".to_owned(), |value| value.to_string());
        let resources = |of: Option<Resources>| {
            of.map_or_else(
                || "not known".to_owned(),
                |of| format!("{} descriptors and {} tasks", of.descriptors, of.tasks),
            )
        };
        let asserted =
            if self.settings.memory_means_something() { "" } else { " (not asserted in a short run)" };
        vec![
            format!("command: {}", self.settings.command()),
            format!("steps: {}, {} of them with two faults at once", self.steps, self.pairs),
            format!("requests of four informers: {}", self.requests),
            format!(
                "memory: {} KiB after a quarter of the run, {} KiB in the end{asserted}",
                known(self.memory_after_a_quarter),
                known(self.memory)
            ),
            format!("after the warm-up {}, in the end {}", resources(self.warm), resources(self.left)),
        ]
    }
}
