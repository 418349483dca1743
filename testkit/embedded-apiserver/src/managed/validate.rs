//! Whether a value is of a type, with the messages of the real server.

use std::collections::BTreeSet;

use serde_json::Value;

use super::element::Element;
use super::types::{ListType, MapType, Scalar, Sort, Type};
use crate::go;

/// With `duplicates`, items of sets and maps may occur several times, which is what updates may do and appliers may not.
pub(crate) fn validate(value: &Value, of: Type<'_>, duplicates: bool) -> Result<(), String> {
    let mut walk = Walk { problems: Vec::new(), path: Vec::new(), duplicates };
    walk.value(value, of);
    match walk.problems.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        several => Err(format!("errors:\n  {}", several.join("\n  "))),
    }
}

/// At least one side is a scalar of that sort, or null, or absent.
pub(crate) fn one_is(scalar: Scalar, before: Option<&Value>, after: Option<&Value>) -> Result<(), String> {
    let problem = |side: Option<&Value>| side.and_then(|value| not_scalar(value, scalar));
    match (problem(before), problem(after)) {
        (Some(before), Some(after)) => Err(format!("errors:\n  lhs: {before}\n  rhs: {after}")),
        _ => Ok(()),
    }
}

fn not_scalar(value: &Value, scalar: Scalar) -> Option<String> {
    let fits = match scalar {
        _ if value.is_null() => true,
        Scalar::Numeric => value.is_number(),
        Scalar::String => value.is_string(),
        Scalar::Boolean => value.is_boolean(),
        Scalar::Untyped => !value.is_array() && !value.is_object(),
    };
    (!fits).then(|| match scalar {
        Scalar::Numeric => format!("expected numeric (int or float), got {}", go_type(value)),
        Scalar::String => {
            format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value))
        }
        Scalar::Boolean => format!("expected boolean, got &{{{}}}", go::printed(value)),
        Scalar::Untyped => format!("expected any scalar, got &{{{}}}", go::printed(value)),
    })
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "map[string]interface {}",
        _ => go::dynamic_type(value),
    }
}

/// A value as Go writes it in source code.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(go_syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", go_syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
        Value::Number(_) => go::printed(value),
        _ => value.to_string(),
    }
}

struct Walk<'v> {
    problems: Vec<String>,
    /// Written out only if there is a problem.
    path: Vec<Step<'v>>,
    duplicates: bool,
}

enum Step<'v> {
    Field(&'v str),
    Index(usize),
    Item(Element),
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Item(element) => element.fmt(f),
        }
    }
}

impl<'v> Walk<'v> {
    fn problem(&mut self, problem: &str) {
        let path: String = self.path.iter().map(Step::to_string).collect();
        let colon = if path.is_empty() { "" } else { ": " };
        self.problems.push(format!("{path}{colon}{problem}"));
    }

    fn within(&mut self, step: Step<'v>, inner: impl FnOnce(&mut Self)) {
        self.path.push(step);
        inner(self);
        self.path.pop();
    }

    fn value(&mut self, value: &'v Value, of: Type<'_>) {
        match of.resolve().and_then(|atom| atom.deduced(Some(value)).sort()) {
            Err(problem) => self.problem(&problem),
            Ok(Sort::Scalar(scalar)) => {
                if let Some(problem) = not_scalar(value, scalar) {
                    self.problem(&problem);
                }
            }
            Ok(Sort::List(list)) => self.list(value, list),
            Ok(Sort::Map(map)) => self.map(value, map),
        }
    }

    fn list(&mut self, value: &'v Value, list: ListType<'_>) {
        let items = match value {
            Value::Null => return,
            Value::Array(items) => items,
            _ => return self.problem(&format!("expected list, got &{{{}}}", go::printed(value))),
        };
        let mut seen = BTreeSet::new();
        for (number, item) in items.iter().enumerate() {
            if list.atomic {
                self.within(Step::Index(number), |walk| walk.value(item, list.items()));
                continue;
            }
            let element = match list.element(item) {
                Ok(element) => element,
                Err(problem) => return self.problem(&format!("element {number}: {problem}")),
            };
            if !self.duplicates && !seen.insert(element.clone()) {
                self.problem(&format!("duplicate entries for key {element}"));
            }
            self.within(Step::Item(element), |walk| walk.value(item, list.items()));
        }
    }

    fn map(&mut self, value: &'v Value, map: MapType<'_>) {
        let members = match value {
            Value::Null => return,
            Value::Object(members) => members,
            _ => return self.problem(&format!("expected map, got &{{{}}}", go::printed(value))),
        };
        for (name, value) in members {
            let is_known = map.knows(name);
            self.within(Step::Field(name), |walk| {
                if is_known {
                    walk.value(value, map.field(name));
                } else {
                    walk.problem("field not declared in schema");
                }
            });
            if !is_known {
                return;
            }
        }
    }
}
