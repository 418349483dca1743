//! Validation of numbers. Integers are compared as integers where the real server does so.

use serde_json::Number;

use super::formats::Format;
use super::node::Node;
use super::outcome::{Outcome, Problem, float};

/// Whether a float is an integer, but for rounding.
pub(super) fn is_whole(value: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if !value.is_finite() || value.abs() > LARGEST {
        return false;
    }
    let near = value.round();
    (value - near).abs() <= 1e-9 * (value.abs() + near.abs())
}

pub(super) fn check(number: &Number, node: &Node, format: Option<Format<'_>>, path: &str) -> Outcome {
    let mut outcome = Outcome { checks: 1, ..Outcome::default() };
    // With two types there is no range.
    let range = Range { kind: if node.int_or_string { "" } else { &node.kind }, format, path };
    let value = Checked { integer: number.as_i64(), float: number.as_f64().unwrap_or_default() };
    if let Some(problem) = range.problem(value, "Checked") {
        outcome.add(problem);
    }
    if let Some(factor) = node.multiple_of {
        let wrong = range.problem(Checked::float(factor), "MultipleOf");
        let problem = multiple(value, factor, wrong.is_none(), path);
        wrong.into_iter().chain(problem).for_each(|problem| outcome.add(problem));
    }
    let bounds = [
        (node.minimum, node.exclusive_minimum, "Minimum boundary", "greater", true),
        (node.maximum, node.exclusive_maximum, "Maximum boundary", "less", false),
    ];
    for (bound, is_exclusive, what, word, is_least) in bounds {
        let Some(bound) = bound else { continue };
        let wrong = range.problem(Checked::float(bound), what);
        let whole = value.integer.filter(|_| wrong.is_none());
        #[expect(clippy::cast_possible_truncation, reason = "as Go does")]
        let limit = bound as i64;
        let order = match whole {
            Some(integer) => Some(integer.cmp(&limit)),
            None => value.float.partial_cmp(&bound),
        };
        let order = order.map(|order| if is_least { order } else { order.reverse() });
        let breaks = order.is_some_and(|order| order.is_lt() || is_exclusive && order.is_eq());
        wrong.into_iter().for_each(|problem| outcome.add(problem));
        if breaks {
            let limit = if whole.is_some() { limit.to_string() } else { float(bound) };
            let or_equal = if is_exclusive { "" } else { " or equal to" };
            let why = format!("{path} in body should be {word} than{or_equal} {limit}");
            outcome.add(Problem::invalid(path, &value.shown(whole.is_some()), why));
        }
    }
    outcome
}

/// A number in both forms.
#[derive(Clone, Copy)]
struct Checked {
    integer: Option<i64>,
    float: f64,
}

impl Checked {
    fn float(float: f64) -> Self {
        Self { integer: None, float }
    }

    fn shown(self, as_integer: bool) -> String {
        match self.integer.filter(|_| as_integer) {
            Some(integer) => integer.to_string(),
            None => float(self.float),
        }
    }
}

fn multiple(value: Checked, factor: f64, in_range: bool, path: &str) -> Option<Problem> {
    let must_be_positive = |factor: &str| {
        let why = format!("factor MultipleOf declared for {path} must be positive: {factor}");
        Some(Problem::invalid(path, factor, why))
    };
    let not_multiple = |value: &str, factor: &str| {
        Some(Problem::invalid(path, value, format!("{path} in body should be a multiple of {factor}")))
    };
    if let Some(integer) = value.integer.filter(|_| in_range) {
        #[expect(clippy::cast_possible_truncation, reason = "as Go does")]
        let factor = factor as i64;
        if factor <= 0 {
            return must_be_positive(&factor.to_string());
        }
        return if integer % factor == 0 {
            None
        } else {
            not_multiple(&integer.to_string(), &factor.to_string())
        };
    }
    if factor <= 0.0 {
        return must_be_positive(&float(factor));
    }
    let times = if factor < 1.0 { 1.0 / factor * value.float } else { value.float / factor };
    if is_whole(times) { None } else { not_multiple(&float(value.float), &float(factor)) }
}

/// Which numbers a type and a format have.
struct Range<'a> {
    kind: &'a str,
    format: Option<Format<'a>>,
    path: &'a str,
}

impl Range<'_> {
    fn problem(&self, value: Checked, what: &str) -> Option<Problem> {
        let format = match self.format {
            Some(Format::Number(name)) => name,
            _ => "",
        };
        let fits = match (self.kind, format) {
            ("integer", "int32") => value
                .integer
                .map_or(value.float.fract() == 0.0 && value.float.abs() <= f64::from(i32::MAX), |integer| {
                    i32::try_from(integer).is_ok()
                }),
            // Go writes a large float with an exponent, which is not the text of an integer.
            ("integer", _) => {
                value.integer.is_some() || value.float.fract() == 0.0 && value.float.abs() < 9.3e18
            }
            (_, "float") => value.float.abs() <= f64::from(f32::MAX),
            _ => true,
        };
        if fits {
            return None;
        }
        let format =
            if format.is_empty() { "(default format)".to_owned() } else { format!("with format {format}") };
        let kind = self.kind;
        let path = self.path;
        Some(Problem::of_all(format!("{what} value must be of type {kind} {format} in {path}")))
    }
}
