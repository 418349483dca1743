//! Which rules can be evaluated: a check of their types, as far as schemas tell them.

use kube_cel::cel::IdedExpr;
use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr};

use super::super::pattern::{self, Unusable};
use super::functions::{self, Call, TYPE_NAMES};
use super::types::{self, Order, Type};

/// Why a rule is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The real server refuses it, too.
    Invalid(String),
    /// This server lacks something that it needs.
    Lacking(String),
}

type Checked<'n> = Result<Type<'n>, Refusal>;

fn invalid<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Invalid(why.into()))
}

fn lacking<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Lacking(what.into()))
}

/// Checks expressions with these variables.
pub(super) struct Checker<'n> {
    pub(super) variables: Vec<(String, Type<'n>)>,
}

impl<'n> Checker<'n> {
    /// The type of an expression.
    pub(super) fn check(&mut self, expression: &IdedExpr) -> Checked<'n> {
        match self.kind_of(expression)? {
            Type::Special(format) => lacking(format!("texts with the format {format}")),
            of => Ok(of),
        }
    }

    fn kind_of(&mut self, expression: &IdedExpr) -> Checked<'n> {
        match &expression.expr {
            Expr::Unspecified => invalid("no expression"),
            Expr::Literal(literal) => match literal {
                LiteralValue::Boolean(_) => Ok(Type::Bool),
                LiteralValue::Double(_) => Ok(Type::Double),
                LiteralValue::Int(_) => Ok(Type::Int),
                LiteralValue::Null => Ok(Type::Null),
                LiteralValue::String(_) => Ok(Type::String),
                LiteralValue::Bytes(_) => lacking("bytes"),
                LiteralValue::UInt(_) => lacking("uint"),
            },
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => self.select(select),
            Expr::List(list) if !list.optional_indices.is_empty() => lacking("optional items of lists"),
            Expr::List(list) => {
                let mut items = Type::Unknown;
                for element in &list.elements {
                    items = joined(items, self.check(element)?)?;
                }
                Ok(Type::List(Box::new(items), Order::Matters))
            }
            Expr::Map(map) => {
                let mut values = Type::Unknown;
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return lacking("messages") };
                    if entry.optional || !matches!(self.check(&entry.key)?, Type::String) {
                        return lacking("maps with other keys than texts");
                    }
                    values = joined(values, self.check(&entry.value)?)?;
                }
                Ok(Type::Map(Box::new(values)))
            }
            Expr::Struct(message) => undeclared(&message.type_name),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Call(call) => self.call(call),
        }
    }

    fn variable(&self, name: &str) -> Checked<'n> {
        let found = self.variables.iter().rev().find(|(other, _)| other == name);
        match found {
            Some((_, of)) => Ok(of.clone()),
            None if TYPE_NAMES.contains(&name) => Ok(Type::Name),
            None if matches!(name, "bytes" | "google" | "type" | "uint") => lacking(name),
            None => undeclared(name),
        }
    }

    fn select(&mut self, select: &SelectExpr) -> Checked<'n> {
        let of = match self.check(&select.operand)? {
            Type::Dyn | Type::Unknown => Type::Dyn,
            Type::Map(values) => *values,
            Type::Object(node, place) => {
                let mut fields = types::fields(node, place);
                let field = fields.find(|(escaped, _, _)| *escaped == select.field);
                let found = field.and_then(|(_, _, field)| Type::of(field, types::place(field)));
                let Some(of) = found else {
                    return invalid(format!("undefined field '{}'", select.field));
                };
                of
            }
            Type::Optional(_) => return lacking("fields of optional values"),
            other => return invalid(format!("type '{other}' does not support field selection")),
        };
        Ok(if select.test { Type::Bool } else { of })
    }

    /// `all`, `exists` and the like, which are macros.
    fn comprehension(&mut self, of: &ComprehensionExpr) -> Checked<'n> {
        if of.iter_var2.is_some() {
            return lacking("comprehensions with two variables");
        }
        let range = self.check(&of.iter_range)?;
        let item = match range {
            Type::List(item, _) => *item,
            Type::Map(_) => Type::String,
            Type::Dyn | Type::Unknown => Type::Dyn,
            other => {
                let why = "cannot be range of a comprehension (must be list, map, or dynamic)";
                return invalid(format!("expression of type '{other}' {why}"));
            }
        };
        let outside = self.variables.len();
        let result = self.accumulate(of, item);
        self.variables.truncate(outside);
        result
    }

    fn accumulate(&mut self, of: &ComprehensionExpr, item: Type<'n>) -> Checked<'n> {
        let start = self.check(&of.accu_init)?;
        let place = self.variables.len();
        self.variables.push((of.accu_var.clone(), start.clone()));
        self.variables.push((of.iter_var.clone(), item));
        expect(&Type::Bool, self.check(&of.loop_cond)?)?;
        let step = self.check(&of.loop_step)?;
        self.variables.truncate(place);
        self.variables.push((of.accu_var.clone(), joined(start, step)?));
        self.check(&of.result)
    }

    fn call(&mut self, call: &CallExpr) -> Checked<'n> {
        let name = &*call.func_name;
        if let Some(Expr::Ident(prefix)) = call.target.as_ref().map(|target| &target.expr)
            && self.variable(prefix).is_err()
        {
            let qualified = format!("{prefix}.{name}");
            if !functions::is_qualified(&qualified) {
                return undeclared(prefix);
            }
            let arguments = self.all(&call.args)?;
            return found(&qualified, functions::call(&qualified, None, &arguments), None, &arguments);
        }
        if call.target.is_none()
            && (name.contains('_') || name.starts_with('@'))
            && !name.starts_with("exists")
        {
            let arguments = self.all(&call.args)?;
            return operator(name, arguments);
        }
        let receiver = call.target.as_ref().map(|target| self.check(target)).transpose()?;
        // The variables of a macro that is not known here are not declared.
        let arguments = match functions::call(name, receiver.as_ref(), &[]) {
            Call::Unknown => return undeclared(name),
            Call::Lacking => self.all(&call.args).or_else(|_| lacking(name))?,
            Call::Returns(_) | Call::NoOverload => self.all(&call.args)?,
        };
        if let ("matches" | "find" | "findAll", Some(Expr::Literal(LiteralValue::String(text)))) =
            (name, call.args.last().map(|last| &last.expr))
        {
            match pattern::compile(text.inner()) {
                Ok(_) => {}
                Err(Unusable::InGo(_)) => return invalid(format!("invalid {name} argument")),
                Err(Unusable::Here(why)) => return lacking(why),
            }
        }
        if name == "type" && matches!(arguments[..], [Type::Name]) {
            return lacking("the type of a type");
        }
        let found_call = functions::call(name, receiver.as_ref(), &arguments);
        found(name, found_call, receiver.as_ref(), &arguments)
    }

    fn all(&mut self, expressions: &[IdedExpr]) -> Result<Vec<Type<'n>>, Refusal> {
        expressions.iter().map(|expression| self.check(expression)).collect()
    }
}

