//! The functions that rules can call: their types, and those that the evaluator lacks or has otherwise.

use std::sync::{Arc, LazyLock};

use kube_cel::KubeCelExt as _;
use kube_cel::cel::common::ast::IdedExpr;
use kube_cel::cel::extractors::This;
use kube_cel::cel::objects::Value;
use kube_cel::cel::parser::Parser;
use kube_cel::cel::{Context, ExecutionError, ResolveResult};

use super::super::{formats, pattern};
use super::texts;
use super::types::{Order, Type};
use crate::schema;

/// Name, receiver, arguments, result.
type Signature = (&'static str, &'static str, &'static [&'static str], &'static str);

const NONE: &[&str] = &[];
const TEXT: &[&str] = &["string"];
const NUMBER: &[&str] = &["int"];

const SIGNATURES: [Signature; 71] = [
    ("size", "", TEXT, "int"),
    ("size", "", &["list"], "int"),
    ("size", "", &["map"], "int"),
    ("size", "string", NONE, "int"),
    ("size", "list", NONE, "int"),
    ("size", "map", NONE, "int"),
    ("string", "", TEXT, "string"),
    ("string", "", NUMBER, "string"),
    ("int", "", NUMBER, "int"),
    ("int", "", TEXT, "int"),
    ("double", "", &["double"], "double"),
    ("double", "", NUMBER, "double"),
    ("dyn", "", &["any"], "dyn"),
    ("type", "", &["any"], "type"),
    ("startsWith", "string", TEXT, "bool"),
    ("endsWith", "string", TEXT, "bool"),
    ("contains", "string", TEXT, "bool"),
    ("matches", "string", TEXT, "bool"),
    ("matches", "", &["string", "string"], "bool"),
    ("find", "string", TEXT, "string"),
    ("findAll", "string", TEXT, "list(string)"),
    ("lowerAscii", "string", NONE, "string"),
    ("upperAscii", "string", NONE, "string"),
    ("trim", "string", NONE, "string"),
    ("charAt", "string", NUMBER, "string"),
    ("split", "string", TEXT, "list(string)"),
    ("split", "string", &["string", "int"], "list(string)"),
    ("join", "list(string)", NONE, "string"),
    ("join", "list(string)", TEXT, "string"),
    ("replace", "string", &["string", "string"], "string"),
    ("replace", "string", &["string", "string", "int"], "string"),
    ("substring", "string", NUMBER, "string"),
    ("substring", "string", &["int", "int"], "string"),
    ("indexOf", "string", TEXT, "int"),
    ("indexOf", "string", &["string", "int"], "int"),
    ("lastIndexOf", "string", TEXT, "int"),
    ("lastIndexOf", "string", &["string", "int"], "int"),
    ("indexOf", "list", &["item"], "int"),
    ("lastIndexOf", "list", &["item"], "int"),
    ("isSorted", "list(int)", NONE, "bool"),
    ("isSorted", "list(double)", NONE, "bool"),
    ("isSorted", "list(string)", NONE, "bool"),
    ("isSorted", "list(bool)", NONE, "bool"),
    ("sum", "list(int)", NONE, "int"),
    ("sum", "list(double)", NONE, "double"),
    ("min", "list(int)", NONE, "int"),
    ("min", "list(double)", NONE, "double"),
    ("min", "list(string)", NONE, "string"),
    ("max", "list(int)", NONE, "int"),
    ("max", "list(double)", NONE, "double"),
    ("max", "list(string)", NONE, "string"),
    ("sets.contains", "", &["list", "list"], "bool"),
    ("sets.equivalent", "", &["list", "list"], "bool"),
    ("sets.intersects", "", &["list", "list"], "bool"),
    ("hasValue", "optional", NONE, "bool"),
    ("value", "optional", NONE, "inner"),
    ("orValue", "optional", &["inner"], "inner"),
    ("isURL", "", TEXT, "bool"),
    ("isIP", "", TEXT, "bool"),
    ("isCIDR", "", TEXT, "bool"),
    ("isQuantity", "", TEXT, "bool"),
    ("quantity", "", TEXT, "quantity"),
    ("isGreaterThan", "quantity", &["quantity"], "bool"),
    ("isLessThan", "quantity", &["quantity"], "bool"),
    ("compareTo", "quantity", &["quantity"], "int"),
    ("sign", "", &["quantity"], "int"),
    ("isInteger", "quantity", NONE, "bool"),
    ("asInteger", "quantity", NONE, "int"),
    ("add", "quantity", &["quantity"], "quantity"),
    ("sub", "quantity", &["quantity"], "quantity"),
    ("asApproximateFloat", "quantity", NONE, "double"),
];

