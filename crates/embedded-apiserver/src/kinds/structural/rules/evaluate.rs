//! Evaluates rules on objects.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::objects::{Key, Map, OptionalValue, Value as CelValue};
use kube_cel::cel::{Context, ExecutionError, IdedExpr};
use serde_json::Value;

use super::super::node::Node;
use super::super::outcome::shown;
use super::super::ratchet::Old;
use super::compiled::{Compiled, Rules};
use super::functions::CONTEXT;
use super::types::{Place, field, fields, place};
use super::{Findings, Rule};
use crate::status::Cause;

/// The most bytes of a message that an expression makes.
const LONGEST_MESSAGE: usize = 5 * 1024;

impl Rules {
    /// What the rules find in an object, or in a change of one.
    pub(in super::super) fn validate(&self, root: &Node, new: &Value, old: Option<&Value>) -> Findings {
        let mut findings = Findings::default();
        let own = old.map(|old| Same { old: Old::root(old), node: root, new });
        let before = Before { value: old, own, outer: None };
        self.check(root, Place::Resource, new, before, "", &mut findings);
        findings
    }

    fn check(
        &self,
        node: &Node,
        place: Place,
        value: &Value,
        before: Before<'_>,
        path: &str,
        findings: &mut Findings,
    ) {
        if value.is_null() {
            return;
        }
        if !self.own.is_empty() {
            let this = to_cel(value, node, place);
            let old = before.value.filter(|old| !old.is_null()).map(|old| to_cel(old, node, place));
            for rule in &self.own {
                rule.check(node, value, &this, old.as_ref(), before, path, findings);
            }
        }
        match value {
            Value::Object(object) => {
                let old = before.value.and_then(Value::as_object);
                for (name, value) in object {
                    let (rules, of, path) = match self.fields.get(name).zip(node.properties.get(name)) {
                        Some((rules, of)) if path.is_empty() => (rules, of, name.clone()),
                        Some((rules, of)) => (rules, of, format!("{path}.{name}")),
                        None => match self.values.as_deref().zip(node.additional()) {
                            Some((rules, of)) => (rules, of, format!("{path}[{name}]")),
                            None => continue,
                        },
                    };
                    let before = before.field(node, name, value, of, old.and_then(|old| old.get(name)));
                    rules.check(of, self::place(of), value, before, &path, findings);
                }
            }
            Value::Array(items) => {
                let Some((rules, of)) = self.items.as_deref().zip(node.item()) else { return };
                let old = before.value.map(|old| Old::part(old).items(node));
                let own = before.own.map(|own| own.old.items(node));
                for (index, item) in items.iter().enumerate() {
                    let same = own.as_ref().and_then(|own| own.find(item));
                    let before = Before {
                        value: old.as_ref().and_then(|old| old.find(item)).map(|old| old.value),
                        own: same.map(|old| Same { old, node: of, new: item }),
                        outer: before.own.or(before.outer),
                    };
                    rules.check(of, self::place(of), item, before, &format!("{path}[{index}]"), findings);
                }
            }
            _ => {}
        }
    }
}

/// An old value that a new one can be compared with.
#[derive(Clone, Copy)]
struct Same<'a> {
    old: Old<'a>,
    node: &'a Node,
    new: &'a Value,
}

impl Same<'_> {
    fn holds(self) -> bool {
        self.old.is_same(self.node, self.new)
    }
}

/// What was before.
#[derive(Clone, Copy)]
struct Before<'a> {
    /// The old value, which rules can see.
    value: Option<&'a Value>,
    /// The old value, if what is wrong with it may stay.
    own: Option<Same<'a>>,
    /// That of the nearest value around it that has one.
    outer: Option<Same<'a>>,
}

impl<'a> Before<'a> {
    /// What was before of a field.
    fn field(self, node: &Node, name: &str, new: &'a Value, of: &'a Node, value: Option<&'a Value>) -> Self {
        match self.own {
            None => Self { value, ..self },
            // Both objects are converted to the same version, so a change of these cannot be seen.
            Some(own) if own.old.is_root && matches!(name, "apiVersion" | "kind") => {
                Self { value, own: None, outer: None }
            }
            Some(own) => {
                let own_field = own.old.field(node, name).map(|old| Same { old, node: of, new });
                Self { value, own: own_field, outer: Some(own) }
            }
        }
    }

    /// Whether what is wrong may stay.
    fn is_same(self) -> bool {
        self.own.or(self.outer).is_some_and(Same::holds)
    }
}

