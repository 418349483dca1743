//! The values that a path leads to.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Comparison, Filter, Operand, Path, Slice, Step};

impl Path {
    /// All values that the path leads to, in order. An error says why the path does not fit the document.
    pub(crate) fn find<'a>(&'a self, document: &'a Value) -> Result<Vec<&'a Value>, String> {
        self.0.iter().try_fold(vec![document], |values, step| step.walk(values))
    }

    /// The same where a path that does not fit leads nowhere.
    pub(crate) fn found<'a>(&'a self, document: &'a Value) -> Vec<&'a Value> {
        self.find(document).unwrap_or_default()
    }
}

impl Step {
    fn walk<'a>(&'a self, values: Vec<&'a Value>) -> Result<Vec<&'a Value>, String> {
        let mut results = Vec::new();
        match self {
            Self::Field(name) => results.extend(values.iter().filter_map(|value| value.get(name))),
            Self::Wildcard => results.extend(values.into_iter().flat_map(within)),
            Self::Descend => values.into_iter().for_each(|value| descend(value, &mut results)),
            Self::Union(steps) => {
                for step in steps {
                    results.extend(step.walk(values.clone())?);
                }
            }
            // A field without a value is as good as none.
            Self::Slice(slice) => {
                for value in values.into_iter().filter(|value| !value.is_null()) {
                    slice.take(list(value, "has no elements to choose from")?, &mut results)?;
                }
            }
            Self::Filter(filter) => {
                for value in values.into_iter().filter(|value| !value.is_null()) {
                    for element in list(value, "cannot be filtered")? {
                        if filter.passes(element)? {
                            results.push(element);
                        }
                    }
                }
            }
        }
        Ok(results)
    }
}

fn list<'a>(value: &'a Value, cannot: &str) -> Result<&'a [Value], String> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(format!("{} is not a list and {cannot}", sort(other))),
    }
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn within(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Object(members) => Box::new(members.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => Box::new(std::iter::empty()),
    }
}

/// What holds something comes before what it holds. Numbers and booleans are not among the results, as in kubectl.
fn descend<'a>(value: &'a Value, results: &mut Vec<&'a Value>) {
    let holds = match value {
        Value::String(text) => !text.is_empty(),
        _ => within(value).next().is_some(),
    };
    if holds {
        results.push(value);
        within(value).for_each(|inner| descend(inner, results));
    }
}

impl Slice {
    fn take<'a>(self, items: &'a [Value], results: &mut Vec<&'a Value>) -> Result<(), String> {
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let from_end = |place: i64| if place < 0 { place.saturating_add(length) } else { place };
        let outside = |place: i64| format!("index {place} is outside of a list of {length}");
        let (start, end, step) = match self {
            Self::At(place) => {
                let start = from_end(place);
                (start, start.saturating_add(1), 1)
            }
            Self::From(start, end, step) => {
                (from_end(start.unwrap_or(0)), end.map_or(length, from_end), step)
            }
        };
        if start == end {
            return Ok(());
        }
        if start < 0 || start >= length {
            return Err(outside(start));
        }
        if end < 0 || end > length {
            return Err(outside(end.saturating_sub(1)));
        }
        if start > end {
            return Err(format!("the slice begins at {start} and ends before it, at {end}"));
        }
        let places = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
        results.extend(items[places].iter().step_by(step));
        Ok(())
    }
}

impl Filter {
    fn passes(&self, element: &Value) -> Result<bool, String> {
        let left = self.left.values(element);
        let Some((comparison, right)) = &self.compared else {
            // Whether something is there is no question that can be asked in a wrong way.
            return Ok(left.is_ok_and(|values| !values.is_empty()));
        };
        match (left?.as_slice(), right.values(element)?.as_slice()) {
            ([], _) | (_, []) => Ok(false),
            ([left], [right]) => comparison.holds(left, right),
            _ => Err("a filter can compare one value with one other, and there are several".to_owned()),
        }
    }
}

impl Operand {
    fn values<'a>(&'a self, element: &'a Value) -> Result<Vec<&'a Value>, String> {
        match self {
            Self::Path(path) => path.find(element),
            Self::Literal(value) => Ok(vec![value]),
        }
    }
}

impl Comparison {
    fn holds(self, left: &Value, right: &Value) -> Result<bool, String> {
        let ordering = match (left, right) {
            (Value::String(left), Value::String(right)) => left.cmp(right),
            (Value::Number(left), Value::Number(right)) => {
                left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal)
            }
            (Value::Bool(left), Value::Bool(right)) if matches!(self, Self::Equal | Self::NotEqual) => {
                left.cmp(right)
            }
            _ => return Err(format!("{} cannot be compared with {}", sort(left), sort(right))),
        };
        Ok(match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        })
    }
}