/// Functions and macros of the real server that this one does not have, or not for all types.
const LACKING: [&str; 95] = [
    "all",
    "allowed",
    "authorizer",
    "bool",
    "bytes",
    "check",
    "cidr",
    "containsCIDR",
    "containsIP",
    "distinct",
    "double",
    "duration",
    "errored",
    "error",
    "exists",
    "existsOne",
    "exists_one",
    "family",
    "first",
    "flatten",
    "format",
    "format.byte",
    "format.date",
    "format.datetime",
    "format.dns1035Label",
    "format.dns1035LabelPrefix",
    "format.dns1123Label",
    "format.dns1123LabelPrefix",
    "format.dns1123Subdomain",
    "format.dns1123SubdomainPrefix",
    "format.labelValue",
    "format.named",
    "format.qualifiedName",
    "format.uri",
    "format.uuid",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getEscapedPath",
    "getFullYear",
    "getHost",
    "getHostname",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getPort",
    "getQuery",
    "getScheme",
    "getSeconds",
    "group",
    "int",
    "ip",
    "ip.isCanonical",
    "isGlobalUnicast",
    "isGreaterThan",
    "isLessThan",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isLoopback",
    "isSemver",
    "isUnspecified",
    "compareTo",
    "last",
    "lists.range",
    "major",
    "masked",
    "minor",
    "optFlatMap",
    "optMap",
    "optional.none",
    "optional.of",
    "optional.ofNonZeroValue",
    "optional.unwrap",
    "or",
    "patch",
    "path",
    "prefixLength",
    "reverse",
    "semver",
    "slice",
    "sort",
    "sortBy",
    "string",
    "strings.quote",
    "timestamp",
    "transformList",
    "transformMap",
    "transformMapEntry",
    "uint",
    "unwrap",
    "unwrapOpt",
    "url",
    "validate",
];

/// What is known of a call.
pub(super) enum Call<'n> {
    Returns(Type<'n>),
    /// There is such a function, but not for these types.
    NoOverload,
    /// There may be such a function in the real server, but not here.
    Lacking,
    Unknown,
}

/// Looks up a function. `receiver` is `None` for a function that is not called on a value.
pub(super) fn call<'n>(name: &str, receiver: Option<&Type<'n>>, arguments: &[Type<'n>]) -> Call<'n> {
    let fits = |(other, on, wanted, _): &&Signature| {
        *other == name
            && wanted.len() == arguments.len()
            && receiver.map_or(on.is_empty(), |receiver| !on.is_empty() && is(receiver, on, receiver))
            && wanted.iter().zip(arguments).all(|(wanted, of)| is(of, wanted, receiver.unwrap_or(of)))
    };
    if let Some((_, _, _, result)) = SIGNATURES.iter().find(fits) {
        return Call::Returns(named(result, receiver));
    }
    let is_known = SIGNATURES.iter().any(|(other, ..)| *other == name);
    if LACKING.contains(&name) {
        Call::Lacking
    } else if is_known {
        Call::NoOverload
    } else {
        Call::Unknown
    }
}

/// Whether a namespace of functions begins so.
pub(super) fn is_qualified(name: &str) -> bool {
    SIGNATURES.iter().any(|(other, ..)| *other == name) || LACKING.contains(&name)
}

fn is(of: &Type<'_>, name: &str, receiver: &Type<'_>) -> bool {
    match (of, name) {
        (Type::Dyn | Type::Unknown, _) | (_, "any") => true,
        (Type::List(item, _), _) if name.starts_with("list(") => {
            is(item, name.trim_start_matches("list(").trim_end_matches(')'), receiver)
        }
        (of, "item") => matches!(receiver, Type::List(item, _) if item.fits(of)),
        (of, "inner") => matches!(receiver, Type::Optional(inner) if inner.fits(of)),
        (Type::List(..), "list") | (Type::Map(_), "map") | (Type::Optional(_), "optional") => true,
        (Type::Quantity, "quantity") => true,
        (of, name) => matches!(name, "bool" | "int" | "double" | "string") && of.to_string() == name,
    }
}

fn named<'n>(name: &str, receiver: Option<&Type<'n>>) -> Type<'n> {
    match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "double" => Type::Double,
        "string" => Type::String,
        "type" => Type::Name,
        "quantity" => Type::Quantity,
        "list(string)" => Type::List(Box::new(Type::String), Order::Matters),
        "inner" => match receiver {
            Some(Type::Optional(inner)) => (**inner).clone(),
            _ => Type::Dyn,
        },
        _ => Type::Dyn,
    }
}

/// The names of types, which are values, too.
pub(super) const TYPE_NAMES: [&str; 7] = ["bool", "double", "int", "list", "map", "null_type", "string"];

