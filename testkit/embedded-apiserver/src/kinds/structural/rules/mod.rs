//! Rules of schemas in CEL, `x-kubernetes-validations`. They are evaluated with the feature `cel`; without it a definition that
//! has rules is answered with 501.
//!
//! The evaluator knows no types, so rules are checked here when a definition is written: what the real server would refuse is
//! refused, and so is what the evaluator lacks. A rule that has been accepted can be evaluated.

#[cfg(feature = "cel")]
mod check;
#[cfg(feature = "cel")]
mod compiled;
#[cfg(feature = "cel")]
mod errors;
#[cfg(feature = "cel")]
mod evaluate;
mod field_path;
#[cfg(feature = "cel")]
mod functions;
#[cfg(not(feature = "cel"))]
mod missing;
#[cfg(feature = "cel")]
#[cfg(test)]
mod tests;
#[cfg(feature = "cel")]
mod texts;
#[cfg(feature = "cel")]
mod types;

use serde::Deserialize;
use serde_json::Value;

use super::node::Node;
use crate::status::Cause;

#[cfg(feature = "cel")]
pub(super) use self::compiled::{Rules, check, lacking};
#[cfg(not(feature = "cel"))]
pub(super) use self::missing::{Rules, check, lacking};

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What the rules find in an object.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) causes: Vec<Cause>,
    /// What is wrong as it was before, and may stay so.
    pub(crate) warnings: Vec<String>,
}

/// A rule as a definition has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Rule {
    rule: String,
    message: String,
    message_expression: String,
    reason: Option<String>,
    field_path: String,
    optional_old_self: Option<bool>,
}

/// What is wrong with the rules of a schema besides their expressions.
pub(super) fn check_texts(node: &Node, path: &str, causes: &mut Vec<Cause>) {
    for (index, rule) in node.rules.iter().enumerate() {
        let at = |part: &str| format!("{path}.x-kubernetes-validations[{index}].{part}");
        let shown = |text: &str| Value::from(text).to_string();
        let text = rule.rule.trim();
        let message = rule.message.trim();
        if text.is_empty() {
            causes.push(Cause::required(&at("rule"), "rule is not specified"));
        } else if !rule.message.is_empty() && message.is_empty() {
            let why = "must be non-empty if specified";
            causes.push(Cause::invalid(&at("message"), &shown(&rule.message), why));
        } else if message.contains('\n') {
            let why = "must not contain line breaks";
            causes.push(Cause::invalid(&at("message"), &shown(&rule.message), why));
        } else if text.contains('\n') && message.is_empty() {
            let why = "message must be specified if rule contains line breaks";
            causes.push(Cause::required(&at("message"), why));
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let why = "messageExpression must be non-empty if specified";
            causes.push(Cause::required(&at("messageExpression"), why));
        }
        if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            causes.push(Cause::unsupported(&at("reason"), reason, &REASONS));
        }
        let bad_path = |why: &str| Cause::invalid(&at("fieldPath"), &shown(&rule.field_path), why);
        if !rule.field_path.is_empty() && rule.field_path.trim().is_empty() {
            causes.push(bad_path("must be non-empty if specified"));
        }
        if rule.field_path.contains('\n') {
            causes.push(bad_path("must not contain line breaks"));
        }
        if !rule.field_path.is_empty() && field_path::normalised(&rule.field_path, node).is_none() {
            causes.push(bad_path("must be a valid path"));
        }
    }
}
