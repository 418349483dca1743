//! Validation of values by a schema, in the order and with the messages of the real server.

use serde_json::{Map, Value};

use super::formats::Format;
use super::node::{Additional, Items, Node};
use super::numbers;
use super::outcome::{Outcome, Problem};
use super::ratchet::Old;

/// Validates a value. `path` is its path, empty at the root. What is wrong with a part of the value that is as it was before
/// is not told: an update may keep what was valid once.
pub(super) fn validate(value: &Value, node: &Node, path: &str, old: Option<Old<'_>>) -> Outcome {
    let found = check(value, node, path, old);
    match old {
        Some(old) if !found.is_valid() && old.is_same(node, value) => found.forgiven(),
        _ => found,
    }
}

fn check(value: &Value, node: &Node, path: &str, old: Option<Old<'_>>) -> Outcome {
    let mut outcome = Outcome::default();
    let format = node.checked_format();
    if value.is_null() {
        let types = node.types();
        if types.is_empty() || node.nullable {
            outcome.checks += 1;
        } else {
            outcome.add(Problem::wrong_type(path, &types.join(","), "null"));
        }
        check_enum(value, node, path, &mut outcome);
        return outcome;
    }
    let mut applied = 0;
    if !node.types().is_empty() || format.is_some() {
        applied += 1;
        match type_problem(value, node, format, path) {
            Some(problem) => outcome.add(problem),
            None => outcome.checks += 1,
        }
    }
    applied += 1;
    outcome.merge(combinations(value, node, path));
    match value {
        Value::String(text) => {
            applied += 1;
            if let Some(problem) = string_problem(text, node, path) {
                outcome.add(problem);
            }
            if let Some(Format::Text(format)) = format {
                applied += 1;
                if !format.matches(text) {
                    outcome.add(Problem::wrong_type(path, &node.format, text));
                }
            }
        }
        Value::Number(number) => {
            applied += 1;
            outcome.merge(numbers::check(number, node, format, path));
        }
        Value::Array(items) => {
            applied += 1;
            outcome.merge(check_items(items, node, path, old));
        }
        Value::Object(_) | Value::Bool(_) | Value::Null => {}
    }
    applied += 1;
    check_enum(value, node, path, &mut outcome);
    if let Value::Object(object) = value {
        applied += 1;
        outcome.merge(check_fields(object, node, path, old));
    }
    outcome.checks += applied + 1;
    outcome
}

/// The type and the format of a value as the real server calls them.
fn type_of(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(number) if number.as_i64().is_some() => ("integer", "int64"),
        Value::Number(_) => ("number", "float64"),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    }
}

fn type_problem(value: &Value, node: &Node, format: Option<Format<'_>>, path: &str) -> Option<Problem> {
    let types = node.types();
    let (kind, found_format) = type_of(value);
    let is_whole = kind == "number" && value.as_f64().is_some_and(numbers::is_whole);
    let fits = types.contains(&kind)
        || is_whole && types.contains(&"integer")
        || kind == "integer" && types.contains(&"number");
    let is_text_or_list = value.is_string() || value.is_array();
    if format.is_some() && !is_text_or_list && !fits {
        return Some(Problem::wrong_type(path, &node.format, found_format));
    }
    // Whatever has a format is taken for a text, and a list passes for one.
    let is_number = types.contains(&"number") || types.contains(&"integer");
    if fits || format.is_some() && is_text_or_list && !is_number {
        return None;
    }
    Some(Problem::wrong_type(path, &types.join(","), kind))
}

/// `anyOf`, `oneOf`, `allOf` and `not`.
fn combinations(value: &Value, node: &Node, path: &str) -> Outcome {
    let mut main = Outcome { checks: 1, ..Outcome::default() };
    let mut best: Option<Outcome> = None;
    let better =
        |best: &Option<Outcome>, found: &Outcome| best.as_ref().is_none_or(|best| found.checks > best.checks);
    let mut first = None;
    for alternative in &node.any_of {
        let found = check(value, alternative, path, None);
        if found.is_valid() {
            first = Some(found);
            break;
        }
        if better(&best, &found) {
            best = Some(found);
        }
    }
    match (first, best) {
        (Some(valid), _) => main.merge(valid),
        (None, Some(failed)) => {
            main.add(Problem::of_all(format!("{path:?} must validate at least one schema (anyOf)")));
            main.merge(failed);
        }
        (None, None) => {}
    }
    if !node.one_of.is_empty() {
        one_of(value, node, path, &mut main);
    }
    let mut failed = 0;
    for part in &node.all_of {
        let found = check(value, part, path, None);
        failed += usize::from(!found.is_valid());
        main.merge(found);
    }
    if failed > 0 {
        let none = if failed == node.all_of.len() { ". None validated" } else { "" };
        main.add(Problem::of_all(format!("{path:?} must validate all the schemas (allOf){none}")));
    }
    if node.not.as_ref().is_some_and(|not| check(value, not, path, None).is_valid()) {
        main.add(Problem::of_all(format!("{path:?} must not validate the schema (not)")));
    }
    main
}

