//! One step of a path to a field, as `managedFields` writes it: `f:name`, `k:{"name":"a"}`, `v:"a"`, `i:0`.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Map, Number, Value};

/// A step from a map or list to a value in it. The order is that of the steps in `managedFields`.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    /// A field of a struct, or a key of a map.
    Field(String),
    /// The item of a list that has these keys, which are sorted by name.
    Key(Vec<(String, Value)>),
    /// The item of a set that is this value.
    Value(Value),
    /// The item at a place. Nothing here makes such steps, but clients may send them.
    Index(i64),
}

impl Element {
    pub(crate) fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }

    /// Reads what `managedFields` has. `Ok(None)` is a kind of step that is not known, which is skipped.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        let Some((kind, rest)) = text.split_at_checked(2) else {
            return Err("key must be 2 characters long:".to_owned());
        };
        if !kind.ends_with(':') {
            return Err(format!("missing colon: {text}"));
        }
        let invalid = |error: &dyn fmt::Display| format!("{text}: {error}");
        Ok(match kind {
            "f:" => Some(Self::field(rest)),
            "v:" => Some(Self::Value(serde_json::from_str(rest).map_err(|error| invalid(&error))?)),
            "k:" => {
                // The members of a map are sorted.
                let keys: Map<String, Value> = serde_json::from_str(rest).map_err(|error| invalid(&error))?;
                let mut keys: Vec<_> = keys.into_iter().collect();
                keys.sort_by(|(one, _), (other, _)| one.cmp(other));
                Some(Self::Key(keys))
            }
            "i:" => Some(Self::Index(rest.parse().map_err(|error| invalid(&error))?)),
            _ => None,
        })
    }

    /// As `managedFields` has it.
    pub(crate) fn encoded(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(keys) => {
                let keys =
                    keys.iter().map(|(name, value)| format!("{}:{}", Value::from(&**name), json(value)));
                format!("k:{{{}}}", keys.collect::<Vec<_>>().join(","))
            }
            Self::Value(value) => format!("v:{}", json(value)),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

/// As in the messages of conflicts.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                let keys = keys.iter().map(|(name, value)| format!("{name}={}", shown(value)));
                write!(f, "[{}]", keys.collect::<Vec<_>>().join(","))
            }
            Self::Value(value) => write!(f, "[={}]", shown(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl Ord for Element {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(one), Self::Field(other)) => one.cmp(other),
            (Self::Key(one), Self::Key(other)) => {
                let mut pairs = one.iter().zip(other).map(|((name, value), (other_name, other_value))| {
                    name.cmp(other_name).then_with(|| compare(value, other_value))
                });
                let first = pairs.find(|order| order.is_ne());
                first.unwrap_or_else(|| one.len().cmp(&other.len()))
            }
            (Self::Value(one), Self::Value(other)) => compare(one, other),
            (Self::Index(one), Self::Index(other)) => one.cmp(other),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl Element {
    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl PartialOrd for Element {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Element {}

/// A path as messages have it: `.spec.ports[port=80]`.
pub(crate) fn printed(path: &[Element]) -> String {
    path.iter().map(Element::to_string).collect()
}

/// Whether two values are the same. `1` and `1.0` are.
pub(crate) fn equal(one: &Value, other: &Value) -> bool {
    compare(one, other).is_eq()
}

/// An order of all values: numbers, strings, booleans, lists, maps, null.
pub(crate) fn compare(one: &Value, other: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    };
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => float(one).total_cmp(&float(other)),
        },
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.iter().zip(other).map(|(one, other)| compare(one, other));
            pairs.find(|order| order.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut pairs = sorted(one)
                .into_iter()
                .zip(sorted(other))
                .map(|(one, other)| one.0.cmp(other.0).then_with(|| compare(one.1, other.1)));
            pairs.find(|order| order.is_ne()).unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        _ => rank(one).cmp(&rank(other)),
    }
}

/// The members by name, whatever order the map keeps.
fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

fn float(number: &Number) -> f64 {
    // Adding zero makes -0.0 equal to 0.
    number.as_f64().unwrap_or_default() + 0.0
}

/// The value of a key in a message. Sic: objects have no braces.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect()
        }
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(",")),
        _ => json(value),
    }
}

/// A value as Go's JSON encoder writes it.
fn json(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text = number.to_string();
            text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
        }
        _ => {
            let text = value.to_string();
            if !text.contains(['<', '>', '&']) {
                return text;
            }
            text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
        }
    }
}
