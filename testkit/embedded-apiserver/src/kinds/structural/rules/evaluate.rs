//! Evaluates rules on objects.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::common::ast::Expr;
use kube_cel::cel::objects::{Key, Map, OptionalValue, Value as CelValue};
use kube_cel::cel::{Context, ExecutionError, IdedExpr};
use serde_json::Value;

use super::super::node::Node;
use super::super::outcome::shown;
use super::super::ratchet::Old;
use super::compiled::{Compiled, Rules};
use super::functions::CONTEXT;
use super::types::{Place, fields, place};
use super::{Findings, Rule, errors};
use crate::go;
use crate::status::Cause;

/// The most bytes of a message that an expression makes.
const LONGEST_MESSAGE: usize = 5 * 1024;

impl Rules {
    /// What the rules find in an object, or in a change of one.
    pub(in super::super) fn validate(&self, root: &Node, new: &Value, old: Option<&Value>) -> Findings {
        let mut findings = Findings::default();
        let known = Cell::default();
        let own = old.map(|old| Same { old: Old::root(old), node: root, new, known: &known });
        let before = Before { value: old, own, outer: None };
        self.check(root, Place::Resource, new, before, "", &mut findings);
        findings
    }

    /// What the rules find in a default. It takes the place of itself.
    pub(super) fn check_default(&self, node: &Node, place: Place, path: &str) -> Vec<Cause> {
        let mut findings = Findings::default();
        let before = Before { value: Some(&node.default), own: None, outer: None };
        self.check(node, place, &node.default, before, path, &mut findings);
        findings.causes
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
            let mut wrong = Wrong::new();
            let this = to_cel(value, node, place, &mut wrong);
            let old = before.value.filter(|old| !old.is_null());
            let old = old.map(|old| to_cel(old, node, place, &mut wrong));
            let seen = Seen { this, old, wrong };
            for rule in &self.own {
                rule.check(node, value, &seen, before, path, findings);
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
                    let known = Cell::default();
                    let old = old.and_then(|old| old.get(name));
                    let before = before.field(node, name, (value, of, &known), old);
                    rules.check(of, self::place(of), value, before, &path, findings);
                }
            }
            Value::Array(items) => {
                let Some((rules, of)) = self.items.as_deref().zip(node.item()) else { return };
                let old = before.value.map(|old| Old::part(old).items(node));
                let own = before.own.map(|own| own.old.items(node));
                for (index, item) in items.iter().enumerate() {
                    let same = own.as_ref().and_then(|own| own.find(item));
                    let known = Cell::default();
                    let before = Before {
                        value: old.as_ref().and_then(|old| old.find(item)).map(|old| old.value),
                        own: same.map(|old| Same { old, node: of, new: item, known: &known }),
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
    /// Whether they are the same, once that is known: all items of a long list may ask.
    known: &'a Cell<Option<bool>>,
}

impl Same<'_> {
    fn holds(self) -> bool {
        let holds = self.known.get().unwrap_or_else(|| self.old.is_same(self.node, self.new));
        self.known.set(Some(holds));
        holds
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
    fn field(
        self,
        node: &Node,
        name: &str,
        (new, of, known): (&'a Value, &'a Node, &'a Cell<Option<bool>>),
        value: Option<&'a Value>,
    ) -> Self {
        match self.own {
            None => Self { value, ..self },
            // Both objects are converted to the same version, so a change of these cannot be seen.
            Some(own) if own.old.is_root && matches!(name, "apiVersion" | "kind") => {
                Self { value, own: None, outer: None }
            }
            Some(own) => {
                let own_field = own.old.field(node, name).map(|old| Same { old, node: of, new, known });
                Self { value, own: own_field, outer: Some(own) }
            }
        }
    }

    /// Whether what is wrong may stay.
    fn is_same(self) -> bool {
        self.own.or(self.outer).is_some_and(Same::holds)
    }
}

/// What is wrong with fields that have not the type of the schema, by their names in rules.
type Wrong = HashMap<String, String>;

/// A value and the one before it as rules see them.
struct Seen {
    this: Result<CelValue, String>,
    old: Option<Result<CelValue, String>>,
    wrong: Wrong,
}

impl Seen {
    /// The result of a rule, or why there is none.
    fn evaluate(&self, program: &IdedExpr, uses_old: bool, is_optional: bool) -> Result<CelValue, Problem> {
        let this = self.this.as_ref().map_err(|why| Problem::Other(why.clone()))?;
        let old = match &self.old {
            Some(Err(why)) if uses_old => return Err(Problem::Other(why.clone())),
            Some(Err(_)) | None => None,
            Some(Ok(old)) => Some(old),
        };
        evaluate(program, this, old, is_optional).map_err(|error| match &error {
            ExecutionError::NoSuchKey(key) if self.wrong.contains_key(&**key) => {
                Problem::Other(self.wrong[&**key].clone())
            }
            _ => problem(&error),
        })
    }
}

/// Why a rule has no result.
enum Problem {
    Overload,
    Other(String),
}

impl Compiled {
    fn check(
        &self,
        node: &Node,
        value: &Value,
        seen: &Seen,
        before: Before<'_>,
        path: &str,
        findings: &mut Findings,
    ) {
        let is_optional = self.rule.optional_old_self == Some(true);
        if self.uses_old && seen.old.is_none() && !is_optional {
            return;
        }
        let field = if path.is_empty() { "<nil>" } else { path };
        let kind = format!("{:?}", node.kind);
        match seen.evaluate(&self.program, self.uses_old, is_optional) {
            Ok(CelValue::Bool(true)) => return,
            Ok(_) => {}
            Err(problem) => {
                let name = name(&self.rule);
                let why = match problem {
                    Problem::Other(why) => format!("{why} evaluating rule: {name}"),
                    Problem::Overload => {
                        let what =
                            "call arguments did not match a supported operator, function or macro signature";
                        format!("'no such overload': {what} for rule: {name}")
                    }
                };
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
            match seen.evaluate(message, false, false) {
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
    let error = match CelValue::resolve(program, &context) {
        Err(ExecutionError::MissingArgumentOrTarget) => {
            of_argument(program, &context).unwrap_or(ExecutionError::MissingArgumentOrTarget)
        }
        Err(error) => error,
        good => return good,
    };
    let tolerant = errors::tolerant(program);
    tolerant.and_then(|program| CelValue::resolve(&program, &context).ok()).ok_or(error)
}

/// The error of an argument, which the evaluator does not pass on. One with variables of its own is not found.
fn of_argument(program: &IdedExpr, context: &Context<'_>) -> Option<ExecutionError> {
    let Expr::Call(call) = &program.expr else { return None };
    let inner = call.target.as_deref().into_iter().chain(&call.args);
    inner.into_iter().find_map(|argument| match CelValue::resolve(argument, context) {
        Ok(_) | Err(ExecutionError::UndeclaredReference(_)) => None,
        Err(ExecutionError::MissingArgumentOrTarget) => of_argument(argument, context),
        Err(error) => Some(error),
    })
}

/// What a rule is called in messages.
fn name(rule: &Rule) -> &str {
    if rule.message.is_empty() { rule.rule.trim() } else { rule.message.trim() }
}

fn default_message(rule: &Rule) -> String {
    if rule.message.is_empty() {
        format!("failed rule: {}", rule.rule.trim())
    } else {
        rule.message.trim().to_owned()
    }
}

/// Why a rule fails, in the words of Go's evaluator where both know the error.
fn problem(error: &ExecutionError) -> Problem {
    Problem::Other(match error {
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
        | ExecutionError::UnsupportedTargetType { .. } => return Problem::Overload,
        ExecutionError::FunctionError { function, message } => {
            let number = message.split(' ').find(|word| word.parse::<i64>().is_ok());
            match (&**function, number) {
                ("charAt" | "substring", Some(index)) if message.contains("out of range") => {
                    format!("index out of range: {index}")
                }
                ("min" | "max", _) if message.contains("empty list") => {
                    format!("{function} called on empty list")
                }
                ("int" | "double", _) => format!("type conversion error from 'string' to '{function}'"),
                _ => message.clone(),
            }
        }
        other => other.to_string(),
    })
}

/// A value as rules see it: objects with the names that fields have there, and nothing that the schema does not know. The error
/// is what Go says of a value that has not the type of the schema, which an object can have if the schema was another when it
/// was written. A field with such a value is left out and noted.
fn to_cel(value: &Value, node: &Node, place: Place, wrong: &mut Wrong) -> Result<CelValue, String> {
    let expected =
        |what: &str| Err(format!("invalid data, expected {what}, got {}", go::dynamic_type(value)));
    if value.is_null() {
        return if node.nullable {
            Ok(CelValue::Null)
        } else {
            Err("invalid data, got null for schema with nullable=false".to_owned())
        };
    }
    if node.int_or_string {
        return match value {
            Value::String(text) => Ok(text.as_str().into()),
            Value::Number(number) if number.as_i64().is_some() => {
                Ok(number.as_i64().unwrap_or_default().into())
            }
            _ => Err("invalid data, expected XIntOrString value to be either a string or integer".to_owned()),
        };
    }
    match (&*node.kind, value) {
        ("boolean", Value::Bool(value)) => Ok((*value).into()),
        ("boolean", _) => expected("bool"),
        ("string", Value::String(text)) => Ok(text.as_str().into()),
        ("string", _) => expected("string"),
        ("integer", Value::Number(number)) if number.as_i64().is_some() => {
            Ok(number.as_i64().unwrap_or_default().into())
        }
        ("integer", _) => expected("int"),
        ("number", Value::Number(number)) => Ok(number.as_f64().unwrap_or_default().into()),
        ("number", _) => expected("float"),
        ("array", Value::Array(items)) => {
            let item = |item: &Value| {
                let of = node.item()?;
                to_cel(item, of, self::place(of), wrong).ok()
            };
            let items: Vec<CelValue> =
                items.iter().map(item).map(|item| item.unwrap_or(CelValue::Null)).collect();
            Ok(CelValue::List(Arc::new(items)))
        }
        ("array", _) => {
            Err("invalid data, expected an array for the provided schema with type=array".to_owned())
        }
        ("object", Value::Object(object)) => {
            let mut members = HashMap::new();
            let mut add =
                |name: String, value: &Value, of: &Node| match to_cel(value, of, self::place(of), wrong) {
                    Ok(value) => drop(members.insert(Key::String(Arc::new(name)), value)),
                    Err(why) => drop(wrong.insert(name, why)),
                };
            match node.additional() {
                Some(of) => object.iter().for_each(|(name, value)| add(name.clone(), value, of)),
                None => fields(node, place).for_each(|(escaped, name, of)| {
                    if let Some(value) = object.get(name) {
                        add(escaped, value, of);
                    }
                }),
            }
            Ok(CelValue::Map(Map { map: Arc::new(members) }))
        }
        ("object", _) => {
            Err("invalid data, expected a map for the provided schema with type=object".to_owned())
        }
        // Rules cannot see what has no type.
        _ => Ok(CelValue::Null),
    }
}
