//! `--sort-by`: the order of objects by one of their fields.

use std::cmp::Ordering;

use serde_json::Value;

use crate::jsonpath::Path;

/// A value to sort by. What is missing comes first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rank {
    Missing,
    Truth(bool),
    Number(f64),
    Text(String),
    /// A text such as `100m` or `2Gi`, if all texts of the list are such.
    Quantity(f64),
}

/// The values to sort by, one for each object. An error if no object has the field, or if it cannot be sorted by.
pub(crate) fn ranks<'a>(path: &Path, objects: impl Iterator<Item = &'a Value>) -> Result<Vec<Rank>, String> {
    let ranks = objects.map(|object| rank(path, object)).collect::<Result<Vec<_>, _>>()?;
    let ranks = as_quantities(&ranks).unwrap_or(ranks);
    match ranks.iter().all(|rank| *rank == Rank::Missing) && !ranks.is_empty() {
        true => Err("none of the objects has that field".to_owned()),
        false => Ok(ranks),
    }
}

fn rank(path: &Path, object: &Value) -> Result<Rank, String> {
    match path.find(object)?.first() {
        None | Some(Value::Null) => Ok(Rank::Missing),
        Some(Value::Bool(truth)) => Ok(Rank::Truth(*truth)),
        Some(Value::Number(number)) => Ok(Rank::Number(number.as_f64().unwrap_or_default())),
        Some(Value::String(text)) => Ok(Rank::Text(text.clone())),
        Some(Value::Array(_) | Value::Object(_)) => {
            Err("it is a list or an object, which has no order".to_owned())
        }
    }
}

/// The same ranks with their texts as quantities; `None` if one of the texts is none. It is one or the other for the whole list: if
/// quantities were compared as such and with other texts by their letters, `10` would come after `9`, `9` after `5x`, and `5x` after
/// `10`, which is no order.
fn as_quantities(ranks: &[Rank]) -> Option<Vec<Rank>> {
    let as_quantity = |rank: &Rank| match rank {
        Rank::Text(text) => quantity(text).map(Rank::Quantity),
        other => Some(other.clone()),
    };
    ranks.iter().map(as_quantity).collect()
}

impl Rank {
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Truth(one), Self::Truth(other)) => one.cmp(other),
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            // `100m` comes before `1`, and `9Mi` before `1Gi`.
            (Self::Quantity(one), Self::Quantity(other)) => one.total_cmp(other),
            _ => self.sort().cmp(&other.sort()),
        }
    }

    fn sort(&self) -> u8 {
        match self {
            Self::Missing => 0,
            Self::Truth(_) => 1,
            Self::Number(_) => 2,
            Self::Text(_) | Self::Quantity(_) => 3,
        }
    }
}

/// The value of a quantity such as `100m` or `2Gi`.
fn quantity(text: &str) -> Option<f64> {
    let end = text.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
    let (number, suffix) = text.split_at(end);
    if !number.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let unit = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1024_f64.powi(2),
        "Gi" => 1024_f64.powi(3),
        "Ti" => 1024_f64.powi(4),
        "Pi" => 1024_f64.powi(5),
        "Ei" => 1024_f64.powi(6),
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * unit)
}

#[cfg(test)]
mod tests;
