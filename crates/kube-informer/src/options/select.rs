//! Judging here what an informer's selectors select, which the server does otherwise.

use std::collections::BTreeSet;

use informer_wire::ObjectKey;
use kube_core::labels::{Expression, Selector};

use super::Options;
use crate::object::Labels;

impl Options {
    /// Whether the selectors select an object with that key and those labels; `None` if only the server can tell.
    pub(crate) fn select(&self, key: &ObjectKey, labels: &Labels) -> Option<bool> {
        let by_labels = match &self.labels {
            Some(selector) => parse(selector).map(|selector| labels.matches(&selector)),
            None => Some(true),
        };
        let by_fields = match &self.fields {
            Some(selector) => by_fields(selector, key),
            None => Some(true),
        };
        match (by_labels, by_fields) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }
}

/// A field selector, as far as it is about what the key says.
fn by_fields(selector: &str, key: &ObjectKey) -> Option<bool> {
    let mut is_known = true;
    for term in selector.split(',').map(str::trim).filter(|term| !term.is_empty()) {
        let (field, value, is_equal) = comparison(term)?;
        let found = match field {
            "metadata.name" => key.name(),
            "metadata.namespace" => key.namespace().unwrap_or_default(),
            _ => {
                is_known = false;
                continue;
            }
        };
        if (found == value) != is_equal {
            return Some(false);
        }
    }
    is_known.then_some(true)
}

/// `a=b`, `a==b` or `a!=b`.
fn comparison(term: &str) -> Option<(&str, &str, bool)> {
    if let Some((left, right)) = term.split_once("!=") {
        return Some((left.trim(), right.trim(), false));
    }
    let (left, right) = term.split_once('=')?;
    Some((left.trim(), right.strip_prefix('=').unwrap_or(right).trim(), true))
}

/// A label selector as one writes it; `None` if it is none.
fn parse(selector: &str) -> Option<Selector> {
    let (mut depth, mut terms, mut begin) = (0_usize, Vec::new(), 0);
    for (at, character) in selector.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                terms.push(&selector[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&selector[begin..]);
    let terms = terms.into_iter().map(str::trim).filter(|term| !term.is_empty());
    terms.map(expression).collect::<Option<Vec<_>>>().map(|terms| terms.into_iter().collect())
}

fn expression(term: &str) -> Option<Expression> {
    if let Some((left, values)) = term.split_once('(') {
        let values: BTreeSet<String> =
            values.strip_suffix(')')?.split(',').map(|value| value.trim().to_owned()).collect();
        let (key, operator) = left.trim().rsplit_once(char::is_whitespace)?;
        let key = key.trim().to_owned();
        return match operator {
            "in" => Some(Expression::In(key, values)),
            "notin" => Some(Expression::NotIn(key, values)),
            _ => None,
        };
    }
    if let Some((key, value, is_equal)) = comparison(term) {
        let (key, value) = (key.to_owned(), value.to_owned());
        return Some(if is_equal { Expression::Equal(key, value) } else { Expression::NotEqual(key, value) });
    }
    let is_one_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    match term.strip_prefix('!').map(str::trim) {
        Some(key) => is_one_word(key).then(|| Expression::DoesNotExist(key.to_owned())),
        None => is_one_word(term).then(|| Expression::Exists(term.to_owned())),
    }
}

#[cfg(test)]
mod tests;
