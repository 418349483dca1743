//! Rules that have been checked and can be evaluated.

use std::collections::BTreeMap;

use kube_cel::cel::IdedExpr;
use kube_cel::cel::parser::Parser;
use serde_json::Value;

use super::super::node::Node;
use super::check::{Checker, Refusal};
use super::types::{Place, Type, place};
use super::{Rule, field_path};
use crate::status::Cause;

/// A rule that can be evaluated.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) rule: Rule,
    pub(super) program: IdedExpr,
    pub(super) message: Option<IdedExpr>,
    /// Whether it is about a change.
    pub(super) uses_old: bool,
    /// The path of the field that it blames, from the value that it is about.
    pub(super) field_path: String,
}

/// The rules of a schema and of the schemas in it.
#[derive(Debug, Default)]
pub(in super::super) struct Rules {
    pub(super) own: Vec<Compiled>,
    pub(super) fields: BTreeMap<String, Self>,
    pub(super) items: Option<Box<Self>>,
    pub(super) values: Option<Box<Self>>,
}

impl Rules {
    /// The rules of the schema of a kind; `None` if it has none.
    pub(in super::super) fn read(root: &Node) -> Option<Self> {
        Self::of(root, Place::Resource)
    }

    fn of(node: &Node, place: Place) -> Option<Self> {
        // Rules below values that have no type are not evaluated.
        Type::of(node, place)?;
        let inner = |node: &Node| Self::of(node, self::place(node)).map(Box::new);
        let fields = node.properties.iter().filter_map(|(name, field)| Some((name.clone(), *inner(field)?)));
        let rules = Self {
            // The definition has been accepted, so they all compile.
            own: node.rules.iter().filter_map(|rule| compile(rule, node, place).ok()).collect(),
            fields: fields.collect(),
            items: node.item().and_then(inner),
            values: node.additional().and_then(inner),
        };
        let Self { own, fields, items, values } = &rules;
        let is_empty = own.is_empty() && fields.is_empty() && items.is_none() && values.is_none();
        (!is_empty).then_some(rules)
    }
}

/// Which part of a rule is refused, and why.
struct Refused {
    part: &'static str,
    why: Refusal,
}

fn compile(rule: &Rule, node: &Node, place: Place) -> Result<Compiled, Refused> {
    let refuse = |part| move |why| Refused { part, why };
    let Some(this) = Type::of(node, place) else {
        return Err(Refused {
            part: "rule",
            why: Refusal::Lacking("rules of values without a type".to_owned()),
        });
    };
    let old = match rule.optional_old_self {
        Some(true) => Type::Optional(Box::new(this.clone())),
        Some(false) | None => this.clone(),
    };
    let mut checker = Checker { variables: vec![("self".to_owned(), this), ("oldSelf".to_owned(), old)] };
    let program = parse(&rule.rule).map_err(refuse("rule"))?;
    let uses_old = program.references().has_variable("oldSelf");
    let of = checker.check(&program).map_err(prefixed).map_err(refuse("rule"))?;
    if !matches!(of, Type::Bool) {
        let why = Refusal::Invalid("cel expression must evaluate to a bool".to_owned());
        return Err(Refused { part: "rule", why });
    }
    let mut message = None;
    if !rule.message_expression.is_empty() {
        let part = "messageExpression";
        let of = parse(&rule.message_expression).and_then(|parsed| {
            let of = checker.check(&parsed).map_err(prefixed)?;
            Ok((parsed, of))
        });
        let with_part = |why| match why {
            Refusal::Invalid(why) => Refusal::Invalid(format!("messageExpression {why}")),
            lacking @ Refusal::Lacking(_) => lacking,
        };
        let (parsed, of) = of.map_err(with_part).map_err(refuse(part))?;
        if !matches!(of, Type::String) {
            let why = Refusal::Invalid("messageExpression must evaluate to a string".to_owned());
            return Err(Refused { part, why });
        }
        message = Some(parsed);
    }
    let field_path = field_path::normalised(&rule.field_path, node).unwrap_or_default();
    Ok(Compiled { rule: rule.clone(), program, message, uses_old, field_path })
}

/// As the real server begins the message of a rule that it cannot compile.
fn prefixed(why: Refusal) -> Refusal {
    match why {
        Refusal::Invalid(why) => Refusal::Invalid(format!("compilation failed: ERROR: {why}")),
        lacking @ Refusal::Lacking(_) => lacking,
    }
}

