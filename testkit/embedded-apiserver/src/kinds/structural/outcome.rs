//! What a validation finds.

use std::collections::HashSet;

use serde_json::Value;

use crate::go;
use crate::status::Cause;

/// Something that is wrong with a value.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// Where it is; `None` for what no single field is to blame for.
    name: Option<String>,
    reason: &'static str,
    /// The message of the cause.
    message: String,
    /// Two problems with the same text are one.
    text: String,
}

impl Problem {
    /// A value that breaks a rule. `value` is shown as Go shows it.
    pub(super) fn invalid(name: &str, value: &str, text: String) -> Self {
        Self::of(name, "FieldValueInvalid", format!("Invalid value: {value}: {text}"), text)
    }

    /// A value of a wrong type or format. `found` is what it is instead.
    pub(super) fn wrong_type(name: &str, wanted: &str, found: &str) -> Self {
        let text = format!("{name} in body must be of type {wanted}: {found:?}");
        Self::of(name, "FieldValueTypeInvalid", format!("Invalid value: {found:?}: {text}"), text)
    }

    pub(super) fn required(name: &str) -> Self {
        let text = format!("{name} in body is required");
        Self::of(name, "FieldValueRequired", "Required value".to_owned(), text)
    }

    pub(super) fn too_long(name: &str, most: i64) -> Self {
        let bytes = if most == 1 { "byte" } else { "bytes" };
        let text = format!("{name} in body should be at most {most} chars long");
        let message = format!("Too long: may not be more than {most} {bytes}");
        Self::of(name, "FieldValueTooLong", message, text)
    }

    /// A list or an object with too many members, which are called `what`.
    pub(super) fn too_many(name: &str, count: usize, most: i64, what: &str) -> Self {
        let items = if most == 1 { "item" } else { "items" };
        let text = format!("{name} in body should have at most {most} {what}");
        let message = format!("Too many: {count}: must have at most {most} {items}");
        Self::of(name, "FieldValueTooMany", message, text)
    }

    pub(super) fn unsupported(name: &str, value: &Value, supported: &[Value]) -> Self {
        let quoted = |value: &Value| match value {
            Value::String(text) => format!("{text:?}"),
            other => format!("{:?}", other.to_string()),
        };
        let supported: Vec<String> = supported.iter().map(quoted).collect();
        let message =
            format!("Unsupported value: {}: supported values: {}", shown(value), supported.join(", "));
        let text = format!("{name} in body should be one of {}", supported.join(" "));
        Self::of(name, "FieldValueNotSupported", message, text)
    }

    /// What no single field is to blame for.
    pub(super) fn of_all(text: String) -> Self {
        let message = format!("Invalid value: \"\": {text}");
        Self { name: None, reason: "FieldValueInvalid", message, text }
    }

    fn of(name: &str, reason: &'static str, message: String, text: String) -> Self {
        Self { name: Some(name.to_owned()), reason, message, text }
    }

    /// The cause in a Status. `place` is where the value is that was validated; empty for a whole object.
    pub(super) fn cause(self, place: &str) -> Cause {
        let name = self.name.unwrap_or_default();
        let field = match (place, name.trim_start_matches('.')) {
            ("", "") => "<nil>".to_owned(),
            ("", name) => name.to_owned(),
            (place, "") => place.to_owned(),
            (place, name) => format!("{place}.{name}"),
        };
        Cause { reason: self.reason, message: self.message, field }
    }
}

/// A value in a message.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => float(number.as_f64().unwrap_or_default()),
        Value::String(text) => format!("{text:?}"),
        Value::Array(_) | Value::Object(_) => {
            let mut value = value.clone();
            go::tidy_numbers(&mut value);
            let text = value.to_string();
            text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
        }
        other => other.to_string(),
    }
}

/// A float as Go prints it.
pub(super) fn float(value: f64) -> String {
    let size = value.abs();
    if value != 0.0 && !(1e-4..1e21).contains(&size) {
        let text = format!("{value:e}");
        let Some((digits, exponent)) = text.split_once('e') else { return text };
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    value.to_string()
}

/// What was found in a value, and how many checks were made: of several alternatives that all fail, the problems of the one
/// with the most checks are told.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) problems: Vec<Problem>,
    pub(super) checks: usize,
}

impl Outcome {
    pub(super) fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn add(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// What was checked is valid after all.
    #[must_use]
    pub(super) fn forgiven(self) -> Self {
        Self { problems: Vec::new(), checks: self.checks }
    }

    /// The problems in the order in which they were found, each once.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        let mut seen = HashSet::new();
        self.problems.retain(|problem| seen.insert(problem.text.clone()));
        self.problems
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.problems.extend(other.problems);
        self.checks += other.checks;
    }
}