impl Compiled {
    #[expect(clippy::too_many_arguments, reason = "all that is known of a value")]
    fn check(
        &self,
        node: &Node,
        value: &Value,
        this: &CelValue,
        old: Option<&CelValue>,
        before: Before<'_>,
        path: &str,
        findings: &mut Findings,
    ) {
        let is_optional = self.rule.optional_old_self == Some(true);
        if self.uses_old && old.is_none() && !is_optional {
            return;
        }
        let field = if path.is_empty() { "<nil>" } else { path };
        let kind = format!("{:?}", node.kind);
        match evaluate(&self.program, this, old, is_optional) {
            Ok(CelValue::Bool(true)) => return,
            Ok(_) => {}
            Err(error) => {
                let why = problem(&error, &self.rule);
                findings.causes.push(Cause::invalid(field, &kind, &why));
                return;
            }
        }
        let field = match (path, &*self.field_path) {
            (_, "") => field.to_owned(),
            ("", inner) => inner.to_owned(),
            (path, inner) => format!("{path}.{inner}"),
        };
        let message = self.message.as_ref().and_then(|message| {
            // The message sees the old value as it is, even if it is optional for the rule.
            match evaluate(message, this, old, false) {
                Ok(CelValue::String(text)) => Some(text.trim().to_owned()),
                _ => None,
            }
        });
        let is_good =
            |text: &String| !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
        let message = message.filter(is_good).unwrap_or_else(|| default_message(&self.rule));
        let value = match &*node.kind {
            "object" | "array" => None,
            _ => Some(shown(value)),
        };
        let cause = match (self.rule.reason.as_deref(), value) {
            (Some("FieldValueForbidden"), _) => Cause::forbidden(&field, &message),
            (Some("FieldValueRequired"), _) => Cause::required(&field, &message),
            (Some("FieldValueDuplicate"), Some(value)) => Cause::duplicate(&field, &value),
            (Some("FieldValueDuplicate"), None) => {
                Cause { reason: "FieldValueDuplicate", message: "Duplicate value".to_owned(), field }
            }
            (_, Some(value)) => Cause::invalid(&field, &value, &message),
            (_, None) => {
                Cause { reason: "FieldValueInvalid", message: format!("Invalid value: {message}"), field }
            }
        };
        if !self.uses_old && before.is_same() {
            findings.warnings.push(format!("{}: {}", cause.field, cause.message));
        } else {
            findings.causes.push(cause);
        }
    }
}

fn evaluate(
    program: &IdedExpr,
    this: &CelValue,
    old: Option<&CelValue>,
    is_optional: bool,
) -> Result<CelValue, ExecutionError> {
    let mut context: Context<'_> = CONTEXT.new_inner_scope();
    context.add_variable_from_value("self", this.clone());
    if is_optional {
        let old = old.cloned().map_or_else(OptionalValue::none, OptionalValue::of);
        context.add_variable_from_value("oldSelf", CelValue::Opaque(Arc::new(old)));
    } else if let Some(old) = old {
        context.add_variable_from_value("oldSelf", old.clone());
    }
    CelValue::resolve(program, &context)
}

/// What a rule is called in messages.
fn name(rule: &Rule) -> &str {
    if rule.message.is_empty() { rule.rule.trim() } else { rule.message.trim() }
}

fn default_message(rule: &Rule) -> String {
    match rule.message.is_empty() {
        true => format!("failed rule: {}", rule.rule.trim()),
        false => rule.message.trim().to_owned(),
    }
}

/// The message about a rule that fails, in the words of Go's evaluator where both know the error.
fn problem(error: &ExecutionError, rule: &Rule) -> String {
    let name = name(rule);
    let why = match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        ExecutionError::IndexOutOfBounds(CelValue::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::NoSuchOverload
        | ExecutionError::ValuesNotComparable(..)
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnsupportedUnaryOperator(..)
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::UnsupportedTargetType { .. } => {
            let what = "call arguments did not match a supported operator, function or macro signature";
            return format!("'no such overload': {what} for rule: {name}");
        }
        ExecutionError::FunctionError { message, .. } => message.clone(),
        other => other.to_string(),
    };
    format!("{why} evaluating rule: {name}")
}

/// A value as rules see it: objects with the names that fields have there, and nothing that the schema does not know.
fn to_cel(value: &Value, node: &Node, place: Place) -> CelValue {
    let inner = |value: &Value, node: &Node| to_cel(value, node, self::place(node));
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match number.as_i64().filter(|_| node.kind != "number") {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::Array(items) => {
            let items = items.iter().map(|item| node.item().map_or(CelValue::Null, |of| inner(item, of)));
            CelValue::List(Arc::new(items.collect()))
        }
        Value::Object(object) => {
            let text = |name: String| Key::String(Arc::new(name));
            let members: HashMap<Key, CelValue> = match node.additional() {
                Some(of) => {
                    object.iter().map(|(name, value)| (text(name.clone()), inner(value, of))).collect()
                }
                None => fields(node, place)
                    .filter_map(|(escaped, name, _)| {
                        let of = field(node, place, name)?;
                        Some((text(escaped), inner(object.get(name)?, of)))
                    })
                    .collect(),
            };
            CelValue::Map(Map { map: Arc::new(members) })
        }
    }
}