/// How many operators a rule may have. Parser and evaluator go as deep as there are operators in a row, on the stack.
const MOST_OPERATORS: usize = 200;

/// How many operators, fields and brackets a rule has, about: those in texts do not count.
fn operators(text: &str) -> usize {
    let mut count = 0;
    let mut quote = None;
    let mut before = ' ';
    for character in text.chars() {
        match quote {
            Some(end) if character == end && before != '\\' => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '\'') => quote = Some(character),
            // Of those with two characters the second does not count.
            None if "+-*/%<>=!&|?.[({".contains(character) && !"<>=!&|".contains(before) => count += 1,
            None => {}
        }
        before = character;
    }
    count
}

fn parse(text: &str) -> Result<IdedExpr, Refusal> {
    if operators(text) > MOST_OPERATORS {
        return Err(Refusal::Lacking(format!("more than {MOST_OPERATORS} operators")));
    }
    let parsed = Parser::new().enable_optional_syntax(true).parse(text);
    parsed.map_err(|errors| Refusal::Invalid(format!("compilation failed: {errors}")))
}

/// What is wrong with the rules of a schema that is valid otherwise.
pub(in super::super) fn check(root: &Node, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(root, Place::Resource, path, None, &mut |node, place, path, forbidden| {
        for (index, rule) in node.rules.iter().enumerate() {
            let at = |part: &str| format!("{path}.x-kubernetes-validations[{index}].{part}");
            match compile(rule, node, place) {
                Err(Refused { part, why: Refusal::Invalid(why) }) => {
                    causes.push(Cause::invalid(&at(part), &shown(rule), &why));
                }
                Err(Refused { why: Refusal::Lacking(_), .. }) => {}
                Ok(compiled) if compiled.uses_old => {
                    if let Some(within) = forbidden {
                        let why = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
                        let text = super::super::shown(&Value::from(&*rule.rule));
                        causes.push(Cause::invalid(&at("rule"), &text, &format!("{why} {within}")));
                    }
                }
                Ok(_) => {
                    if let Some(is_optional) = rule.optional_old_self {
                        let why = "may not be set if oldSelf is not used in rule";
                        causes.push(Cause::invalid(&at("optionalOldSelf"), &is_optional.to_string(), why));
                    }
                }
            }
        }
    });
    if causes.is_empty() {
        walk(root, Place::Resource, path, None, &mut |node, place, path, _| {
            if node.has_default()
                && let Some(rules) = Rules::of(node, place)
            {
                causes.extend(rules.check_default(node, place, &format!("{path}.default")));
            }
        });
    }
    causes
}

/// Which rule needs what the evaluator does not have.
pub(in super::super) fn lacking(root: &Node) -> Option<String> {
    let mut lacking = None;
    walk(root, Place::Resource, "", None, &mut |node, place, _, _| {
        for rule in &node.rules {
            if let Err(Refused { why: Refusal::Lacking(what), .. }) = compile(rule, node, place) {
                lacking.get_or_insert(format!(
                    "rules with {what} are not supported by this server: {}",
                    rule.rule
                ));
            }
        }
    });
    lacking
}

/// Calls `each` with every schema that values have, its path, and the list around it whose items have no identity.
fn walk(
    node: &Node,
    place: Place,
    path: &str,
    forbidden: Option<&str>,
    each: &mut impl FnMut(&Node, Place, &str, Option<&str>),
) {
    each(node, place, path, forbidden);
    for (name, field) in &node.properties {
        walk(field, self::place(field), &format!("{path}.properties[{name}]"), forbidden, each);
    }
    if let Some(values) = node.additional() {
        walk(values, self::place(values), &format!("{path}.additionalProperties"), forbidden, each);
    }
    if let Some(item) = node.item() {
        let forbidden = forbidden.or(if node.is_map() { None } else { Some(path) });
        walk(item, self::place(item), &format!("{path}.items"), forbidden, each);
    }
}

/// A rule in a message.
fn shown(rule: &Rule) -> String {
    let text = |text: &str| {
        let quoted = Value::from(text).to_string();
        quoted.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    };
    let reason = rule.reason.as_deref().map_or("null".to_owned(), text);
    let optional = rule.optional_old_self.map_or("null".to_owned(), |is_optional| is_optional.to_string());
    format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{reason},\"FieldPath\":{},\"OptionalOldSelf\":{optional}}}",
        text(&rule.rule),
        text(&rule.message),
        text(&rule.message_expression),
        text(&rule.field_path),
    )
}
