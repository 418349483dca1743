//! Rules of the house that no compiler knows.
//!
//! Each rule is one file with one function, from the tree of sources to a list of problems, and its tests.

mod code;
mod crates;
mod docs_rs;
mod figures;
mod file_size;
mod forbidden;
mod handler_asserts;
mod invariants;
mod ledger;
mod ledger_numbers;
mod levels;
pub(crate) mod links;
mod lint_tables;
mod pages;
mod pictures;
mod references;
mod rust_paths;
mod test_layout;
pub(crate) mod tree;
mod versions;

use std::fmt;

use anyhow::bail;

use crate::cargo::workspace_root;
use crate::report::{Outcome, Report};
use crate::tidy::tree::Tree;

/// A name for the rule, and the rule.
type Rule = (&'static str, fn(&Tree) -> Vec<Problem>);

const RULES: &[Rule] = &[
    ("file size", file_size::check),
    ("behaviour ledger", ledger::check),
    ("crates", crates::check),
    ("module levels", levels::check),
    ("who spawns", invariants::spawning),
    ("pure modules", invariants::purity),
    ("kube at the edges", invariants::kube),
    ("forbidden words", forbidden::check),
    ("asserts in handlers", handler_asserts::check),
    ("lint tables", lint_tables::check),
    ("links", links::check),
    ("references", references::check),
    ("docs.rs features", docs_rs::check),
    ("pages of the book", pages::check),
    ("pictures of the book", pictures::check),
    ("versions on pages", versions::check),
    ("places of tests", test_layout::check),
    ("figures", figures::check),
];

/// A place that breaks a rule, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    path: String,
    /// From 1; 0 is the file as a whole.
    line: usize,
    text: String,
}

impl Problem {
    fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.text),
            line => write!(f, "{}:{line}: {}", self.path, self.text),
        }
    }
}

/// Checks all rules in one step.
pub(crate) fn step(report: &mut Report) {
    report.step("tidy", || {
        let tree = Tree::read(&workspace_root())?;
        let mut broken = Vec::new();
        for (name, rule) in RULES {
            let problems = rule(&tree);
            for problem in &problems {
                eprintln!("{name}: {problem}");
            }
            if !problems.is_empty() {
                broken.push(format!("{name} ({})", problems.len()));
            }
        }
        if !broken.is_empty() {
            bail!("problems with {}", broken.join(", "));
        }
        Ok(Outcome::Passed(format!("{} rules, {} files", RULES.len(), tree.files().len())))
    });
}