fn undeclared<T>(name: &str) -> Result<T, Refusal> {
    invalid(format!("undeclared reference to '{name}' (in container '')"))
}

fn joined<'n>(one: Type<'n>, other: Type<'n>) -> Checked<'n> {
    if one.fits(&other) {
        Ok(one.join(other))
    } else {
        invalid(format!("expected type '{one}' but found '{other}'"))
    }
}

fn expect<'n>(wanted: &Type<'n>, of: Type<'n>) -> Checked<'n> {
    if wanted.fits(&of) { Ok(of) } else { invalid(format!("expected type '{wanted}' but found '{of}'")) }
}

fn found<'n>(name: &str, call: Call<'n>, receiver: Option<&Type<'n>>, arguments: &[Type<'n>]) -> Checked<'n> {
    match call {
        Call::Returns(of) => Ok(of),
        Call::Lacking => lacking(name),
        Call::Unknown => undeclared(name),
        Call::NoOverload => no_overload(name, receiver, arguments),
    }
}

fn no_overload<'n>(name: &str, receiver: Option<&Type<'n>>, arguments: &[Type<'n>]) -> Checked<'n> {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let receiver = receiver.map(|of| format!("{of}.")).unwrap_or_default();
    invalid(format!(
        "found no matching overload for '{name}' applied to '{receiver}({})'",
        arguments.join(", ")
    ))
}

fn operator<'n>(name: &str, arguments: Vec<Type<'n>>) -> Checked<'n> {
    use Type::{Bool, Double, Dyn, Int, List, Map, String, Unknown};
    let is_any = |of: &Type<'n>| matches!(of, Dyn | Unknown);
    let is_number = |of: &Type<'n>| matches!(of, Int | Double);
    let fail = |arguments: &[Type<'n>]| no_overload(name, None, arguments);
    let mut rest = arguments.into_iter();
    let arguments = (rest.next(), rest.next(), rest.next());
    match (name, arguments) {
        ("_&&_" | "_||_", (Some(one), Some(other), None)) => {
            expect(&Bool, one)?;
            expect(&Bool, other)?;
            Ok(Bool)
        }
        ("@not_strictly_false", (Some(_), None, None)) => Ok(Bool),
        ("!_", (Some(of), None, None)) if is_any(&of) || matches!(of, Bool) => Ok(Bool),
        ("-_", (Some(of), None, None)) if is_any(&of) || is_number(&of) => Ok(of),
        ("_==_" | "_!=_", (Some(one), Some(other), None)) if one.fits(&other) => {
            if one.is_free() || other.is_free() { lacking("comparison of sets and maps") } else { Ok(Bool) }
        }
        ("_<_" | "_<=_" | "_>_" | "_>=_", (Some(one), Some(other), None)) => {
            let is_ordered = |of: &Type<'n>| is_any(of) || is_number(of) || matches!(of, String | Bool);
            let fits = is_number(&one) && is_number(&other) || one.fits(&other);
            if fits && is_ordered(&one) && is_ordered(&other) { Ok(Bool) } else { fail(&[one, other]) }
        }
        ("_+_", (Some(one @ List(..)), Some(other @ List(..)), None)) if one.fits(&other) => {
            match (&one, &other) {
                (List(_, Order::Free), _) | (_, List(_, Order::Free)) => lacking("union of sets and maps"),
                _ => Ok(one.join(other)),
            }
        }
        ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", (Some(one), Some(other), None)) => {
            let is_good = |of: &Type<'n>| match name {
                "_+_" => is_number(of) || matches!(of, String | List(..)),
                "_%_" => matches!(of, Int),
                _ => is_number(of),
            };
            let each_fits = [&one, &other].into_iter().all(|of| is_any(of) || is_good(of));
            if one.fits(&other) && each_fits { Ok(one.join(other)) } else { fail(&[one, other]) }
        }
        ("@in", (Some(item), Some(container), None)) => match &container {
            List(of, _) if of.is_free() => lacking("comparison of sets and maps"),
            List(of, _) if of.fits(&item) => Ok(Bool),
            Map(_) if item.fits(&String) => Ok(Bool),
            Dyn | Unknown => Ok(Bool),
            _ => fail(&[item, container]),
        },
        ("_[_]", (Some(container), Some(index), None)) => match (container, index) {
            (List(item, _), Int | Dyn) => Ok(*item),
            (Map(values), String | Dyn) => Ok(*values),
            (Dyn | Unknown, _) => Ok(Dyn),
            (container, index) => fail(&[container, index]),
        },
        ("_?_:_", (Some(condition), Some(one), Some(other))) => {
            if Bool.fits(&condition) && one.fits(&other) {
                Ok(one.join(other))
            } else {
                fail(&[condition, one, other])
            }
        }
        ("_?._" | "_[?_]", _) => lacking("optional fields"),
        (_, (one, other, third)) => fail(&[one, other, third].into_iter().flatten().collect::<Vec<_>>()),
    }
}
