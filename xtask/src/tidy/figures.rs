//! Figures of the benchmark that pages quote are those of its raw figures.
//!
//! Whatever stands between `<!-- figures -->` and `<!-- end of figures -->` and is a number with a unit, such as `30 MiB`, has to be in
//! `docs/benchmarks/figures.toml`, in that unit or another one, rounded to the digits of the page.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tidy::Problem;
use crate::tidy::tree::Tree;

/// Written by the benchmark.
const FIGURES: &str = "docs/benchmarks/figures.toml";

const BEGIN: &str = "<!-- figures -->";
const END: &str = "<!-- end of figures -->";

/// Where people read of them first.
const PAGES: [&str; 5] = [
    "README.md",
    "docs/BENCHMARKS.md",
    "docs/decisions.md",
    "docs/memory.md",
    "crates/kube-informer/src/lib.rs",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Time,
    Memory,
}

/// Each with its size in seconds or bytes.
const UNITS: [(&str, Quantity, f64); 10] = [
    ("ns", Quantity::Time, 1e-9),
    ("µs", Quantity::Time, 1e-6),
    ("ms", Quantity::Time, 1e-3),
    ("s", Quantity::Time, 1.0),
    ("bytes", Quantity::Memory, 1.0),
    ("KB", Quantity::Memory, 1e3),
    ("KiB", Quantity::Memory, 1_024.0),
    ("MB", Quantity::Memory, 1e6),
    ("MiB", Quantity::Memory, 1_048_576.0),
    ("GiB", Quantity::Memory, 1_073_741_824.0),
];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let Some(file) = tree.file(FIGURES) else { return Vec::new() };
    let known = match known(&file.text) {
        Ok(known) => known,
        Err(error) => return vec![Problem::new(FIGURES, 0, error)],
    };
    let gone = PAGES.iter().filter(|page| !tree.contains(page));
    let mut problems: Vec<Problem> =
        gone.map(|page| Problem::new(page, 0, format!("is not there: see PAGES in {}", file!()))).collect();
    for file in tree.files().iter().filter(|file| file.is_markdown() || PAGES.contains(&&*file.path)) {
        let mut inside = false;
        for (line, text) in file.lines() {
            for (number, unit) in quoted(text, &mut inside) {
                if !known.iter().any(|figure| figure.is(number, unit)) {
                    let text = format!("`{number} {unit}` is no figure of {FIGURES}");
                    problems.push(Problem::new(&file.path, line, text));
                }
            }
        }
        if inside {
            problems.push(Problem::new(&file.path, 0, format!("`{BEGIN}` without `{END}`")));
        }
        if PAGES.contains(&&*file.path) && !file.text.contains(BEGIN) {
            problems.push(Problem::new(
                &file.path,
                0,
                format!("has no figures between `{BEGIN}` and `{END}`"),
            ));
        }
    }
    problems
}

/// A figure, in seconds or bytes.
struct Figure {
    quantity: Quantity,
    value: f64,
}

impl Figure {
    /// Whether it is this number, rounded as that is.
    fn is(&self, number: &str, unit: &str) -> bool {
        let Some((_, quantity, size)) = UNITS.iter().find(|(name, ..)| *name == unit) else { return false };
        let number = number.replace(',', "");
        let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        self.quantity == *quantity && format!("{:.digits$}", self.value / size) == number
    }
}

/// Every number of the file but those that are no figures of a table.
fn known(text: &str) -> Result<Vec<Figure>, String> {
    let table = DeTable::parse(text).map_err(|error| error.to_string())?;
    let mut figures = Vec::new();
    for (name, entry) in table.get_ref() {
        let name = name.get_ref();
        let entry = entry.get_ref().as_table().ok_or_else(|| format!("`{name}` is no table"))?;
        let unit = entry.get("unit").map(Spanned::get_ref).and_then(DeValue::as_str).unwrap_or_default();
        let (_, quantity, size) =
            UNITS.iter().find(|(known, ..)| *known == unit).ok_or_else(|| format!("`{name}` has no unit"))?;
        let numbers = entry.values().filter_map(|value| match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
            _ => None,
        });
        figures.extend(numbers.map(|number| Figure { quantity: *quantity, value: number * size }));
    }
    Ok(figures)
}

/// Numbers with their units, in the part of a line that is about figures.
fn quoted<'a>(line: &'a str, inside: &mut bool) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        let marker = if *inside { END } else { BEGIN };
        let (part, after) = rest.split_once(marker).map_or((rest, None), |(part, after)| (part, Some(after)));
        if *inside {
            found.extend(numbers(part));
        }
        let Some(after) = after else { return found };
        *inside = !*inside;
        rest = after;
    }
}

fn numbers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '|' | '*' | '(' | ')');
    let words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
    let pairs: Vec<_> =
        words.windows(2).map(|pair| (pair[0], pair[1].trim_end_matches([',', '.', ';', ':']))).collect();
    pairs.into_iter().filter(|(number, unit)| {
        UNITS.iter().any(|(name, ..)| name == unit) && number.replace(',', "").parse::<f64>().is_ok()
    })
}

#[cfg(test)]
mod tests;