fn one_of(value: &Value, node: &Node, path: &str, main: &mut Outcome) {
    let mut valid = 0;
    let mut first = None;
    let mut best = None::<Outcome>;
    for alternative in &node.one_of {
        let found = check(value, alternative, path, None);
        if found.is_valid() {
            valid += 1;
            best = None;
            first.get_or_insert(found);
        } else if valid == 0 && best.as_ref().is_none_or(|best| found.checks > best.checks) {
            best = Some(found);
        }
    }
    match (valid, first) {
        (1, Some(found)) => main.merge(found),
        _ => {
            let found = match valid {
                0 => "Found none valid".to_owned(),
                _ => format!("Found {valid} valid alternatives"),
            };
            let text = format!("{path:?} must validate one and only one schema (oneOf). {found}");
            main.add(Problem::of_all(text));
            if let Some(best) = best {
                main.merge(best);
            }
        }
    }
}

fn string_problem(text: &str, node: &Node, path: &str) -> Option<Problem> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(most) = node.max_length.filter(|most| length > *most) {
        return Some(Problem::too_long(path, most));
    }
    let shown = || format!("{text:?}");
    if let Some(least) = node.min_length.filter(|least| length < *least) {
        let why = format!("{path} in body should be at least {least} chars long");
        return Some(Problem::invalid(path, &shown(), why));
    }
    let pattern = node.pattern.as_ref()?;
    let matches = pattern.compiled.as_ref().is_ok_and(|regex| regex.is_match(text));
    let fails = !pattern.text.is_empty() && !matches;
    fails.then(|| Problem::invalid(path, &shown(), format!("{path} in body should match '{}'", pattern.text)))
}

fn check_enum(value: &Value, node: &Node, path: &str, outcome: &mut Outcome) {
    if !node.values.is_empty() && !node.values.iter().any(|allowed| is_allowed(value, allowed)) {
        outcome.add(Problem::unsupported(path, value, &node.values));
    }
}

/// Whether a value is one of an enum, after the conversion to its type that Go would make.
fn is_allowed(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Number(value), Value::Number(allowed)) => match (allowed.as_i64(), value.as_i64()) {
            (Some(allowed), Some(value)) => allowed == value,
            #[expect(clippy::cast_possible_truncation, reason = "as Go converts a float to an integer")]
            (Some(allowed), None) => value.as_f64().is_some_and(|value| value as i64 == allowed),
            (None, _) => value.as_f64() == allowed.as_f64(),
        },
        // Go converts an integer to the character that it stands for.
        (Value::Number(value), Value::String(allowed)) => {
            let c = value.as_i64().and_then(|value| u32::try_from(value).ok()).and_then(char::from_u32);
            c.is_some_and(|c| allowed.chars().eq([c]))
        }
        _ => value == allowed,
    }
}

fn check_items(items: &[Value], node: &Node, path: &str, old: Option<Old<'_>>) -> Outcome {
    let mut outcome = Outcome { checks: 1, ..Outcome::default() };
    if let Some(Items::All(of)) = &node.items {
        let old = old.map(|old| old.items(node));
        for (index, item) in items.iter().enumerate() {
            let old = old.as_ref().and_then(|old| old.find(item));
            outcome.merge(validate(item, of, &format!("{path}[{index}]"), old));
        }
    }
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    if let Some(least) = node.min_items.filter(|least| count < *least) {
        let why = format!("{path} in body should have at least {least} items");
        outcome.add(Problem::invalid(path, &count.to_string(), why));
    }
    if let Some(most) = node.max_items.filter(|most| count > *most) {
        outcome.add(Problem::too_many(path, items.len(), most, "items"));
    }
    outcome
}

fn check_fields(object: &Map<String, Value>, node: &Node, path: &str, old: Option<Old<'_>>) -> Outcome {
    let mut outcome = Outcome::default();
    let count = i64::try_from(object.len()).unwrap_or(i64::MAX);
    if let Some(least) = node.min_properties.filter(|least| count < *least) {
        let why = format!("{path} in body should have at least {least} properties");
        outcome.add(Problem::invalid(path, &count.to_string(), why));
    }
    if let Some(most) = node.max_properties.filter(|most| count > *most) {
        outcome.add(Problem::too_many(path, object.len(), most, "properties"));
    }
    let field = |name: &str, value: &Value, of: &Node, path: String| {
        // Both objects are converted to the same version, so a change of these cannot be seen.
        let is_type = matches!(name, "kind" | "apiVersion");
        let old = old.filter(|old| !(old.is_root && is_type)).and_then(|old| old.field(node, name));
        validate(value, of, &path, old)
    };
    for (name, value) in object.iter().filter(|(name, _)| !node.properties.contains_key(*name)) {
        match &node.additional_properties {
            Some(Additional::Allowed(false)) => {
                let why = format!("{path}.{name} in body is a forbidden property");
                outcome.add(Problem::invalid(path, &format!("{name:?}"), why));
            }
            Some(Additional::Schema(of)) => outcome.merge(field(name, value, of, format!("{path}.{name}"))),
            Some(Additional::Allowed(true)) | None => {}
        }
    }
    for (name, of) in &node.properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if let Some(value) = object.get(name) {
            outcome.merge(field(name, value, of, path));
        }
    }
    for name in node.required.iter().filter(|name| !object.contains_key(*name)) {
        outcome.add(Problem::required(&format!("{path}.{name}")));
    }
    outcome
}