/// The functions, made once.
pub(super) static CONTEXT: LazyLock<Context<'static>> = LazyLock::new(|| {
    let mut context = Context::default().with_all();
    context.add_function("dyn", |This(value): This<Value>| -> ResolveResult { Ok(value) });
    context
        .add_function("type", |This(value): This<Value>| -> ResolveResult { Ok(type_name(&value).into()) });
    texts::add(&mut context);
    // Those of the library overflow.
    context.add_function("sum", |This(items): This<Arc<Vec<Value>>>| -> ResolveResult { sum(&items) });
    context.add_function("isQuantity", |This(text): This<Arc<String>>| -> ResolveResult {
        Ok(is_quantity(&text).into())
    });
    context.add_function("quantity", |This(text): This<Arc<String>>| -> ResolveResult { quantity(&text) });
    context.add_function("isURL", |This(text): This<Arc<String>>| -> ResolveResult {
        Ok(formats::is_request_uri(&text).into())
    });
    // Regular expressions are those of Go.
    context.add_function("matches", |This(text): This<Arc<String>>, pattern: Arc<String>| -> ResolveResult {
        Ok(compile(&pattern)?.is_match(&text).into())
    });
    context.add_function("find", |This(text): This<Arc<String>>, pattern: Arc<String>| -> ResolveResult {
        Ok(compile(&pattern)?.find(&text).map_or("", |found| found.as_str()).into())
    });
    context.add_function("findAll", |This(text): This<Arc<String>>, pattern: Arc<String>| -> ResolveResult {
        let found: Vec<Value> =
            compile(&pattern)?.find_iter(&text).map(|found| found.as_str().into()).collect();
        Ok(Value::List(Arc::new(found)))
    });
    for name in TYPE_NAMES {
        context.add_variable_from_value(name, format!("type {name}"));
    }
    context
});

fn sum(items: &[Value]) -> ResolveResult {
    let mut sum = match items.first() {
        Some(Value::Float(_)) => Value::Float(0.0),
        _ => Value::Int(0),
    };
    for item in items {
        sum = match (sum, item) {
            (Value::Int(sum), Value::Int(item)) => {
                let more = sum.checked_add(*item);
                Value::Int(more.ok_or_else(|| ExecutionError::function_error("sum", "integer overflow"))?)
            }
            (Value::Float(sum), Value::Float(item)) => Value::Float(sum + item),
            _ => return Err(ExecutionError::NoSuchOverload),
        };
    }
    Ok(sum)
}

/// Whether a text is a quantity. As a field it may have spaces around it, here not.
fn is_quantity(text: &str) -> bool {
    text.trim() == text && schema::canonical_quantity(text).is_ok()
}

/// A quantity as the library makes it. It calculates with numbers of fixed size, so one that is out of proportion is an error.
fn quantity(text: &str) -> ResolveResult {
    if !is_quantity(text) || !is_moderate(text) {
        let why =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        return Err(ExecutionError::function_error("quantity", why));
    }
    let mut context = LIBRARY.new_inner_scope();
    context.add_variable_from_value("text", text.to_owned());
    match &*QUANTITY {
        Some(program) => Value::resolve(program, &context),
        None => Err(ExecutionError::NoSuchOverload),
    }
}

/// The functions of the library as they are.
static LIBRARY: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_all());
static QUANTITY: LazyLock<Option<IdedExpr>> = LazyLock::new(|| Parser::new().parse("quantity(text)").ok());

/// Whether a quantity has at most 20 digits before the point and nine behind it, written out.
fn is_moderate(text: &str) -> bool {
    let number = text.trim_start_matches(['+', '-']);
    let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
    let (digits, suffix) = number.split_at(end);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let ten: i64 = match suffix {
        "" => 0,
        "n" => -9,
        "u" => -6,
        "m" => -3,
        "k" | "Ki" => 3,
        "M" | "Mi" => 6,
        "G" | "Gi" => 9,
        "T" | "Ti" => 12,
        "P" | "Pi" => 15,
        "E" | "Ei" => 18,
        exponent => match exponent.trim_start_matches(['e', 'E']).parse() {
            Ok(ten) => ten,
            Err(_) => return false,
        },
    };
    let whole = whole.len();
    let fraction = fraction.len();
    let (Ok(whole), Ok(fraction)) = (i64::try_from(whole), i64::try_from(fraction)) else { return false };
    (-9..=20).contains(&ten) && whole + ten <= 20 && whole <= 20 && fraction - ten.min(0) <= 18
}

fn compile(pattern: &str) -> Result<regex::Regex, ExecutionError> {
    pattern::compile(pattern).map_err(|error| ExecutionError::function_error("matches", error.to_string()))
}

fn type_name(value: &Value) -> String {
    let name = match value {
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "double",
        Value::String(_) => "string",
        Value::List(_) => "list",
        Value::Map(_) => "map",
        Value::Null => "null_type",
        _ => "other",
    };
    format!("type {name}")
}
