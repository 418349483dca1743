//! The ledger of client-go's behaviours answers each of them, and names tests that exist.
//!
//! A row is `| B-006 | N | kept | text | `test_name`, `other_test` |`: numbers, the kind of statement (contract,
//! number, …), the decision, the answer, the tests or `–`.

use std::collections::HashSet;

use crate::tidy::Problem;
use crate::tidy::ledger_numbers::{self, Number, Range};
use crate::tidy::tree::{SourceFile, Tree};

const LEDGER: &str = "docs/client-go-behaviours.md";

const DECISIONS: [&str; 3] = ["kept", "improved", "n/a"];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(ledger) = tree.file(LEDGER) else {
        return vec![Problem::new(LEDGER, 0, "the ledger of client-go's behaviours is missing")];
    };
    let functions = function_names(tree);
    let rows = rows(ledger);
    let mut problems: Vec<Problem> = rows.iter().flat_map(|row| check_row(row, &functions)).collect();
    for number in ledger_numbers::required() {
        problems.extend(check_number(number, &rows));
    }
    problems
}

struct Row<'a> {
    line: usize,
    numbers: Vec<Range>,
    /// `C` for a contract, `N` for a number, and others.
    tags: Vec<&'a str>,
    decision: &'a str,
    tests: Vec<&'a str>,
}

/// The rows whose first cell has numbers; headings and other tables are none.
fn rows(ledger: &SourceFile) -> Vec<Row<'_>> {
    ledger.lines().filter_map(|(line, text)| row(line, text)).collect()
}

fn row(line: usize, text: &str) -> Option<Row<'_>> {
    let cells = cells(text)?;
    let (first, last) = (cells.first()?, cells.last()?);
    Some(Row {
        line,
        numbers: ledger_numbers::parse(first)?,
        tags: cells.get(1)?.split(|c: char| !c.is_alphanumeric()).filter(|tag| !tag.is_empty()).collect(),
        decision: cells.get(2)?,
        // What stands between backticks.
        tests: last.split('`').skip(1).step_by(2).collect(),
    })
}

/// The cells of a table row; a pipe inside a cell is written `\|`.
fn cells(text: &str) -> Option<Vec<&str>> {
    let text = text.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = Vec::new();
    let mut start = 0;
    for (pipe, _) in text.match_indices('|') {
        if !text[..pipe].ends_with('\\') {
            cells.push(text[start..pipe].trim());
            start = pipe + 1;
        }
    }
    cells.push(text[start..].trim());
    Some(cells)
}

fn check_row(row: &Row<'_>, functions: &HashSet<&str>) -> Vec<Problem> {
    let problem = |text: String| Problem::new(LEDGER, row.line, text);
    let mut problems = Vec::new();
    let decision = DECISIONS.into_iter().find(|known| row.decision.starts_with(known));
    if decision.is_none() {
        problems.push(problem(format!("`{}` is no decision: {}", row.decision, DECISIONS.join(", "))));
    }
    let shown = row.tags.iter().any(|tag| ["C", "N"].contains(tag));
    if shown && matches!(decision, Some("kept" | "improved")) && row.tests.is_empty() {
        problems.push(problem("a contract or number we keep needs a test in the last column".to_owned()));
    }
    for test in &row.tests {
        let name = test.rsplit("::").next().unwrap_or(test);
        if !functions.contains(name) {
            problems.push(problem(format!("there is no `fn {name}`")));
        }
    }
    problems
}

fn check_number(number: Number, rows: &[Row<'_>]) -> Option<Problem> {
    let mut lines =
        rows.iter().filter(|row| row.numbers.iter().any(|range| range.contains(number))).map(|row| row.line);
    match (lines.next(), lines.next()) {
        (None, _) => Some(Problem::new(LEDGER, 0, format!("{number} has no row"))),
        (Some(_), None) => None,
        (Some(first), Some(second)) => {
            Some(Problem::new(LEDGER, second, format!("{number} has a row already, line {first}")))
        }
    }
}

/// The names after every `fn` in the sources.
fn function_names(tree: &Tree) -> HashSet<&str> {
    tree.rust_files()
        .flat_map(|file| file.text.split("fn ").skip(1))
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())
        .collect()
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
