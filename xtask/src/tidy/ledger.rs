//! The ledger of client-go's behaviours answers each of them, and names tests that show it.
//!
//! A row is `| B-006 | N | kept | text | `test_name`, `other_test` |`: numbers, the kind of statement (contract,
//! number, …), the decision, the answer, the tests or `–`. The name of a test carries the numbers it is about, such as
//! `b_006_b_008_waits_double`, so that a row cannot name a test of something else.

use std::collections::HashMap;

use crate::tidy::Problem;
use crate::tidy::ledger_numbers::{self, Number, Range};
use crate::tidy::tree::{SourceFile, Tree};

const LEDGER: &str = "docs/client-go-behaviours.md";

const DECISIONS: [&str; 3] = ["kept", "improved", "n/a"];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(ledger) = tree.file(LEDGER) else {
        return vec![Problem::new(LEDGER, 0, "the ledger of client-go's behaviours is missing")];
    };
    let functions = functions(tree);
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
pub(crate) fn cells(text: &str) -> Option<Vec<&str>> {
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

fn check_row(row: &Row<'_>, functions: &HashMap<&str, bool>) -> Vec<Problem> {
    let problem = |text: String| Problem::new(LEDGER, row.line, text);
    let mut problems = Vec::new();
    let decision = DECISIONS.into_iter().find(|known| row.decision.starts_with(known));
    if decision.is_none() {
        problems.push(problem(format!("`{}` is no decision: {}", row.decision, DECISIONS.join(", "))));
    }
    let shown = row.tags.iter().any(|tag| ["C", "N"].contains(tag));
    if shown && matches!(decision, Some("kept" | "improved")) {
        for number in required_of(row).filter(|number| !row.tests.iter().any(|test| number.is_in(test))) {
            problems.push(problem(format!("{number} needs a test in the last column whose name carries it")));
        }
    }
    for test in &row.tests {
        let name = test.rsplit("::").next().unwrap_or(test);
        match functions.get(name) {
            None => problems.push(problem(format!("there is no `fn {name}`"))),
            Some(false) => problems.push(problem(format!("`fn {name}` is not a test"))),
            Some(true) => {}
        }
    }
    problems
}

fn required_of<'a>(row: &'a Row<'_>) -> impl Iterator<Item = Number> + 'a {
    let of_row = |number: &Number| row.numbers.iter().any(|range| range.contains(*number));
    ledger_numbers::required().into_iter().filter(of_row)
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

/// Every function in the sources by name, and whether it, or one of the same name, is a test.
pub(crate) fn functions(tree: &Tree) -> HashMap<&str, bool> {
    let mut functions = HashMap::new();
    for file in tree.rust_files() {
        let mut is_test = false;
        for line in file.text.lines().map(str::trim) {
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                is_test = true;
            } else if let Some((_, rest)) = line.split_once("fn ") {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                *functions.entry(&rest[..end]).or_default() |= is_test;
                is_test = false;
            }
        }
    }
    functions
}

#[cfg(test)]
mod tests;
