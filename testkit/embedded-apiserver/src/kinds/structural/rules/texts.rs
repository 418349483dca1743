//! Functions of texts, and of lists where they have the same names, as Go's evaluator has them: texts are counted in characters,
//! split between them, and a position outside of them is an error.

use std::sync::Arc;

use kube_cel::cel::extractors::{Arguments, This};
use kube_cel::cel::objects::Value;
use kube_cel::cel::{Context, ExecutionError, ResolveResult};

/// Adds them in place of those that the library has.
pub(super) fn add(context: &mut Context<'_>) {
    context.add_function("size", |This(value): This<Value>| -> ResolveResult { size(&value) });
    context.add_function("split", |This(text): This<Arc<String>>, Arguments(arguments): Arguments| {
        ResolveResult::Ok(split(&text, &arguments))
    });
    context.add_function("replace", |This(text): This<Arc<String>>, Arguments(arguments): Arguments| {
        replace(&text, &arguments)
    });
    context.add_function("substring", |This(text): This<Arc<String>>, Arguments(arguments): Arguments| {
        substring(&text, &arguments)
    });
    context.add_function("indexOf", |This(value): This<Value>, Arguments(arguments): Arguments| {
        index_of(&value, &arguments, false)
    });
    context.add_function("lastIndexOf", |This(value): This<Value>, Arguments(arguments): Arguments| {
        index_of(&value, &arguments, true)
    });
}

fn size(value: &Value) -> ResolveResult {
    let size = match value {
        Value::String(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.map.len(),
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    Ok(i64::try_from(size).unwrap_or(i64::MAX).into())
}

fn split(text: &str, arguments: &[Value]) -> Value {
    let separator = match arguments.first() {
        Some(Value::String(separator)) => separator.as_str(),
        _ => "",
    };
    let most = match arguments.get(1) {
        Some(Value::Int(most)) => usize::try_from(*most).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let parts: Vec<&str> = if most == 0 {
        Vec::new()
    } else if separator.is_empty() {
        // The last part is the rest.
        let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).take(most).collect();
        let ends = starts.iter().skip(1).copied().chain([text.len()]);
        starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
    } else {
        text.splitn(most, separator).collect()
    };
    Value::List(Arc::new(parts.into_iter().map(Value::from).collect()))
}

fn replace(text: &str, arguments: &[Value]) -> ResolveResult {
    let [Value::String(old), Value::String(new), most @ ..] = arguments else {
        return Err(ExecutionError::NoSuchOverload);
    };
    Ok(match most {
        // Less than none is all.
        [Value::Int(most)] if *most >= 0 => {
            text.replacen(&**old, new, usize::try_from(*most).unwrap_or(usize::MAX)).into()
        }
        _ => text.replace(&**old, new).into(),
    })
}

fn substring(text: &str, arguments: &[Value]) -> ResolveResult {
    let characters: Vec<char> = text.chars().collect();
    let count = i64::try_from(characters.len()).unwrap_or(i64::MAX);
    let (start, end) = match arguments {
        [Value::Int(start)] => (*start, count),
        [Value::Int(start), Value::Int(end)] => {
            if start > end {
                let why = format!("invalid substring range. start: {start}, end: {end}");
                return Err(ExecutionError::function_error("substring", why));
            }
            (*start, *end)
        }
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    let within = |at: i64| match usize::try_from(at) {
        Ok(within) if at <= count => Ok(within),
        _ => Err(out_of_range("substring", at)),
    };
    let start = within(start)?;
    let end = within(end)?;
    Ok(characters.get(start..end).unwrap_or_default().iter().collect::<String>().into())
}

fn index_of(value: &Value, arguments: &[Value], is_last: bool) -> ResolveResult {
    let (text, wanted, from) = match (value, arguments) {
        (Value::List(items), [wanted]) => {
            let is = |item: &Value| item == wanted;
            let found = if is_last { items.iter().rposition(is) } else { items.iter().position(is) };
            return Ok(place(found));
        }
        (Value::String(text), [Value::String(wanted)]) => (text, wanted, None),
        (Value::String(text), [Value::String(wanted), Value::Int(from)]) => (text, wanted, Some(*from)),
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    let (text, wanted): (Vec<char>, Vec<char>) = (text.chars().collect(), wanted.chars().collect());
    if wanted.is_empty() {
        // Nothing is found everywhere.
        let end = if is_last { text.len() } else { 0 };
        return Ok(from.map_or_else(|| place(Some(end)), Value::Int));
    }
    let begin = match from.map(|from| usize::try_from(from).map_err(|_| out_of_range("indexOf", from))) {
        Some(begin) => begin?,
        None if is_last => text.len().saturating_sub(1),
        None => 0,
    };
    if begin >= text.len() || wanted.len() > text.len() {
        return Ok(place(None));
    }
    let is_at = |at: &usize| text[*at..].starts_with(&wanted);
    let last = text.len() - wanted.len();
    Ok(place(if is_last { (0..=begin.min(last)).rev().find(is_at) } else { (begin..=last).find(is_at) }))
}

/// A position, or that there is none.
fn place(found: Option<usize>) -> Value {
    Value::Int(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
}

fn out_of_range(function: &str, at: i64) -> ExecutionError {
    ExecutionError::function_error(function, format!("index out of range: {at}"))
}
